//! A locked plan (section 10.1) with the search for reuse that it rests on (section 14.3): an
//! artifact each.

use super::{Heard, Record, artifact, first};
use crate::artifact::{ArtifactType, PurposedRef};
use crate::code_index::{Candidate, ReuseConclusion, ReuseSearchReport};
use crate::contribution::ContributionType;
use crate::engineering::plan::{Plan, PlanModule, ReuseDecision};
use crate::engineering::roles::Role;
use crate::project::types::mint;
use serde_json::{Value, json};

/// The document of section 10.1 for a plan.
fn document(id: &str, task: &str, plan: &Plan) -> Value {
    json!({
        "micro_plan_id": id,
        "parent_task_ref": format!("{task}@{}", first()),
        "modules": plan.modules,
    })
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
        let body = json!(searched(module));
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

fn searched(module: &PlanModule) -> ReuseSearchReport {
    let reuses = module.reuse_decision == ReuseDecision::Reuse;
    // The first candidate is the one that is reused.
    let taken = module.reuse_candidate_refs.first().filter(|_| reuses);
    let candidates = module.reuse_candidate_refs.iter().map(|one| Candidate {
        module_ref: one.to_string(),
        why_rejected: match taken == Some(one) {
            true => String::new(),
            false => module.reuse_justification.clone(),
        },
    });
    ReuseSearchReport {
        query: module.purpose.clone(),
        candidates_considered: candidates.collect(),
        conclusion: match module.reuse_decision {
            ReuseDecision::Reuse => ReuseConclusion::ReuseExisting,
            ReuseDecision::CreateNew => ReuseConclusion::CreateNew,
        },
        justification: module.reuse_justification.clone(),
    }
}
