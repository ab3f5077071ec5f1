//! What happened in a run, in the order in which people ask for it.

use crate::error::EngineError;
use crate::project::Project;
use crate::run;
use kernel::outcome::CheckResult;
use kernel::{Body, Decision, EffectId, Event, Outcome, Refusal, StateName, Time};
use std::collections::BTreeMap;
use store::{Journal, Replay, RunName};

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
                self.outcomes.insert(ended.effect, ended.outcome.clone());
            }
            Body::GateEnded(ended) => {
                let state = self.states.get(&ended.effect).cloned();
                self.gates.push(GateRun {
                    state: state.unwrap_or_else(|| StateName::from("?")),
                    at: event.at,
                    results: ended.results.clone(),
                });
            }
            Body::CheckpointEnded(ended) => self.commits.extend(ended.commit.clone()),
            Body::Refused(refused) => self.refusals.push(refused.refusal.clone()),
            Body::Decided(decision) => self.decisions.push((event.at, decision.clone())),
            _ => {}
        }
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
