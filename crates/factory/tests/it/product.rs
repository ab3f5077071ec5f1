//! The product loop (rule F3.2) as a machine: what each word of a person does to the next attempt,
//! and what nobody can make it do.

use crate::project::task;
use crate::world::{Project, Script, approval, opening, specifying};
use factory::machine::{AMEND, APPROVE, REJECT, RETRY, Recorder};
use factory::product::{At, MOST_REDRAFTS, Product};
use factory::schema;
use kernel::effect::{AttemptOrder, Effect};
use kernel::machine::Activity;
use kernel::outcome::Found;
use kernel::{CheckResult, Class, EffectId, EvidenceRef, Machine, Outcome, Verdict, What};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const A: &str = "T-a-001";

fn begun(script: Script) -> Project {
    let mut project = Project::told(script, &[specifying(1)]);
    project.run();
    project
}

fn product(project: &Project) -> &Product {
    project.machine.product().unwrap()
}

fn order(project: &Project) -> AttemptOrder {
    match project.machine.wanted().first() {
        Some(Effect::Attempt(order)) => order.clone(),
        other => panic!("{other:?}"),
    }
}

fn options(project: &Project) -> Vec<String> {
    project.machine.status().waiting_for.unwrap().options
}

fn refused(project: &mut Project, option: &str, with: serde_json::Value) -> String {
    let before = project.machine.snapshot();
    let refusal = project.decide(option, with).unwrap_err();
    assert_eq!(
        project.machine.snapshot(),
        before,
        "a refusal changes nothing"
    );
    refusal.code
}

#[test]
fn s3_2_3_an_incomplete_draft_goes_back_with_its_deficiencies_and_not_for_ever() {
    let script = Script::default().breaks("SPEC.md", "spec_complete", 0);
    let mut project = Project::told(script, &[specifying(1)]);
    project.run_one();
    project.run_one();
    let again = order(&project);
    assert_eq!(again.nth, 2);
    assert!(
        again.brief.contains("## What is wrong with the draft"),
        "{}",
        again.brief
    );
    assert!(again.brief.contains("- as scripted"), "{}", again.brief);
    assert!(
        again
            .sight
            .sees
            .iter()
            .any(|one| one.ends_with("deficiencies.json"))
    );
    project.run();
    assert_eq!(product(&project).at, At::Spent);
    assert_eq!(product(&project).ended, MOST_REDRAFTS + 1);
    let waiting = project.machine.status().waiting_for.unwrap();
    assert_eq!(waiting.reason, "spec_incomplete");
    assert_eq!(waiting.options, [REJECT, AMEND, RETRY, "stop"]);
    assert_eq!(
        refused(&mut project, APPROVE, approval("spec-5", &[])),
        "spec_not_shown"
    );
    escalated(&mut project);
    // A person may have it tried again, as often as at first and no more.
    project.decide(RETRY, json!(null)).unwrap();
    project.run();
    assert_eq!(product(&project).ended, 2 * (MOST_REDRAFTS + 1));
    assert_eq!(project.machine.status().activity, Activity::Waiting);
}

/// Everything that a project's journal leads to, by path.
fn files(project: &Project) -> BTreeMap<String, Value> {
    let mut recorder = Recorder::new();
    let all = project
        .journal
        .iter()
        .flat_map(|event| recorder.take(event));
    all.map(|one| (one.path, one.value)).collect()
}

/// The loop is stopped: its escalation is on record with every member, and in the inbox.
fn escalated(project: &mut Project) {
    let [question] = &project.machine.questions()[..] else {
        panic!("{:?}", project.machine.questions());
    };
    assert_eq!(question.recommended.as_deref(), Some(AMEND));
    assert_eq!(question.options, [REJECT, AMEND, RETRY, "stop"]);
    assert!(question.why.contains("as scripted"), "{}", question.why);
    let artifact = &files(project)[&format!("escalations/{}.json", question.id)];
    let found = schema::validate(
        schema::find("EscalationArtifact").unwrap(),
        artifact.to_string().as_bytes(),
    );
    assert!(found.passes(), "{:?}", found.errors);
    assert_eq!(artifact["escalation_id"], question.id);
    assert_eq!(artifact["minimal_decision_required"], question.what);
    assert_eq!(artifact["recommended_resolution"], "AMEND_SPEC");
    assert_eq!(artifact["failed_invariants"][0]["evidence"], "as scripted");
    assert_eq!(artifact["task_ref"], "state_store/product/given/SPEC.md");
    assert_eq!(artifact["state_machine_snapshot"]["tasks"], json!({}));
    let context = artifact["resolution_context"].as_str().unwrap();
    assert!(
        context.contains("5 drafts in a row were not complete"),
        "{context}"
    );
    assert!(context.contains("newest draft: sha256 spec-5"), "{context}");
}

