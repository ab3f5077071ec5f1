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

/// A form is learnt from one refusal, not from one for each member.
#[test]
fn s17_2_everything_that_is_wrong_with_a_payload_is_told_at_once() {
    let told = |action: &str, with: Value| halted().decide(action, with).unwrap_err();
    let refusal = told("SPLIT_TASK", json!({"task": A}));
    let part = "`new_tasks` is missing: a list of objects with `name`, `description`, `acceptance_criteria`, `depends_on` (may be left out), `io_contract_sketch` (may be left out), at least one";
    assert!(refusal.what.contains(part), "{refusal}");
    let new = json!([{"nam": "n"}, {"name": "n", "description": "d", "acceptance_criteria": "c"}]);
    let refusal = told("SPLIT_TASK", json!({"new_tasks": new}));
    assert_eq!(refusal.code, "payload_member_missing");
    for part in [
        "`task` is missing: a task id",
        "`new_tasks[0].nam` is not known here",
        "`new_tasks[0].name` is missing: a text",
        "`new_tasks[0].description` is missing: a text",
        "`new_tasks[0].acceptance_criteria` is missing: a list of texts, at least one",
        "`new_tasks[1].acceptance_criteria` should be a list, and is a string: it is a list of texts",
    ] {
        assert!(refusal.what.contains(part), "no {part} in {refusal}");
    }
    let part = |name: &str, on: &str| json!({"name": name, "description": "d", "acceptance_criteria": ["c"], "depends_on": [on]});
    let twice = json!([part("n", "T-x-009"), part("n", "T-x-008")]);
    let refusal = told("SPLIT_TASK", json!({"task": A, "new_tasks": twice}));
    for part in ["`new_tasks[1].name`", "T-x-009", "T-x-008"] {
        assert!(refusal.what.contains(part), "no {part} in {refusal}");
    }
    let refusal = told(
        "PROVIDE_FIX",
        json!({"task": A, "fix_artifacts": {"../out": "x", "/etc": "y"}}),
    );
    for part in ["`fix_description` is missing", "`../out`", "`/etc`"] {
        assert!(refusal.what.contains(part), "no {part} in {refusal}");
    }
    let refusal = told("AMEND_SPEC", json!({"task": A}));
    for part in [
        "`amended_acceptance_criteria` is missing",
        "`amended_cases`",
        "`amendment_rationale` is missing",
    ] {
        assert!(refusal.what.contains(part), "no {part} in {refusal}");
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
