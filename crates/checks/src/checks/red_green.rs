//! `red_green`: a change proves itself. The tests that came with it fail on the code before and pass
//! on the candidate, each in a clean room; the tests that were there are still there, and still pass.
//! It refuses a green that needs no code, a test that was taken away or weakened, and a change of tests
//! where none was promised.
//!
//! What it cannot see: code that answers the new tests' own values and nothing else.

pub(crate) mod laid_out;

use crate::Subject;
use crate::checks::controls::{
    Control, Controls, FLAKY, LOOKS, Purpose, differing, flaky, lessened,
};
use crate::checks::suite::{
    self, evidence,
    instrument::{AsWritten, Instrument, Shown},
};
use crate::checks::tests::verdict;
use crate::checks::tripwire::{Fixtures, Tripped, cannot, cheat, untouched};
use crate::judge::Judge;
use crate::room::Room;
use crate::settings::{Choice, Items, Text, Texts, Words};
use crate::text::{first_few, reword, several_lines};
use kernel::StateName;
use kernel::outcome::{CheckResult, Verdict, is_name_look_up};
use laid_out::{Layout, Wanted};
use languages::runners::{Ending, Status, TestRun, as_before, compare};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Instant;

/// A red suite that takes no more milliseconds than that is run once more: is it always red?
const AGAIN: u64 = 60_000;

/// The change's own tests fail on the code before and pass on the candidate, and none that was there
/// is weakened.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct RedGreen {
    /// Names of freezes that must be unchanged, among them how tests run.
    frozen: Texts,
    /// The state whose checkpoint is the code before.
    base: Text,
    /// Globs of test files, `test files` and `inline tests`.
    tests: Items,
    /// `behaviour`, `adapted` or `none`: what the tests may do; behaviour.
    change: Option<Choice<Change>>,
    /// `looked_at`: what is added inside of a test that was there may not end it early, put a condition
    /// around what it asks or stand for it under its name; it may.
    additions: Option<Choice<LookedAt>>,
    /// `tests`: files of values that serve tests alone, and programs that the test script starts itself,
    /// count as tests; `started`: and every program of the tree that the commands start, however many
    /// recipes and scripts further on; they do not.
    helpers: Option<Choice<Helpers>>,
    /// A field with what is asked for: a program that it names does not count as a test.
    asked_in: Option<Text>,
    /// As in `suite`.
    name: Option<Text>,
    /// As in `suite`.
    command_from: Option<Text>,
    /// As in `suite`.
    as_written: Option<Choice<AsWritten>>,
    /// `on`: the suite must show that it could have failed; `mutated`: as in `tests`; off.
    controls: Option<Choice<Controls>>,
}

/// What is done about lines that are added inside of tests.
#[derive(Clone, Copy)]
struct LookedAt;

impl Words for LookedAt {
    const WORDS: &'static [(&'static str, Self)] = &[("looked_at", Self)];
}

/// Which files beside the tests count as tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Helpers {
    Tests,
    Started,
}

impl Words for Helpers {
    const WORDS: &'static [(&'static str, Self)] =
        &[("tests", Self::Tests), ("started", Self::Started)];
}

/// What a change does to tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Tests are added, and show new behaviour.
    Behaviour,
    /// Tests may be changed as well: a person has allowed it.
    Adapted,
    /// No test is touched: nothing behaves otherwise.
    Untouched,
}

impl Words for Change {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("behaviour", Self::Behaviour),
        ("adapted", Self::Adapted),
        ("none", Self::Untouched),
    ];
}

impl Judge for RedGreen {
    const NAME: &'static str = "red_green";
    type Answer = Result<Vec<CheckResult>, Tripped>;

