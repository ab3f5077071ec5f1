//! Sections 13 and 17: what people are asked, what they may answer, and where that leads.

use crate::project::task;
use crate::said;
use crate::world::{Project, Script, module_of};
use factory::delivery::IndexStatus;
use factory::engineering::debate::At;
use factory::halt::Action;
use factory::halt::change::{apply, bump};
use factory::halt::exception::{Compatibility, Delta, Ruling};
use factory::project::{EscalationId, TaskId, TaskStatus, Version};
use kernel::Machine;
use proptest::prelude::*;
use serde_json::{Value, json};

const A: &str = "T-a-001";
const B: &str = "T-a-002";
const C: &str = "T-a-003";

/// A halts in its debate; B depends on A, C on B.
fn halted() -> Project {
    let tasks = [task(A, &[]), task(B, &[A]), task(C, &[B])];
    let mut project = Project::new(&tasks, 1, Script::default().rejects(A));
    project.run();
    assert_eq!(project.status(A), TaskStatus::Halted);
    assert_eq!(project.status(C), TaskStatus::Blocked);
    project
}

fn escalation(project: &Project) -> EscalationId {
    let last = project.machine.escalations().last().unwrap();
    last.escalation_id.clone()
}

#[test]
fn s17_1_an_escalation_has_every_member_and_the_project_as_it_was() {
    let mut project = halted();
    let id = escalation(&project);
    let then = project.machine.state_machine();
    project.resolve("ABANDON_TASK", A).unwrap();
    let artifact = project.machine.escalation_artifact(&id).unwrap();
    let members: Vec<&String> = artifact.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "created_at",
            "debate_trail",
            "escalation_id",
            "failed_invariants",
            "minimal_decision_required",
            "recommended_resolution",
            "resolution",
            "resolution_context",
            "state_machine_snapshot",
            "task_id",
            "task_ref",
        ]
    );
    // What the person attests is added; the document's own members stay as they were.
    assert_eq!(artifact["resolution"]["action"], "ABANDON_TASK");
    let snapshot = &artifact["state_machine_snapshot"];
    assert_eq!(snapshot["tasks"], then["tasks"]);
    assert_eq!(snapshot["tasks"][A]["status"], "HALTED");
    let trail = &artifact["debate_trail"];
    assert_eq!(trail["proposals"].as_array().unwrap().len(), 3);
    assert_eq!(trail["challenges"].as_array().unwrap().len(), 3);
    assert_eq!(trail["adjudications"][0]["decision"], "REJECT");
    let text = id.as_str().strip_prefix("ESC-").unwrap();
    assert!(
        text.len() == 8
            && text
                .bytes()
                .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
    );
    assert!(Action::of(artifact["recommended_resolution"].as_str().unwrap()).is_some());
    assert!(
        artifact["resolution_context"]
            .as_str()
            .unwrap()
            .contains("still fails")
    );
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
fn s17_2_approve_override_that_can_not_ship_halts_again() {
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
        assert_eq!(work.modules[0].debate.at, At::Challenge);
        project.run();
        assert_eq!(project.status(A), end);
        let states: Vec<String> = project.asked()[asked..]
            .iter()
            .map(|one| one.1.clone())
            .collect();
        assert_eq!(states[..2], ["challenge", "adjudicate"]);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn s17_2_every_sequence_of_resolutions_ends_where_the_table_says(
        actions in proptest::collection::vec(0..6usize, 1..8),
    ) {
        let all: Vec<Action> = Action::all().collect();
        let mut project = halted();
        for number in actions {
            let action = all[number];
            let waits = project.machine.tasks().iter().find(|task| {
                matches!(task.status, TaskStatus::Halted | TaskStatus::Blocked)
            });
            let Some(task) = waits.map(|task| task.declared.id.to_string()) else { break };
            let was = project.status(&task);
            let done = project.resolve(action.as_str(), &task);
            let is = project.status(&task);
            match (action, done) {
                (_, Err(refusal)) => prop_assert!(is == was && !refusal.mend.is_empty()),
                (Action::ApproveOverride | Action::RevisePlan | Action::ProvideFix, Ok(())) => {
                    prop_assert_eq!((was, is), (TaskStatus::Halted, TaskStatus::InProgress));
                }
                // Dispatched at once, if it is its turn.
                (Action::AmendSpec, Ok(())) => {
                    prop_assert!(matches!(is, TaskStatus::Pending | TaskStatus::InProgress));
                }
                (Action::SplitTask | Action::AbandonTask, Ok(())) => {
                    prop_assert_eq!(is, TaskStatus::Abandoned);
                }
            }
            project.run();
        }
    }
}

// ---- 13: exceptions ----

