//! Rule F13: interface change exceptions, from the one that raises it to the version that supersedes.

use super::{A, B, C, escalation};
use crate::project::task;
use crate::said;
use crate::world::{Project, Script, module_of};
use factory::exception::{Compatibility, ContractDelta as Delta, Ruling};
use factory::halt::change::{apply, bump};
use factory::project::{TaskStatus, Version};
use kernel::Machine;
use kernel::module::ModuleStatus;
use serde_json::{Value, json};

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
        assert_eq!(registry.get(&old).unwrap().status, ModuleStatus::Superseded);
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
    assert_eq!(
        registry.iter().next().unwrap().status,
        ModuleStatus::Shipped
    );
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
    assert_eq!(entry.status, ModuleStatus::Superseded);
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

const D: &str = "T-a-004";

/// A plan of one module on another one.
fn on(task: &str, uses: &str) -> Value {
    let uses = match uses {
        "" => Vec::new(),
        uses => vec![uses],
    };
    said::plan(&[(module_of(task).as_str(), &uses)])
}

/// B uses A and C uses B; D, which uses A as well, finds A's contract wanting.
fn in_use(jobs: u32) -> Project {
    let of = |task: &str, version: &str| format!("{}@{version}", module_of(task));
    let subject = format!("{D}/{}", module_of(D));
    let wanting = said::exception(&of(A, "1.0.0"), "BACKWARD_COMPATIBLE");
    let script = Script::default()
        .says(B, "micro_plan", 1, on(B, &of(A, "1.0.0")))
        .says(C, "micro_plan", 1, on(C, &of(B, "1.0.0")))
        .says(D, "micro_plan", 1, on(D, &of(A, "1.0.0")))
        .says(&subject, "propose", 1, wanting);
    let tasks = [task(A, &[]), task(B, &[A]), task(C, &[B]), task(D, &[A])];
    Project::new(&tasks, jobs, script)
}

/// The change is approved, and everybody plans on what is in use then.
fn approve(project: &mut Project) -> String {
    let of = |task: &str, version: &str| format!("{}@{version}", module_of(task));
    let subject = (format!("{D}/{}", module_of(D)), "propose".to_owned(), 1);
    project.script.said.remove(&subject);
    project.script = project
        .script
        .clone()
        .says(B, "micro_plan", 1, on(B, &of(A, "1.1.0")))
        .says(C, "micro_plan", 1, on(C, &of(B, "1.0.1")))
        .says(D, "micro_plan", 1, on(D, &of(A, "1.1.0")));
    let id = exception(project);
    let with = json!({"exception_id": id});
    project.decide("APPROVE_CHANGE", with).unwrap();
    id
}

fn released(project: &Project) -> Vec<String> {
    let [release] = project.machine.releases() else {
        panic!("one release");
    };
    assert!(release.passed(), "{:?}", release.violations);
    let modules = release.modules.iter();
    modules.map(|one| one.module_ref.to_string()).collect()
}

#[test]
fn s13_7_what_uses_a_changed_contract_is_made_again_and_what_uses_that_too() {
    let mut project = in_use(1);
    project.run();
    assert_eq!(project.status(D), TaskStatus::Halted);
    assert_eq!(project.status(C), TaskStatus::Shipped);
    approve(&mut project);
    project.run();
    let wanted = [(A, "1.1.0"), (B, "1.0.1"), (C, "1.0.1"), (D, "1.0.0")];
    let wanted = wanted.map(|(task, version)| format!("{}@{version}", module_of(task)));
    assert_eq!(released(&project), wanted);
    // Each was planned once more, and no more often.
    for (task, times) in [(A, 1), (B, 2), (C, 2), (D, 2)] {
        let asked = project.asked();
        let plans = asked
            .iter()
            .filter(|one| **one == (task.to_owned(), "micro_plan".to_owned()));
        assert_eq!(plans.count(), times, "{task}");
    }
}

/// Who works on the old version while it changes ships what was tested, and is made again after that.
#[test]
fn s13_7_what_was_in_the_making_on_the_old_contract_is_made_again_as_well() {
    let mut project = in_use(2);
    project.run_only(A);
    project.run_only(D);
    assert_eq!(project.status(D), TaskStatus::Halted);
    assert_eq!(project.status(B), TaskStatus::InProgress);
    project.run_one();
    let id = approve(&mut project);
    project.run_only(&id);
    assert_eq!(
        project.status(B),
        TaskStatus::InProgress,
        "nobody is disturbed"
    );
    project.run();
    let wanted = [(A, "1.1.0"), (B, "1.0.1"), (C, "1.0.0"), (D, "1.0.0")];
    let wanted = wanted.map(|(task, version)| format!("{}@{version}", module_of(task)));
    assert_eq!(released(&project), wanted);
}

