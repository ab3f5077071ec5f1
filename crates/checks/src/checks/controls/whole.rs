//! Controls where a gate judges the tree as it stands: nothing was frozen, and nobody said which tests
//! came with the change. The code before is what the run began with.

use super::{Control, Controls, Files, Purpose, lessened};
use crate::Subject;
use crate::checks::suite::instrument::Instrument;
use crate::error::Error;
use crate::readers::{items, paths};
use crate::room::Room;
use crate::text::{answer, first_few};
use globset::GlobSet;
use kernel::Word;
use kernel::effect::BEGUN;
use kernel::outcome::{CheckResult, Verdict, Worth};
use languages::runners::{Ending, Status, TestRun};
use languages::rust::inline_tests;
use languages::test_texts::{Tests, asks_less, moved, renamed_modules, with_new_names};
use std::collections::BTreeSet;
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
        own: None,
        controls: green.controls,
        candidate: &|| Room::as_judged(subject),
        base: &|| base(subject),
    };
    let mut result = control.result(name);
    if green.controls.need_mutants() {
        let skips = green.run.count(Status::Skipped) > 0;
        lessened(
            &mut result,
            &asking_less(subject, &before, (&tests, skips))?,
        );
    }
    Ok(result)
}

/// What tests that were there when the run began ask for less now, for whoever has no suite to look at.
pub(crate) fn asked_for_less(subject: &Subject<'_>) -> Result<Vec<String>, Error> {
    let tests = items::globs(&items::test_files())?;
    asking_less(subject, &base(subject)?, (&tests, false))
}

/// Tests that were there and ask for less now, or are gone. Nobody was asked whether they may.
fn asking_less(
    subject: &Subject<'_>,
    before: &Room,
    (tests, skips): (&GlobSet, bool),
) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut paths: BTreeSet<String> = before.names()?.into_iter().collect();
    paths.extend(subject.tree()?.files.into_keys());
    let mut texts = Vec::new();
    for path in paths {
        let item = format!("repo/{path}");
        let (was, is) = (before.text(&path), paths::read(subject.place, &item).ok());
        let modules = |text: String| inline_tests::test_modules(&text);
        let (was, is) = match (tests.is_match(&item), path.ends_with(".rs")) {
            (true, _) => (was, is),
            (false, true) => (was.map(modules), is.map(modules)),
            (false, false) => continue,
        };
        texts.push(Tests { path, was, is });
    }
    let renamed = renamed(subject, before)?;
    let moved = moved(&texts, true);
    texts.retain(|one| moved.iter().all(|other| other.from != one.path));
    for Tests { path, was, is } in texts {
        let (old, new) = (was.unwrap_or_default(), is.clone().unwrap_or_default());
        if old == new || old.trim().is_empty() || languages::same_but_for_layout(&path, &old, &new)
        {
            continue;
        }
        match is {
            None => found.push(format!("{path} was deleted")),
            Some(_) => {
                let whole = before.text(&path).unwrap_or_default();
                let lost = asks_less(&path, (&old, &new), &whole, true);
                let by_new_names = with_new_names(&old, &renamed);
                let lost = lost.filter(|_| {
                    by_new_names == old
                        || asks_less(&path, (&by_new_names, &new), &whole, true).is_some()
                });
                let skipped = || {
                    let more = skips && words_that_skip(&new) > words_that_skip(&old);
                    more.then(|| ": more of it is skipped".to_owned())
                };
                found.extend(lost.or_else(skipped).map(|how| format!("{path}{how}")));
            }
        }
    }
    Ok(match found.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "tests that were there ask for less: {}",
            first_few(&found, 3)
        )],
    })
}

/// Modules that have another name now.
fn renamed(subject: &Subject<'_>, before: &Room) -> Result<Vec<(String, String)>, Error> {
    let was: BTreeSet<String> = before.names()?.into_iter().collect();
    let is: BTreeSet<String> = subject.tree()?.files.into_keys().collect();
    let gone = was.difference(&is);
    let gone = gone.filter_map(|path| Some((path.clone(), before.text(path)?)));
    let new = is.difference(&was).filter_map(|path| {
        let text = paths::read(subject.place, &format!("repo/{path}")).ok()?;
        Some((path.clone(), text))
    });
    Ok(renamed_modules(&gone.collect(), &new.collect()))
}

/// How often a text of tests says that one is left out.
fn words_that_skip(text: &str) -> usize {
    let words = ["skip", "ignore", "xfail", "todo", "disabled"];
    let text = text.to_lowercase();
    words.iter().map(|word| text.matches(word).count()).sum()
}
