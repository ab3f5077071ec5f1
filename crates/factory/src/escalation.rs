//! Escalations and their resolutions (section 17): everything that a person needs to decide, and
//! the six ways to decide, each with its own payload. A wrong payload is refused before anything
//! moves; free text is no resolution.

use crate::debate::{Adjudication, Challenge, Proposal};
use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, at_least, id, said, when};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a person must decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalationArtifact {
    /// `ESC-` and 8 hex digits.
    pub escalation_id: String,
    /// `T-...`.
    pub task_id: String,
    /// The path of the task file.
    pub task_ref: String,
    /// ISO 8601.
    pub created_at: String,
    /// Everything that was said.
    pub debate_trail: DebateTrail,
    /// What does not hold.
    pub failed_invariants: Vec<FailedInvariant>,
    /// The whole state machine at the time of the halt.
    pub state_machine_snapshot: serde_json::Map<String, serde_json::Value>,
    /// In plain language.
    pub minimal_decision_required: String,
    /// A suggestion, and no more.
    pub recommended_resolution: ResolutionAction,
    /// What helps to decide.
    pub resolution_context: String,
    /// What was decided: the person's attestation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Attestation>,
}

/// A resolution, with who answers for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attestation {
    /// The word that was said.
    pub action: Attested,
    /// What it needed, with the rationale.
    pub payload: serde_json::Map<String, serde_json::Value>,
    /// Who.
    pub resolved_by: String,
    /// ISO 8601.
    pub resolved_at: String,
}

/// A word that settles an escalation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Attested {
    /// One of the six, for a task.
    Task(ResolutionAction),
    /// For a spec, which has no task yet.
    Spec(SpecWord),
}

/// What a person may say to a spec that could not be completed, as the decision is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SpecWord {
    /// It is to be changed.
    #[serde(rename = "AMEND")]
    Amend,
    /// It is discarded.
    #[serde(rename = "REJECT")]
    Reject,
    /// It is to be drafted again.
    #[serde(rename = "retry")]
    Retry,
}

/// Everything that was said in a debate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
#[schemars(rename = "DebateState")]
pub struct DebateTrail {
    pub proposals: Vec<Proposal>,
    pub challenges: Vec<Challenge>,
    pub adjudications: Vec<Adjudication>,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedInvariant {
    /// What should hold.
    pub invariant: String,
    /// What shows that it does not.
    pub evidence: String,
}

impl Judged for EscalationArtifact {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "escalation_id",
            ids::ESCALATION,
            &self.escalation_id,
        );
        id(&mut found, "$", "task_id", ids::TASK, &self.task_id);
        said(&mut found, "$", "task_ref", &self.task_ref);
        when(&mut found, "$", "created_at", &self.created_at);
        for (index, failed) in self.failed_invariants.iter().enumerate() {
            let path = format!("$.failed_invariants[{index}]");
            said(&mut found, &path, "invariant", &failed.invariant);
            said(&mut found, &path, "evidence", &failed.evidence);
        }
        if self.state_machine_snapshot.is_empty() {
            let message = "the state machine at the time of the halt belongs here";
            let field = "state_machine_snapshot";
            found.push(Deficiency::error("empty_field", "$", field, message));
        }
        let decision = &self.minimal_decision_required;
        said(&mut found, "$", "minimal_decision_required", decision);
        said(
            &mut found,
            "$",
            "resolution_context",
            &self.resolution_context,
        );
        found.into_iter().collect()
    }
}

/// The six ways to decide.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ResolutionAction {
    ApproveOverride,
    AmendSpec,
    SplitTask,
    RevisePlan,
    ProvideFix,
    AbandonTask,
}

/// What a person decided: `{"action": "...", "payload": {...}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "action",
    content = "payload",
    rename_all = "SCREAMING_SNAKE_CASE",
    deny_unknown_fields
)]
pub enum HumanResolution {
    /// Ship it although the debate failed.
    ApproveOverride(Rationale),
    /// Other acceptance criteria; the task starts anew.
    AmendSpec(AmendedCriteria),
    /// Other tasks instead of this one.
    SplitTask(NewTasks),
    /// Another micro plan.
    RevisePlan(RevisedPlan),
    /// A fix, which is challenged like any proposal.
    ProvideFix(Fix),
    /// The task is not needed.
    AbandonTask(Rationale),
}

/// Why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rationale {
    /// Why.
    pub rationale: String,
}

/// Payload of AMEND_SPEC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmendedCriteria {
    /// At least one.
    pub amended_acceptance_criteria: Vec<String>,
    /// Why they changed.
    pub amendment_rationale: String,
}

/// Payload of SPLIT_TASK.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTasks {
    /// At least one.
    pub new_tasks: Vec<NewTask>,
}

/// A task that stands in for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    /// Its name, once in the list.
    pub name: String,
    /// What it implements.
    pub description: String,
    /// At least one.
    pub acceptance_criteria: Vec<String>,
    /// Tasks of the project, or names of this list.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// Payload of REVISE_PLAN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisedPlan {
    /// At least one.
    pub revised_micro_plan: Vec<RevisedModule>,
}

/// A module of a person's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisedModule {
    /// `MM-...`, once in the list.
    pub module_id: String,
    /// What it does.
    pub description: String,
    /// Modules of the list, or `MM-...@x.y.z` of shipped ones.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// Payload of PROVIDE_FIX.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// What it does and why.
    pub fix_description: String,
    /// Paths within the module, and contents.
    pub fix_artifacts: BTreeMap<String, String>,
}

