//! `tripwire`: a green suite is believed only if the frozen tests give it, in a clean room, with the
//! candidate's code and not without it. It refuses every other green: one that edited tests, their
//! configuration or the contract gave, one that needs no code, and one that ran less than before.
//!
//! What it cannot see: code that answers the tests' own fixtures and nothing else. For that there is
//! a reviewer, and `proofhouse heal`.

mod aside;

use crate::Subject;
use crate::checks::controls::{Control, Controls, FLAKY, Files, LOOKS, Purpose, differing, flaky};
use crate::checks::frozen;
use crate::checks::tests::{Chosen, Ratchet, Tests, verdict};
use crate::error::Error;
use crate::execute::{Program, execute};
use crate::judge::{Answer, Judge};
use crate::readers::{installed, items, sources};
use crate::room::{Candidate, Room};
use crate::settings::{
    Choice, Choices, IdPattern, Items, Placed, RelativePath, Seconds, SettingsError, Text, Texts,
};
use crate::text::{answer, first_few, several_lines};
use kernel::outcome::{CheckResult, Verdict};
use kernel::{StateName, Word};
use languages::runners::{self, Ending, TestRun, compare};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Instant;

/// The frozen tests fail on the code before and pass on the candidate, in a clean room.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Tripwire {
    /// Names of freezes that must be unchanged.
    frozen: Texts,
    /// The state whose checkpoint is the code before.
    base: Text,
    /// Globs of the files that the candidate may touch.
    scope: Items,
    /// Globs of the test files.
    tests: Items,
    /// Frozen items that name the product: what they do not name, nothing of the product speaks of and the
    /// tests need changed is asked about; nothing is.
    #[serde(default)]
    product_in: Items,
    /// The `suite` of the red run; red.
    baseline: Option<Text>,
    /// A field with a coverage command.
    coverage_from: Option<Text>,
    /// As in `tests`.
    runner: Option<Choice<Chosen>>,
    /// As in `tests`.
    command: Option<Text>,
    /// As in `tests`.
    command_from: Option<Text>,
    /// As in `tests`.
    junit: Option<RelativePath>,
    /// As in `tests`.
    ids: Option<IdPattern>,
    /// As in `tests`.
    ids_from: Option<Placed>,
    /// As in `tests`.
    ids_section: Option<Text>,
    /// As in `tests`.
    timeout_seconds: Option<Seconds>,
    /// `on`: the frozen suite must show that it could have failed; the others as in `tests`; off.
    controls: Option<Choice<Controls>>,
}

/// Why the wire did not hold.
pub(crate) struct Tripped {
    verdict: Verdict,
    code: &'static str,
    why: String,
    shows: Option<&'static str>,
}

pub(crate) fn cheat(code: &'static str, why: String) -> Tripped {
    Tripped {
        verdict: Verdict::Fail,
        code,
        why,
        shows: None,
    }
}

pub(crate) fn cannot(why: impl Display) -> Tripped {
    Tripped {
        verdict: Verdict::CouldNotRun,
        code: "tripwire_missing",
        why: why.to_string(),
        shows: None,
    }
}

impl Answer for Tripped {
    fn results(self, name: &str) -> Vec<CheckResult> {
        let mut result = answer(name, self.verdict, &self.why);
        result.code = Some(self.code.to_owned());
        result.shows.extend(self.shows.map(Word::from));
        vec![result]
    }
}

impl Judge for Tripwire {
    const NAME: &'static str = "tripwire";
    type Answer = Result<Vec<CheckResult>, Tripped>;

    fn lint(&self) -> Result<(), SettingsError> {
        self.suite().fault().map_or(Ok(()), Self::refuse)
    }

    fn judge(&self, subject: &Subject<'_>) -> Result<Vec<CheckResult>, Tripped> {
        let started = Instant::now();
        let frozen = untouched(&self.frozen, subject, Fixtures::Closed)?;
        let order = self.suite();
        let commit = subject.commits.get(&StateName::from(&*self.base));
        let commit = commit.ok_or_else(|| {
            cannot(format!(
                "there is no checkpoint behind `{}` to compare with",
                self.base
            ))
        })?;
        let before = Room::of(subject, commit, &frozen).map_err(cannot)?;
        let after = Room::of(subject, commit, &frozen).map_err(cannot)?;
        lay_in(self, subject, &after, &frozen)?;
        for room in [&before, &after] {
            room.restore(subject, &frozen).map_err(cannot)?;
        }
        let red = before.inside(subject, |inside| {
            Self::before(self, &order, inside, started)
        })?;
        let (green, run) =
            after.inside(subject, |inside| Self::after(self, &order, inside, started))?;
        if green.verdict == Verdict::Pass {
            self.aside(subject, (commit, &frozen), started)?;
        }
        let controls = match green.verdict == Verdict::Pass && Controls::asked(self.controls) {
            true => Some(self.controlled(subject, (commit, &frozen), &run, started)?),
            false => None,
        };
        let mut results = vec![red, green];
        results.extend(controls);
        let line = self
            .coverage_from
            .as_deref()
            .and_then(|field| subject.fields.get(field));
        if let Some(line) = line.filter(|line| !line.trim().is_empty()) {
            results.push(Self::coverage(line, subject, [&before, &after], started)?);
        }
        Ok(results)
    }
}

