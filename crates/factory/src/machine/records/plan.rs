//! A locked plan (rule F10.1) with the search for reuse that it rests on (rule F14.3): an
//! artifact each.

use super::super::facts::TaskResolved;
use super::super::state::State;
use super::deliverable::PERSON;
use super::{Heard, Record, artifact, first};
use crate::artifact::{ArtifactType, ContributionType, PurposedRef};
use crate::engineering::roles::Role;
use crate::micro_plan::{Plan, PlannedModule, ReuseDecision};
use crate::project::types::mint;
use kernel::{EffectId, Time};
use serde_json::{Value, json};

/// The document of rule F10.1 for a plan. A person's plan may leave contracts to the task's file,
/// and then says so in every dimension.
fn document(id: &str, task: &str, plan: &Plan) -> Value {
    let mut modules = json!(plan.modules);
    let blank = plan.modules.iter().map(|module| &module.io_contract);
    for (at, _) in blank.enumerate().filter(|(_, one)| one.is_none()) {
        let left = format!("left to {task}.md");
        modules[at]["io_contract"] = json!({
            "inputs": [left], "outputs": [left], "error_surfaces": [left], "effects": [left],
            "modes": [format!("sync or async: {left}")],
        });
    }
    json!({
        "micro_plan_id": id,
        "parent_task_ref": format!("{task}@{}", first()),
        "modules": modules,
    })
}

/// A person's plan (rule F17.2): an artifact as an agent's is, and no contribution, since no role
/// was invoked.
pub(super) fn revised(
    state: &State,
    resolved: &TaskResolved,
    plan: &Plan,
    at: Time,
) -> Vec<Record> {
    let task = &resolved.task;
    let round = state.graph.get(task).map_or(0, |one| one.rounds);
    let id = mint("MP", state.run(), &format!("{task}/revised/{round}"));
    let heard = Heard {
        state,
        task,
        effect: EffectId(0),
        result: &Value::Null,
        at,
    };
    let mut envelope = heard.envelope(&id, ArtifactType::MicroPlan, PERSON);
    envelope.notes = format!(
        "locked; the plan of {}, who has no context pack; plans are judged by rule and not debated",
        resolved.who
    );
    let escalation = state.graph.get(task);
    let escalation = escalation.and_then(|one| one.escalation_ref.as_ref());
    envelope.inputs.extend(escalation.map(|id| PurposedRef {
        reference: format!("{id}@{}", first()),
        purpose: "the escalation that it answers".to_owned(),
    }));
    let body = document(&id, task.as_str(), plan);
    let name = "micro_plan.json";
    artifact(state, task, &envelope, name, "MicroPlan", body).into()
}

pub(super) fn locked(heard: &Heard<'_>, plan: &Plan) -> Vec<Record> {
    let (state, run) = (heard.state, heard.state.run());
    let role = Role::MicroPlanner.as_str();
    let id = mint("MP", run, &heard.effect.to_string());
    let mut envelope = heard.envelope(&id, ArtifactType::MicroPlan, role);
    envelope.notes = "locked; plans are judged by rule and not debated (section 10.1)".to_owned();
    let mut all = vec![heard.contributes(role, ContributionType::MicroPlan, Some(&id))];
    for module in &plan.modules {
        let thing = format!("{}/{}", heard.effect, module.module_id);
        let report_id = mint("RSR", run, &thing);
        envelope.inputs.push(PurposedRef {
            reference: format!("{report_id}@{}", first()),
            purpose: format!("the search for reuse before {}", module.module_id),
        });
        let mut of_report = heard.envelope(&report_id, ArtifactType::ReuseSearchReport, role);
        of_report.outputs.push(PurposedRef {
            reference: format!("{id}@{}", first()),
            purpose: "the plan that rests on it".to_owned(),
        });
        let body = searched(module);
        let name = "reuse_search_report.json";
        let report = artifact(
            state,
            heard.task,
            &of_report,
            name,
            "ReuseSearchReport",
            body,
        );
        all.extend(report);
    }
    let body = document(&id, heard.task.as_str(), plan);
    let name = "micro_plan.json";
    all.extend(artifact(
        state,
        heard.task,
        &envelope,
        name,
        "MicroPlan",
        body,
    ));
    all
}

fn searched(module: &PlannedModule) -> Value {
    let reuses = module.reuse_decision == ReuseDecision::Reuse;
    // The first candidate is the one that is reused.
    let taken = module.reuse_candidate_refs.first().filter(|_| reuses);
    let candidates = module.reuse_candidate_refs.iter().map(|one| {
        let why = match taken == Some(one) {
            true => "",
            false => module.reuse_justification.as_str(),
        };
        json!({"module_ref": one, "why_rejected": why})
    });
    json!({
        "query": module.purpose,
        "candidates_considered": candidates.collect::<Vec<_>>(),
        "conclusion": match module.reuse_decision {
            ReuseDecision::Reuse => "REUSE_EXISTING",
            ReuseDecision::CreateNew => "CREATE_NEW",
        },
        "justification": module.reuse_justification,
    })
}
