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

/// What the first record says of a run that left another one.
#[derive(Deserialize)]
struct Began {
    forked: Option<kernel::event::Forked>,
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
    // What a fork has from another run, that one has paid.
    let mut copied = 0;
    let _ = Journal::read(&project.journals(), run, Replay::default(), |record| {
        if record.seq == 1 {
            let began = record.body_as::<Began>()?;
            copied = began.forked.map_or(0, |forked| forked.seq);
        }
        if record.at < midnight || record.seq <= copied {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use store::Entry;

    #[test]
    fn what_a_fork_has_from_another_run_is_paid_once() {
        let dir = tempfile::tempdir().unwrap();
        let ended = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(dir.path())
            .status();
        assert!(ended.unwrap().success());
        let project = Project::find(dir.path()).unwrap();
        let at = Time(DAY_MILLIS * 20_000 + 5);
        let entry = |kind: &str, body: Value| Entry {
            at,
            kind: kind.to_owned(),
            body,
        };
        let paid = |much: u64| {
            let outcome = json!({"usage": {"micro_dollars": much}});
            entry("attempt_ended.v1", json!({"outcome": outcome}))
        };
        let begin = |name: &str, first: Value, rest: &[Entry]| {
            let mut all = vec![entry("run_started.v1", first)];
            all.extend_from_slice(rest);
            let name = RunName::new(name).unwrap();
            Journal::begin(&project.journals(), &name, &all).unwrap();
        };
        begin("a", json!({"run": "a"}), &[paid(5), paid(7)]);
        let forked = json!({"run": "a", "seq": 2, "hash": "", "commit": "", "at": at});
        begin(
            "b",
            json!({"run": "b", "forked": forked}),
            &[paid(5), paid(100)],
        );
        assert_eq!(today(&project, at).unwrap(), 5 + 7 + 100);
    }
}
