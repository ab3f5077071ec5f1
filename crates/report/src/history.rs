//! What happened in a run or a project: a fold over its events that answers what people ask for.
//! It does not hold anything that the journal does not.

use crate::attempt::Attempt;
use crate::gate::{Began, Gate};
use crate::look;
use kernel::decision::{remark, remark_of};
use kernel::finding::Settled;
use kernel::ledger::AttemptNote;
use kernel::snapshot::SnapshotTaken;
use kernel::table::Actor;
use kernel::{Body, Decision, EffectId, Event, Outcome, Refusal, Time};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::{Journal, Replay};
use workspace::{EngineError, Project};

/// A person's word, and when it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// When.
    pub at: Time,
    #[serde(flatten)]
    pub decision: Decision,
    /// The id of what they said, by which later attempts refer to it; empty where they said nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remark: String,
    /// What those who worked since say that they did about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}

/// The run so far.
#[derive(Debug, Clone, Default)]
pub struct History {
    events: Vec<Event>,
    began: BTreeMap<EffectId, Began>,
}

/// What people answer who send work back.
const SENDS_BACK: [&str; 2] = ["reject", "heal"];
/// What they answer who let it go on to what completes it.
const APPROVES: &str = "approve";

impl History {
    /// Takes an event in.
    pub fn take(&mut self, event: &Event) {
        if let Body::EffectBegan(began) = &event.body {
            let (at, effect) = (event.at, began.clone());
            self.began.insert(began.effect, Began { at, effect });
        }
        self.events.push(event.clone());
    }

    /// Everything, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How an effect began.
    pub fn began(&self, effect: EffectId) -> Option<&Began> {
        self.began.get(&effect)
    }

    /// What a fork has from another run, which has paid for it.
    pub fn copied(&self) -> BTreeSet<EffectId> {
        let forked = self.events.iter().find_map(|event| match &event.body {
            Body::RunStarted(started) => started.forked.as_ref().map(|forked| forked.seq),
            _ => None,
        });
        let count = usize::try_from(forked.unwrap_or_default()).unwrap_or(usize::MAX);
        let began = |event: &Event| match &event.body {
            Body::EffectBegan(began) => Some(began.effect),
            _ => None,
        };
        self.events.iter().take(count).filter_map(began).collect()
    }

    /// The state that an effect belongs to.
    pub fn state(&self, effect: EffectId) -> &str {
        let began = self.began.get(&effect);
        began.map_or("?", |began| began.effect.state.as_str())
    }

    /// Every gate that was run, oldest first. `noted` names a check that the gate does not judge by.
    pub fn gates(&self, noted: Option<&str>) -> Vec<Gate> {
        let mut gates: Vec<Gate> = Vec::new();
        for event in &self.events {
            match (&event.body, gates.last_mut()) {
                (Body::GateEnded(ended), _) => {
                    gates.push(Gate::of(event.at, ended, self.began(ended.effect), noted));
                }
                (Body::Moved(moved), Some(gate)) => {
                    let left =
                        moved.from.as_str() == gate.state && moved.position.state != moved.from;
                    gate.sent_back |= !gate.passed && left && moved.by == Actor::Engine;
                }
                _ => {}
            }
        }
        gates
    }

