//! `slices`: what is built is built in the order that was planned, and each part against tests that
//! were seen red. It refuses a test that is green before its code, a part out of its turn, and a
//! criterion without a test; the last part is judged as `tests` judges a suite.
//!
//! What it cannot see: whether a test that failed without the code failed for the right reason.

mod part;

use crate::Subject;
use crate::checks::red_green::laid_out::Layout;
use crate::checks::suite::by_runner::Suite;
use crate::checks::tests::{Ratchet, Tests, verdict};
use crate::error::Error;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::items;
use crate::readers::sections::{IdsOf, sections_of};
use crate::room::Room;
use crate::settings::{Choices, IdPattern, Items, Placed, Text};
use crate::text::{answer, first_few, several_lines};
use kernel::outcome::{CheckResult, Verdict, Worth};
use kernel::{StateName, Word};
use languages::runners::Ending;
use part::{Plan, Remembered};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Under which name the run remembers what was built and what was seen red.
const MEMORY: &str = "slices";

/// The criteria are built in their planned order, each against tests that the engine saw fail.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Slices {
    /// Expression for the criteria's ids, such as `AC-\d+`.
    ids: IdPattern,
    /// The file with the ids; `task/...` or `repo/...`.
    ids_from: Placed,
    /// The heading over the ids; the whole file.
    ids_section: Option<Text>,
    /// The file whose list is the order: an entry is a slice.
    order: Placed,
    /// The heading over the list; the whole file.
    order_section: Option<Text>,
    /// The state whose checkpoint is the code before.
    base: Text,
    /// The state whose checkpoint holds the slices so far, if there is one.
    since: Option<Text>,
    /// Globs of test files, `test files` and `inline tests`.
    tests: Items,
    /// The word that is shown while slices are left.
    left: Text,
}

impl Judge for Slices {
    const NAME: &'static str = "slices";
    type Answer = Judged<Vec<CheckResult>>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let plan = self.plan(subject)?;
        let suite = self
            .suite()
            .run(subject, started)
            .map_err(Trouble::cannot)?;
        let layout = Layout::of(subject, &self.tests).map_err(Trouble::cannot)?;
        let tests = layout.fingerprint(subject).map_err(Trouble::cannot)?;
        let mut results = vec![match plan.later.is_empty() {
            true => verdict::answer_for(&self.suite(), subject, suite),
            false => self.one_of_several(subject, &plan, suite),
        }];
        results[0].check = results[0].check.replacen("tests", Self::NAME, 1);
        if results[0].verdict != Verdict::Pass {
            return Ok(results);
        }
        let unseen = plan.unseen(&tests);
        if !unseen.is_empty() {
            results.push(self.red(subject, &layout, &plan, &unseen, started)?);
        }
        if results.iter().all(|one| one.verdict == Verdict::Pass) {
            results.push(self.stands(&plan, &tests));
            results.extend(self.asks_less(subject).map_err(Trouble::cannot)?);
        }
        Ok(results)
    }
}

impl Slices {
    /// How the suite is run, and judged where nothing is left to be built.
    fn suite(&self) -> Tests {
        Tests {
            ids: Some(self.ids.clone()),
            ids_from: Some(self.ids_from.clone()),
            ids_section: self.ids_section.clone(),
            keeps: Choices::of(&[Ratchet::Count, Ratchet::Names, Ratchet::Skips]),
            ..Tests::default()
        }
    }

    fn plan(&self, subject: &Subject<'_>) -> Judged<Plan> {
        let ids = IdsOf {
            pattern: &self.ids,
            file: &self.ids_from,
            section: self.ids_section.as_deref(),
        };
        let ids = ids.read(subject)?;
        let sections = sections_of(subject, &self.order, self.order_section.as_deref())?;
        let listed = sections.iter().flat_map(|section| {
            let rows = section.rows.iter().map(|row| row.cells.join(" "));
            section.points.iter().cloned().chain(rows)
        });
        let mut order: Vec<BTreeSet<String>> = listed.map(|entry| self.ids.set(&entry)).collect();
        if order.iter().all(BTreeSet::is_empty) {
            let lines = sections.iter().flat_map(|section| section.content.lines());
            order = lines.map(|line| self.ids.set(line)).collect();
        }
        let remembered = subject.frozen.get(MEMORY);
        let remembered = Remembered(remembered.cloned().unwrap_or_default());
        Ok(Plan::of(&ids, order, remembered))
    }

