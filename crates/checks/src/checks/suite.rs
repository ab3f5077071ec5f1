//! `suite`: what shows whether the code works can be run here at all, green or red. It is for the
//! beginning of a run: nobody should be set to work where nothing could prove the work.

pub(crate) mod by_runner;
pub(crate) mod instrument;
pub(crate) mod line;

use crate::Subject;
use crate::checks::tests::verdict;
use crate::execute::Executed;
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Choice, Text};
use crate::text::{first_few, label};
use instrument::{AsWritten, Instrument, Shown};
use kernel::Word;
use kernel::outcome::{CheckResult, RED_BEFORE, Verdict};
use languages::runners::{AsBefore, Ending, Status};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Instant;

/// What is said where there is nothing to run.
pub(crate) const LOOKED_FOR: &str = "looked for: `cargo test` (Cargo.toml), `python3 -m pytest` (pytest.ini, conftest.py, pyproject.toml, setup.cfg, tox.ini, requirements.txt), `npm test` with vitest, jest or `node --test` (package.json), `go test ./...` (go.mod); set `[checks] commands = [\"...\"]` in .proofhouse/config.toml, or start with `--check COMMAND`";

/// The suite, or the commands that a person set, can be run here, whatever they show.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Suite {
    /// The name under which `red_green` finds the results again; base.
    name: Option<Text>,
    /// A field with a line that runs the suite and writes JUnit XML; empty: found by itself.
    command_from: Option<Text>,
    /// `too`: a line that says more than the runner which is read in its stead is run as well; not.
    as_written: Option<Choice<AsWritten>>,
}

/// What failed before the work already, in words.
pub(crate) fn as_before(found: &AsBefore) -> String {
    let still = first_few(&found.still, 3);
    match found.otherwise.as_slice() {
        [] => format!("failed before the work too: {still}"),
        other => format!(
            "failed before the work too, and otherwise: {}",
            first_few(other, 2)
        ),
    }
}

impl Judge for Suite {
    const NAME: &'static str = "suite";
    type Answer = Judged<Vec<CheckResult>>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let all = Instrument::all(self.command_from.as_ref(), self.as_written, subject)
            .map_err(|why| Trouble::cannot(format!("{why}; {LOOKED_FOR}")))?;
        let name = self.name.as_deref().unwrap_or("base");
        let mut results = Vec::new();
        for instrument in all {
            let shown = instrument
                .show(subject, started)
                .map_err(|why| Trouble::cannot(format!("{why}; {LOOKED_FOR}")))?;
            results.push(Self::answer(name, subject, shown)?);
        }
        Ok(results)
    }
}

impl Suite {
    fn answer(name: &str, subject: &Subject<'_>, shown: Shown) -> Judged<CheckResult> {
        let kept = verdict::keep(subject, &evidence(name, &shown.name), &shown.run);
        let kept = kept.map_err(Trouble::cannot)?;
        let (verdict, reason) = judged(&shown.executed, &shown);
        let reason = format!("{reason}{}", shown.executed.laid_in());
        let check = format!("suite: {}", shown.name);
        let mut result = shown.executed.answer(&check, verdict, &reason);
        if verdict == Verdict::Pass && shown.ending != Ending::Green {
            result.shows.insert(Word::new(RED_BEFORE));
        }
        result.evidence.push(kept);
        Ok(result)
    }
}

/// Under which name the results of one instrument are kept.
pub(crate) fn evidence(name: &str, instrument: &str) -> String {
    format!("results of {}: {}", label(name), label(instrument))
}

fn judged(executed: &Executed, shown: &Shown) -> (Verdict, String) {
    if let Some(worthless) = executed.worthless() {
        return worthless;
    }
    let faults: Vec<&str> = shown
        .run
        .faults
        .iter()
        .map(|one| one.what.as_str())
        .collect();
    let summary = shown.run.summary();
    match shown.ending {
        Ending::Green => (Verdict::Pass, format!("green before the work: {summary}")),
        Ending::Red => {
            let failed: Vec<&str> = {
                let failed = shown.run.with(Status::Failed);
                failed.map(|test| test.name.as_str()).collect()
            };
            let (which, last) = (first_few(&failed, 3), shown.last_output());
            let reason = format!("red before the work: {summary}: {which}{last}");
            (Verdict::Pass, reason)
        }
        Ending::NoTests => (Verdict::Pass, "it runs, and has no test yet".to_owned()),
        Ending::NotBuilt => (
            Verdict::Pass,
            format!(
                "it does not build before the work: {}",
                first_few(&faults, 2)
            ),
        ),
        Ending::Incomplete | Ending::Unreadable => (
            Verdict::CouldNotRun,
            format!(
                "{}: {}; last output: {}",
                shown.ending.as_str(),
                first_few(&faults, 2),
                executed.last_line()
            ),
        ),
    }
}
