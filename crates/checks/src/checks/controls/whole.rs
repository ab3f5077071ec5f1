//! Controls where a gate judges the tree as it stands: nothing was frozen, and nobody said which tests
//! came with the change. The code before is what the run began with.

use super::{Control, Controls, Files, Purpose};
use crate::Subject;
use crate::checks::suite::instrument::Instrument;
use crate::error::Error;
use crate::readers::items;
use crate::room::Room;
use crate::text::answer;
use kernel::Word;
use kernel::effect::BEGUN;
use kernel::outcome::{CheckResult, Verdict, Worth};
use languages::runners::{Ending, TestRun};
use std::time::Instant;

/// A suite that was green on the judged tree.
pub(crate) struct Green<'a> {
    pub(crate) run: &'a TestRun,
    pub(crate) millis: u64,
    pub(crate) controls: Controls,
}

/// The controls of it.
pub(crate) fn result(
    subject: &Subject<'_>,
    instrument: &Instrument,
    green: &Green<'_>,
    name: &str,
) -> CheckResult {
    let name = format!("{name}: controls");
    if instrument.runner().is_none() {
        return weak(&name, super::UNKNOWN);
    }
    match tried(subject, instrument, green, &name) {
        Ok(result) => result,
        Err(why) => weak(&name, &why.to_string()),
    }
}

/// A pass that is worth little, and why.
pub(crate) fn weak(name: &str, why: &str) -> CheckResult {
    let mut result = answer(name, Verdict::Pass, format!("weak: {why}"));
    result.shows.insert(Word::from(Worth::Weak.as_str()));
    result
}

/// Could the suite be read before the change? Where it could not either, nobody has broken it.
pub(crate) fn read_before(subject: &Subject<'_>, instrument: &Instrument) -> Result<bool, Error> {
    let base = base(subject)?;
    let shown = base.inside(subject, |inside| instrument.show(inside, Instant::now()))?;
    Ok(matches!(shown.ending, Ending::Green | Ending::Red))
}

/// What the suite said before the change.
pub(crate) fn run_before(subject: &Subject<'_>, instrument: &Instrument) -> Result<TestRun, Error> {
    let base = base(subject)?;
    let shown = base.inside(subject, |inside| instrument.show(inside, Instant::now()))?;
    Ok(shown.run)
}

fn base(subject: &Subject<'_>) -> Result<Room, Error> {
    let begun = subject.known.get(BEGUN).and_then(|one| one.first());
    let begun = begun.ok_or("there is no commit that the run began with")?;
    Room::as_before(subject, begun)
}

fn tried(
    subject: &Subject<'_>,
    instrument: &Instrument,
    green: &Green<'_>,
    name: &str,
) -> Result<CheckResult, Error> {
    let before = base(subject)?;
    let tests = items::globs(&items::test_files())?;
    let is_test = |path: &str| Some(tests.is_match(format!("repo/{path}")));
    let control = Control {
        subject,
        instrument,
        first: green.run,
        millis: green.millis,
        files: &Files::of(subject, &before, &is_test)?,
        purpose: Purpose::Unsaid,
        controls: green.controls,
        candidate: &|| Room::as_judged(subject),
        base: &|| base(subject),
    };
    Ok(control.result(name))
}
