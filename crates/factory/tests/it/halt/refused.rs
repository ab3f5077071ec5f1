//! Rule F17.2: answers that are refused, each with a code and a mend, and nothing changes.

use super::{A, B, halted};
use crate::project::task;
use crate::world::{Project, Script};
use factory::project::TaskStatus;
use serde_json::{Value, json};

#[test]
fn s17_2_wrong_payloads_are_refused_with_a_code_and_a_mend() {
    let cases: [(&str, Value, &str); 14] = [
        ("SHIP_IT", json!({}), "resolution_unknown"),
        ("ABANDON_TASK", json!("because"), "payload_member_mistyped"),
        (
            "ABANDON_TASK",
            json!({"rationale": "r"}),
            "payload_member_missing",
        ),
        ("ABANDON_TASK", json!({"task": A}), "payload_member_missing"),
        (
            "ABANDON_TASK",
            json!({"task": A, "rationale": " "}),
            "payload_member_empty",
        ),
        (
            "ABANDON_TASK",
            json!({"task": A, "rationale": 7}),
            "payload_member_mistyped",
        ),
        (
            "ABANDON_TASK",
            json!({"task": A, "rationale": "r", "force": true}),
            "payload_member_unknown",
        ),
        (
            "ABANDON_TASK",
            json!({"task": "T-x-001", "rationale": "r"}),
            "task_unknown",
        ),
        (
            "AMEND_SPEC",
            json!({"task": A, "amended_acceptance_criteria": [], "amendment_rationale": "r"}),
            "payload_member_empty",
        ),
        (
            "SPLIT_TASK",
            json!({"task": A, "new_tasks": [{"name": "n"}]}),
            "payload_member_missing",
        ),
        (
            "SPLIT_TASK",
            json!({"task": A, "new_tasks": [{"name": "n", "description": "d", "acceptance_criteria": ["c"], "depends_on": [B]}]}),
            "split_makes_a_cycle",
        ),
        (
            "REVISE_PLAN",
            json!({"task": A, "revised_micro_plan": [{"module_id": "x", "description": "d"}]}),
            "plan_invalid",
        ),
        (
            "REVISE_PLAN",
            json!({"task": A, "revised_micro_plan": [{"module_id": "MM-x", "description": "d", "depends_on": ["MM-y"]}]}),
            "plan_invalid",
        ),
        (
            "PROVIDE_FIX",
            json!({"task": A, "fix_description": "d", "fix_artifacts": {"../out": "x"}}),
            "fix_path_outside",
        ),
    ];
    for (action, with, code) in cases {
        let mut project = halted();
        let (before, length) = (project.statuses(), project.journal.len());
        let refusal = project.decide(action, with).unwrap_err();
        assert_eq!(refusal.code, code, "{action}: {refusal}");
        assert!(!refusal.mend.is_empty());
        assert_eq!(
            (project.statuses(), project.journal.len()),
            (before, length)
        );
    }
}

#[test]
fn s17_2_only_what_waits_for_a_person_is_resolved() {
    let tasks = [task(A, &[]), task(B, &[])];
    let mut project = Project::new(&tasks, 1, Script::default());
    let refusal = project.resolve("ABANDON_TASK", B).unwrap_err();
    assert_eq!(refusal.code, "task_not_escalated");
    // No plan, so nothing to ship and nothing to fix.
    let script = Script::default().says(A, "micro_plan", 0, json!({"modules": []}));
    let mut project = Project::new(&tasks, 1, script);
    project.run();
    for (action, code) in [
        ("APPROVE_OVERRIDE", "nothing_to_ship"),
        ("PROVIDE_FIX", "no_module_to_fix"),
    ] {
        assert_eq!(project.resolve(action, A).unwrap_err().code, code);
    }
    project.resolve("REVISE_PLAN", A).unwrap();
    project.run();
    assert_eq!(project.status(A), TaskStatus::Shipped);
}