#[test]
fn s17_1_a_product_loop_that_runs_out_of_drafts_escalates_and_keeps_what_was_said_to_it() {
    let script = Script::default().breaks("SPEC.md", "spec_complete", 0);
    let mut project = Project::told(script, &[specifying(1)]);
    project.run();
    let first = project.machine.questions()[0].id.clone();
    escalated(&mut project);
    project
        .decide(AMEND, json!({"feedback": "leave the reports out"}))
        .unwrap();
    project.run();
    let second = project.machine.questions()[0].id.clone();
    assert_ne!(first, second, "another one after every word of a person");
    project
        .decide(REJECT, json!({"reasons": "start smaller"}))
        .unwrap();
    let files = files(&project);
    let said = |id: &str| files[&format!("escalations/{id}.json")]["resolution"].clone();
    assert_eq!(said(&first)["resolved_by"], "ann");
    assert_eq!(said(&first)["payload"]["decision"], AMEND);
    assert_eq!(
        said(&first)["payload"]["amendment_rationale"],
        "leave the reports out"
    );
    assert_eq!(said(&second)["payload"]["decision"], REJECT);
    assert_eq!(said(&first)["action"], AMEND, "the word that was said");
    assert_eq!(said(&second)["action"], REJECT, "the word that was said");
    assert!(project.machine.spec_escalation().is_none());
}

#[test]
fn s17_3_a_retry_settles_the_escalation_of_a_spec_and_the_next_is_another() {
    let script = Script::default().breaks("SPEC.md", "spec_complete", 0);
    let mut project = Project::told(script, &[specifying(1)]);
    project.run();
    let first = project.machine.questions()[0].id.clone();
    project.decide(RETRY, Value::Null).unwrap();
    project.run();
    let second = project.machine.questions()[0].id.clone();
    assert_ne!(first, second);
    let files = files(&project);
    let said = |id: &str| files[&format!("escalations/{id}.json")]["resolution"].clone();
    assert_eq!(said(&first)["action"], RETRY);
    assert_eq!(said(&first)["resolved_by"], "ann");
    assert!(said(&first)["resolved_at"].is_string());
    assert_eq!(said(&second), Value::Null, "nobody has said anything to it");
}

#[test]
fn s3_2_4_reject_restarts_with_a_fresh_context() {
    let mut project = begun(Script::default());
    let reasons = json!({"reasons": "too big\n## Not a heading"});
    project
        .decide(AMEND, json!({"feedback": "more errors"}))
        .unwrap();
    project.run();
    project.decide(REJECT, reasons).unwrap();
    let loop_now = product(&project);
    assert_eq!(loop_now.draft, None, "the draft is not carried");
    assert!(loop_now.research.is_empty() && loop_now.named.is_empty());
    assert!(loop_now.feedback.is_empty() && loop_now.shown.is_none());
    let order = order(&project);
    assert_eq!(order.nth, 3, "attempts are counted through");
    assert!(order.continues.is_none(), "no conversation is carried");
    assert!(
        order.brief.contains("\n## Rejection Feedback\n"),
        "{}",
        order.brief
    );
    assert!(
        order.brief.contains("> too big\n> ## Not a heading"),
        "{}",
        order.brief
    );
    assert!(!order.brief.contains("more errors"), "{}", order.brief);
    assert!(
        !order.brief.contains("the present draft"),
        "{}",
        order.brief
    );
}

