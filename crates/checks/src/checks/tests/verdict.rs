//! What a suite's results mean to the gate. All faults of a suite are told at once: an agent should
//! need one round.

use super::{Expect, Ratchet, Tests};
use crate::Subject;
use crate::checks::suite::by_runner::Suite;
use crate::error::Error;
use crate::execute::Executed;
use crate::readers::sections::IdsOf;
use crate::settings::Number;
use crate::text::{first_few, label, several_lines};
use documents::idents;
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use languages::runners::{Ending, Status, TestResult, TestRun, compare};

/// The answer, with the results as evidence.
pub(crate) fn answer_for(order: &Tests, subject: &Subject<'_>, suite: Suite) -> CheckResult {
    let Suite {
        executed,
        name,
        run,
        reached: _,
    } = suite;
    let kept = keep(
        subject,
        &format!("results of {}", label(order.suite())),
        &run,
    );
    let baseline = baseline(order);
    let (mut verdict, mut reason) = match executed.worthless().or_else(|| executed.not_found()) {
        Some(worthless) => worthless,
        None => match judge(order, subject, &executed, &run, &baseline) {
            Ok(good) => (Verdict::Pass, format!("{good}{}", executed.notes())),
            Err(why) => (Verdict::Fail, why.to_string()),
        },
    };
    let mut evidence = Vec::new();
    // A suite that does not build yet names no test: it would be a mark that nothing falls below.
    let marks = verdict == Verdict::Pass && run.executed() > 0;
    let kept_too = marks.then(|| keep(subject, &baseline, &run));
    for kept in std::iter::once(kept).chain(kept_too) {
        match kept {
            Ok(kept) => evidence.push(kept),
            Err(why) => (verdict, reason) = (Verdict::CouldNotRun, why.to_string()),
        }
    }
    let told = match verdict {
        Verdict::Pass => String::new(),
        Verdict::Fail | Verdict::CouldNotRun => told(&run),
    };
    let mut result = executed.answer(&name, verdict, &reason);
    result.details = several_lines(&format!("{told}{}", result.details));
    result.evidence.extend(evidence);
    result
}

/// Everything that is wrong with a run, test by test: what the next attempt has to mend.
pub(crate) fn told(run: &TestRun) -> String {
    let mut told = String::new();
    for test in run.with(Status::Failed) {
        let file = test.file.as_ref();
        let file = file.map_or_else(String::new, |file| format!(" ({file})"));
        told.push_str(&format!("failed: {}{file}\n", test.name));
        for line in test.message.iter().flat_map(|message| message.lines()) {
            told.push_str(&format!("    {line}\n"));
        }
    }
    for fault in &run.faults {
        told.push_str(&format!("{}\n", fault.what));
        if !fault.missing.is_empty() {
            told.push_str(&format!("    not found: {}\n", fault.missing.join(", ")));
        }
    }
    told
}

/// The name of the evidence that the next gate compares with. Only a suite that passed leaves it,
/// so a suite cannot be made smaller in two steps.
fn baseline(order: &Tests) -> String {
    format!("baseline of {}", label(order.suite()))
}

/// Keeps the results as canonical JSON: the same results have the same hash.
pub(crate) fn keep(subject: &Subject<'_>, name: &str, run: &TestRun) -> Result<EvidenceRef, Error> {
    let bytes = serde_json_canonicalizer::to_vec(run)
        .map_err(Error::undone("the results cannot be written"))?;
    let kept = subject.keep.keep(name, &bytes);
    kept.map_err(Error::undone("the results cannot be kept"))
}

/// The results as they were kept: a name that holds a folder of the person's is another one there, as it
/// is in what was kept before.
pub(crate) fn as_kept(subject: &Subject<'_>, kept: &EvidenceRef) -> Result<TestRun, Error> {
    let bytes = subject.keep.fetch(&kept.hash);
    let bytes = bytes.map_err(Error::undone("the results cannot be read again"))?;
    Ok(serde_json::from_slice(&bytes)?)
}

