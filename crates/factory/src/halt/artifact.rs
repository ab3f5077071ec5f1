//! The escalation of a halted task (rule F17.1): everything that a person needs to decide.

use super::resolution::{Action, Resolution};
use crate::debate::Failure;
use crate::debate::Trail;
use crate::debate::stored::{documents, target};
use crate::engineering::work::{Fate, Work};
use crate::project::types::{EscalationId, ExceptionId, TaskId};
use crate::project::view::Snapshot;
use kernel::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A task that could not go on, because of what is not there, until a person resolved it.
pub const STUCK: &str = "could_not_run";

/// Why a task halted, what the person has to decide, and what we would do.
struct Cause {
    code: &'static str,
    decision: &'static str,
    recommended: Action,
}

/// One row for each code that a loop can halt with.
const CAUSES: [Cause; 14] = [
    Cause {
        code: "plan_invalid",
        decision: "no valid micro plan was made: revise the task's decomposition, or simplify its scope",
        recommended: Action::RevisePlan,
    },
    Cause {
        code: "decomposition_wrong",
        decision: "the plan itself is in doubt: split the task, revise the plan, or merge modules",
        recommended: Action::SplitTask,
    },
    Cause {
        code: "debate_rejected",
        decision: "the debate did not converge: approve it all the same, fix it, or change what is asked for",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "amendment_unapplied",
        decision: "an approved amendment was not applied, or more was changed than the amendments name: apply them by hand, or decide without them",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "interface_fingerprint",
        decision: "the public surface is not the locked contract's: fix the code, or change the contract",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "public_surface",
        decision: "the code makes public what the contract does not declare, or the other way round: fix the code, or change the contract",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "tests_fail_on_stubs",
        decision: "tests pass without an implementation and so prove nothing: fix the tests, or amend what is asked for",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "black_box_tests",
        decision: "the tests still fail: fix the code, or amend what is asked for",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "ship_record",
        decision: "the module could not be recorded as shipped: mend the store, then approve",
        recommended: Action::ApproveOverride,
    },
    Cause {
        code: "proposal_invalid",
        decision: "no valid proposal was made: provide one, or revise the plan",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "adjudication_invalid",
        decision: "no valid adjudication was made: decide in the Arbiter's place",
        recommended: Action::ApproveOverride,
    },
    Cause {
        code: "attempt_failed",
        decision: "the attempts kept failing: provide the work, or let it be tried with other criteria",
        recommended: Action::AmendSpec,
    },
    Cause {
        code: STUCK,
        decision: "what the task needs could not be run here: do that part by hand, change what is asked for, or close the task",
        recommended: Action::ProvideFix,
    },
    Cause {
        code: "interface_change_exception",
        decision: "an upstream contract is not enough: decide APPROVE_CHANGE, REJECT_CHANGE or DEFER",
        recommended: Action::AmendSpec,
    },
];

/// A resolution that was given: a record of its own beside the artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub resolution: Resolution,
    pub who: String,
    /// When.
    pub at: Time,
}

/// An escalation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub escalation_id: EscalationId,
    pub task_id: TaskId,
    /// Where its file is.
    pub task_ref: String,
    /// When it halted.
    pub created_at: Time,
    /// Everything that was said.
    pub debate_trail: Trail,
    /// What does not hold.
    pub failed_invariants: Vec<Failure>,
    /// All tasks at that moment.
    pub snapshot: Snapshot,
    /// What the person has to decide.
    pub minimal_decision_required: String,
    /// What we would do.
    pub recommended_resolution: Action,
    /// More, to help.
    pub resolution_context: String,
    /// The exception that halted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
}

impl Escalation {
    /// Compiles one from what the loop knows.
    pub fn compile(
        run: &str,
        id: EscalationId,
        task: &TaskId,
        code: &str,
        work: &Work,
        exception: Option<ExceptionId>,
        snapshot: Snapshot,
    ) -> Self {
        let cause = CAUSES.iter().find(|cause| cause.code == code);
        let mut trail = Trail::default();
        for (at, module) in work.modules.iter().enumerate() {
            let Some(reference) = work.reference(at) else {
                continue;
            };
            let target = target(run, task, &reference, module.opened);
            let of = documents(run, &target, &module.debate.trail);
            trail.proposals.extend(of.proposals);
            trail.challenges.extend(of.challenges);
            trail.adjudications.extend(of.adjudications);
        }
        Self {
            escalation_id: id,
            task_id: task.clone(),
            task_ref: format!("project/**/{task}.md"),
            created_at: snapshot.at,
            debate_trail: trail,
            failed_invariants: failed_invariants(code, work),
            snapshot,
            minimal_decision_required: cause.map_or(code, |cause| cause.decision).to_owned(),
            recommended_resolution: cause.map_or(Action::ProvideFix, |cause| cause.recommended),
            resolution_context: context(code, work, exception.as_ref()),
            exception,
            resolved: None,
        }
    }