    fn judge(&self, subject: &Subject<'_>) -> Result<Vec<CheckResult>, Tripped> {
        let started = Instant::now();
        let change = self.change.map_or(Change::Behaviour, |change| *change);
        // A change that has no new behaviour has no new tests to make anything for.
        let fixtures = match change {
            Change::Behaviour | Change::Adapted => Fixtures::Open,
            Change::Untouched => Fixtures::Closed,
        };
        let frozen = untouched(&self.frozen, subject, fixtures)?;
        let commit = subject.commits.get(&StateName::from(&*self.base));
        let commit = commit.ok_or_else(|| {
            cannot(format!(
                "there is no checkpoint behind `{}` to compare with",
                self.base
            ))
        })?;
        let instruments = Instrument::all(self.command_from.as_ref(), self.as_written, subject);
        let instruments = instruments.map_err(cannot)?;
        let mut layout = Layout::of(subject, &self.tests).map_err(cannot)?;
        let room = || Room::of(subject, commit, &frozen).map_err(cannot);
        let before = room()?;
        if self.additions.is_some() {
            layout.look_at_additions();
        }
        // What makes the evidence less than it could be.
        let mut lessens: Vec<String> = Vec::new();
        if let Some(helpers) = self.helpers {
            let field = |name: Option<&Text>| name.and_then(|name| subject.fields.get(&**name));
            let mut lines = subject.commands.to_vec();
            lines.extend(field(self.command_from.as_ref()).cloned());
            let wanted = Wanted {
                helpers: *helpers,
                lines: &lines,
                asked: field(self.asked_in.as_ref()).map_or("", String::as_str),
            };
            let helped = layout.take_helpers(subject, &before, &wanted);
            let helped = helped.map_err(cannot)?;
            if !helped.bent.is_empty() {
                return Err(tests_touched(change, &helped.bent));
            }
            lessens.extend((!helped.unclear.is_empty()).then(|| {
                let which = first_few(&helped.unclear, 3);
                format!(
                    "the test line starts what was changed, as a judge or as the product: {which}"
                )
            }));
        }
        let tests = layout.compared(subject, &before).map_err(cannot)?;
        let weakened = match change {
            Change::Behaviour => tests.weakened.clone(),
            Change::Adapted => Vec::new(),
            Change::Untouched => tests.touched.clone(),
        };
        if !weakened.is_empty() {
            return Err(tests_touched(change, &weakened));
        }
        // Whoever allowed it saw other texts, maybe: they see what became of them.
        if change == Change::Adapted && !tests.weakened.is_empty() {
            let which = first_few(&tests.weakened, 3);
            lessens.push(format!(
                "tests that were there ask for something else: {which}"
            ));
        }
        let files = match Controls::asked(self.controls) {
            true => Some(layout.files(subject, &before).map_err(cannot)?),
            false => None,
        };
        let look = |room: &Room, instrument: &Instrument| {
            room.inside(subject, |inside| instrument.show(inside, started))
                .map_err(cannot)
        };
        // Whoever ends otherwise in two runs of one tree has bent nothing.
        let unsteady = |room: &Room, instrument: &Instrument, run: &TestRun, looks: usize| {
            for _ in 1..looks {
                let other = differing(run, &look(room, instrument)?.run);
                if !other.is_empty() {
                    return Ok(other.into_iter().collect());
                }
            }
            Ok::<Vec<String>, Tripped>(Vec::new())
        };
        let after = room()?;
        layout.candidate(subject, &after).map_err(cannot)?;
        let mut results = Vec::new();
        let mut passing: BTreeSet<String> = BTreeSet::new();
        let mut firsts = Vec::new();
        let mut reached = BTreeSet::new();
        for instrument in &instruments {
            let shown = look(&after, instrument)?;
            if shown.ending == Ending::Unreadable {
                // Nobody is blamed for a runner that does not run on the code before the work either.
                let base = look(&room()?, instrument)?;
                if base.ending == Ending::Unreadable {
                    return Err(does_not_run(&base));
                }
            }
            passing.extend(named(&shown.run, Status::Passed));
            reached.extend(tried_to_reach(&shown));
            firsts.push((shown.run.clone(), shown.executed.ended.millis));
            let kept = verdict::keep(subject, "red_green: the candidate", &shown.run);
            let kept = kept.map_err(cannot)?;
            let own = verdict::as_kept(subject, &kept).map_err(cannot)?;
            let mut as_before = match &instrument {
                Instrument::Suite(..) | Instrument::AsWritten(_) => {
                    self.as_red_as_before(subject, &shown, &own)?
                }
                Instrument::Command(_) => None,
            };
            let is_red = shown.ending == Ending::Red && as_before.is_none();
            let short = shown.executed.ended.millis <= AGAIN;
            let other = match is_red && short {
                true => unsteady(&after, instrument, &shown.run, 2)?,
                false => Vec::new(),
            };
            if !other.is_empty() {
                let failing = named(&shown.run, Status::Failed);
                let before = room()?;
                let mut known = BTreeSet::new();
                for _ in 0..LOOKS {
                    known.extend(named(&look(&before, instrument)?.run, Status::Failed));
                    if failing.iter().all(|name| known.contains(name)) {
                        let which = first_few(&failing, 3);
                        as_before = Some(format!("flaky, before the work as well: {which}"));
                        break;
                    }
                }
            }
            // Nobody is blamed for what was red before, and what stays red shows less than a green suite
            // does. Where it is read in the stead of a line, that line says so by itself.
            let by_itself = instruments.iter().any(Instrument::is_as_written);
            let counts = instrument.is_as_written() || !by_itself;
            lessens.extend(as_before.clone().filter(|_| counts));
            let mut result =
                self.green(subject, (change, layout.moves()), shown, (&own, as_before))?;
            result.evidence.push(kept);
            call_flaky(&mut result, &other);
            results.push(result);
        }
        if !passed(&results) {
            return Ok(results);
        }
        if change == Change::Behaviour && !tests.touched_old.is_empty() {
            let earlier = room()?;
            layout
                .with_the_tests_before(subject, &before, &earlier)
                .map_err(cannot)?;
            for instrument in &instruments {
                let shown = look(&earlier, instrument)?;
                let run = shown.run.clone();
                if let Some(mut result) = self.as_they_were(subject, shown)? {
                    call_flaky(&mut result, &unsteady(&earlier, instrument, &run, LOOKS)?);
                    results.push(result);
                }
            }
        }
        // The tests of the change: who needs its code, or else who was not there.
        let mut own = passing.clone();
        own.retain(|name| !tests.was_there(name));
        if change != Change::Untouched {
            layout.tests_only(subject, &before).map_err(cannot)?;
            let mut shown = Vec::new();
            // A line as it is written fails for many a reason: it shows no test of the change.
            for instrument in instruments.iter().filter(|one| !one.is_as_written()) {
                let first = look(&before, instrument)?;
                for known in tried_to_reach(&first) {
                    reached.remove(&known);
                }
                let failed = named(&first.run, Status::Failed).into_iter();
                let mut turned: Vec<String> = failed.filter(|one| passing.contains(one)).collect();
                let all = turned.clone();
                // One that was there before may fail by itself, and shows nothing of the change then.
                let looks = match turned.iter().all(|name| tests.was_there(name)) {
                    _ if first.executed.ended.millis > AGAIN => 1,
                    true => LOOKS,
                    false => 2,
                };
                for _ in 1..looks {
                    if turned.is_empty() {
                        break;
                    }
                    let again = named(&look(&before, instrument)?.run, Status::Failed);
                    turned.retain(|name| again.contains(name));
                }
                shown.push((first, Turned { all, turned }));
            }
            if !reached.is_empty() {
                let which: Vec<&String> = reached.iter().collect();
                lessens.push(format!(
                    "it tried to reach what the code before did not: {}",
                    first_few(&which, 3)
                ));
            }
            let turned = shown.iter().flat_map(|(_, one)| one.turned.iter().cloned());
            let turned: BTreeSet<String> = turned.collect();
            // Where nothing was built, nobody can say which of them need its code.
            if !turned.is_empty() {
                own = turned;
            }
            // What was given up shows nothing new, and no test can show that it is gone.
            let given_up = change == Change::Adapted && !tests.weakened.is_empty();
            let green = |(one, turned): &(Shown, Turned)| {
                turned.all.is_empty() && one.ending != Ending::NotBuilt
            };
            match given_up && !shown.is_empty() && shown.iter().all(green) {
                true => lessens.push("no test fails on the code before".to_owned()),
                false => results.push(red(shown)?),
            }
        }
        let Some(files) = files.filter(|_| passed(&results)) else {
            return Ok(results);
        };
        let candidate = || {
            let room = Room::of(subject, commit, &frozen)?;
            layout.candidate(subject, &room).map(|()| room)
        };
        let of_suites = instruments.iter().zip(&firsts);
        for (instrument, (first, millis)) in of_suites.filter(|(one, _)| !one.is_as_written()) {
            let control = Control {
                subject: &Subject {
                    wall: subject.wall.saturating_sub(started.elapsed()),
                    ..*subject
                },
                instrument,
                first,
                millis: *millis,
                files: &files,
                purpose: match change {
                    Change::Behaviour | Change::Adapted => Purpose::Behaviour,
                    Change::Untouched => Purpose::Refactoring,
                },
                own: Some(own.clone()),
                controls: Controls::of(self.controls),
                candidate: &candidate,
                base: &|| Room::of(subject, commit, &frozen),
            };
            let mut result = control.result("red_green: controls");
            lessened(&mut result, &lessens);
            results.push(result);
        }
        Ok(results)
    }
}

