//! How states were left, kept as the journal tells it.

use kernel::event::Moved;
use kernel::table::Actor;
use kernel::{Decision, StateName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a state was last left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Exit {
    pub(super) action: String,
    pub(super) to: StateName,
    pub(super) by: Actor,
    /// Who and through which channel, if a person decided it.
    #[serde(default)]
    pub(super) person: Option<(String, String)>,
    #[serde(default)]
    pub(super) because: String,
    /// The run's move count by then.
    pub(super) moves: u32,
}

/// What a run remembers of its exits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(super) exits: BTreeMap<StateName, Exit>,
    /// How often each human action was taken.
    pub(super) taken: BTreeMap<String, u32>,
    /// How a person stopped the run, if one has.
    #[serde(default)]
    pub(super) stopped: Option<Exit>,
}

impl Record {
    /// A state was left.
    pub(crate) fn left(&mut self, moved: &Moved, decision: Option<&Decision>, moves: u32) {
        if moved.by == Actor::Human {
            *self.taken.entry(moved.action.clone()).or_default() += 1;
        }
        let exit = Exit::of(moved, decision, moves);
        self.exits.insert(moved.from.clone(), exit);
    }

    /// Did a person leave some state by this action, the last time that it was left?
    pub(crate) fn stands(&self, action: &str) -> bool {
        let mut exits = self.exits.values();
        exits.any(|exit| exit.by == Actor::Human && exit.action == action)
    }

    /// A person has stopped the run.
    pub(crate) fn stopped(&mut self, moved: &Moved, decision: Option<&Decision>, moves: u32) {
        self.stopped = Some(Exit::of(moved, decision, moves));
    }
}

impl Exit {
    fn of(moved: &Moved, decision: Option<&Decision>, moves: u32) -> Self {
        let decision = decision.filter(|_| moved.by == Actor::Human);
        Exit {
            action: moved.action.clone(),
            to: moved.position.state.clone(),
            by: moved.by,
            person: decision.map(|one| (one.who.clone(), one.channel.clone())),
            because: decision.map_or_else(|| moved.why.clone(), |one| one.because.clone()),
            moves,
        }
    }
}