#[test]
fn s3_2_4_amend_goes_on_from_the_draft_that_was_shown() {
    let mut project = begun(Script::default());
    project
        .decide(AMEND, json!({"feedback": "name the errors"}))
        .unwrap();
    let draft = product(&project).draft.as_ref().unwrap();
    assert_eq!(draft.hash, "spec-1");
    let order = order(&project);
    assert!(order.brief.contains("the present draft"), "{}", order.brief);
    assert!(order.brief.contains("> name the errors"), "{}", order.brief);
    project.run();
    assert_eq!(
        product(&project).shown.as_ref().unwrap().spec.hash,
        "spec-2"
    );
}

#[test]
fn s3_2_4_three_amends_in_a_row_are_advised_against_and_not_forbidden() {
    let mut project = begun(Script::default());
    for count in 1..=5 {
        assert_eq!(product(&project).advice().is_some(), count > 3, "{count}");
        project.decide(AMEND, json!({"feedback": "again"})).unwrap();
        project.run();
        let why = project.machine.status().waiting_for.unwrap().why;
        assert_eq!(why.contains("AMENDs in a row"), count >= 3, "{why}");
    }
    project
        .decide(REJECT, json!({"reasons": "start again"}))
        .unwrap();
    project.run();
    assert_eq!(
        product(&project).advice(),
        None,
        "a rejection starts the count again"
    );
}

#[test]
fn s3_2_4_only_the_bytes_that_were_shown_can_be_approved() {
    let mut project = begun(Script::default());
    let tasks = [task(A, &[])];
    assert_eq!(options(&project), [APPROVE, REJECT, AMEND, "stop"]);
    assert_eq!(
        refused(&mut project, APPROVE, approval("spec-9", &tasks)),
        "spec_changed"
    );
    assert_eq!(
        refused(&mut project, APPROVE, approval("spec-1", &[])),
        "no_tasks"
    );
    assert_eq!(
        refused(&mut project, APPROVE, json!(null)),
        "payload_malformed"
    );
    let circle = [task(A, &[A])];
    assert!(!refused(&mut project, APPROVE, approval("spec-1", &circle)).is_empty());
    assert_eq!(
        refused(&mut project, REJECT, json!({"reasons": " "})),
        "payload_member_empty"
    );
    assert_eq!(
        refused(&mut project, AMEND, json!({"feedback": ""})),
        "payload_member_empty"
    );
    assert_eq!(
        refused(&mut project, AMEND, json!({"reasons": "x"})),
        "payload_malformed"
    );
    project.decide(APPROVE, approval("spec-1", &tasks)).unwrap();
    assert_eq!(project.machine.tasks().iter().count(), 1);
    assert_eq!(
        refused(&mut project, APPROVE, approval("spec-1", &tasks)),
        "spec_not_shown"
    );
    assert_eq!(
        refused(&mut project, REJECT, json!({"reasons": "late"})),
        "spec_not_shown"
    );
}

#[test]
fn s3_3_an_approved_spec_is_declared_in_parts_and_its_tasks_have_a_budget() {
    let mut project = begun(Script::default());
    let tasks: Vec<_> = (1..=1_200)
        .map(|n| task(&format!("T-a-{n:04}"), &[]))
        .collect();
    project.decide(APPROVE, approval("spec-1", &tasks)).unwrap();
    let declared = project.journal.iter().filter(|event| {
        matches!(&event.body, kernel::Body::Noted(note) if note.name == "tasks_declared.v1")
    });
    assert_eq!(declared.count(), 3);
    assert_eq!(project.machine.tasks().iter().count(), 1_200);
    let attempts = project.machine.status().budgets["attempts"];
    assert!(attempts.cap - attempts.used >= 36_000, "{attempts:?}");
}

