//! Rule F17.2 for a task that the environment stopped, and the bound on gates that are lost.

use crate::project::task;
use crate::said;
use crate::world::{Project, Script, approval, module_of, specifying};
use factory::machine::Subject;
use factory::project::TaskStatus;
use kernel::effect::Effect;
use kernel::ledger::MOST_LOSSES;
use kernel::outcome::{CheckResult, Verdict};
use kernel::{Class, EffectId, Machine, Outcome, Usage, What};
use serde_json::{Value, json};

const A: &str = "T-a-001";
const B: &str = "T-a-002";

/// Works until the state is wanted, and gives its effect, begun.
pub(crate) fn until(project: &mut Project, state: &str) -> EffectId {
    loop {
        let wanted = project.machine.wanted();
        let effect = wanted
            .first()
            .unwrap_or_else(|| panic!("{state} never came"));
        let (id, name) = match effect {
            Effect::Attempt(one) => (one.id, one.state.clone()),
            Effect::Gate(one) => (one.id, one.state.clone()),
            Effect::Checkpoint(one) => panic!("{one:?}"),
        };
        if name.as_str() == state {
            project.feed(What::Begin(id)).unwrap();
            return id;
        }
        project.run_one();
    }
}

/// A's Challenger cannot be run; B depends on A.
pub(crate) fn stuck() -> Project {
    let tasks = [task(A, &[]), task(B, &[A])];
    let mut project = Project::new(&tasks, 1, Script::default());
    let effect = until(&mut project, "challenge");
    let outcome = Outcome::bare(Class::CouldNotRun, "no such program");
    let ended = What::AttemptEnded {
        effect,
        outcome: Box::new(outcome),
        found: kernel::outcome::Found::Live,
    };
    project.feed(ended).unwrap();
    assert_eq!(project.status(A), TaskStatus::InProgress);
    assert!(project.machine.wanted().is_empty());
    project
}