impl Tripwire {
    /// The suite as `tests` would run it.
    fn suite(&self) -> Tests {
        Tests {
            runner: self.runner,
            command: self.command.clone(),
            command_from: self.command_from.clone(),
            junit: self.junit.clone(),
            ids: self.ids.clone(),
            ids_from: self.ids_from.clone(),
            ids_section: self.ids_section.clone(),
            timeout_seconds: self.timeout_seconds,
            keeps: Choices::of(&[Ratchet::Count, Ratchet::Names, Ratchet::Skips]),
            controls: None,
            suite: None,
            expect: None,
            min: None,
            max_skipped: None,
        }
    }

    fn baseline(&self) -> &str {
        self.baseline.as_deref().unwrap_or("red")
    }

    /// The frozen suite on the code before: as red as it was when it was frozen.
    fn before(
        wire: &Tripwire,
        order: &Tests,
        inside: &Subject<'_>,
        started: Instant,
    ) -> Result<CheckResult, Tripped> {
        let suite = order.run(inside, started).map_err(cannot)?;
        let (executed, run) = (suite.executed, suite.run);
        if let Some((_, why)) = executed.worthless().or_else(|| executed.not_found()) {
            return Err(cannot(format!("on the code before: {why}")));
        }
        let ending = run.ending(executed.ended.exit);
        if ending == Ending::Green {
            let why = format!(
                "the frozen tests pass on the code as it was before the build: {}",
                run.summary()
            );
            return Err(cheat("green_without_code", why));
        }
        // A control: if the same tests on the same code do otherwise here than they did in the
        // repository, then the room is to blame, and nobody has cheated.
        if let Some(difference) = unlike(wire, inside, &run)? {
            return Err(cannot(format!(
                "the clean room is not like the repository: {difference}; is something that git ignores needed?"
            )));
        }
        let kept = verdict::keep(inside, "tripwire: the suite on the code before", &run);
        let reason = format!("on the code before: {}: {}", ending.as_str(), run.summary());
        let mut result = executed.answer("tripwire: before", Verdict::Pass, &reason);
        result.evidence.push(kept.map_err(cannot)?);
        Ok(result)
    }

    /// The frozen suite on the candidate: green, and no smaller.
    fn after(
        wire: &Tripwire,
        order: &Tests,
        inside: &Subject<'_>,
        started: Instant,
    ) -> Result<(CheckResult, (TestRun, u64)), Tripped> {
        let suite = order.run(inside, started).map_err(cannot)?;
        let (executed, run) = (suite.executed, suite.run);
        let millis = executed.ended.millis;
        if let Some((Verdict::CouldNotRun, why)) =
            executed.worthless().or_else(|| executed.not_found())
        {
            return Err(cannot(format!("on the candidate: {why}")));
        }
        let kept = verdict::keep(inside, "tripwire: the suite on the candidate", &run);
        let kept = kept.map_err(cannot)?;
        let baseline = baseline(wire);
        let judged = match executed.worthless() {
            Some((_, why)) => Err(why.into()),
            None => verdict::judge(order, inside, &executed, &run, &baseline),
        };
        let (verdict, reason) = match judged {
            Ok(good) => (Verdict::Pass, format!("on the candidate: {good}")),
            Err(why) => (
                Verdict::Fail,
                format!("the frozen tests on the candidate, in a clean room: {why}"),
            ),
        };
        // Whoever is red at one time and green at another has gained nothing by it, and bent nothing.
        let mut unsteady = Vec::new();
        for _ in 1..LOOKS {
            if verdict == Verdict::Pass || !unsteady.is_empty() {
                break;
            }
            let again = order.run(inside, started).map_err(cannot)?;
            unsteady.extend(differing(&run, &again.run));
        }
        let reason = match unsteady.is_empty() {
            true => reason,
            false => flaky(&unsteady),
        };
        let mut result = executed.answer("tripwire: candidate", verdict, &reason);
        if verdict != Verdict::Pass {
            result.details = several_lines(&format!("{}{}", verdict::told(&run), result.details));
        }
        result.evidence.push(kept);
        if verdict != Verdict::Pass {
            let code = match unsteady.is_empty() {
                true => "gamed_green",
                false => FLAKY,
            };
            result.code = Some(code.to_owned());
        }
        Ok((result, (run, millis)))
    }