/// A version that an exception made is its task's: it is made again when what it uses changes later.
#[test]
fn s13_7_what_an_exception_made_is_made_again_when_what_it_uses_changes() {
    let of = |task: &str, version: &str| format!("{}@{version}", module_of(task));
    let raises = |task: &str, on: String| {
        let subject = format!("{task}/{}", module_of(task));
        (subject, said::exception(&on, "BACKWARD_COMPATIBLE"))
    };
    let raised = |project: &Project, task: &str| {
        let mut all = project.machine.exceptions();
        all.find(|one| one.task.as_str() == task)
            .unwrap()
            .exception_id
            .clone()
    };
    let (first, wanting) = raises(C, of(B, "1.0.0"));
    let (second, also) = raises(D, of(A, "1.0.0"));
    let script = Script::default()
        .says(B, "micro_plan", 1, on(B, &of(A, "1.0.0")))
        .says(C, "micro_plan", 1, on(C, &of(B, "1.0.0")))
        .says(D, "micro_plan", 1, on(D, &of(A, "1.0.0")))
        .says(&first, "propose", 1, wanting)
        .says(&second, "propose", 1, also);
    let tasks = [task(A, &[]), task(B, &[A]), task(C, &[B]), task(D, &[A])];
    let mut project = Project::new(&tasks, 1, script);
    project.run();
    let forget = |project: &mut Project, subject: &str| {
        let said = (subject.to_owned(), "propose".to_owned(), 1);
        project.script.said.remove(&said);
    };
    forget(&mut project, &first);
    project.script = project
        .script
        .clone()
        .says(C, "micro_plan", 1, on(C, &of(B, "1.1.0")));
    let with = json!({"exception_id": raised(&project, C)});
    project.decide("APPROVE_CHANGE", with).unwrap();
    project.run();
    assert_eq!(project.status(D), TaskStatus::Halted);
    forget(&mut project, &second);
    project.script = project
        .script
        .clone()
        .says(B, "micro_plan", 1, on(B, &of(A, "1.1.0")))
        .says(C, "micro_plan", 1, on(C, &of(B, "2.0.0")))
        .says(D, "micro_plan", 1, on(D, &of(A, "1.1.0")));
    let with = json!({"exception_id": raised(&project, D)});
    project.decide("APPROVE_CHANGE", with).unwrap();
    project.run();
    let wanted = [(A, "1.1.0"), (B, "2.0.0"), (C, "1.0.1"), (D, "1.0.0")];
    assert_eq!(
        released(&project),
        wanted.map(|(task, version)| of(task, version))
    );
}

/// Who challenges what was planned on the old version hears of the new one; who plans it again is given that.
#[test]
fn s14_3_who_challenges_on_what_is_superseded_is_told_so_and_who_plans_again_has_the_new_one() {
    let of = |version: &str| format!("{}@{version}", module_of(A));
    let told = format!(
        "{} is not for use any more; {} is in use now",
        of("1.0.0"),
        of("1.1.0")
    );
    let mut project = in_use(2);
    project.run_only(A);
    project.run_only(D);
    project.run_one();
    let id = approve(&mut project);
    project.run_only(&id);
    let brief = project.brief(B, "challenge");
    assert!(brief.contains(&told), "{brief}");
    assert!(!project.brief(B, "adjudicate").contains(&told));
    let brief = project.brief(B, "micro_plan");
    assert!(brief.contains(&of("1.1.0")), "{brief}");
}

#[test]
fn s14_3_a_plan_on_a_superseded_version_is_refused_and_told_what_is_in_use() {
    let of = |task: &str, version: &str| format!("{}@{version}", module_of(task));
    let mut project = in_use(1);
    project.run();
    approve(&mut project);
    // Whoever comes back plans on the old version first.
    project.script = project
        .script
        .clone()
        .says(D, "micro_plan", 1, on(D, &of(A, "1.0.0")))
        .says(D, "micro_plan", 2, on(D, &of(A, "1.1.0")));
    project.run();
    let refused = project
        .journal
        .iter()
        .filter_map(|event| match &event.body {
            kernel::Body::Noted(note) => Some(note.body.to_string()),
            _ => None,
        });
    let refused: Vec<String> = refused
        .filter(|text| text.contains("plan_refused"))
        .collect();
    let [refused] = refused.as_slice() else {
        panic!("{refused:?}");
    };
    let told = format!(
        "{} is not for use any more; {} is in use now",
        of(A, "1.0.0"),
        of(A, "1.1.0")
    );
    assert!(
        refused.contains("dependency_outdated") && refused.contains(&told),
        "{refused}"
    );
    assert!(project.machine.releases()[0].passed());
}
