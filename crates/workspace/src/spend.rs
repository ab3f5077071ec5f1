//! What the runs of a repository have spent: counted from the journals, which no crash resets.

use crate::error::Error;
use crate::project::Project;
use kernel::{Time, Usage};
use serde::Deserialize;
use store::{Journal, Replay, RunName};

const DAY_MILLIS: u64 = 86_400_000;

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
pub fn today(project: &Project, now: Time) -> Result<u64, Error> {
    let runs = store::list(&project.journals())?;
    let all = runs.iter().map(|run| of_run_today(project, run, now));
    Ok(all.fold(0, u64::saturating_add))
}

/// The same of one run.
pub fn of_run_today(project: &Project, run: &RunName, now: Time) -> u64 {
    let midnight = Time(now.0 - now.0 % DAY_MILLIS);
    let mut total = 0u64;
    let _ = Journal::read(&project.journals(), run, Replay::default(), |record| {
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
    total
}

/// What the day's cap leaves; no cap leaves everything. It refuses another attempt when the cap is
/// reached.
pub fn left_of_the_day(project: &Project, now: Time) -> Result<u64, Error> {
    let Some(cap) = project.config()?.day_micro_dollars() else {
        return Ok(u64::MAX);
    };
    let spent = today(project, now)?;
    if spent < cap {
        return Ok(cap - spent);
    }
    Err(Error::user(
        "day_cap_reached",
        format!(
            "the runs of this repository have spent {spent} of {cap} micro-dollars today (UTC)"
        ),
        "wait until tomorrow, or raise `day.micro_dollars` in the config, and then `retry`",
    ))
}