pub(crate) fn judge(
    order: &Tests,
    subject: &Subject<'_>,
    executed: &Executed,
    run: &TestRun,
    baseline: &str,
) -> Result<String, Error> {
    let ending = run.ending(executed.ended.exit);
    let mut wrong: Vec<String> = Vec::new();
    match (order.expect(), ending) {
        (Expect::Green, Ending::Green)
        | (Expect::Red | Expect::RedOrMissingSymbol, Ending::Red) => {}
        (Expect::RedOrMissingSymbol, Ending::NotBuilt) if !run.missing_symbols().is_empty() => {
            let names = first_few(&run.missing_symbols(), 5);
            return Ok(format!("red: it does not build yet, for want of {names}"));
        }
        _ => wrong.push(contradiction(order.expect(), ending, executed, run)),
    }
    let ran = matches!(ending, Ending::Green | Ending::Red);
    let min = order.min.map_or(1, Number::count);
    if ran && run.executed() < min {
        wrong.push(format!("{} tests ran, fewer than {min}", run.executed()));
    }
    let skipped = names(run.with(Status::Skipped));
    if let Some(most) = order
        .max_skipped
        .map(Number::count)
        .filter(|most| ran && skipped.len() > *most)
    {
        let which = first_few(&skipped, 3);
        wrong.push(format!(
            "{} skipped, more than {most}: {which}",
            skipped.len()
        ));
    }
    let (ids, from) = (order.ids.as_deref(), order.ids_from.as_deref());
    let ids = IdsOf::named(ids, from, order.ids_section.as_deref());
    if let Some(ids) = ids.as_ref().filter(|_| ran) {
        let fault = without_test(ids, subject, order.expect(), run).err();
        wrong.extend(fault.map(|why| why.to_string()));
    }
    if ran && !order.keeps.is_empty() {
        let fault = worse_than(order, subject, run, baseline).err();
        wrong.extend(fault.map(|why| why.to_string()));
    }
    if wrong.is_empty() {
        let reason = format!("{}: {}", ending.as_str(), run.summary());
        // A test of something else was green before, and should be.
        let wanted = ids.map(|ids| ids.read(subject)).transpose()?;
        let asked = |name: &&str| match &wanted {
            Some(wanted) => wanted.iter().any(|id| idents::names(name, id)),
            None => true,
        };
        let early = names(run.with(Status::Passed));
        let early: Vec<&str> = early.into_iter().filter(asked).collect();
        return Ok(match ending == Ending::Red && !early.is_empty() {
            true => format!("{reason}; green before the code: {}", first_few(&early, 5)),
            false => reason,
        });
    }
    Err(wrong.join("; ").into())
}

fn names<'a>(tests: impl Iterator<Item = &'a TestResult>) -> Vec<&'a str> {
    tests.map(|test| test.name.as_str()).collect()
}

/// Why the suite is not what was expected.
fn contradiction(expect: Expect, ending: Ending, executed: &Executed, run: &TestRun) -> String {
    let faults: Vec<&str> = run.faults.iter().map(|fault| fault.what.as_str()).collect();
    let exit = executed.ending().unwrap_or_default();
    match ending {
        Ending::Green => {
            let wanted = match expect {
                Expect::Green => "green",
                Expect::Red | Expect::RedOrMissingSymbol => "red before the code is written",
            };
            format!("{} and must be {wanted}", run.summary())
        }
        Ending::Red => {
            let failed = names(run.with(Status::Failed));
            format!("{}: {}", run.summary(), first_few(&failed, 5))
        }
        Ending::NoTests if faults.is_empty() => format!("no test ran ({})", run.summary()),
        Ending::Incomplete if faults.is_empty() => {
            format!("{exit}, though no test failed ({})", run.summary())
        }
        Ending::NotBuilt | Ending::Incomplete | Ending::NoTests | Ending::Unreadable => {
            let last = match ending {
                Ending::Unreadable => format!(" ({exit}; last output: {})", executed.last_line()),
                _ => String::new(),
            };
            format!("{}: {}{last}", ending.as_str(), first_few(&faults, 2))
        }
    }
}

/// Every id needs a test that names it and that ran; for a green suite, one that passed.
fn without_test(
    ids: &IdsOf<'_>,
    subject: &Subject<'_>,
    expect: Expect,
    run: &TestRun,
) -> Result<(), Error> {
    let wanted = ids.read(subject)?;
    if wanted.is_empty() {
        let file = ids.file;
        return Err(format!("{file} has no id of which a test could be asked").into());
    }
    let counts = |test: &&TestResult| match test.status {
        Status::Passed => true,
        Status::Failed => expect != Expect::Green,
        Status::Skipped => false,
    };
    let ran: Vec<&TestResult> = run.tests.iter().filter(counts).collect();
    let without: Vec<&String> = wanted
        .iter()
        .filter(|id| !ran.iter().any(|test| idents::names(&test.name, id)))
        .collect();
    if without.is_empty() {
        return Ok(());
    }
    Err(format!("no test that ran names {}", first_few(&without, 10)).into())
}

/// Is the suite smaller than the last one that passed?
pub(crate) fn worse(order: &Tests, subject: &Subject<'_>, run: &TestRun) -> Result<(), Error> {
    worse_than(order, subject, run, &baseline(order))
}

fn worse_than(
    order: &Tests,
    subject: &Subject<'_>,
    run: &TestRun,
    baseline: &str,
) -> Result<(), Error> {
    let earlier = subject.earlier(baseline)?;
    let Some(last) = earlier.last() else {
        return Ok(());
    };
    let last: TestRun = serde_json::from_slice(last)
        .map_err(Error::undone("the earlier results cannot be read"))?;
    let found = compare(&last, run);
    let mut wrong = Vec::new();
    for kept in order.keeps.iter() {
        match *kept {
            Ratchet::Count if found.fewer() => {
                let (before, after) = found.executed;
                wrong.push(format!("{after} tests ran, {before} before"));
            }
            Ratchet::Names if !found.missing.is_empty() => {
                wrong.push(format!("missing since: {}", first_few(&found.missing, 5)));
            }
            Ratchet::Skips if !found.newly_skipped.is_empty() => {
                let skipped = first_few(&found.newly_skipped, 5);
                wrong.push(format!("skipped since: {skipped}"));
            }
            Ratchet::Count | Ratchet::Names | Ratchet::Skips => {}
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; ").into())
    }
}