/// A ships; B finds A's contract wanting.
fn raised(compatibility: &str) -> Project {
    let module = module_of(A);
    let subject = format!("{B}/{}", module_of(B));
    let script = Script::default().says(
        &subject,
        "propose",
        1,
        said::exception(&format!("{module}@1.0.0"), compatibility),
    );
    let mut project = Project::new(&[task(A, &[]), task(B, &[A]), task(C, &[B])], 1, script);
    project.run();
    project
        .script
        .said
        .remove(&(subject, "propose".to_owned(), 1));
    project
}

fn exception(project: &Project) -> String {
    project
        .machine
        .exceptions()
        .next()
        .unwrap()
        .exception_id
        .to_string()
}

#[test]
fn s13_5_raising_halts_the_task_and_blocks_what_follows() {
    let project = raised("BREAKING");
    assert_eq!(project.status(B), TaskStatus::Halted);
    assert_eq!(project.status(C), TaskStatus::Blocked);
    let record = project.machine.exceptions().next().unwrap();
    assert!(record.exception_id.as_str().starts_with("ICE-"));
    let artifact = project
        .machine
        .escalation_artifact(&escalation(&project))
        .unwrap();
    let context = artifact["resolution_context"].as_str().unwrap();
    assert!(context.contains(record.exception_id.as_str()) && context.contains("separator"));
    let options = project.machine.status().waiting_for.unwrap().options;
    assert!(
        options.contains(&"APPROVE_CHANGE".to_owned()),
        "{options:?}"
    );
}

#[test]
fn s13_5_an_approved_change_is_debated_and_supersedes() {
    for (compatibility, version) in [
        ("BACKWARD_COMPATIBLE", "1.1.0"),
        ("BREAKING", "2.0.0"),
        ("UNKNOWN", "2.0.0"),
    ] {
        let mut project = raised(compatibility);
        let record = project.machine.exceptions().next().cloned();
        let id = exception(&project);
        project
            .decide("APPROVE_CHANGE", json!({"exception_id": id}))
            .unwrap();
        let refusal = project.resolve("ABANDON_TASK", B).unwrap_err();
        assert_eq!(refusal.code, "exception_in_debate");
        project.run();
        let module = module_of(A);
        let new = factory::project::ModuleRef::parse(&format!("{module}@{version}")).unwrap();
        let old = factory::project::ModuleRef::parse(&format!("{module}@1.0.0")).unwrap();
        let registry = project.machine.registry();
        assert_eq!(registry.get(&old).unwrap().status, IndexStatus::Superseded);
        assert_eq!(registry.get(&old).unwrap().superseded_by, Some(new.clone()));
        let contract = &registry.get(&new).unwrap().contract;
        assert_eq!(contract["inputs"][1], "separator: one character");
        assert_eq!(project.status(C), TaskStatus::Shipped);
        let said: Vec<&str> = project
            .asked()
            .iter()
            .filter(|one| one.0 == id)
            .map(|one| match one.1.as_str() {
                "propose" => "p",
                "challenge" => "c",
                _ => "a",
            })
            .collect::<Vec<_>>();
        assert_eq!(said, ["p", "c", "a"]);
        assert_eq!(
            project.machine.exceptions().next().cloned(),
            record,
            "records never change"
        );
        assert_eq!(project.machine.rulings().len(), 1);
    }
}

#[test]
fn s13_7_three_rounds_without_consensus_leave_it_to_people() {
    let mut project = raised("BREAKING");
    let id = exception(&project);
    project.script = project
        .script
        .clone()
        .says(&id, "adjudicate", 0, said::reject());
    project
        .decide("APPROVE_CHANGE", json!({"exception_id": id}))
        .unwrap();
    project.run();
    assert_eq!(project.status(B), TaskStatus::Halted);
    let rounds = project
        .asked()
        .iter()
        .filter(|one| one.0 == id && one.1 == "adjudicate")
        .count();
    assert_eq!(rounds, 3);
    let artifact = project
        .machine
        .escalation_artifact(&escalation(&project))
        .unwrap();
    assert!(
        artifact["resolution_context"]
            .as_str()
            .unwrap()
            .contains("no consensus")
    );
    assert_eq!(project.machine.registry().iter().count(), 1);
    project
        .decide(
            "REJECT_CHANGE",
            json!({"exception_id": id, "then": "requeue"}),
        )
        .unwrap();
    project.run();
    assert_eq!(project.status(C), TaskStatus::Shipped);
}

