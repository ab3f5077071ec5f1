//! The demo as it happens, in short lines: one task after the other, what was said and what the
//! engine found, and, at the moments worth a look, a sentence in plain words.
//!
//! Each sentence hangs on an event of the journal. Nothing is said of what did not happen.

use crate::cli::out::{Out, Tone, duration, plain};
use ::factory::machine::Fact;
use engine::world::{Gauges, Observer};
use kernel::{Body, Event};
use report::story::{Line, Mark, Moment, Story};
use std::collections::BTreeMap;
use std::time::Instant;
use store::{Journal, Replay, RunName};
use workspace::{EngineError, Project};

/// Longer sentences are cut: the page has all of them.
const MOST: usize = 150;

/// What a moment shows, for a person who sees this for the first time.
const ASIDES: [(Moment, &str, &str); 12] = [
    (
        Moment::DraftRefused,
        "",
        "a spec is complete when the rules say so, not when its author does",
    ),
    (
        Moment::SpecApproved,
        "",
        "the (scripted) human signed the hash of these very bytes; now they become tasks",
    ),
    (
        Moment::ChallengeFailed,
        "28 cents",
        "the Challenger never sees code; it broke the claim itself, and the work goes back",
    ),
    (
        Moment::Amendment,
        "",
        "approved, if this is added; the ship checks that it is there",
    ),
    (
        Moment::ExceptionRaised,
        "",
        "a shipped contract is never bent in passing; the task stops and asks",
    ),
    (
        Moment::Superseded,
        "",
        "the new version has its own debate, tests and seal; the old one points to it",
    ),
    (
        Moment::ShipRefused,
        "are skipped",
        "CHEAT CAUGHT: the agent switched the failing test off; what does not run is not passed",
    ),
    (
        Moment::ShipRefused,
        "prove nothing",
        "CHEAT CAUGHT: the agent emptied the failing test; it passes without any code at all",
    ),
    (
        Moment::ShipRefused,
        "",
        "every role had approved it; the engine ran the tests itself and says no",
    ),
    (
        Moment::Halted,
        "debate_rejected",
        "no agent may choose what the spec means; only a person can",
    ),
    (
        Moment::Reused,
        "",
        "what is shipped and sealed is used as it is: no code, no debate, no cost",
    ),
    (
        Moment::Released,
        "PASS",
        "dependencies, fingerprints and seals, deprecations, index: all four gates held",
    ),
];

/// A moment, once and several times.
const RECAP: [(Moment, &str, &str); 6] = [
    (
        Moment::ChallengeFailed,
        "challenge failed and was answered, or went to a person",
        "challenges failed and were answered, or went to a person",
    ),
    (
        Moment::Amendment,
        "approval came with an amendment, and the ship found it in the files",
        "approvals came with amendments, and the ship found them in the files",
    ),
    (
        Moment::ShipRefused,
        "deliverable that every role approved was refused by the engine's own tests",
        "deliverables that every role approved were refused by the engine's own tests",
    ),
    (
        Moment::Superseded,
        "shipped contract was changed, by exception, debate and a new sealed version",
        "shipped contracts were changed, by exception, debate and a new sealed version",
    ),
    (
        Moment::Reused,
        "task was done by a module that was shipped before",
        "tasks were done by modules that were shipped before",
    ),
    (
        Moment::Halted,
        "question went to the (scripted) human, and was answered with a signature",
        "questions went to the (scripted) human, and were answered with a signature",
    ),
];

