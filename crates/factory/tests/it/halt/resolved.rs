//! Rule F17.2: each action that a person may take, and where it leads.

use super::{A, B, C, halted};
use crate::world::{Script, module_of};
use factory::engineering::debate::At;
use factory::project::{TaskId, TaskStatus};
use kernel::Machine;
use serde_json::json;

#[test]
fn s17_2_approve_override_ships_without_a_debate() {
    let mut project = halted();
    let asked = project.asked().len();
    project.resolve("APPROVE_OVERRIDE", A).unwrap();
    assert_eq!(project.status(A), TaskStatus::InProgress);
    project.run();
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let module = format!("{A}/{}", module_of(A));
    let again: Vec<String> = project.asked()[asked..]
        .iter()
        .filter(|(subject, _)| *subject == module)
        .map(|(_, state)| state.clone())
        .collect();
    assert_eq!(again, ["ship"; 5]);
}

#[test]
fn s17_2_approve_override_that_cannot_ship_halts_again() {
    let mut project = halted();
    project.script =
        project
            .script
            .clone()
            .breaks(&format!("{A}/{}", module_of(A)), "black_box_tests", 0);
    project.resolve("APPROVE_OVERRIDE", A).unwrap();
    project.run();
    assert_eq!(project.status(A), TaskStatus::Halted);
    assert_eq!(project.machine.escalations().count(), 2);
}

#[test]
fn s17_2_amend_spec_requeues_and_tells_the_new_criteria() {
    let mut project = halted();
    project.script = Script::default();
    project.resolve("AMEND_SPEC", A).unwrap();
    let criteria = project.machine.amended_criteria(&TaskId::from(A));
    assert_eq!(criteria, [["the empty text may be refused in any way"]]);
    let brief = match &project.machine.wanted()[0] {
        kernel::Effect::Attempt(order) => order.brief.clone(),
        other => panic!("{other:?}"),
    };
    assert!(brief.contains("in any way"), "{brief}");
    project.run();
    assert_eq!(project.status(C), TaskStatus::Shipped);
}

#[test]
fn s17_2_split_task_closes_it_and_its_parts_stand_in() {
    let mut project = halted();
    project.resolve("SPLIT_TASK", A).unwrap();
    assert_eq!(project.status(A), TaskStatus::Abandoned);
    let view = project.machine.state_machine();
    assert_eq!(
        view["tasks"][A]["superseded_by"],
        json!(["T-a-004", "T-a-005"])
    );
    assert_eq!(view["tasks"]["T-a-004"]["declaration_order"], 3);
    assert_eq!(view["tasks"]["T-a-005"]["depends_on"], json!(["T-a-004"]));
    project.run();
    for id in ["T-a-004", "T-a-005", B, C] {
        assert_eq!(project.status(id), TaskStatus::Shipped, "{id}");
    }
    assert!(project.machine.releases()[0].passed());
}

#[test]
fn s17_2_revise_plan_begins_with_the_persons_plan() {
    let mut project = halted();
    let asked = project.asked().len();
    project.resolve("REVISE_PLAN", A).unwrap();
    assert_eq!(project.status(A), TaskStatus::InProgress);
    project.run();
    assert_eq!(project.status(A), TaskStatus::Shipped);
    let first = &project.asked()[asked];
    assert_eq!(*first, (format!("{A}/MM-other"), "propose".to_owned()));
    let shipped = &project.machine.state_machine()["tasks"][A]["module_ref"];
    assert_eq!(shipped, "MM-other@1.0.0");
}

#[test]
fn s17_2_provide_fix_is_challenged_like_any_other_and_may_fail_again() {
    for (script, end) in [
        (Script::default(), TaskStatus::Shipped),
        (Script::default().rejects(A), TaskStatus::Halted),
    ] {
        let mut project = halted();
        project.script = script;
        let asked = project.asked().len();
        project.resolve("PROVIDE_FIX", A).unwrap();
        let work = project.machine.work(&TaskId::from(A)).unwrap();
        assert_eq!(work.modules[0].debate.at, At::Try);
        project.run();
        assert_eq!(project.status(A), end);
        let states: Vec<String> = project.asked()[asked..]
            .iter()
            .map(|one| one.1.clone())
            .collect();
        assert_eq!(states[..3], ["try", "challenge", "adjudicate"]);
    }
}

#[test]
fn s17_2_a_fix_is_handed_to_the_ship() {
    let mut project = halted();
    project.script = Script::default();
    project.resolve("PROVIDE_FIX", A).unwrap();
    let mut seen = false;
    while let Some(effect) = project.machine.wanted().first().cloned() {
        if let kernel::Effect::Gate(order) = &effect
            && order.subject.starts_with(A)
        {
            assert_eq!(
                order.checks[0].with["fix"]["implementation/lib.rs"],
                "pub fn slug() {}"
            );
            assert!(matches!(
                project.in_flight_for(order.id),
                Some(factory::machine::For::Task(_))
            ));
            seen = true;
            break;
        }
        project.run_one();
    }
    assert!(seen);
}

#[test]
fn s17_2_abandon_leaves_dependents_blocked_until_each_is_resolved() {
    let mut project = halted();
    project.resolve("ABANDON_TASK", A).unwrap();
    project.run();
    assert_eq!(project.status(B), TaskStatus::Blocked);
    assert_eq!(project.machine.status().state.as_str(), "blocked");
    for action in ["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"] {
        let refusal = project.resolve(action, B).unwrap_err();
        assert_eq!(refusal.code, "resolution_not_for_blocked", "{action}");
    }
    let refusal = project.resolve("AMEND_SPEC", C).unwrap_err();
    assert_eq!(refusal.code, "task_still_blocked");
    project.resolve("AMEND_SPEC", B).unwrap();
    project.run();
    assert_eq!(project.status(C), TaskStatus::Shipped);
    assert_eq!(project.machine.releases().len(), 1);
}

#[test]
fn s17_2_a_blocked_task_may_be_split_or_abandoned() {
    let mut project = halted();
    project.resolve("ABANDON_TASK", A).unwrap();
    project.resolve("SPLIT_TASK", B).unwrap();
    assert_eq!(project.status(B), TaskStatus::Abandoned);
    project.run();
    assert_eq!(project.status(C), TaskStatus::Shipped);
    let mut project = halted();
    project.resolve("ABANDON_TASK", A).unwrap();
    project.resolve("ABANDON_TASK", B).unwrap();
    project.resolve("ABANDON_TASK", C).unwrap();
    assert!(project.machine.wanted().is_empty());
    assert_eq!(project.machine.status().state.as_str(), "closed");
}
