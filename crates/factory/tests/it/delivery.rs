//! Rules F15.4 and F16: releases and deprecation.

use crate::project::task;
use crate::said;
use crate::world::{Project, Script, module_of, promising};
use factory::delivery::gates::{Gate, judge};
use factory::delivery::promised::Promised;
use factory::delivery::registry::{Entry, Registry, hash_of};
use factory::machine::{DEPRECATE, RELEASE};
use factory::project::{ModuleRef, TaskId, TaskStatus};
use kernel::module::ModuleStatus;
use kernel::{Machine, Time};
use serde_json::{Value, json};

const A: &str = "T-a-001";
const B: &str = "T-a-002";

fn reference(text: &str) -> ModuleRef {
    ModuleRef::parse(text).unwrap()
}

fn entry(name: &str, uses: &[(&str, &str)]) -> Entry {
    Entry {
        reference: reference(name),
        task: None,
        ship_ref: format!("SHIP-{name}"),
        contract: json!({"of": name}),
        fingerprint: format!("fp-{name}"),
        dependencies: uses
            .iter()
            .map(|(name, built)| (reference(name), (*built).to_owned()))
            .collect(),
        status: ModuleStatus::Shipped,
        superseded_by: None,
        notes: Vec::new(),
        at: Time(0),
        origin: Default::default(),
    }
}

fn registry(entries: Vec<Entry>) -> Registry {
    let mut registry = Registry::default();
    entries.into_iter().for_each(|one| registry.add(one));
    registry
}

fn failing(registry: &Registry, set: &[&str]) -> Vec<Gate> {
    let set: Vec<ModuleRef> = set.iter().map(|one| reference(one)).collect();
    let mut gates: Vec<Gate> = judge(registry, &set).iter().map(|one| one.gate).collect();
    gates.sort();
    gates.dedup();
    gates
}

#[test]
fn s15_4_each_gate_fails_on_its_own_violation() {
    let good = || {
        vec![
            entry("MM-a@1.0.0", &[]),
            entry("MM-b@1.0.0", &[("MM-a@1.0.0", "fp-MM-a@1.0.0")]),
        ]
    };
    let both = ["MM-a@1.0.0", "MM-b@1.0.0"];
    assert!(failing(&registry(good()), &both).is_empty());
    assert_eq!(
        failing(&registry(good()), &["MM-b@1.0.0"]),
        [Gate::DependencyCheck]
    );
    assert_eq!(
        failing(&registry(good()), &["MM-a@1.0.0", "MM-x@1.0.0"]),
        [Gate::CodeIndexCheck]
    );
    let mut drifted = good();
    drifted[1].dependencies[0].1 = "fp-old".to_owned();
    assert_eq!(failing(&registry(drifted), &both), [Gate::FingerprintCheck]);
    let mut deprecated = registry(good());
    deprecated.deprecate(&reference("MM-a@1.0.0"), None, "not for use");
    let gates = failing(&deprecated, &both);
    assert!(gates.contains(&Gate::DeprecationCheck) && gates.contains(&Gate::CodeIndexCheck));
    // What is deprecated itself may depend on what is deprecated.
    deprecated.deprecate(&reference("MM-b@1.0.0"), None, "not for use");
    assert!(!failing(&deprecated, &both).contains(&Gate::DeprecationCheck));
}

fn complete(script: Script) -> Project {
    let mut project = Project::new(&[task(A, &[]), task(B, &[A])], 1, script);
    project.run();
    project
}