/// A failure of tests that end otherwise when they are run again.
fn call_flaky(result: &mut CheckResult, unsteady: &[String]) {
    if result.verdict == Verdict::Fail && !unsteady.is_empty() {
        reword(result, flaky(unsteady));
        result.code = Some(FLAKY.to_owned());
    }
}

/// The environment's fault: what is there before the work cannot be tried.
fn does_not_run(shown: &Shown) -> Tripped {
    let (name, last) = (&shown.name, shown.executed.last_line());
    cannot(format!(
        "`{name}` does not run in the clean room, not even on the code before the work: {last}; install what it needs in the repository (`.venv`, `node_modules`), or name where it lies (`sandbox.read`)"
    ))
}

fn passed(results: &[CheckResult]) -> bool {
    results.iter().all(|result| result.verdict == Verdict::Pass)
}

/// The places that it was not let through to.
fn tried_to_reach(shown: &Shown) -> Vec<String> {
    let denied = shown.executed.ended.denied.iter().map(ToString::to_string);
    let targets = denied.filter(|target| !is_name_look_up(target));
    let bare = |target: String| target.split(' ').next().unwrap_or_default().to_owned();
    targets.map(bare).collect()
}

/// Which of the tests of a run have this status.
fn named(run: &TestRun, status: Status) -> Vec<String> {
    run.with(status).map(|test| test.name.clone()).collect()
}

