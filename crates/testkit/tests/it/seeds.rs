//! The suite's seeds. `PROOFHOUSE_SIM_SEEDS=100000 cargo test --release -p testkit seeds` for more.

use crate::phase::{all_invariants, fresh, simulation, workflow};
use kernel::Body;
use kernel::machine::Activity;
use std::collections::BTreeSet;
use testkit::seeds::{one_seed, seeds, sweep};
use testkit::{Report, Weather, journal};

/// As many as fit into a few seconds of a debug build.
pub(crate) const USUAL: u64 = 340;

fn run(range: std::ops::Range<u64>) -> Vec<Report> {
    let rows = all_invariants();
    sweep(range, |seed| simulation(seed, fresh, &rows).run())
}

#[test]
fn every_seed_keeps_every_promise_and_together_they_see_everything() {
    let reports = run(seeds(USUAL));
    if one_seed().is_some() {
        return;
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for report in &reports {
        seen.insert(format!("{:?}", report.status.activity));
        for event in &report.journal {
            seen.insert(event.body.kind().to_owned());
            if let Body::Moved(moved) = &event.body {
                seen.insert(moved.action.clone());
                seen.extend(
                    moved
                        .position
                        .hold
                        .iter()
                        .map(|hold| hold.name().to_owned()),
                );
            }
            if let Body::AttemptEnded(ended) = &event.body {
                seen.insert(ended.outcome.class.as_str().to_owned());
                seen.insert(format!("{:?}", ended.found));
            }
        }
    }
    let table = &workflow().table;
    // Facts of machines and workflows that are not this one: their own tests see those.
    let others = ["noted.v1", "snapshot_taken.v1"];
    let kinds = Body::KINDS.iter().filter(|kind| !others.contains(kind));
    let mut wanted: BTreeSet<String> = kinds.map(|kind| (*kind).to_owned()).collect();
    let actions = table.transitions.iter().map(|way| way.action.to_string());
    wanted.extend(actions);
    wanted.extend([Activity::Done, Activity::Stopped].map(|activity| format!("{activity:?}")));
    for name in [
        "approval",
        "step",
        "budget",
        "stall",
        "risk",
        "trouble",
        "again",
        "exhaust",
        "approve",
        "reject",
        "continue",
        "extend",
        "lower",
        "retry",
        "stop",
        "AfterRestart",
        "Live",
        "crashed",
    ] {
        wanted.insert(name.to_owned());
    }
    let missed: Vec<_> = wanted.difference(&seen).collect();
    assert!(missed.is_empty(), "no seed ever saw {missed:?}");
    let sum = |of: fn(&Report) -> u64| reports.iter().map(of).sum::<u64>();
    eprintln!(
        "{} runs: {} events, {} sessions (at most {:?}), {} crashes",
        reports.len(),
        sum(|report| report.journal.len() as u64),
        sum(|report| report.sessions.into()),
        reports.iter().map(|report| report.sessions).max(),
        sum(|report| report.crashes.into()),
    );
}

#[test]
fn one_seed_is_shown() {
    let Some(seed) = one_seed() else { return };
    for report in run(seed..seed + 1) {
        for event in &report.journal {
            eprintln!("{}", journal::readable(event));
        }
        eprintln!("{} sessions, {} crashes", report.sessions, report.crashes);
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    for seed in 0..6 {
        let both = run(seed..seed + 1).into_iter().chain(run(seed..seed + 1));
        let journals: Vec<_> = both.map(|report| report.journal).collect();
        assert_eq!(journals[0], journals[1], "seed {seed}");
    }
}

/// A decision that is on record and not yet carried out (a torn append) must not be forgotten for
/// a later one.
#[test]
fn a_hasty_person_does_not_replace_an_earlier_decision() {
    let rows = all_invariants();
    sweep(seeds(USUAL), |seed| {
        let weather = Weather {
            hasty: 1_000,
            crash_at_append: 300,
            most: 60,
            ..Weather::of(seed)
        };
        simulation(seed, fresh, &rows)
            .weather(weather)
            .command(format!(
                "PROOFHOUSE_SIM_SEED={seed} cargo test -p testkit hasty -- --nocapture"
            ))
            .run()
    });
}

/// Interrupts, strays and people in other processes, much more often than any seed's own weather
/// has them: an interrupted loop that hears of another process's events must keep their order.
#[test]
fn an_interrupted_loop_keeps_the_journals_order() {
    let rows = all_invariants();
    sweep(seeds(60), |seed| {
        let weather = Weather {
            interrupt: 300,
            stop: 250,
            stray: 500,
            repeat: 500,
            lose: 300,
            most: 80,
            ..Weather::calm()
        };
        simulation(seed, fresh, &rows)
            .weather(weather)
            .command(format!(
                "PROOFHOUSE_SIM_SEED={seed} cargo test -p testkit interrupted -- --nocapture"
            ))
            .run()
    });
}