#[test]
fn s17_2_every_resolution_fits_a_stuck_task_and_its_escalation_has_all_fields() {
    for (action, after, ends) in [
        (
            "APPROVE_OVERRIDE",
            TaskStatus::InProgress,
            TaskStatus::Shipped,
        ),
        ("PROVIDE_FIX", TaskStatus::InProgress, TaskStatus::Shipped),
        ("REVISE_PLAN", TaskStatus::InProgress, TaskStatus::Shipped),
        ("AMEND_SPEC", TaskStatus::InProgress, TaskStatus::Shipped),
        ("SPLIT_TASK", TaskStatus::Abandoned, TaskStatus::Abandoned),
        ("ABANDON_TASK", TaskStatus::Abandoned, TaskStatus::Abandoned),
    ] {
        let mut project = stuck();
        let questions = project.machine.questions();
        assert_eq!(questions[0].subject, Subject::Stuck);
        assert!(questions[0].options.contains(&action.to_owned()));
        assert!(questions[0].options.contains(&"retry".to_owned()));
        project.resolve(action, A).unwrap();
        assert_eq!(project.status(A), after, "{action}");
        let escalation = project.machine.escalations().next().unwrap();
        let id = escalation.escalation_id.clone();
        let artifact = project.machine.escalation_artifact(&id).unwrap();
        assert_eq!(artifact["task_id"], A);
        assert_eq!(
            artifact["failed_invariants"][0]["invariant"],
            "could_not_run"
        );
        let evidence = artifact["failed_invariants"][0]["evidence"]
            .as_str()
            .unwrap();
        assert!(evidence.contains("no such program"), "{artifact}");
        let decision = artifact["minimal_decision_required"].as_str().unwrap();
        assert!(decision.contains("could not be run here"), "{artifact}");
        assert_eq!(artifact["recommended_resolution"], "PROVIDE_FIX");
        assert_eq!(artifact["resolution"]["action"], action);
        assert_eq!(
            artifact["debate_trail"]["proposals"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        // The snapshot is of the halt.
        let tasks = &artifact["state_machine_snapshot"]["tasks"];
        let status = |id: &str| -> Value {
            let all = tasks.as_array().into_iter().flatten();
            let mut all = all.filter(|one| one["task_id"] == id);
            all.next()
                .map_or(tasks[id]["status"].clone(), |one| one["status"].clone())
        };
        assert_eq!(status(A), "HALTED", "{artifact}");
        assert_eq!(status(B), "BLOCKED");
        project.run();
        assert_eq!(project.status(A), ends, "{action}");
    }
}

#[test]
fn s17_2_a_resolution_that_does_not_fit_leaves_a_stuck_task_as_it_was() {
    let mut project = stuck();
    let before = project.journal.len();
    for (action, with, code) in [
        ("ABANDON_TASK", json!({"task": A}), "payload_member_missing"),
        (
            "PROVIDE_FIX",
            json!({"task": A, "fix_description": "d", "fix_artifacts": {"ship.json": "x"}}),
            "fix_path_outside",
        ),
        (
            "PROVIDE_FIX",
            json!({"task": A, "fix_description": "d", "fix_artifacts": {"tests//a.rs": "x"}}),
            "fix_path_outside",
        ),
        (
            "PROVIDE_FIX",
            json!({"task": A, "fix_description": "d", "fix_artifacts": {"tests/a\u{0}.rs": "x"}}),
            "fix_path_outside",
        ),
        (
            "PROVIDE_FIX",
            json!({"task": A, "fix_description": "d", "fix_artifacts": {
                "tests/a": "x", "tests/a.rs": "x", "tests/a/b.rs": "x",
            }}),
            "fix_paths_collide",
        ),
        (
            "SPLIT_TASK",
            json!({"task": A, "new_tasks": [{
                "name": "n", "description": "d", "acceptance_criteria": ["c"], "depends_on": [B],
            }]}),
            "split_makes_a_cycle",
        ),
        (
            "ABANDON_TASK",
            json!({"task": B, "rationale": "r"}),
            "task_not_escalated",
        ),
    ] {
        let refusal = project.decide(action, with).unwrap_err();
        assert_eq!(refusal.code, code, "{action}");
        assert_eq!(project.journal.len(), before);
    }
    // Nothing was made yet that a fix could be for.
    let mut planning = Project::new(&[task(A, &[])], 1, Script::default());
    let effect = until(&mut planning, "micro_plan");
    let ended = What::AttemptEnded {
        effect,
        outcome: Box::new(Outcome::bare(Class::Auth, "no key")),
        found: kernel::outcome::Found::Live,
    };
    planning.feed(ended).unwrap();
    let refusal = planning.resolve("PROVIDE_FIX", A).unwrap_err();
    assert_eq!(refusal.code, "no_module_to_fix");
    let options = &planning.machine.questions()[0].options;
    assert!(!options.contains(&"PROVIDE_FIX".to_owned()));
    planning.resolve("ABANDON_TASK", A).unwrap();
    assert_eq!(planning.status(A), TaskStatus::Abandoned);
}

#[test]
fn s17_2_a_crash_between_the_halt_and_the_resolution_loses_neither() {
    let mut project = stuck();
    project.resolve("ABANDON_TASK", A).unwrap();
    for length in 0..=project.journal.len() {
        let mut again = factory::machine::Factory::new();
        for event in &project.journal[..length] {
            again.apply(event);
        }
        if length == 0 {
            continue;
        }
        let at = project.journal[length - 1].at;
        loop {
            let input = kernel::Input::new(at, What::Advance);
            let next = again.decide(&input).unwrap();
            if next.is_empty() {
                break;
            }
            next.iter().for_each(|event| again.apply(event));
        }
        let decided = project.journal[..length]
            .iter()
            .any(|event| matches!(event.body, kernel::Body::Decided(_)));
        if decided {
            let status = again.task_status(&A.into());
            assert_eq!(status, Some(TaskStatus::Abandoned), "after {length} events");
        }
    }
}

fn lose(project: &mut Project, state: &str) {
    let effect = until(project, state);
    let lost = What::Lost {
        seen: None,
        effect,
        reason: "the engine ended before it did".to_owned(),
        usage: Usage::default(),
    };
    project.feed(lost).unwrap();
}

#[test]
fn s11_a_gate_that_is_lost_again_and_again_ends_at_a_person() {
    const { assert!(MOST_LOSSES > 5, "five kills do not need a person") };
    let mut project = Project::new(&[task(A, &[])], 1, Script::default());
    for nth in 1..=MOST_LOSSES {
        assert!(project.machine.questions().is_empty(), "{nth}");
        lose(&mut project, "ship");
    }
    assert!(project.machine.wanted().is_empty());
    let question = &project.machine.questions()[0];
    assert_eq!(question.subject, Subject::Stuck);
    assert!(
        question.why.contains("brings the engine down"),
        "{question:?}"
    );
    // The bound is in the journal: who reads it again waits for the same person.
    let mut again = factory::machine::Factory::new();
    project.journal.iter().for_each(|event| again.apply(event));
    assert!(again.wanted().is_empty());
    // A word of theirs, and it may be lost as often again; a gate that ends forgets the losses.
    project.decide("retry", Value::Null).unwrap();
    for _ in 1..MOST_LOSSES {
        lose(&mut project, "ship");
    }
    project.run_one();
    for _ in 1..MOST_LOSSES {
        lose(&mut project, "ship");
    }
    project.run();
    assert_eq!(project.status(A), TaskStatus::Shipped);
}

#[test]
fn s15_a_release_whose_gates_are_lost_again_and_again_fails_and_asks() {
    let mut project = Project::new(&[task(A, &[])], 1, Script::default());
    for _ in 0..MOST_LOSSES {
        lose(&mut project, "release");
    }
    assert!(project.machine.wanted().is_empty());
    let question = &project.machine.questions()[0];
    assert_eq!(question.subject, Subject::Release);
    assert!(
        question.why.contains("brings the engine down"),
        "{question:?}"
    );
    project.decide("RELEASE", Value::Null).unwrap();
    project.run();
    assert!(project.machine.questions().is_empty());
}

#[test]
fn s3_2_a_judgement_that_is_lost_again_and_again_ends_at_a_person() {
    let mut project = Project::told(Script::default(), &[specifying(1)]);
    for _ in 0..MOST_LOSSES {
        lose(&mut project, factory::product::GATE);
    }
    assert!(project.machine.wanted().is_empty());
    let stuck = project.machine.product().unwrap().stuck.clone();
    assert!(stuck.unwrap().contains("brings the engine down"));
    project.decide("retry", Value::Null).unwrap();
    project.run();
    let tasks = [task(A, &[])];
    project
        .decide("APPROVE", approval("spec-1", &tasks))
        .unwrap();
    project.run();
    assert_eq!(project.status(A), TaskStatus::Shipped);
}

/// A project whose second task asks for another contract of the first one's module, and a person
/// who approves the change.
fn changing() -> Project {
    let upstream = format!("{}@1.0.0", module_of(A));
    let subject = format!("{B}/{}", module_of(B));
    let raised = said::exception(&upstream, "BACKWARD_COMPATIBLE");
    let script = Script::default().says(&subject, "propose", 1, raised);
    let mut project = Project::new(&[task(A, &[]), task(B, &[A])], 1, script);
    project.run();
    let exception = project.machine.questions()[0].id.clone();
    let with = json!({"exception_id": exception});
    project.decide("APPROVE_CHANGE", with).unwrap();
    project
}

#[test]
fn s13_5_a_change_whose_ship_is_lost_again_and_again_asks_the_person_anew() {
    let mut project = changing();
    for _ in 0..MOST_LOSSES {
        lose(&mut project, "ship");
    }
    assert!(project.machine.wanted().is_empty());
    let question = &project.machine.questions()[0];
    assert_eq!(question.subject, Subject::Exception);
    let open = project.machine.open_escalations().next().unwrap();
    assert!(open.resolution_context.contains("brings the engine down"));
}

#[test]
fn s13_5_a_change_whose_ship_could_not_run_is_tried_again_and_then_asks_the_person() {
    let mut project = changing();
    let mut tries = 0;
    while project.machine.questions().is_empty() {
        let effect = until(&mut project, "ship");
        let check = CheckResult::new("interface_fingerprint", Verdict::CouldNotRun, "no cargo");
        let ended = What::GateEnded {
            effect,
            results: vec![check],
            tree: None,
            found: kernel::outcome::Found::Live,
        };
        project.feed(ended).unwrap();
        tries += 1;
    }
    assert_eq!(tries, 3, "two more tries, then a person");
    let question = &project.machine.questions()[0];
    assert_eq!(question.subject, Subject::Exception);
    assert!(question.options.contains(&"APPROVE_CHANGE".to_owned()));
    let open = project.machine.open_escalations().next().unwrap();
    let context = &open.resolution_context;
    assert!(context.contains("no cargo"), "{context}");
    let artifact = project.machine.escalation_artifact(&open.escalation_id);
    let trail = &artifact.unwrap()["debate_trail"];
    assert!(
        !trail["proposals"].as_array().unwrap().is_empty(),
        "{trail}"
    );
}