#[test]
fn s15_4_the_full_release_is_automatic_and_its_manifest_is_the_documents() {
    let project = complete(Script::default());
    assert_eq!(project.machine.status().state.as_str(), "released");
    let [release] = project.machine.releases() else {
        panic!("one release");
    };
    assert_eq!(release.failure_report(), None);
    let mut document = release.document();
    let ship_refs: Vec<Value> = document["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["ship_ref"].clone())
        .collect();
    let id = document["release_id"].take();
    assert!(id.as_str().unwrap().starts_with("REL-") && id.as_str().unwrap().len() == 12);
    document["created_at"].take();
    assert_eq!(
        document,
        json!({
            "release_id": null, "created_at": null, "spec_version": "1.0.0",
            "modules": [
                {"module_ref": format!("{}@1.0.0", module_of(A)), "ship_ref": ship_refs[0]},
                {"module_ref": format!("{}@1.0.0", module_of(B)), "ship_ref": ship_refs[1]},
            ],
            "integration_gates": {
                "dependency_check": "PASS", "fingerprint_check": "PASS",
                "deprecation_check": "PASS", "code_index_check": "PASS",
            },
            "overall_result": "PASS", "notes": "2 modules released",
        })
    );
    assert!(
        ship_refs
            .iter()
            .all(|one| one.as_str().unwrap().starts_with("SHIP-"))
    );
}

#[test]
fn s15_4_a_gate_that_the_engine_sees_fail_blocks_the_release_until_it_is_triggered_again() {
    // The release's subject is its id, which follows from the run.
    let id = factory::project::mint("REL", "run-1", "0");
    let mut project = complete(Script::default().breaks(&id, "code_index_check", 0));
    assert_eq!(project.machine.status().state.as_str(), "release");
    let release = &project.machine.releases()[0];
    assert_eq!(release.document()["overall_result"], "FAIL");
    assert_eq!(
        release.document()["integration_gates"]["code_index_check"],
        "FAIL"
    );
    let report = release.failure_report().unwrap();
    assert_eq!(report["failing_gates"], json!(["code_index_check"]));
    project.decide(RELEASE, Value::Null).unwrap();
    project.run();
    assert!(project.machine.releases()[1].passed());
    assert_eq!(project.machine.status().state.as_str(), "released");
}

#[test]
fn s15_4_a_partial_release_names_shipped_modules_only() {
    let script = Script::default().rejects(B);
    let mut project = complete(script);
    assert_eq!(project.status(B), TaskStatus::Halted);
    let name = format!("{}@1.0.0", module_of(A));
    for (with, code) in [
        (
            json!({"modules": [format!("{}@1.0.0", module_of(B))]}),
            "module_not_shipped",
        ),
        (json!({"modules": ["nonsense"]}), "module_not_shipped"),
        (Value::Null, "project_not_complete"),
        (json!({"module": [name]}), "payload_malformed"),
    ] {
        assert_eq!(project.decide(RELEASE, with).unwrap_err().code, code);
    }
    project.decide(RELEASE, json!({"modules": [name]})).unwrap();
    project.run();
    assert!(project.machine.releases()[0].passed());
    assert_eq!(project.status(B), TaskStatus::Halted);
}

#[test]
fn s16_a_deprecated_module_stays_with_its_notice_and_blocks_releases_of_its_users() {
    let (a, b) = (module_of(A), module_of(B));
    let plan = said::plan(&[(b.as_str(), &[format!("{a}@1.0.0").as_str()])]);
    let mut project = complete(Script::default().says(B, "micro_plan", 0, plan));
    let old = format!("{a}@1.0.0");
    for (with, code) in [
        (
            json!({"module": "MM-x@1.0.0", "reason": "r"}),
            "module_unknown",
        ),
        (json!({"module": old, "reason": ""}), "payload_member_empty"),
        (
            json!({"module": old, "reason": "r", "superseded_by": old, "migration": "m"}),
            "replacement_not_shipped",
        ),
        (
            json!({"module": old, "reason": "r", "superseded_by": format!("{b}@1.0.0")}),
            "payload_member_empty",
        ),
    ] {
        assert_eq!(project.decide(DEPRECATE, with).unwrap_err().code, code);
    }
    let with = json!({"module": old, "reason": "too slow", "superseded_by": format!("{b}@1.0.0"), "migration": "rename it"});
    project.decide(DEPRECATE, with.clone()).unwrap();
    let entry = project.machine.registry().get(&reference(&old)).unwrap();
    assert_eq!(entry.status, ModuleStatus::Deprecated);
    assert_eq!(entry.superseded_by, Some(reference(&format!("{b}@1.0.0"))));
    assert!(
        entry.notes[0].contains("too slow")
            && entry.notes[0].contains("rename it")
            && entry.notes[0].contains("2026-")
    );
    assert_eq!(
        project.decide(DEPRECATE, with).unwrap_err().code,
        "module_not_in_use"
    );
    assert_eq!(
        project.machine.registry().users(&reference(&old)),
        [reference(&format!("{b}@1.0.0"))]
    );
    project.decide(RELEASE, Value::Null).unwrap();
    project.run();
    let release = &project.machine.releases()[1];
    assert_eq!(
        release.document()["integration_gates"]["deprecation_check"],
        "FAIL"
    );
}

#[test]
fn s14_3_who_plans_with_and_who_challenges_on_what_is_deprecated_is_told_so() {
    let old = format!("{}@1.0.0", module_of(A));
    let plan = said::plan(&[(module_of(B).as_str(), &[old.as_str()])]);
    let begun = || {
        let script = Script::default().says(B, "micro_plan", 0, plan.clone());
        let mut project = Project::new(&[task(A, &[]), task(B, &[A])], 1, script);
        project.run_only(A);
        project
    };
    let told = |text: &str| {
        text.contains("## Not for use any more") && text.contains(&old) && text.contains("too slow")
    };
    let with = json!({"module": old, "reason": "too slow"});
    let mut planned = begun();
    assert!(!told(&planned.brief(B, "micro_plan")));
    planned.decide(DEPRECATE, with.clone()).unwrap();
    assert!(told(&planned.brief(B, "micro_plan")));
    let mut challenged = begun();
    assert!(!told(&challenged.brief(B, "challenge")));
    challenged.decide(DEPRECATE, with).unwrap();
    let brief = challenged.brief(B, "challenge");
    assert!(told(&brief), "{brief}");
    assert!(!told(&challenged.brief(B, "adjudicate")));
}

#[test]
fn s16_entries_are_never_changed_back_nor_replaced() {
    let mut registry = registry(vec![entry("MM-a@1.0.0", &[]), entry("MM-a@2.0.0", &[])]);
    let (old, new) = (reference("MM-a@1.0.0"), reference("MM-a@2.0.0"));
    registry.supersede(&old, &new);
    registry.deprecate(&old, None, "again");
    let mut other = entry("MM-a@1.0.0", &[]);
    other.fingerprint = hash_of(&Value::Null);
    registry.add(other);
    let kept = registry.get(&old).unwrap();
    assert_eq!(
        (kept.status, kept.fingerprint.as_str()),
        (ModuleStatus::Superseded, "fp-MM-a@1.0.0")
    );
    assert_eq!(registry.newest(&old.module).unwrap().reference, new);
}

fn promised(form: &str) -> Promised {
    serde_json::from_value(json!({
        "product": {"name": "shop", "form": form, "entry": "TSK-002", "why": "because"},
        "entry": B, "title": "Shop", "about": "Sells things",
    }))
    .unwrap()
}

fn product(form: &str, script: Script) -> Project {
    let tasks = [task(A, &[]), task(B, &[A])];
    let mut project = Project::told(script, &promising(&tasks, 1, Some(promised(form))));
    project.run();
    project
}

#[test]
fn s15_4_a_product_is_a_condition_beside_the_four_gates_that_a_person_can_waive() {
    let project = product("command", Script::default());
    let release = &project.machine.releases()[0];
    let document = release.document();
    assert_eq!(document["product"]["result"], "PASS", "{document}");
    let gates = document["integration_gates"].as_object().unwrap();
    assert_eq!(gates.len(), 4, "the document's four stay what they are");
    // It does not hold: nothing is released, until a person does without it and says why.
    let id = factory::project::mint("REL", "run-1", "0");
    let mut project = product("library", Script::default().breaks(&id, "product_check", 0));
    let document = project.machine.releases()[0].document();
    assert_eq!(document["overall_result"], "FAIL");
    assert_eq!(document["product"]["result"], "FAIL");
    let gates = document["integration_gates"].as_object().unwrap();
    assert!(gates.values().all(|gate| gate == "PASS"));
    let report = project.machine.releases()[0].failure_report().unwrap();
    assert_eq!(report["failing_gates"], json!(["product_check"]));
    for with in [
        json!({"waive_product": " "}),
        json!({"waive_product": "later", "modules": [format!("{}@1.0.0", module_of(A))]}),
    ] {
        let refused = project.decide(RELEASE, with).unwrap_err();
        assert_eq!(refused.code, "no_product_to_waive");
    }
    let waived = json!({"waive_product": "the modules are needed today"});
    project.decide(RELEASE, waived.clone()).unwrap();
    project.run();
    let document = project.machine.releases()[1].document();
    assert_eq!(document["overall_result"], "PASS");
    let said = json!({"result": "WAIVED", "what": "the modules are needed today"});
    assert_eq!(document["product"], said);
    // A spec that needs none, and a project of before, have none to wait for.
    let none = product("none", Script::default());
    assert!(none.machine.releases()[0].product.is_none());
    let mut before = complete(Script::default());
    assert!(before.machine.releases()[0].product.is_none());
    let refused = before.decide(RELEASE, waived).unwrap_err();
    assert_eq!(refused.code, "no_product_to_waive");
}

/// The four gates hold, and the product does not: what stands at its front is made once more.
#[test]
fn s15_4_the_assembly_of_a_product_that_failed_is_made_anew_by_a_persons_criteria() {
    let id = factory::project::mint("REL", "run-1", "0");
    let script = || Script::default().breaks(&id, "product_check", 0);
    let mut project = product("library", script());
    let [question] = &project.machine.questions()[..] else {
        panic!("one question");
    };
    assert_eq!(question.recommended.as_deref(), Some("AMEND_SPEC"));
    assert_eq!(question.task.as_ref().map(|task| task.as_str()), Some(B));
    let options = ["AMEND_SPEC".to_owned(), RELEASE.to_owned()];
    assert_eq!(question.options, options);
    // Nothing else is opened again, and that one in no other way.
    for (action, task) in [("AMEND_SPEC", A), ("SPLIT_TASK", B), ("ABANDON_TASK", B)] {
        let refused = project.resolve(action, task).unwrap_err();
        assert_eq!(refused.code, "task_not_escalated", "{action} {task}");
    }
    project.resolve("AMEND_SPEC", B).unwrap();
    assert!(project.machine.questions().is_empty(), "it is being made");
    project.run();
    let registry = project.machine.registry().clone();
    let old = reference(&format!("{}@1.0.0", module_of(B)));
    let new = &registry.newest(&old.module).unwrap().reference;
    assert_ne!(*new, old);
    let entry = registry.get(&old).unwrap();
    assert_eq!(entry.status, ModuleStatus::Superseded);
    assert_eq!(entry.superseded_by.as_ref(), Some(new));
    // It is not what failed any more, so nobody has to ask for another release.
    let release = &project.machine.releases()[1];
    assert!(release.passed());
    let modules: Vec<String> = release
        .modules
        .iter()
        .map(|one| one.module_ref.to_string())
        .collect();
    assert!(modules.contains(&new.to_string()) && !modules.contains(&old.to_string()));
    // What was released is not opened again, nor a project that promised nothing.
    let refused = project.resolve("AMEND_SPEC", B).unwrap_err();
    assert!(
        ["task_not_escalated", "run_is_over"].contains(&refused.code.as_str()),
        "{refused:?}"
    );
    let mut before = complete(script().breaks(&id, "code_index_check", 0));
    let refused = before.resolve("AMEND_SPEC", B).unwrap_err();
    assert_eq!(refused.code, "task_not_escalated");
}

#[test]
fn s15_4_what_was_given_up_of_a_product_is_asked_about_before_anything_is_released() {
    let mut project = product("library", Script::default().rejects(B));
    project.resolve("ABANDON_TASK", B).unwrap();
    project.run();
    assert!(project.machine.releases().is_empty());
    let status = project.machine.status();
    assert_eq!(status.state.as_str(), "release");
    assert!(status.waiting_for.unwrap().why.contains(B));
    let [question] = &project.machine.questions()[..] else {
        panic!("one question");
    };
    assert!(question.why.contains(B) && question.options.contains(&RELEASE.to_owned()));
    project.decide(RELEASE, Value::Null).unwrap();
    project.run();
    assert_eq!(project.machine.releases().len(), 1);
    // Who promised nothing is not asked.
    let mut before = complete(Script::default().rejects(B));
    before.resolve("ABANDON_TASK", B).unwrap();
    before.run();
    assert!(before.machine.releases()[0].passed());
}

/// A product with two cases, of which the entry is the task B.
fn with_cases(script: Script) -> Project {
    let mut promised = promised("command");
    promised.product.cases = serde_json::from_value(json!([
        {"shows": ["STR-001"], "given": "1", "prints": "one"},
        {"shows": ["STR-002"], "given": "x", "refuses": "NoNumber"},
    ]))
    .unwrap();
    let tasks = [task(A, &[]), task(B, &[A])];
    Project::told(script, &promising(&tasks, 1, Some(promised)))
}

fn case(task: &str, case: Value) -> Value {
    json!({"task": task, "amended_cases": [case], "amendment_rationale": "it was a slip"})
}

fn prints(project: &Project, at: usize) -> Option<String> {
    let promised = project.machine.promised().unwrap();
    promised.product.cases[at].prints.clone()
}

#[test]
fn s17_2_a_wrong_case_is_put_right_wherever_nobody_works_by_it() {
    // Before anybody has begun with the assembly, and where it halted.
    let mut project = with_cases(Script::default().rejects(A).rejects(B));
    project.run();
    assert_eq!(project.status(A), TaskStatus::Halted);
    let one = json!({"case": 1, "prints": "1"});
    let refused = project
        .decide("AMEND_SPEC", case(A, one.clone()))
        .unwrap_err();
    assert_eq!(refused.code, "case_not_here");
    assert!(refused.mend.contains(B), "{refused}");
    let refused = project
        .decide("AMEND_SPEC", case(B, one.clone()))
        .unwrap_err();
    assert_eq!(refused.code, "task_still_blocked", "{refused}");
    project.resolve("APPROVE_OVERRIDE", A).unwrap();
    assert_eq!(project.status(B), TaskStatus::Pending);
    project.decide("AMEND_SPEC", case(B, one)).unwrap();
    assert_eq!(project.status(B), TaskStatus::Pending);
    assert_eq!(prints(&project, 0).as_deref(), Some("1"));
    project.run();
    assert_eq!(project.status(B), TaskStatus::Halted);
    let criteria = project.machine.amended_criteria(&TaskId::from(B)).len();
    project
        .decide("AMEND_SPEC", case(B, json!({"case": 2, "prints": "x?"})))
        .unwrap();
    assert_eq!(prints(&project, 1).as_deref(), Some("x?"));
    assert_eq!(project.status(B), TaskStatus::InProgress, "it begins anew");
    let kept = project.machine.amended_criteria(&TaskId::from(B)).len();
    assert_eq!(kept, criteria, "the criteria stay");
    // Whoever makes it is shown it as it is now.
    let briefs = project.machine.wanted();
    let brief = briefs.iter().find_map(|one| match one {
        kernel::effect::Effect::Attempt(order) => Some(order.brief.clone()),
        _ => None,
    });
    let brief = brief.unwrap();
    assert!(
        brief.contains("x?") && !brief.contains("NoNumber"),
        "{brief}"
    );
    // Somebody works by it now.
    let refused = project
        .decide("AMEND_SPEC", case(B, json!({"case": 2, "prints": "y"})))
        .unwrap_err();
    assert_eq!(refused.code, "task_not_escalated");
}