    /// The document's shape. `state_machine` is the view of the snapshot.
    pub fn artifact(&self, state_machine: Value) -> Value {
        let invariants = self.failed_invariants.iter();
        let invariants: Vec<Value> = invariants
            .map(|one| json!({"invariant": one.invariant, "evidence": one.evidence}))
            .collect();
        let mut artifact = json!({
            "escalation_id": self.escalation_id,
            "task_id": self.task_id,
            "task_ref": self.task_ref,
            "created_at": self.created_at,
            "debate_trail": self.debate_trail,
            "failed_invariants": invariants,
            "state_machine_snapshot": state_machine,
            "minimal_decision_required": self.minimal_decision_required,
            "recommended_resolution": self.recommended_resolution,
            "resolution_context": self.resolution_context,
        });
        // What the person answered, with the rationale: it is theirs to account for (rule F4.2).
        if let Some(resolved) = &self.resolved {
            artifact["resolution"] = json!({
                "action": resolved.resolution.action().as_str(),
                "payload": resolved.resolution.payload(),
                "resolved_by": resolved.who,
                "resolved_at": resolved.at,
            });
        }
        artifact
    }
}

fn failed_invariants(code: &str, work: &Work) -> Vec<Failure> {
    let mut all = work.failures();
    if let (None, Some((_, faults))) = (&work.plan, &work.refused) {
        let lines = faults.iter();
        all.extend(lines.map(|one| Failure::new("micro_plan", one.line(), "")));
    }
    if let Some(raised) = &work.raised {
        let exception = &raised.exception;
        all.push(Failure::new(
            "upstream_contract",
            format!("{}: {}", exception.target_module, exception.reason),
            "",
        ));
    }
    if let Some(why) = &work.stuck {
        all.push(Failure::new(code, why.clone(), ""));
    }
    if all.is_empty() {
        all.push(Failure::new(code, work.patience.complaint.join("; "), ""));
    }
    all
}

/// Rules F3.4 and F10 ask for more than the schema has members for.
fn context(code: &str, work: &Work, exception: Option<&ExceptionId>) -> String {
    let mut lines = vec![format!("halted by: {code}")];
    let names = |of: &dyn Fn(usize) -> bool| {
        let all = (0..work.modules.len()).filter(|at| of(*at));
        let names: Vec<String> = all
            .filter_map(|at| work.reference(at))
            .map(|one| one.module.to_string())
            .collect();
        names.join(", ")
    };
    let abandoned = work.abandoned();
    let lists = [
        (
            "failed modules",
            names(&|at| matches!(work.modules[at].fate, Fate::Failed(_))),
        ),
        ("abandoned modules", names(&|at| abandoned.contains(&at))),
        (
            "shipped modules",
            names(&|at| matches!(work.modules[at].fate, Fate::Shipped(_))),
        ),
    ];
    for (title, names) in lists {
        if !names.is_empty() {
            lines.push(format!("{title}: {names}"));
        }
    }
    let plan = match (&work.plan, &work.refused) {
        (Some(plan), _) => serde_json::to_string(plan).ok(),
        (None, Some((refused, _))) => serde_json::to_string(refused).ok(),
        (None, None) => None,
    };
    lines.extend(plan.map(|plan| format!("micro plan: {plan}")));
    if let (Some(id), Some(raised)) = (exception, &work.raised) {
        let record = serde_json::to_string(&raised.exception).unwrap_or_default();
        lines.push(format!("interface change exception {id}: {record}"));
    }
    let rationale = work.modules.iter().rev().find_map(|module| {
        let last = module.debate.trail.adjudications.last()?;
        last.get("rationale")?.as_str().map(str::to_owned)
    });
    lines.extend(rationale.map(|text| format!("the Arbiter's last rationale: {text}")));
    lines.join("\n")
}
