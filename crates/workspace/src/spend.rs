//! What the runs of a repository have spent: counted from the journals, which no crash resets.

use crate::error::EngineError;
use crate::project::Project;
use kernel::ledger::AttemptNote;
use kernel::{Time, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{Journal, Replay};

const DAY_MILLIS: u64 = 86_400_000;

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
        self.attempts += 1;
        self.millis = self.millis.saturating_add(note.millis);
        let (sum, more) = (&mut self.usage, note.usage);
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
pub fn summary(attempts: &[AttemptNote]) -> Summary {
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

#[derive(Deserialize)]
struct Ended {
    outcome: Spent,
}

#[derive(Deserialize)]
struct Spent {
    #[serde(default)]
    usage: Usage,
}

/// Micro-dollars that all runs spent on the day (UTC) of `now`. A run whose journal is corrupt
/// counts for what can be read of it: its fault must not stop the others.
pub fn today(project: &Project, now: Time) -> Result<u64, EngineError> {
    let midnight = Time(now.0 - now.0 % DAY_MILLIS);
    let mut total = 0u64;
    for run in store::list(&project.journals())? {
        let _ = Journal::read(&project.journals(), &run, Replay::default(), |record| {
            if record.at < midnight {
                return Ok(());
            }
            let usage = match record.kind.split('.').next() {
                Some("attempt_ended") => record.body_as::<Ended>()?.outcome.usage,
                Some("effect_lost") => record.body_as::<Spent>()?.usage,
                _ => Usage::default(),
            };
            total = total.saturating_add(usage.micro_dollars);
            Ok(())
        });
    }
    Ok(total)
}

/// What the day's cap leaves; no cap leaves everything. It refuses another attempt when the cap is
/// reached.
pub fn left_of_the_day(project: &Project, now: Time) -> Result<u64, EngineError> {
    let Some(cap) = project.config()?.day_micro_dollars() else {
        return Ok(u64::MAX);
    };
    let spent = today(project, now)?;
    if spent < cap {
        return Ok(cap - spent);
    }
    Err(EngineError::user(
        "day_cap_reached",
        format!(
            "the runs of this repository have spent {spent} of {cap} micro-dollars today (UTC)"
        ),
        "wait until tomorrow, or raise `day.micro_dollars` in the config, and then `retry`",
    ))
}
