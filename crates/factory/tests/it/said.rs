//! What roles say, as the tests let them say it: valid unless a test breaks it.

use factory::project::TaskId;
use serde_json::{Value, json};

pub(crate) fn contract() -> Value {
    json!({
        "inputs": ["text: non-empty"],
        "outputs": ["slug: lower case"],
        "error_surfaces": ["Empty: the text is empty"],
        "effects": ["none: pure"],
        "modes": ["sync"],
    })
}

pub(crate) fn module(id: &str, depends_on: &[&str]) -> Value {
    json!({
        "module_id": id,
        "name": id,
        "purpose": format!("does what {id} does"),
        "io_contract": contract(),
        "error_cases": ["the empty text"],
        "depends_on": depends_on,
        "reuse_candidate_refs": [],
        "reuse_decision": "CREATE_NEW",
        "reuse_justification": "nothing in the index does it",
    })
}

pub(crate) fn plan(modules: &[(&str, &[&str])]) -> Value {
    let modules: Vec<Value> = modules.iter().map(|(id, on)| module(id, on)).collect();
    json!({"micro_plan_id": "MP-00000001", "modules": modules})
}

/// Lets the first module of a plan answer what its brief lists, each point by the error that all have.
pub(crate) fn answer(plan: &mut Value, brief: &str) {
    let points = brief.split("{\"asked\":\"").skip(1);
    let keys = points.filter_map(|rest| rest.split('"').next());
    let all = keys.map(|key| json!({"asked": key, "clause": "error__empty"}));
    let all: Vec<Value> = all.collect();
    if let Some(first) = plan.pointer_mut("/modules/0").filter(|_| !all.is_empty()) {
        first["answers"] = json!(all);
    }
}

pub(crate) fn proposal() -> Value {
    json!({
        "claim": "it satisfies the contract",
        "deliverable_ref": "implementation/",
        "acceptance_checks": ["tests/slug.rs passes"],
    })
}

fn assessments(not_met: &[&str]) -> Vec<Value> {
    ["R1", "R2", "R3", "R4", "R5", "R6"]
        .iter()
        .map(|id| {
            let evidence = match *id {
                "R1" => {
                    "inputs by t1, outputs by t2, error surfaces by t3, effects none, modes sync"
                }
                "R2" => "slug_of_empty and happy_path are in tests/slug.rs",
                "R3" => "slug_of_empty refuses the empty text with Empty",
                "R4" => "contract.json names no dependency of its own",
                "R5" => "the criterion about capitals is asserted by happy_path",
                _ => "one sentence says it: a title becomes a slug",
            };
            let mark = if not_met.contains(id) {
                "NOT_MET"
            } else {
                "MET"
            };
            json!({"criterion": id, "assessment": mark, "evidence": evidence})
        })
        .collect()
}

pub(crate) fn pass() -> Value {
    json!({"verdict": "PASS", "failures": [], "rubric_assessments": assessments(&[])})
}

pub(crate) fn fail(not_met: &[&str]) -> Value {
    json!({
        "verdict": "FAIL",
        "failures": [{
            "invariant": "error surfaces",
            "evidence": "the empty text is not refused",
            "required_change": "refuse it with Empty",
        }],
        "rubric_assessments": assessments(not_met),
    })
}

pub(crate) fn mild() -> Value {
    json!({"verdict": "PASS", "failures": [], "rubric_assessments": []})
}

pub(crate) fn approve() -> Value {
    json!({
        "decision": "APPROVE", "amendments": [], "rationale": "every criterion is met",
        "ship_directive": "SHIP",
    })
}

pub(crate) fn reject() -> Value {
    json!({
        "decision": "REJECT", "amendments": [], "rationale": "the empty text still fails",
        "ship_directive": "NO_SHIP",
    })
}

pub(crate) fn amend() -> Value {
    json!({
        "decision": "APPROVE_WITH_AMENDMENTS",
        "amendments": [
            {"action": "ADD", "target": "test_empty", "detail": "assert that the empty text gives Empty"},
        ],
        "rationale": "one test is missing", "ship_directive": "SHIP",
    })
}

pub(crate) fn amended(applied: bool) -> Value {
    json!({
        "deliverable_ref": "implementation/",
        "amendments": [{"amendment_index": 0, "applied": applied, "note": "as asked"}],
    })
}

pub(crate) fn exception(target: &str, compatibility: &str) -> Value {
    json!({"interface_change_exception": {
        "type": "CANNOT_SUPPORT",
        "target_module": target,
        "reason": "the separator cannot be chosen",
        "evidence": ["the task asks for underscores"],
        "proposed_contract_delta": {"added_inputs": ["separator: one character"]},
        "compatibility_expectation": compatibility,
        "urgency": "BLOCKING",
    }})
}

/// A resolution's payload that is valid for a task.
pub(crate) fn payload(action: &str, task: &TaskId) -> Value {
    let mut payload = match action {
        "APPROVE_OVERRIDE" | "ABANDON_TASK" => json!({"rationale": "we know better"}),
        "AMEND_SPEC" => json!({
            "amended_acceptance_criteria": ["the empty text may be refused in any way"],
            "amendment_rationale": "it was too strict",
        }),
        "SPLIT_TASK" => json!({"new_tasks": [
            {"name": "first half", "description": "one", "acceptance_criteria": ["it works"]},
            {"name": "second half", "description": "two", "acceptance_criteria": ["it works"],
             "depends_on": ["first half"]},
        ]}),
        "REVISE_PLAN" => json!({"revised_micro_plan": [module("MM-other", &[])]}),
        "PROVIDE_FIX" => json!({
            "fix_description": "refuses the empty text",
            "fix_artifacts": {"implementation/lib.rs": "pub fn slug() {}"},
        }),
        _ => json!({}),
    };
    payload["task"] = json!(task);
    payload
}