fn tests_touched(change: Change, which: &[String]) -> Tripped {
    let all = which.join("; ");
    match change {
        Change::Untouched => cheat(
            "tests_touched",
            format!("a change without new behaviour leaves every test as it is: {all}"),
        ),
        Change::Behaviour | Change::Adapted => cheat(
            "tests_weakened",
            format!(
                "tests that were there may only be added to, on lines of their own or as new tests: {all}; if what is asked for makes them wrong, ask for it to be allowed"
            ),
        ),
    }
}

/// The tests that pass on the candidate and fail without its code: at first, and every time.
struct Turned {
    all: Vec<String>,
    turned: Vec<String>,
}

/// At least one test (or command) that passes on the candidate fails without its code.
fn red(shown: Vec<(Shown, Turned)>) -> Result<CheckResult, Tripped> {
    let mut reasons = Vec::new();
    let mut unsteady = Vec::new();
    let mut last = None;
    for (one, Turned { all, turned }) in shown {
        unsteady.extend(all);
        if !turned.is_empty() && one.is_by_exit_code() {
            reasons.push(format!("`{}` fails on the code before", one.name));
        } else if !turned.is_empty() {
            let count = turned.len();
            reasons.push(format!(
                "{count} fail on the code before: {}",
                first_few(&turned, 5)
            ));
        } else if one.ending == Ending::NotBuilt {
            reasons.push(format!("`{}` does not build on the code before", one.name));
        }
        last = Some(one.executed);
    }
    let Some(executed) = last else {
        return Err(cannot("there is nothing to run"));
    };
    if reasons.is_empty() && !unsteady.is_empty() {
        let mut result = executed.answer("red_green: red", Verdict::Fail, flaky(&unsteady));
        result.code = Some(FLAKY.to_owned());
        return Ok(result);
    }
    if reasons.is_empty() {
        return Err(cheat(
            "green_without_code",
            "with the tests of this change, everything passes on the code before it: no test shows what was asked for; add one that fails without the change".to_owned(),
        ));
    }
    Ok(executed.answer(
        "red_green: new tests on the code before",
        Verdict::Pass,
        reasons.join("; "),
    ))
}

impl RedGreen {
    fn base_run(
        &self,
        subject: &Subject<'_>,
        instrument: &str,
        shown: &TestRun,
    ) -> Result<Option<TestRun>, Tripped> {
        let name = evidence(self.name.as_deref().unwrap_or("base"), instrument);
        let earlier = subject.earlier(&name).map_err(cannot)?;
        let read = |bytes: &Vec<u8>| serde_json::from_slice(bytes);
        let run: Option<TestRun> = earlier.last().map(read).transpose().map_err(|error| {
            cannot(format!(
                "the results before the work cannot be read: {error}"
            ))
        })?;
        // An earlier version believed the exit code of a runner that is read test by test now: the
        // line as the only test says nothing about tests.
        let by_exit_code =
            |run: &TestRun| matches!(run.tests.as_slice(), [one] if one.name == instrument);
        let still = by_exit_code(shown);
        Ok(run.filter(|run| still || !by_exit_code(run)))
    }