    /// Could the frozen suite have failed on the candidate?
    fn controlled(
        &self,
        subject: &Subject<'_>,
        (commit, frozen): (&str, &BTreeMap<String, String>),
        (run, millis): &(TestRun, u64),
        started: Instant,
    ) -> Result<CheckResult, Tripped> {
        let room = || {
            let room = Room::of(subject, commit, frozen)?;
            room.restore(subject, frozen).map(|()| room)
        };
        let candidate = || {
            let room = Room::of(subject, commit, frozen)?;
            lay_in(self, subject, &room, frozen).map_err(|tripped| Error::Says(tripped.why))?;
            room.restore(subject, frozen).map(|()| room)
        };
        let tests = items::spelt_out(subject, &self.tests).map_err(cannot)?;
        let tests = items::globs(&tests.inside).map_err(cannot)?;
        let before = room();
        // Whoever builds may add tests of their own, which nobody asks for tests of; but what the frozen suite does
        // not pass without is the product, whatever it is called.
        let is_new = |path: &str| before.as_ref().is_ok_and(|room| room.text(path).is_none());
        let mut added: Vec<String> = {
            let files = subject.tree().map_err(cannot)?.files.into_keys();
            let own = |path: &String| {
                sources::is_test(path) && !tests.is_match(format!("repo/{path}")) && is_new(path)
            };
            files.filter(own).collect()
        };
        if !added.is_empty() {
            let without = candidate().map_err(cannot)?;
            for path in &added {
                without.put(path, None).map_err(cannot)?;
            }
            let ran = without.inside(subject, |inside| self.suite().run(inside, started));
            let ran = ran.map_err(cannot)?;
            if ran.run.ending(ran.executed.ended.exit) != Ending::Green {
                added.clear();
            }
        }
        let own = |path: &str| added.iter().any(|one| one == path);
        let is_test = |path: &str| match tests.is_match(format!("repo/{path}")) {
            true => Some(true),
            false => (!own(path)).then_some(false),
        };
        let files = match &before {
            Ok(before) => Files::of(subject, before, &is_test),
            Err(why) => Err(why.to_string().into()),
        };
        let instrument = self.suite().instrument(subject).map_err(cannot)?;
        let control = Control {
            subject: &Subject {
                wall: subject.wall.saturating_sub(started.elapsed()),
                ..*subject
            },
            instrument: &instrument,
            first: run,
            millis: *millis,
            files: &files.map_err(cannot)?,
            purpose: Purpose::Behaviour,
            own: None,
            controls: Controls::of(self.controls),
            candidate: &candidate,
            base: &room,
        };
        Ok(control.result("tripwire: controls"))
    }

    fn coverage(
        line: &str,
        subject: &Subject<'_>,
        rooms: [&Room; 2],
        started: Instant,
    ) -> Result<CheckResult, Tripped> {
        let mut shares = Vec::new();
        let mut last = None;
        for room in rooms {
            let executed = room.inside(subject, |inside| {
                execute(inside, Program::shell(line, None, started))
            });
            let executed = executed.map_err(cannot)?;
            shares.push(runners::coverage(&executed.text()));
            last = Some(executed);
        }
        let (Some(executed), [before, Some(after)]) = (last, shares.as_slice()) else {
            return Err(cannot(
                "the coverage command shows no share of lines".to_owned(),
            ));
        };
        let (verdict, reason) = match before {
            Some(before) if after < before => (
                Verdict::Fail,
                format!("coverage fell from {before} to {after}"),
            ),
            Some(before) => (Verdict::Pass, format!("coverage {before}, now {after}")),
            None => (Verdict::Pass, format!("coverage {after}; none before")),
        };
        let mut result = executed.answer("tripwire: coverage", verdict, &reason);
        result.code = (verdict != Verdict::Pass).then(|| "coverage_decreased".to_owned());
        Ok(result)
    }
}