pub(super) struct Teller<'a> {
    out: &'a Out,
    began: Instant,
    story: Story,
    /// Place and name of each task.
    tasks: BTreeMap<String, (usize, String)>,
    current: Option<String>,
    told: Vec<Line>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(out: &'a Out) -> Self {
        Self {
            out,
            began: Instant::now(),
            story: Story::default(),
            tasks: BTreeMap::new(),
            current: None,
            told: Vec::new(),
        }
    }

    /// Hears what another than the driving engine wrote: a person's word.
    pub(super) fn catch_up(
        &mut self,
        project: &Project,
        name: &str,
        after: u64,
    ) -> Result<(), EngineError> {
        let mut events = Vec::new();
        let run = RunName::new(name)?;
        Journal::read(&project.journals(), &run, Replay::default(), |record| {
            if record.seq > after {
                events.push(report::look::event(&record)?);
            }
            Ok(())
        })?;
        for event in events {
            self.hear(&event);
        }
        Ok(())
    }

    fn hear(&mut self, event: &Event) {
        if let Body::Noted(note) = &event.body {
            match Fact::read(note) {
                Ok(Fact::TasksDeclared(declared)) => {
                    for task in declared.tasks {
                        let at = self.tasks.len() + 1;
                        self.tasks.insert(task.id.to_string(), (at, task.task));
                    }
                }
                // Also the second time that it is begun.
                Ok(Fact::TaskDispatched(dispatched)) if !self.out.json => {
                    self.current = None;
                    self.turn_to(Some(&dispatched.task.to_string()));
                }
                _ => {}
            }
        }
        for line in self.story.hear(event) {
            if !self.out.json {
                self.tell(&line);
            }
            self.told.push(line);
        }
    }

    /// Everything that was noteworthy.
    pub(super) fn moments(&self) -> impl Iterator<Item = &Line> {
        self.told.iter().filter(|line| line.moment.is_some())
    }

    /// What all of it comes to: counts of what the journal holds.
    pub(super) fn recap(&self) -> Vec<String> {
        let count = |moment| {
            self.moments()
                .filter(|one| one.moment == Some(moment))
                .count()
        };
        RECAP
            .iter()
            .filter_map(|(moment, one, many)| match count(*moment) {
                0 => None,
                1 => Some(format!("{:>3}  {one}", 1)),
                other => Some(format!("{other:>3}  {many}")),
            })
            .collect()
    }

    pub(super) fn millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn clock(&self) -> String {
        let text = format!("{:>7}", duration(self.millis()));
        self.out.paint(Tone::Dim, &text)
    }

    /// The heading of a task, when the talk turns to it.
    fn turn_to(&mut self, task: Option<&String>) {
        if self.current.as_ref() == task {
            return;
        }
        self.current = task.cloned();
        let Some((at, name)) = task.and_then(|id| self.tasks.get(id)) else {
            return;
        };
        let heading = format!("[{at}/{}] {name}", self.tasks.len());
        let heading = self.out.paint(Tone::Strong, &heading);
        self.out.line(&format!("\n{} {heading}", self.clock()));
    }

    fn tell(&mut self, line: &Line) {
        let text: String = line.text.chars().take(MOST).collect();
        let cut = if text.len() < line.text.len() {
            "..."
        } else {
            ""
        };
        let tone = match line.mark {
            Mark::Quiet => return,
            Mark::Plain => None,
            Mark::Good => Some(Tone::Good),
            Mark::Bad => Some(Tone::Bad),
            Mark::Person => Some(Tone::Warn),
        };
        self.turn_to(line.task.as_ref());
        let what = format!("{:<10}", line.what);
        let what = tone.map_or_else(|| what.clone(), |tone| self.out.paint(tone, &what));
        let text = plain(&text);
        let head = format!("{}   {what} ", self.clock());
        self.out.hanging(&head, &format!("{text}{cut}"));
        let aside = ASIDES
            .iter()
            .find(|(moment, words, _)| Some(*moment) == line.moment && line.text.contains(words));
        if let Some((_, _, aside)) = aside {
            let aside = self.out.paint(Tone::Strong, &format!(">> {aside}"));
            let head = format!("{:>7}   {:<10} ", "", "");
            self.out.hanging(&head, &aside);
        }
    }
}

impl Observer for Teller<'_> {
    fn event(&mut self, event: &Event) {
        self.hear(event);
    }

    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}

    fn progress(&mut self, _: &str) {}

    fn notice(&mut self, line: &str) {
        eprintln!("note: {line}");
    }
}