    /// What fails, where all of it failed before the work already.
    fn as_red_as_before(
        &self,
        subject: &Subject<'_>,
        shown: &Shown,
        own: &TestRun,
    ) -> Result<Option<String>, Tripped> {
        let base = self.base_run(subject, &shown.name, &shown.run)?;
        let found = as_before(&base.unwrap_or_default(), own, shown.ending);
        Ok(found.map(|found| suite::as_before(&found)))
    }

    /// Green on the candidate, and no test is gone or skipped that ran before.
    fn green(
        &self,
        subject: &Subject<'_>,
        (change, moves): (Change, bool),
        shown: Shown,
        (own, as_before): (&TestRun, Option<String>),
    ) -> Result<CheckResult, Tripped> {
        let mut wrong = Vec::new();
        if let Some((_, why)) = shown.executed.worthless() {
            wrong.push(why);
        } else if shown.ending != Ending::Green && as_before.is_none() {
            let failed = named(&shown.run, Status::Failed);
            let faults = shown.run.faults.iter().map(|fault| fault.what.clone());
            let what: Vec<String> = failed.into_iter().chain(faults).collect();
            let (ending, summary) = (shown.ending.as_str(), shown.summary());
            let last = shown.last_output();
            let what = first_few(&what, 5);
            wrong.push(format!("{ending}: {summary}: {what}{last}"));
        }
        let mut code = None;
        if let Some(base) = self
            .base_run(subject, &shown.name, &shown.run)?
            .filter(|_| change != Change::Adapted)
        {
            let mut found = compare(&base, own);
            if moves {
                found.follow(&base, own);
            }
            for (how, names) in [
                ("missing", &found.missing),
                ("skipped", &found.newly_skipped),
            ] {
                // A test that is new and skipped proves nothing, and takes nothing away.
                let known = |name: &&String| base.tests.iter().any(|test| test.name == **name);
                let names: Vec<&String> = names.iter().filter(known).collect();
                if !names.is_empty() && wrong.is_empty() {
                    code = Some("tests_weakened".to_owned());
                    wrong.push(format!("{how}, and ran before: {}", first_few(&names, 10)));
                }
            }
        }
        let verdict = match wrong.is_empty() {
            true => Verdict::Pass,
            false => Verdict::Fail,
        };
        let reason = match verdict {
            Verdict::Pass => {
                let summary = shown.summary();
                let too = as_before.map_or_else(String::new, |too| format!("; {too}"));
                format!("on the candidate: {summary}{too}")
            }
            Verdict::Fail | Verdict::CouldNotRun => wrong.join("; "),
        };
        let check = format!("red_green: {}", shown.name);
        let mut result = shown.executed.answer(&check, verdict, &reason);
        if verdict != Verdict::Pass {
            let told = verdict::told(&shown.run);
            result.details = several_lines(&format!("{told}{}", result.details));
            result.code = code;
        }
        Ok(result)
    }

    /// The tests as they were before still pass on the candidate.
    fn as_they_were(
        &self,
        subject: &Subject<'_>,
        shown: Shown,
    ) -> Result<Option<CheckResult>, Tripped> {
        let base = self
            .base_run(subject, &shown.name, &shown.run)?
            .unwrap_or_default();
        let fine = match shown.ending {
            Ending::Green | Ending::NoTests => true,
            ending => as_before(&base, &shown.run, ending).is_some(),
        };
        if fine {
            return Ok(None);
        }
        let failing: BTreeSet<String> = named(&base, Status::Failed).into_iter().collect();
        let mut now = named(&shown.run, Status::Failed);
        now.retain(|name| !failing.contains(name));
        let reason = format!(
            "the tests as they were do not pass on the candidate ({}): {}; if what is asked for makes them wrong, ask for it to be allowed",
            shown.ending.as_str(),
            first_few(&now, 5)
        );
        let told = verdict::told(&shown.run);
        let mut result =
            shown
                .executed
                .answer("red_green: tests as they were", Verdict::Fail, reason);
        result.details = several_lines(&format!("{told}{}", result.details));
        result.code = Some("tests_weakened".to_owned());
        Ok(Some(result))
    }
}