/// Everything that was frozen, if all of it is as it was. What only got fixtures that tests ask for may be let
/// go: it is held no more.
pub(crate) fn untouched(
    names: &Texts,
    subject: &Subject<'_>,
    fixtures: Fixtures,
) -> Result<BTreeMap<String, String>, Tripped> {
    let mut all = BTreeMap::new();
    for name in names.iter() {
        let Some(items) = subject.frozen.get(name) else {
            return Err(cannot(format!("nothing was frozen as `{name}`")));
        };
        all.extend(items.clone());
    }
    if fixtures == Fixtures::Open {
        all.retain(|item, hash| {
            let copy = || String::from_utf8(subject.keep.fetch(hash).ok()?).ok();
            !items::got_fixtures(subject, item, copy)
                || frozen::otherwise(subject, item, hash).is_none()
        });
    }
    let (installed, files) = all
        .clone()
        .into_iter()
        .partition(|(item, _)| installed::folder(item).is_some());
    let changed = frozen::changed(subject, &files);
    if changed.is_empty() {
        // Not a cheat for certain: somebody may have installed something. But no green is believed
        // that may rest on it, and only a person can say.
        let changed = frozen::changed(subject, &installed);
        if changed.is_empty() {
            return Ok(all);
        }
        let which = first_few(&changed, 5);
        return Err(Tripped {
            code: "dependencies_changed",
            ..cannot(format!(
                "installed dependencies are not as they were frozen: {which}; install them anew as they were, or redraft"
            ))
        });
    }
    let which = first_few(&changed, 5);
    let settings = frozen::only_how_tests_run(subject, &files).map_err(cannot)?;
    Err(Tripped {
        shows: settings.then_some(frozen::HOW_TESTS_RUN),
        ..cheat(
            "tamper_tripwire",
            format!("frozen, and not the same: {which}"),
        )
    })
}

/// May a `conftest.py` get fixtures?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fixtures {
    Open,
    Closed,
}

fn lay_in(
    wire: &Tripwire,
    subject: &Subject<'_>,
    room: &Room,
    frozen: &BTreeMap<String, String>,
) -> Result<(), Tripped> {
    let globs = |patterns: &[String]| items::globs(patterns).map_err(cannot);
    let scope = items::spelt_out(subject, &wire.scope).map_err(cannot)?;
    let tests = items::spelt_out(subject, &wire.tests).map_err(cannot)?;
    let opened = items::Opened::by(subject, &wire.scope).map_err(cannot)?;
    // What the tests' field takes out again is a test all the same.
    let mut kept_out = tests.inside;
    kept_out.extend(scope.outside);
    let tested = globs(&kept_out)?;
    kept_out.extend(items::runner_files());
    let opened =
        |item: &str| opened.holds(item) && !tested.is_match(item) && !frozen.contains_key(item);
    let tree = subject.tree().map_err(cannot)?;
    let items = tree.files.keys().map(|path| format!("repo/{path}"));
    let mut new = items.filter(|item| opened(item));
    let says = new
        .find_map(|item| items::of_tests(subject, &item).filter(|part| !frozen.contains_key(part)));
    if let Some(part) = says {
        let why = format!("{part} was not there when the tests were frozen");
        return Err(cheat("tamper_tripwire", why));
    }
    let candidate = Candidate {
        scope: &globs(&scope.inside)?,
        kept_out: &globs(&kept_out)?,
        opened: &opened,
    };
    room.lay_in(subject, &candidate).map_err(cannot)
}

fn baseline(wire: &Tripwire) -> String {
    format!("baseline of {}", wire.baseline())
}

/// What the suite did otherwise than when it was frozen.
fn unlike(wire: &Tripwire, inside: &Subject<'_>, run: &TestRun) -> Result<Option<String>, Tripped> {
    // Also of a suite that does not build yet, which leaves no baseline.
    let results = format!("results of {}", wire.baseline());
    let earlier = inside.earlier(&results).map_err(cannot)?;
    let Some(last) = earlier.last() else {
        return Err(cannot(
            "the red run has left no results to compare with".to_owned(),
        ));
    };
    let last: TestRun = serde_json::from_slice(last)
        .map_err(|error| cannot(format!("the red run's results cannot be read: {error}")))?;
    let found = compare(&last, run);
    let lists = [
        ("missing", &found.missing),
        ("new", &found.added),
        ("skipped", &found.newly_skipped),
        ("failing", &found.newly_failing),
    ];
    let differs = lists.iter().find(|(_, names)| !names.is_empty());
    let faults = |run: &TestRun| -> Vec<_> { run.faults.iter().map(|fault| fault.kind).collect() };
    Ok(match differs {
        Some((how, names)) => Some(format!("{how} there: {}", first_few(names, 3))),
        None if faults(&last) != faults(run) => {
            let what: Vec<&str> = run.faults.iter().map(|fault| fault.what.as_str()).collect();
            Some(first_few(&what, 2))
        }
        None => None,
    })
}