#[test]
fn s3_2_nobody_can_tell_the_machine_what_a_person_must_decide() {
    let mut project = begun(Script::default());
    let [tasks, open] = opening(&[task(A, &[])], 1);
    for what in [tasks.clone(), open, specifying(1)] {
        assert_eq!(project.feed(what).unwrap_err().code, "note_not_yours");
    }
    let approved = What::Note(kernel::Note {
        name: "spec_approved.v1".to_owned(),
        body: json!({"spec": "spec-1", "spec_id": "SPEC-001", "spec_version": "1.0.0", "who": "me"}),
    });
    assert_eq!(project.feed(approved).unwrap_err().code, "note_not_yours");
    let mut other = Project::told(Script::default(), &[tasks]);
    assert_eq!(other.feed(specifying(1)).unwrap_err().code, "product_begun");
    assert_eq!(
        Project::told(Script::default(), &[])
            .feed(specifying(0))
            .unwrap_err()
            .code,
        "no_jobs"
    );
}

#[test]
fn s3_2_what_the_environment_cannot_run_waits_for_a_person_and_goes_on_where_it_was() {
    let mut project = Project::told(Script::default(), &[specifying(1)]);
    let ends = |project: &mut Project, class| {
        let id = project.machine.wanted().first().unwrap().id();
        project.feed(What::Begin(id)).unwrap();
        project
            .feed(What::AttemptEnded {
                effect: id,
                outcome: Box::new(Outcome::bare(class, "no such program")),
                found: kernel::outcome::Found::Live,
            })
            .unwrap();
        id
    };
    let first: EffectId = ends(&mut project, kernel::Class::CouldNotRun);
    let waiting = project.machine.status().waiting_for.unwrap();
    assert_eq!(waiting.reason, "trouble");
    assert!(waiting.options.contains(&RETRY.to_owned()), "{waiting:?}");
    project.decide(RETRY, json!(null)).unwrap();
    assert!(order(&project).id > first);
    for _ in 0..3 {
        ends(&mut project, kernel::Class::Crashed);
    }
    assert_eq!(
        product(&project).at,
        At::Spent,
        "bad ends are bounded as well"
    );
}

#[test]
fn s3_2_4_an_amendment_is_heard_also_while_the_judgement_is_stuck() {
    let mut project = begun(Script::default());
    project.decide(AMEND, json!({"feedback": "one"})).unwrap();
    project.run_one();
    let gate = project.machine.wanted().first().unwrap().id();
    project.feed(What::Begin(gate)).unwrap();
    let broken = CheckResult::new("spec_complete", Verdict::CouldNotRun, "the disk is full");
    project
        .feed(What::GateEnded {
            effect: gate,
            results: vec![broken],
            tree: None,
            found: Found::Live,
        })
        .unwrap();
    assert!(product(&project).stuck.is_some());
    project.decide(AMEND, json!({"feedback": "two"})).unwrap();
    let loop_now = product(&project);
    assert_eq!(loop_now.draft, None, "the older one must not replace it");
    let brief = order(&project).brief;
    assert!(brief.contains("> two\n"), "{brief}");
    assert!(brief.contains("the last draft"), "{brief}");
    project.run();
    let shown = product(&project).shown.as_ref().unwrap();
    assert_eq!(shown.spec.hash, "spec-3", "not the one of before");
}

#[test]
fn s3_2_1_what_was_looked_up_counts_however_the_attempt_ended() {
    let mut project = Project::told(Script::default(), &[specifying(1)]);
    for (class, hash) in [(Class::Crashed, "looked-1"), (Class::Done, "looked-2")] {
        let id = project.machine.wanted().first().unwrap().id();
        project.feed(What::Begin(id)).unwrap();
        let mut outcome = Outcome::bare(class, "as it went");
        outcome.result = (class == Class::Done).then(|| json!({"summary": "drafted"}));
        outcome.evidence = vec![EvidenceRef {
            hash: hash.to_owned(),
            name: format!("{id} specify research"),
            size: 1,
            sealed: false,
        }];
        project
            .feed(What::AttemptEnded {
                effect: id,
                outcome: Box::new(outcome),
                found: Found::Live,
            })
            .unwrap();
    }
    let wanted = project.machine.wanted();
    let Some(Effect::Gate(gate)) = wanted.first() else {
        panic!("{wanted:?}");
    };
    let told = serde_json::to_string(&gate.checks).unwrap();
    for hash in ["looked-1", "looked-2"] {
        assert_eq!(told.matches(hash).count(), 1, "{told}");
    }
}
