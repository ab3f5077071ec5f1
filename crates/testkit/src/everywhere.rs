//! A crash at every place that a run has, one run for each: before, inside and after every append,
//! and at every wait. Systematic, so it proves for one script what seeds only sample for many.

use crate::failure::Failure;
use crate::journal::readable;
use crate::seeds::on_every_core;
use crate::simulation::{Report, Simulation};
use crate::violation::Violation;
use crate::weather::{Crash, Fate, Weather};
use kernel::budget::{ATTEMPTS, WALL_MILLIS};
use kernel::effect::EffectKind;
use kernel::machine::RunMachine;
use kernel::{Body, Class, Event, StateName, Usage};

/// What was tried.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The run without a crash.
    pub calm: Report,
    /// Every crash, and the run that it led to.
    pub crashed: Vec<(Crash, Report)>,
}

/// Runs a script once in calm weather and once for every crash, and compares their ends. `run` is
/// asked for a fresh simulation each time; its weather is set here.
pub fn crash_everywhere<'a, M: RunMachine + 'a>(
    run: impl Fn() -> Simulation<'a, M> + Sync,
) -> Result<Tried, Box<Failure>> {
    crash_everywhere_counting(run, &[])
}

/// The same for a machine with counters that count crashes, and may differ for that.
pub fn crash_everywhere_counting<'a, M: RunMachine + 'a>(
    run: impl Fn() -> Simulation<'a, M> + Sync,
    counters: &[&str],
) -> Result<Tried, Box<Failure>> {
    let calm = run().weather(Weather::calm()).run()?;
    let runs = on_every_core(places(&calm), |crash| {
        let report = run().weather(Weather::calm()).crash(*crash).run()?;
        same_end(&calm, &report, *crash, counters).map_err(|violation| {
            Box::new(Failure {
                seed: 0,
                violation,
                plan: format!("{crash:?}"),
                command: "cargo test -p testkit everywhere -- --nocapture".to_owned(),
                journal: report.journal.clone(),
            })
        })?;
        Ok(report)
    });
    let runs = runs.into_iter();
    let crashed = runs
        .map(|(crash, report)| report.map(|report| (crash, report)))
        .collect::<Result<_, Box<Failure>>>()?;
    Ok(Tried { calm, crashed })
}

/// Every place of a run that has one.
fn places(calm: &Report) -> Vec<Crash> {
    let appends = calm.batches.iter().enumerate().flat_map(|(index, length)| {
        let stored = 0..=*length;
        stored.map(move |stored| Crash::Append { index, stored })
    });
    let waits = (0..calm.waits).flat_map(|index| {
        let fates = [Fate::Found, Fate::Died].into_iter();
        fates.map(move |fate| Crash::Waiting { index, fate })
    });
    appends.chain(waits).collect()
}

fn same_end(
    calm: &Report,
    crashed: &Report,
    crash: Crash,
    counters: &[&str],
) -> Result<(), Violation> {
    let differs = |what: String| Err(Violation::new("a_crash_changes_nothing", what));
    if crashed.crashes != 1 {
        return differs(format!("{} crashes instead of one", crashed.crashes));
    }
    let (here, there) = (&crashed.status, &calm.status);
    if (&here.state, here.activity) != (&there.state, there.activity) {
        return differs(format!("it ends in `{}`", here.state));
    }
    // Attempts and time of what was lost count on; everything else is as if nothing had happened.
    for (name, gauge) in &there.budgets {
        let free =
            [ATTEMPTS, WALL_MILLIS].contains(&name.as_str()) || counters.contains(&name.as_str());
        if !free && here.budgets.get(name) != Some(gauge) {
            return differs(format!("`{name}` is {:?}", here.budgets.get(name)));
        }
    }
    if ended(&crashed.journal) != ended(&calm.journal) {
        return differs("other attempts ended".to_owned());
    }
    // Only an attempt that died at work is paid for again; one that never started is not.
    let died = matches!(
        crash,
        Crash::Waiting {
            fate: Fate::Died,
            ..
        }
    );
    let lost = lost_attempts(&crashed.journal);
    let again = crashed.paid.len() - calm.paid.len().min(crashed.paid.len());
    let due = if died { lost } else { 0 };
    if again != due || crashed.paid.len() < calm.paid.len() {
        let journal = crashed.journal.last().map_or_else(String::new, readable);
        return differs(format!(
            "paid for {:?}, calm {:?}; {journal}",
            crashed.paid, calm.paid
        ));
    }
    Ok(())
}

type Ended = (StateName, Class, Option<StateName>, Usage);

fn ended(journal: &[Event]) -> Vec<Ended> {
    let state = |effect| {
        journal.iter().find_map(|event| match &event.body {
            Body::EffectBegan(began) if began.effect == effect => Some(began.state.clone()),
            _ => None,
        })
    };
    let attempts = journal.iter().filter_map(|event| match &event.body {
        Body::AttemptEnded(ended) => Some(ended),
        _ => None,
    });
    let ended = attempts.filter_map(|ended| {
        let outcome = &ended.outcome;
        let state = state(ended.effect)?;
        Some((state, outcome.class, outcome.request.clone(), outcome.usage))
    });
    ended.collect()
}

fn lost_attempts(journal: &[Event]) -> usize {
    let lost = journal.iter().filter_map(|event| match &event.body {
        Body::EffectLost(lost) => Some(lost.effect),
        _ => None,
    });
    let attempts = |effect| {
        journal.iter().any(|event| {
            matches!(&event.body, Body::EffectBegan(began)
                if began.effect == effect && began.kind == EffectKind::Attempt)
        })
    };
    lost.filter(|effect| attempts(*effect)).count()
}