    /// A slice before the last: its criteria are green, and those of later ones red.
    fn one_of_several(&self, subject: &Subject<'_>, plan: &Plan, suite: Suite) -> CheckResult {
        let Suite {
            executed,
            name,
            run,
            ..
        } = suite;
        let (verdict, reason) = match executed.worthless().or_else(|| executed.not_found()) {
            Some(worthless) => worthless,
            None => {
                let ending = run.ending(executed.ended.exit);
                let mut wrong = match ending {
                    Ending::Green | Ending::Red => part::faults(plan, &run),
                    Ending::NotBuilt
                    | Ending::Incomplete
                    | Ending::NoTests
                    | Ending::Unreadable => {
                        let faults: Vec<&str> =
                            run.faults.iter().map(|fault| fault.what.as_str()).collect();
                        let (ending, faults) = (ending.as_str(), first_few(&faults, 2));
                        vec![format!(
                            "{ending}: {faults}; tests of later slices build and fail"
                        )]
                    }
                };
                let worse = verdict::worse(&self.suite(), subject, &run);
                wrong.extend(worse.err().map(|why| why.to_string()));
                match wrong.is_empty() {
                    true => (
                        Verdict::Pass,
                        format!("{} is built: {}", plan.named(), run.summary()),
                    ),
                    false => {
                        let wrong = wrong.join("; ");
                        (
                            Verdict::Fail,
                            format!("{wrong} (the turn of {})", plan.named()),
                        )
                    }
                }
            }
        };
        let told = match verdict {
            Verdict::Pass => String::new(),
            Verdict::Fail | Verdict::CouldNotRun => verdict::told(&run),
        };
        let mut result = executed.answer(&name, verdict, &reason);
        result.details = several_lines(&format!("{told}{}", result.details));
        result
    }

    /// The tests of these criteria do not pass without the code of this slice.
    fn red(
        &self,
        subject: &Subject<'_>,
        layout: &Layout,
        plan: &Plan,
        unseen: &[&String],
        started: Instant,
    ) -> Judged<CheckResult> {
        let commit = |state: &Text| subject.commits.get(&StateName::from(&**state));
        let since = self.since.as_ref().filter(|_| plan.has_begun());
        let commit = since.and_then(commit).or_else(|| commit(&self.base));
        let commit = commit.ok_or_else(|| {
            Trouble::cannot(format!("there is no checkpoint behind `{}`", self.base))
        })?;
        let seen = || -> Result<Suite, Error> {
            let installed = items::named(subject, &["dependencies".to_owned()])?;
            let installed: BTreeMap<String, String> = installed
                .into_iter()
                .map(|item| (item, String::new()))
                .collect();
            let room = Room::of(subject, commit, &installed)?;
            layout.tests_and_manifests(subject, &room)?;
            room.inside(subject, |inside| self.suite().run(inside, started))
        };
        let suite = seen().map_err(Trouble::cannot)?;
        let ending = suite.run.ending(suite.executed.ended.exit);
        let green: Vec<&&String> = match ending {
            Ending::Green | Ending::Red => {
                let green = |id: &&&String| part::green(&suite.run, id);
                unseen.iter().filter(green).collect()
            }
            Ending::NotBuilt | Ending::NoTests => Vec::new(),
            Ending::Incomplete | Ending::Unreadable => {
                let (ending, last) = (ending.as_str(), suite.executed.last_line());
                let why = format!("without the code the suite ended {ending}: {last}");
                let name = "slices: before the code";
                return Ok(suite.executed.answer(name, Verdict::CouldNotRun, why));
            }
        };
        let (verdict, reason) = match green.is_empty() {
            true => {
                let ids = first_few(unseen, 10);
                let how = match ending {
                    Ending::NotBuilt => "does not build without the code",
                    Ending::NoTests => "is not there without the code",
                    _ => "fails without the code",
                };
                (Verdict::Pass, format!("red first: what tests {ids} {how}"))
            }
            false => {
                let ids = first_few(&green, 10);
                (
                    Verdict::Fail,
                    format!(
                        "green at first sight: what tests {ids} passes without the code of this slice; write a test that fails until it is built"
                    ),
                )
            }
        };
        let mut result = suite
            .executed
            .answer("slices: before the code", verdict, reason);
        if verdict != Verdict::Pass {
            result.code = Some("green_without_code".to_owned());
        }
        Ok(result)
    }

    /// What tests of slices that stand no more ask for. A test may have been wrong, so it is told and holds
    /// nothing shut.
    fn asks_less(&self, subject: &Subject<'_>) -> Result<Option<CheckResult>, Error> {
        let since = self.since.as_ref();
        let since = since.and_then(|state| subject.commits.get(&StateName::from(&**state)));
        let Some(commit) = since else {
            return Ok(None);
        };
        let room = Room::of(subject, commit, &BTreeMap::new())?;
        let lost = Layout::of(subject, &self.tests)?.weakened(subject, &room)?;
        if lost.is_empty() {
            return Ok(None);
        }
        let which = first_few(&lost, 3);
        let reason = format!("weak: tests of what was built ask for something else now: {which}");
        let mut result = answer("slices: earlier tests", Verdict::Pass, reason);
        result.details = several_lines(&lost.join("\n"));
        result.shows.insert(Word::from(Worth::Weak.as_str()));
        Ok(Some(result))
    }

    /// What the run remembers of it once the whole gate has passed, and what comes next.
    fn stands(&self, plan: &Plan, tests: &str) -> CheckResult {
        let mut result = answer("slices: the order", Verdict::Pass, plan.next());
        result.froze = BTreeMap::from([(MEMORY.to_owned(), plan.remembers(tests))]);
        if !plan.later.is_empty() {
            result.shows.insert(Word::from(&*self.left));
        }
        result
    }
}
