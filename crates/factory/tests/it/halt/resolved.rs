//! Rule F17.2: each action that a person may take, and where it leads.

use super::{A, B, C, halted};
use crate::said;
use crate::world::{Script, module_of};
use factory::engineering::debate::At;
use factory::project::{TaskId, TaskStatus};
use kernel::Machine;
use serde_json::json;

#[test]
fn s17_2_a_part_has_the_sketch_that_a_person_gave_it() {
    let mut project = halted();
    let mut with = said::payload("SPLIT_TASK", &TaskId::from(A));
    let sketch = json!({
        "inputs": "the lines of a receipt", "outputs": "the total in cents",
        "error_surfaces": "NoPrice where a line has none", "effects": "none", "modes": "sync",
    });
    with["new_tasks"][0]["io_contract_sketch"] = sketch;
    let mut wrong = with.clone();
    wrong["new_tasks"][0]["io_contract_sketch"]["modes"] = json!("");
    let refused = project.decide("SPLIT_TASK", wrong).unwrap_err().to_string();
    assert!(
        refused.contains("new_tasks[0].io_contract_sketch.modes"),
        "{refused}"
    );
    project.decide("SPLIT_TASK", with).unwrap();
    let sketch = |id: &str| {
        let task = project.machine.tasks().get(&TaskId::from(id));
        task.unwrap().declared.sketch.clone()
    };
    assert_eq!(sketch("T-a-004").unwrap().outputs, "the total in cents");
    assert_eq!(sketch("T-a-005"), None);
    // Its plan answers that point by point.
    let told = |brief: &str| brief.contains("input-1") && brief.contains("the lines of a receipt");
    assert!(told(&project.brief("T-a-004", "micro_plan")));
}

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

/// The plan is handed back as the planner wrote it, and nobody has to implement without a contract.
#[test]
fn s17_2_a_persons_plan_has_contracts_and_is_offered_filled_in() {
    let plan = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut module = crate::said::module("MM-other", &[]);
        change(&mut module);
        module
    };
    let mut project = halted();
    // What is shown without a payload is what was there, and can be given back as it is.
    let action = factory::halt::Action::RevisePlan;
    let shown = project.machine.payload(&TaskId::from(A), action);
    let first = &shown["revised_micro_plan"][0];
    assert_eq!(first["module_id"], module_of(A), "{shown}");
    assert_eq!(first["io_contract"]["modes"], json!(["sync"]), "{shown}");
    let given = |modules: serde_json::Value| json!({"task": A, "revised_micro_plan": modules});
    let refused = |with: serde_json::Value| {
        let refusal = halted().decide("REVISE_PLAN", with).unwrap_err();
        format!("{} {} {}", refusal.code, refusal.what, refusal.mend)
    };
    // A module that had none needs one; its level is named where something is wrong in it.
    let bare = refused(given(
        json!([{"module_id": "MM-new", "description": "does it"}]),
    ));
    assert!(
        bare.contains("plan_invalid `modules[0].io_contract`"),
        "{bare}"
    );
    let unknown = refused(given(json!([plan(
        &|one| one["io_contract"]["input"] = json!([])
    )])));
    assert!(
        unknown.contains("`revised_micro_plan[0].io_contract.input` is not known here")
            && unknown.contains("the members are: inputs, outputs"),
        "{unknown}"
    );
    let lacks = refused(given(json!([plan(&|one| {
        one.as_object_mut().unwrap().remove("purpose");
    })])));
    assert!(
        lacks.contains("`revised_micro_plan[0].purpose` is missing"),
        "{lacks}"
    );
    let nowhere = refused(given(json!([plan(
        &|one| one["depends_on"] = json!(["MM-gone@1.0.0"])
    )])));
    assert!(nowhere.contains("dependency_missing"), "{nowhere}");
    let no_id = refused(given(json!([plan(
        &|one| one["depends_on"] = json!(["MM-gone"])
    )])));
    assert!(
        no_id.contains("`revised_micro_plan[0].depends_on[0]`"),
        "{no_id}"
    );
    // The short form keeps the contract that there was, and the planner's own answer is taken whole.
    let kept = json!([{"module_id": module_of(A), "description": "does it otherwise"}]);
    for with in [given(kept), given(shown["revised_micro_plan"].clone()), {
        json!({"task": A, "modules": [plan(&|_| {})], "summary": "mended"})
    }] {
        let mut project = halted();
        project.script = Script::default();
        project.decide("REVISE_PLAN", with).unwrap();
        let contract = project.machine.locked(&TaskId::from(A));
        assert_eq!(contract.unwrap().error_surfaces[0].name, "Empty");
        project.run();
        assert_eq!(project.status(A), TaskStatus::Shipped);
    }
    project.run();
}
