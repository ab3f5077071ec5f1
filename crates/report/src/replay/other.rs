//! What happened in a run, told to another workflow, record by record, up to where that one would have gone
//! another way. What agents, commands and people answered is taken as it was: nothing is run again, and
//! behind the first difference nobody knows what they would have said.

use crate::look;
use crate::timeline::sentence;
use flow::{Flow, Workflow};
use kernel::effect::Effect;
use kernel::event::EffectBegan;
use kernel::{Body, EffectId, Event, Input, Machine, What};
use serde::Serialize;
use std::sync::Arc;
use store::{Journal, Replay};
use workspace::{EngineError, Project};

/// How far both went the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    pub run: String,
    /// The other workflow, and its hash.
    pub workflow: String,
    pub workflow_hash: String,
    /// The hash of the run's own.
    pub own_hash: String,
    /// The last record up to which nothing differs.
    pub same_to: u64,
    /// The last record that was looked at.
    pub last: u64,
    /// Where it would have gone another way; none if nowhere.
    pub parts: Option<Parting>,
}

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parting {
    pub seq: u64,
    /// What happened.
    pub happened: String,
    /// What the other workflow would have done.
    pub instead: String,
}

/// Tells a run, up to a record, to another workflow.
pub fn compare(
    project: &Project,
    run: &str,
    other: &Arc<Workflow>,
    to: u64,
) -> Result<Compared, EngineError> {
    let name = look::run_name(project, run)?;
    let own = look::workflow_of(project, &name)?;
    let mut compared = Compared {
        run: run.to_owned(),
        workflow: other.name.clone(),
        workflow_hash: other.hash.clone(),
        own_hash: own.hash.clone(),
        same_to: 0,
        last: 0,
        parts: None,
    };
    let mut both = Both {
        own: Flow::new(own.clone()),
        other: Flow::new(other.clone()),
    };
    Journal::read(&project.journals(), &name, Replay::default(), |record| {
        if compared.parts.is_some() || record.seq > to {
            return Ok(());
        }
        compared.last = record.seq;
        let event = look::known(&own, &record)?;
        match both.differ(&event) {
            None => compared.same_to = record.seq,
            Some(instead) => {
                compared.parts = Some(Parting {
                    seq: record.seq,
                    happened: sentence(&event.body),
                    instead,
                });
            }
        }
        Ok(())
    })?;
    Ok(compared)
}

struct Both {
    own: Flow,
    other: Flow,
}

impl Both {
    /// Takes a record in, unless the other workflow would have none such: then says what instead.
    fn differ(&mut self, event: &Event) -> Option<String> {
        let instead = match &event.body {
            Body::Moved(_) | Body::SnapshotTaken(_) | Body::Refused(_) | Body::Rewound(_) => {
                self.steps(event)
            }
            Body::EffectBegan(began) => self.begins(event, began),
            Body::Decided(decision) => {
                let said = Input::new(event.at, What::Decide(decision.clone()));
                let refused = self.other.decide(&said).err();
                refused.map(|refusal| format!("refuses it: {refusal}"))
            }
            // What came from outside comes all the same.
            Body::RunStarted(_)
            | Body::SessionOpened(_)
            | Body::TailCut(_)
            | Body::AttemptEnded(_)
            | Body::GateEnded(_)
            | Body::CheckpointEnded(_)
            | Body::EffectLost(_)
            | Body::LateDropped(_)
            | Body::FieldsEdited(_)
            | Body::Noted(_) => None,
        };
        if instead.is_none() {
            self.own.apply(event);
            self.other.apply(event);
        }
        instead
    }

    /// The step that follows from the state alone.
    fn next(&self, event: &Event) -> Option<Body> {
        let due = self.other.decide(&Input::new(event.at, What::Advance));
        due.unwrap_or_default()
            .into_iter()
            .next()
            .map(|due| due.body)
    }

    fn steps(&self, event: &Event) -> Option<String> {
        let due = self.next(event);
        let same = match (&due, &event.body) {
            // The words for why may be others.
            (Some(Body::Moved(due)), Body::Moved(moved)) => {
                (&due.action, due.by, &due.position) == (&moved.action, moved.by, &moved.position)
            }
            (Some(Body::Refused(due)), Body::Refused(refused)) => {
                due.refusal.code == refused.refusal.code
            }
            (Some(due), body) => due == body,
            (None, _) => false,
        };
        (!same).then(|| self.would(due))
    }

    fn begins(&self, event: &Event, began: &EffectBegan) -> Option<String> {
        if let Some(due) = self.next(event) {
            return Some(self.would(Some(due)));
        }
        let theirs = wanted(&self.other, began.effect);
        let ours = wanted(&self.own, began.effect);
        let Some(theirs) = theirs else {
            return Some(self.would(None));
        };
        let there = place(&theirs);
        let elsewhere = there.is_some_and(|there| there != (began.state.as_str(), &began.role));
        if theirs.kind() != began.kind || elsewhere {
            return Some(begin(&theirs));
        }
        // An older journal may hold what today's machine does not want any more; then there is nothing to
        // hold the other's against.
        let changed = match (&ours?, &theirs) {
            (Effect::Attempt(ours), Effect::Attempt(theirs)) if ours.brief != theirs.brief => {
                "begins the same with another brief"
            }
            (Effect::Attempt(ours), Effect::Attempt(theirs))
                if (&ours.sight, ours.access) != (&theirs.sight, theirs.access) =>
            {
                "begins the same, and the role sees or may write something else"
            }
            (Effect::Gate(ours), Effect::Gate(theirs)) if ours.checks != theirs.checks => {
                let names = |checks: &[kernel::effect::CheckSpec]| {
                    let names = checks.iter().map(|one| one.check.as_str());
                    names.collect::<Vec<_>>().join(", ")
                };
                let (ours, theirs) = (names(&ours.checks), names(&theirs.checks));
                return Some(match ours == theirs {
                    true => "begins the same gate with other settings of its checks".to_owned(),
                    false => format!("begins the same gate with other checks: {theirs}"),
                });
            }
            _ => return None,
        };
        Some(changed.to_owned())
    }

    /// What the other workflow does now, in words.
    fn would(&self, due: Option<Body>) -> String {
        if let Some(due) = due {
            return sentence(&due);
        }
        if let Some(effect) = self.other.wanted().first() {
            return begin(effect);
        }
        let status = self.other.status();
        match status.waiting_for {
            Some(waiting) => format!("waits for a person ({}): {}", waiting.reason, waiting.why),
            None => format!("stays in `{}`", status.state),
        }
    }
}

fn wanted(machine: &Flow, id: EffectId) -> Option<Effect> {
    let mut wanted = machine.wanted().into_iter();
    wanted.find(|effect| effect.id() == id)
}

/// State and role of an effect, as its record names them.
fn place(effect: &Effect) -> Option<(&str, &str)> {
    match effect {
        Effect::Attempt(order) => Some((order.state.as_str(), &order.role)),
        Effect::Gate(order) => Some((order.state.as_str(), "")),
        Effect::Checkpoint(_) => None,
    }
}

fn begin(effect: &Effect) -> String {
    match effect {
        Effect::Attempt(order) => {
            format!("begins an attempt in `{}` by {}", order.state, order.role)
        }
        Effect::Gate(order) => format!("begins the gate of `{}`", order.state),
        Effect::Checkpoint(order) => format!("makes a commit: {}", order.subject),
    }
}
