//! What a run cost: the whole, and by role and by state.

use kernel::Usage;
use kernel::ledger::AttemptNote;
use serde::Serialize;
use std::collections::BTreeMap;

/// What some attempts cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spend {
    /// How many, lost and running ones among them.
    pub attempts: u64,
    /// Their tokens and money.
    #[serde(flatten)]
    pub usage: Usage,
    /// Their wall time.
    pub millis: u64,
}

impl Spend {
    fn add(&mut self, note: &AttemptNote) {
        self.plus(&Spend {
            attempts: 1,
            usage: note.usage,
            millis: note.millis,
        });
    }

    /// Adds what others cost.
    pub fn plus(&mut self, other: &Spend) {
        self.attempts += other.attempts;
        self.millis = self.millis.saturating_add(other.millis);
        let (sum, more) = (&mut self.usage, other.usage);
        sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
        sum.cached_tokens = sum.cached_tokens.saturating_add(more.cached_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
        sum.micro_dollars = sum.micro_dollars.saturating_add(more.micro_dollars);
    }
}

/// What a run cost, whole and by part. Each attempt stands for itself in the run's `attempts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// The whole run.
    pub run: Spend,
    /// By role.
    pub roles: BTreeMap<String, Spend>,
    /// By state.
    pub states: BTreeMap<String, Spend>,
}

/// Sums up a run's attempts.
pub fn summary<'a>(attempts: impl IntoIterator<Item = &'a AttemptNote>) -> Summary {
    let mut summary = Summary::default();
    for note in attempts {
        summary.run.add(note);
        let role = summary.roles.entry(note.role.clone()).or_default();
        role.add(note);
        let state = summary.states.entry(note.state.to_string()).or_default();
        state.add(note);
    }
    summary
}
