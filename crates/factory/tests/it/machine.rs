//! The whole project as one machine: every story ends as it should, a journal that is cut anywhere goes
//! on to the same end without paying twice, and a snapshot is everything.

mod jobs;
mod stories;
mod told;
mod weather;

use crate::world::Project;
use factory::machine::Factory;
use kernel::machine::Activity;
use kernel::outcome::Found;
use kernel::{Body, Event, Machine, What};
use std::collections::BTreeSet;
pub(crate) use stories::{Story, calm, stories};
use stories::{said_aside, tell};

const A: &str = "T-a-001";
const B: &str = "T-a-002";
const C: &str = "T-a-003";
const D: &str = "T-a-004";

#[test]
fn s15_3_every_story_ends_as_it_should() {
    for (name, story) in stories() {
        let project = calm(&story, 1);
        for (task, status) in &story.end {
            assert_eq!(project.status(task), *status, "{name}: {task}");
        }
        let end = project.machine.status();
        assert_eq!(end.activity, Activity::Done, "{name}: {:?}", end.state);
        assert!(
            project.machine.releases().last().unwrap().passed(),
            "{name}"
        );
    }
}

#[test]
fn s15_5_every_prefix_of_every_journal_reaches_the_same_end_and_pays_nothing_twice() {
    for (name, story) in stories() {
        let whole = calm(&story, 1);
        let journal = &whole.journal;
        for cut in 0..=journal.len() {
            // Before the project is open there is nothing to resume.
            if cut < 1 + story.begins.whats(&story.tasks, 1).len() {
                continue;
            }
            // With its memory of who made what: checks judge the work, whoever asks.
            let mut project = Project::new(&story.tasks, 1, whole.script.clone());
            project.machine = Factory::new();
            project.journal = journal[..cut].to_vec();
            for event in &journal[..cut] {
                project.machine.apply(event);
            }
            let mut people = story.people.clone();
            people.remember(&project.machine);
            project.feed(What::Advance).unwrap();
            // What was in flight had ended before the crash: its answer is found, not paid for.
            let mut found = BTreeSet::new();
            for flying in project.machine.status().in_flight {
                let answer = testkit::cast::after_restart(whole.answers[&flying.effect].clone());
                found.insert(flying.effect);
                project.feed(answer).unwrap();
            }
            tell(&mut project, &mut people, |_| 0);
            assert_eq!(project.statuses(), whole.statuses(), "{name} cut at {cut}");
            let aside = [&project, &whole].map(|one| said_aside(&one.machine));
            assert_eq!(aside[0], aside[1], "{name} cut at {cut}");
            let modules = [&project, &whole].map(|one| {
                let all = one.machine.registry().iter();
                all.map(|entry| (entry.reference.clone(), entry.status))
                    .collect::<Vec<_>>()
            });
            assert_eq!(modules[0], modules[1], "{name} cut at {cut}");
            let releases = [&project, &whole].map(|one| {
                let all = one.machine.releases().iter();
                all.map(|one| (one.release_id.clone(), one.modules.clone(), one.passed()))
                    .collect::<Vec<_>>()
            });
            assert_eq!(releases[0], releases[1], "{name} cut at {cut}");
            let paid = |journal: &[Event]| {
                let attempts = journal
                    .iter()
                    .filter(|event| matches!(&event.body, Body::AttemptEnded(_)));
                attempts.count()
            };
            assert_eq!(paid(&project.journal), paid(journal), "{name} cut at {cut}");
            let now = project.journal.iter().filter(|event| {
                matches!(&event.body, Body::AttemptEnded(one) if one.found == Found::AfterRestart)
            });
            assert!(now.count() <= found.len());
        }
    }
}

#[test]
fn s15_5_a_snapshot_restores_everything() {
    for (name, story) in stories() {
        let whole = calm(&story, 2);
        let mut live = Factory::new();
        for (at, event) in whole.journal.iter().enumerate() {
            live.apply(event);
            if at % 5 == 0 {
                let mut restored = Factory::new();
                restored.restore(&live.snapshot()).unwrap();
                assert_eq!(restored.snapshot(), live.snapshot(), "{name} at {at}");
                assert_eq!(restored.wanted(), live.wanted(), "{name} at {at}");
                assert_eq!(restored.status(), live.status(), "{name} at {at}");
            }
        }
    }
}