    /// Every ended attempt's outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (EffectId, &Outcome)> + Clone {
        self.events.iter().filter_map(|event| match &event.body {
            Body::AttemptEnded(ended) => Some((ended.effect, &ended.outcome)),
            _ => None,
        })
    }

    /// The attempts that a status notes, with what each said and left.
    pub fn attempts(&self, notes: &[AttemptNote]) -> Vec<Attempt> {
        let outcomes: BTreeMap<EffectId, &Outcome> = self.outcomes().collect();
        let one = |note: &AttemptNote| Attempt::of(note, outcomes.get(&note.effect).copied());
        notes.iter().map(one).collect()
    }

    /// Every refusal.
    pub fn refusals(&self) -> Vec<Refusal> {
        let refused = |event: &Event| match &event.body {
            Body::Refused(refused) => Some(refused.refusal.clone()),
            _ => None,
        };
        self.events.iter().filter_map(refused).collect()
    }

    /// Every decision by a person.
    pub fn decisions(&self) -> Vec<Decided> {
        let mut given = 0;
        let mut decisions: Vec<Decided> = Vec::new();
        for event in &self.events {
            match &event.body {
                Body::Decided(decision) => {
                    let says = !decision.because.is_empty();
                    given += u32::from(says);
                    decisions.push(Decided {
                        at: event.at,
                        decision: decision.clone(),
                        remark: match says {
                            true => remark(given),
                            false => String::new(),
                        },
                        answers: Vec::new(),
                    });
                }
                Body::AttemptEnded(ended) => {
                    let result = ended.outcome.result.as_ref();
                    for settled in result.map(Settled::all).unwrap_or_default() {
                        let id = remark_of(&settled.finding).map(remark);
                        let known = decisions
                            .iter_mut()
                            .find(|one| Some(&one.remark) == id.as_ref());
                        let state = self.state(ended.effect);
                        known
                            .filter(|one| !one.remark.is_empty())
                            .into_iter()
                            .for_each(|one| {
                                one.answers.push(format!("in `{state}`: {}", settled.how));
                            });
                    }
                }
                _ => {}
            }
        }
        decisions
    }

    /// What a person has sent back the last time, if somebody has worked since: the tree that a gate had let
    /// pass, and the commit before that, of which git may have both or the second alone.
    pub fn rejected(&self) -> Vec<String> {
        self.decided_on(self.last_said(&SENDS_BACK))
    }

    /// The same of what a person has approved the last time, unless they have sent it back since.
    pub fn approved(&self) -> Vec<String> {
        let approved = self.last_said(&[APPROVES]);
        self.decided_on(approved.filter(|_| approved > self.last_said(&SENDS_BACK)))
    }

    /// Where a person said one of these the last time.
    fn last_said(&self, options: &[&str]) -> Option<usize> {
        let said = |event: &Event| matches!(&event.body, Body::Decided(said) if options.contains(&said.option.as_str()));
        self.events.iter().rposition(said)
    }

    fn decided_on(&self, at: Option<usize>) -> Vec<String> {
        let Some(at) = at else {
            return Vec::new();
        };
        let (before, since) = self.events.split_at(at);
        let worked = |event: &Event| matches!(event.body, Body::AttemptEnded(_));
        if !since.iter().any(worked) {
            return Vec::new();
        }
        let tree = before.iter().rev().find_map(|event| match &event.body {
            Body::GateEnded(ended) => Some(ended.tree.clone()),
            _ => None,
        });
        let commit = before.iter().rev().find_map(|event| match &event.body {
            Body::CheckpointEnded(ended) => ended.commit.clone(),
            _ => None,
        });
        tree.flatten().into_iter().chain(commit).collect()
    }

    /// Every checkpoint commit.
    pub fn commits(&self) -> Vec<String> {
        let commit = |event: &Event| match &event.body {
            Body::CheckpointEnded(ended) => ended.commit.clone(),
            _ => None,
        };
        self.events.iter().filter_map(commit).collect()
    }

    /// Every context snapshot, oldest first.
    pub fn snapshots(&self) -> Vec<&SnapshotTaken> {
        let taken = self.events.iter().filter_map(|event| match &event.body {
            Body::SnapshotTaken(taken) => Some(&**taken),
            _ => None,
        });
        taken.collect()
    }
}

/// The history of a run or a project, from its journal.
pub fn history(project: &Project, run: &str) -> Result<History, EngineError> {
    history_to(project, run, u64::MAX)
}

/// The same up to one of its records.
pub fn history_to(project: &Project, run: &str, seq: u64) -> Result<History, EngineError> {
    let mut history = History::default();
    let name = look::run_name(project, run)?;
    Journal::read(&project.journals(), &name, Replay::default(), |record| {
        if record.seq <= seq {
            history.take(&look::event(&record)?);
        }
        Ok(())
    })?;
    Ok(history)
}
