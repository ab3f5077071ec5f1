//! What happened in a run, in the order in which people ask for it.

use crate::run;
use kernel::outcome::CheckResult;
use kernel::snapshot::SnapshotTaken;
use kernel::{Body, Decision, EffectId, Event, Outcome, Refusal, StateName, Time};
use std::collections::BTreeMap;
use store::{Journal, Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;

/// One gate that was run.
#[derive(Debug, Clone)]
pub struct GateRun {
    /// Whose gate.
    pub state: StateName,
    /// When it ended.
    pub at: Time,
    /// Every answer.
    pub results: Vec<CheckResult>,
}

/// One line of a run's story.
#[derive(Debug, Clone)]
pub enum Told {
    /// The run moved, or went round again.
    Moved {
        /// When.
        at: Time,
        /// From where.
        from: StateName,
        /// To where.
        to: StateName,
        /// By which action.
        action: String,
        /// Why.
        why: String,
    },
    /// What an agent says that it did.
    Said {
        /// When.
        at: Time,
        /// Where.
        state: StateName,
        /// Its words.
        said: String,
        /// Connections that it was refused, in a line.
        refused: Option<String>,
    },
    /// A gate.
    Gate {
        /// When.
        at: Time,
        /// Whose.
        state: StateName,
        /// Every answer.
        results: Vec<CheckResult>,
    },
    /// A person.
    Decided {
        /// When.
        at: Time,
        /// What.
        decision: Decision,
    },
    /// A checkpoint.
    Commit {
        /// When.
        at: Time,
        /// Which.
        commit: String,
    },
}

/// The run so far.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Every gate, oldest first.
    pub gates: Vec<GateRun>,
    /// Every ended attempt's outcome.
    pub outcomes: BTreeMap<EffectId, Outcome>,
    /// Every refusal.
    pub refusals: Vec<Refusal>,
    /// Every decision by a person.
    pub decisions: Vec<(Time, Decision)>,
    /// Every checkpoint commit.
    pub commits: Vec<String>,
    /// Every context snapshot, oldest first.
    pub snapshots: Vec<SnapshotTaken>,
    /// Everything worth telling, in order.
    pub told: Vec<Told>,
    /// The state that each begun effect belongs to.
    states: BTreeMap<EffectId, StateName>,
}

impl History {
    /// Takes an event in.
    pub fn take(&mut self, event: &Event) {
        match &event.body {
            Body::EffectBegan(began) => {
                self.states.insert(began.effect, began.state.clone());
            }
            Body::AttemptEnded(ended) => {
                let result = ended.outcome.result.as_ref();
                let said = result.and_then(|result| result["summary"].as_str());
                self.told.push(Told::Said {
                    at: event.at,
                    state: self.state(ended.effect),
                    said: said.unwrap_or(&ended.outcome.reason).to_owned(),
                    refused: ended.outcome.refused_connections(),
                });
                self.outcomes.insert(ended.effect, ended.outcome.clone());
            }
            Body::GateEnded(ended) => {
                let state = self.state(ended.effect);
                self.told.push(Told::Gate {
                    at: event.at,
                    state: state.clone(),
                    results: ended.results.clone(),
                });
                self.gates.push(GateRun {
                    state,
                    at: event.at,
                    results: ended.results.clone(),
                });
            }
            Body::CheckpointEnded(ended) => {
                if let Some(commit) = &ended.commit {
                    self.commits.push(commit.clone());
                    self.told.push(Told::Commit {
                        at: event.at,
                        commit: commit.clone(),
                    });
                }
            }
            Body::SnapshotTaken(taken) => self.snapshots.push((**taken).clone()),
            Body::Refused(refused) => self.refusals.push(refused.refusal.clone()),
            Body::Decided(decision) => {
                self.decisions.push((event.at, decision.clone()));
                self.told.push(Told::Decided {
                    at: event.at,
                    decision: decision.clone(),
                });
            }
            Body::Moved(moved) => self.told.push(Told::Moved {
                at: event.at,
                from: moved.from.clone(),
                to: moved.position.state.clone(),
                action: moved.action.clone(),
                why: moved.why.clone(),
            }),
            _ => {}
        }
    }

    fn state(&self, effect: EffectId) -> StateName {
        let known = self.states.get(&effect).cloned();
        known.unwrap_or_else(|| StateName::from("?"))
    }
}

/// The history of a run, from its journal.
pub fn history(project: &Project, run: &str) -> Result<History, EngineError> {
    let mut history = History::default();
    Journal::read(
        &project.journals(),
        &RunName::new(run)?,
        Replay::default(),
        |record| {
            history.take(&run::event(&record)?);
            Ok(())
        },
    )?;
    Ok(history)
}