impl HumanResolution {
    /// Which way it is.
    pub fn action(&self) -> ResolutionAction {
        match self {
            HumanResolution::ApproveOverride(_) => ResolutionAction::ApproveOverride,
            HumanResolution::AmendSpec(_) => ResolutionAction::AmendSpec,
            HumanResolution::SplitTask(_) => ResolutionAction::SplitTask,
            HumanResolution::RevisePlan(_) => ResolutionAction::RevisePlan,
            HumanResolution::ProvideFix(_) => ResolutionAction::ProvideFix,
            HumanResolution::AbandonTask(_) => ResolutionAction::AbandonTask,
        }
    }
}

impl Judged for HumanResolution {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        match self {
            HumanResolution::ApproveOverride(why) | HumanResolution::AbandonTask(why) => {
                said(&mut found, "$.payload", "rationale", &why.rationale);
            }
            HumanResolution::AmendSpec(amended) => {
                let criteria = &amended.amended_acceptance_criteria;
                let field = "amended_acceptance_criteria";
                at_least(&mut found, "$.payload", field, (1, criteria.len()));
                all_said(&mut found, "$.payload", field, criteria);
                let why = &amended.amendment_rationale;
                said(&mut found, "$.payload", "amendment_rationale", why);
            }
            HumanResolution::SplitTask(split) => split.judge(&mut found),
            HumanResolution::RevisePlan(plan) => plan.judge(&mut found),
            HumanResolution::ProvideFix(fix) => fix.judge(&mut found),
        }
        found.into_iter().collect()
    }
}

impl NewTasks {
    fn judge(&self, found: &mut Vec<Deficiency>) {
        at_least(found, "$.payload", "new_tasks", (1, self.new_tasks.len()));
        for (index, task) in self.new_tasks.iter().enumerate() {
            let path = format!("$.payload.new_tasks[{index}]");
            said(found, &path, "name", &task.name);
            said(found, &path, "description", &task.description);
            let count = task.acceptance_criteria.len();
            at_least(found, &path, "acceptance_criteria", (1, count));
            all_said(
                found,
                &path,
                "acceptance_criteria",
                &task.acceptance_criteria,
            );
            if self.new_tasks[..index].iter().any(|t| t.name == task.name) {
                let message = "the name is there twice";
                found.push(Deficiency::error("duplicate_name", &path, "name", message));
            }
        }
        let names: Vec<&str> = self.new_tasks.iter().map(|t| t.name.as_str()).collect();
        let edges = self.new_tasks.iter().map(|task| {
            let place = |reference: &String| names.iter().position(|name| name == reference);
            let places = task.depends_on.iter().filter_map(place);
            places.map(|place| place as u32).collect()
        });
        circle(found, "new_tasks", &edges.collect::<Vec<_>>(), &names);
    }
}

impl RevisedPlan {
    fn judge(&self, found: &mut Vec<Deficiency>) {
        let modules = &self.revised_micro_plan;
        at_least(found, "$.payload", "revised_micro_plan", (1, modules.len()));
        for (index, module) in modules.iter().enumerate() {
            let path = format!("$.payload.revised_micro_plan[{index}]");
            id(found, &path, "module_id", ids::MODULE, &module.module_id);
            said(found, &path, "description", &module.description);
            if modules[..index]
                .iter()
                .any(|m| m.module_id == module.module_id)
            {
                let message = "the id is there twice";
                found.push(Deficiency::error(
                    "duplicate_id",
                    &path,
                    "module_id",
                    message,
                ));
            }
            for (at, reference) in module.depends_on.iter().enumerate() {
                let own = modules.iter().any(|m| m.module_id == *reference);
                if !own && !ids::is_reference(ids::MODULE, reference) {
                    let message = "neither a module of this plan nor `MM-...@x.y.z`";
                    let field = format!("depends_on[{at}]");
                    found.push(Deficiency::error("bad_reference", &path, field, message));
                }
            }
        }
        let names: Vec<&str> = modules.iter().map(|m| m.module_id.as_str()).collect();
        let edges = modules.iter().map(|module| {
            let place = |reference: &String| {
                let id = reference.split('@').next().unwrap_or_default();
                names.iter().position(|name| *name == id)
            };
            let places = module.depends_on.iter().filter_map(place);
            places.map(|place| place as u32).collect()
        });
        circle(
            found,
            "revised_micro_plan",
            &edges.collect::<Vec<_>>(),
            &names,
        );
    }
}

fn circle(found: &mut Vec<Deficiency>, field: &str, edges: &[Vec<u32>], names: &[&str]) {
    for circle in crate::spec::circles(edges) {
        let mut way: Vec<&str> = circle.iter().map(|i| names[*i as usize]).collect();
        way.push(way[0]);
        let message = format!("these wait for each other: {}", way.join(" -> "));
        found.push(Deficiency::error("cycle", "$.payload", field, message));
    }
}

impl Fix {
    fn judge(&self, found: &mut Vec<Deficiency>) {
        said(found, "$.payload", "fix_description", &self.fix_description);
        let count = self.fix_artifacts.len();
        at_least(found, "$.payload", "fix_artifacts", (1, count));
        for path in self.fix_artifacts.keys() {
            if !is_inside(path) {
                let message = format!("{path:?} leads out of the module, or is no path");
                found.push(Deficiency::error(
                    "bad_path",
                    "$.payload",
                    "fix_artifacts",
                    message,
                ));
            }
        }
    }
}

/// A relative path that stays where it is put.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
}