#[test]
fn s13_5_and_5_6_a_version_that_does_not_ship_supersedes_nothing() {
    let mut project = raised("BACKWARD_COMPATIBLE");
    let id = exception(&project);
    let subject = format!("{id}/{}", module_of(A));
    project.script = project
        .script
        .clone()
        .breaks(&subject, "black_box_tests", 0);
    project
        .decide("APPROVE_CHANGE", json!({"exception_id": id}))
        .unwrap();
    project.run();
    assert_eq!(project.status(B), TaskStatus::Halted);
    let asked = project.asked();
    let count = |subject: &str, state: &str| {
        let all = asked.iter();
        all.filter(|one| one.0 == subject && one.1 == state).count()
    };
    // A round each, and in each the fingerprint, the surface and the tests.
    assert_eq!((count(&id, "propose"), count(&subject, "ship")), (3, 9));
    let registry = project.machine.registry();
    assert_eq!(registry.iter().count(), 1);
    assert_eq!(registry.iter().next().unwrap().status, IndexStatus::Shipped);
    let artifact = project
        .machine
        .escalation_artifact(&escalation(&project))
        .unwrap();
    let context = artifact["resolution_context"].as_str().unwrap();
    assert!(context.contains("black_box_tests"), "{context}");

    // A person may let it be tried again, and then it ships.
    project.script = project.script.clone().mends(&subject);
    project
        .decide("APPROVE_CHANGE", json!({"exception_id": id}))
        .unwrap();
    project.run();
    assert_eq!(project.status(C), TaskStatus::Shipped);
    let entry = project.machine.registry().iter().next().unwrap();
    assert_eq!(entry.status, IndexStatus::Superseded);
}

#[test]
fn s13_5_a_deferred_or_rejected_exception_stays_halted_and_the_decision_is_a_record() {
    let mut project = raised("BREAKING");
    let id = exception(&project);
    for (option, ruling) in [
        ("DEFER", Ruling::Defer),
        ("REJECT_CHANGE", Ruling::RejectChange),
    ] {
        project.decide(option, json!({"exception_id": id})).unwrap();
        assert_eq!(project.status(B), TaskStatus::Halted);
        let last = project.machine.rulings().last().unwrap();
        assert_eq!(
            (last.ruling, last.exception_id.as_str()),
            (ruling, id.as_str())
        );
    }
    for (option, with, code) in [
        (
            "DEFER",
            json!({"exception_id": "ICE-00000000"}),
            "exception_unknown",
        ),
        ("DEFER", json!({}), "payload_malformed"),
        (
            "DEFER",
            json!({"exception_id": id, "x": 1}),
            "payload_malformed",
        ),
    ] {
        assert_eq!(project.decide(option, with).unwrap_err().code, code);
    }
    project.resolve("ABANDON_TASK", B).unwrap();
    let refusal = project
        .decide("APPROVE_CHANGE", json!({"exception_id": id}))
        .unwrap_err();
    assert_eq!(refusal.code, "exception_not_open");
}

#[test]
fn s7_and_13_5_a_delta_that_does_not_fit_is_refused() {
    let contract = json!({"inputs": [{"name": "text", "type": "string"}], "modes": {"sync": true}});
    let delta = |value: Value| serde_json::from_value::<Delta>(value).unwrap();
    let changed = apply(
        &contract,
        &delta(json!({
            "modified_inputs": [{"name": "text", "type": "bytes"}],
            "added_effects": ["WRITE: the log"],
            "mode_changes": {"sync": false},
        })),
    )
    .unwrap();
    assert_eq!(
        changed,
        json!({
            "inputs": [{"name": "text", "type": "bytes"}],
            "effects": ["WRITE: the log"],
            "modes": {"sync": false},
        })
    );
    for bad in [
        json!({"removed_inputs": [{"name": "other"}]}),
        json!({"modified_inputs": [{"name": "other"}]}),
        json!({"added_inputs": [{"name": "text"}]}),
    ] {
        assert!(apply(&contract, &delta(bad)).is_err());
    }
    // Lines of a plan have their name before the colon, and effects are more than their kind.
    let plan = json!({"inputs": ["text: &str; not empty"], "effects": ["WRITE log: a line"]});
    let changed = apply(
        &plan,
        &delta(json!({
            "modified_inputs": [{"name": "text", "type": "&str", "constraints": []}],
            "added_effects": ["WRITE trail: a line"],
        })),
    );
    assert_eq!(changed.unwrap()["inputs"][0]["type"], "&str");
    assert!(apply(&plan, &delta(json!({"added_inputs": ["text: bytes"]}))).is_err());
    let version = Version {
        major: 1,
        minor: 2,
        patch: 3,
    };
    assert_eq!(
        bump(version, Compatibility::BackwardCompatible).to_string(),
        "1.3.0"
    );
    assert_eq!(bump(version, Compatibility::Breaking).to_string(), "2.0.0");
}
