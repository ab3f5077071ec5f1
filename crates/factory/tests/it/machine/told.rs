//! What the machine can be told: nothing that only work or people decide, and every fact in a version
//! that is read back.

use super::stories::{calm, stories};
use super::{A, B};
use crate::project::task;
use crate::world::{opening, started};
use factory::machine::facts::{Fact, TaskDispatched};
use factory::machine::{Factory, facts};
use factory::project::TaskId;
use kernel::{Body, Input, Machine, Note, Refusal, Time, What};
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn s17_3_nobody_can_tell_the_machine_what_only_work_or_people_decide() {
    let mut machine = Factory::new();
    let mut feed = |what: What| {
        let events = machine.decide(&Input::new(Time(1), what))?;
        events.iter().for_each(|event| machine.apply(event));
        Ok::<(), Refusal>(())
    };
    feed(What::Start(Box::new(started()))).unwrap();
    let [_, open] = opening(&[], 1);
    assert_eq!(feed(open.clone()).unwrap_err().code, "no_tasks");
    let [tasks, _] = opening(&[task(A, &[B])], 1);
    feed(tasks).unwrap();
    assert_eq!(
        feed(open.clone()).unwrap_err().code,
        "task_dependency_unknown"
    );
    let [tasks, open] = opening(&[task(B, &[])], 0);
    feed(tasks).unwrap();
    assert_eq!(feed(open).unwrap_err().code, "no_jobs");
    let [_, open] = opening(&[], 1);
    feed(open.clone()).unwrap();
    assert_eq!(feed(open).unwrap_err().code, "note_not_yours");
    let task = TaskId::from(A);
    let forged = Fact::TaskDispatched(TaskDispatched { task }).note();
    assert_eq!(feed(What::Note(forged)).unwrap_err().code, "note_not_yours");
    let unknown = Note {
        name: "task_shipped.v9".to_owned(),
        body: json!({}),
    };
    assert_eq!(feed(What::Note(unknown)).unwrap_err().code, "note_unknown");
}

#[test]
fn s5_1_every_fact_is_versioned_and_read_back() {
    let names: BTreeSet<&str> = Fact::NAMES.iter().copied().collect();
    assert_eq!(names.len(), Fact::NAMES.len());
    assert!(names.iter().all(|name| name.ends_with(".v1")));
    let mut seen = BTreeSet::new();
    for (_, story) in stories() {
        for event in &calm(&story, 1).journal {
            if let Body::Noted(note) = &event.body {
                assert_eq!(facts::Fact::read(note).unwrap().note(), *note);
                seen.insert(note.name.clone());
            }
        }
    }
    for name in [
        "product_began.v1",
        "product_stepped.v1",
        "spec_approved.v1",
        "spec_rejected.v1",
        "spec_amended.v1",
        "engineering_stepped.v1",
        "task_halted.v1",
        "change_stepped.v1",
        "release_judged.v1",
        "module_deprecated.v1",
        "exception_decided.v1",
        "task_resolved.v1",
    ] {
        assert!(seen.contains(name), "{name}");
    }
}
