//! The shape of an invariant: a named function that sees one event, and the run on both sides of it.

use crate::history::History;
use kernel::machine::RunMachine;
use kernel::{Effect, Event, Status};
use serde_json::Value;

/// A replayed machine at one point of the journal, and what it says there.
#[derive(Debug)]
pub struct Point<M> {
    pub machine: M,
    /// The journal's sums.
    pub history: History,
    /// `status()` here.
    pub status: Status,
    /// `wanted()` here.
    pub wanted: Vec<Effect>,
    /// `snapshot()` here.
    pub snapshot: Value,
}

impl<M: RunMachine> Point<M> {
    pub(crate) fn new(machine: M) -> Self {
        Self {
            history: History::default(),
            status: machine.status(),
            wanted: machine.wanted(),
            snapshot: machine.snapshot(),
            machine,
        }
    }
}

/// One event, and the run before and after it.
#[derive(Debug)]
pub struct Fact<'a, M> {
    /// The event, as it was read back from its stored form.
    pub event: &'a Event,
    /// The journal up to and with the event.
    pub journal: &'a [Event],
    /// The replayed machine before it.
    pub before: &'a Point<M>,
    /// The replayed machine after it.
    pub after: &'a Point<M>,
    /// The snapshot of the machine that decided it.
    pub live: &'a Value,
}

/// What an invariant says: nothing, or what it saw.
pub type Verdict = Result<(), String>;

/// One row of a table of invariants.
#[derive(Debug)]
pub struct Invariant<M> {
    /// A sentence in snake_case; a failure names it.
    pub name: &'static str,
    /// Tries it.
    pub holds: fn(&Fact<'_, M>) -> Verdict,
}

/// Builds rows whose names are their functions' names.
#[macro_export]
macro_rules! invariants {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::Invariant { name: stringify!($function), holds: $function }),*]
    };
}

/// Fails with a message unless the condition holds.
#[macro_export]
macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
