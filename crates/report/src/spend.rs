//! What a run cost: the whole, and by role and by state.

use kernel::Usage;
use kernel::ledger::{AttemptNote, RUNNING};
use serde::Serialize;
use std::collections::BTreeMap;

/// Money for people.
pub fn dollars(micro: u64) -> String {
    match micro {
        0 => "$0".to_owned(),
        1..100_000 => format!("$0.{:04}", (micro + 50) / 100),
        _ => {
            let cents = (micro + 5_000) / 10_000;
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

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
    /// How many of them ended and never said what they used: what they cost is not known.
    pub untold: u64,
}

impl Spend {
    /// What one attempt cost.
    pub fn of(note: &AttemptNote) -> Spend {
        Spend {
            attempts: 1,
            usage: note.usage,
            millis: note.millis,
            untold: u64::from(note.usage.is_nothing() && note.ended != RUNNING),
        }
    }

    /// Did anybody say what it cost?
    pub fn is_told(&self) -> bool {
        self.untold == 0 || !self.usage.is_nothing()
    }

    /// The money in words. Not everybody says what was used, and that is not the same as nothing.
    pub fn money(&self) -> String {
        let known = dollars(self.usage.micro_dollars);
        match (self.untold, self.usage.is_nothing()) {
            (0, _) => known,
            (_, true) => "not told".to_owned(),
            (_, false) => format!("at least {known}"),
        }
    }

    /// Adds what others cost.
    pub fn plus(&mut self, other: &Spend) {
        self.attempts += other.attempts;
        self.untold += other.untold;
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
        let one = Spend::of(note);
        summary.run.plus(&one);
        let role = summary.roles.entry(note.role.clone()).or_default();
        role.plus(&one);
        let state = summary.states.entry(note.state.to_string()).or_default();
        state.plus(&one);
    }
    summary
}
