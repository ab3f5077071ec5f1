//! The one shape that every workflow has: decide, apply, wanted.

use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{EffectId, RunId, StateName};
use crate::input::Input;
use crate::ledger::AttemptNote;
use crate::refusal::Refusal;
use crate::table::Kind;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A pure machine. The driver is the only one to call it in earnest; the simulator and the
/// explorer call the same three functions.
pub trait Machine {
    /// What follows from an input: events, or a refusal. Never changes anything.
    fn decide(&self, input: &Input) -> Result<Vec<Event>, Refusal>;

    /// Takes a fact in. Total: a journal that was accepted once is accepted for ever.
    fn apply(&mut self, event: &Event);

    /// What should be in flight now, begun or not.
    fn wanted(&self) -> Vec<Effect>;

    /// The run as a person or a script wants to see it.
    fn status(&self) -> Status;

    /// The budgets alone, for whoever looks several times a second: a status has every attempt in it.
    fn gauges(&self) -> BTreeMap<String, Gauge> {
        self.status().budgets
    }

    /// The whole state as data, for a checkpoint.
    fn snapshot(&self) -> Value;

    /// Takes a snapshot back. A snapshot of another shape is refused and replay begins at the start.
    fn restore(&mut self, snapshot: &Value) -> Result<(), String>;
}

/// Does the run go on by itself?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// The engine has something to do.
    Working,
    /// A person has.
    Waiting,
    /// Nobody has; it may be taken up again.
    Resting,
    /// It completed.
    Done,
    /// A person stopped it.
    Stopped,
}

/// What the run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Always `human` so far.
    pub who: &'static str,
    /// A stable word: `approval`, `budget`, `stall`, ... or the wait state's name.
    pub reason: String,
    /// A sentence.
    pub why: String,
    /// What may be answered.
    pub options: Vec<String>,
}

/// One budget as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Gauge {
    /// Used so far.
    pub used: u64,
    /// At the most.
    pub cap: u64,
}

/// An effect in flight, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InFlight {
    /// Which.
    pub effect: EffectId,
    /// Attempt, gate or checkpoint.
    pub kind: crate::effect::EffectKind,
    /// Since when.
    pub began: crate::time::Time,
}

/// The run, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The run's id.
    pub run: RunId,
    /// The workflow's name.
    pub workflow: String,
    /// The present state.
    pub state: StateName,
    /// The state's kind.
    pub kind: Kind,
    /// Does it go on by itself?
    pub activity: Activity,
    /// What it waits for; null if for nobody.
    pub waiting_for: Option<Waiting>,
    /// The state that a detour comes back to.
    pub return_to: Option<StateName>,
    /// The present rung.
    pub autonomy: crate::autonomy::Autonomy,
    /// Pace and risk.
    pub mode: crate::autonomy::Mode,
    /// Run budgets and table counters.
    pub budgets: BTreeMap<String, Gauge>,
    /// Every attempt so far.
    pub attempts: Vec<AttemptNote>,
    /// What is in flight.
    pub in_flight: Vec<InFlight>,
    /// The last "no", with its mend.
    pub last_refusal: Option<Refusal>,
    /// Document fields.
    pub fields: BTreeMap<String, String>,
}
