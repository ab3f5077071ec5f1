//! What the controls showed: pure, runs in and faults out.

use super::File;
use super::plan::{Ends, Plan, Test, Turned};
use crate::checks::suite::instrument::Shown;
use languages::runners::{Ending, Fault, Status, TestRun};
use languages::turned::AGAIN;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One mutant that was tried.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Tried {
    /// Of its function.
    #[serde(skip)]
    pub(super) number: u32,
    pub(super) what: String,
    /// Does it always do the same?
    pub(super) constant: bool,
    /// Was it seen at an earlier look?
    #[serde(default)]
    pub(super) before: bool,
    #[serde(flatten)]
    pub(super) fate: Fate,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub(super) enum Fate {
    /// A test that reaches it failed.
    Noticed { by: Vec<String>, millis: u64 },
    /// No test that reaches it failed.
    Survived {
        /// Tests that failed and do not reach it.
        elsewhere: Vec<String>,
        millis: u64,
    },
    /// It did not end in time: neither.
    TooLong,
    /// Neither: it does not even load, or could not be run.
    Untried { why: String },
}

/// Which functions were reached by which tests.
pub(super) struct Reached {
    by: BTreeMap<u32, BTreeSet<String>>,
    /// Names that stand for no function of which there are mutants; and is it one of another kind?
    no_function: BTreeMap<u32, bool>,
}

impl Reached {
    /// Reads lines `NUMBER TEST`.
    pub(super) fn read(text: &str) -> Self {
        let mut by: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let mut no_function = BTreeMap::new();
        for line in text.lines() {
            let (number, test) = line.split_once(' ').unwrap_or((line, ""));
            let Ok(number) = number.parse() else {
                continue;
            };
            match test.strip_prefix('!') {
                Some(kind) => drop(no_function.insert(number, kind == "callable")),
                None => drop(by.entry(number).or_default().insert(dotted(test))),
            }
        }
        Self { by, no_function }
    }

    /// Is it a name for something of which there are no mutants; and may that be called?
    pub(super) fn no_function(&self, number: u32) -> Option<bool> {
        self.no_function.get(&number).copied()
    }

    /// Was it reached at all?
    pub(super) fn has(&self, number: u32) -> bool {
        self.by.contains_key(&number)
    }

    /// The functions of tests that reach it, by their bare names; none where that would spare little, or
    /// where a name is no plain word.
    pub(super) fn names(&self, number: u32) -> Option<BTreeSet<String>> {
        /// With more of them, all tests may as well be run.
        const MOST: usize = 30;
        let tests = self.by.get(&number)?;
        let bare = |test: &String| {
            let test = test.split('[').next().unwrap_or_default();
            let name = test.rsplit('.').next().unwrap_or_default();
            let plain = |each: char| each.is_alphanumeric() || each == '_';
            (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
        };
        let names: Option<BTreeSet<String>> = tests.iter().map(bare).collect();
        names.filter(|names| names.len() <= MOST)
    }

    /// Does this test reach it? Where nobody could say which test was running, it may have been any.
    fn by(&self, number: u32, test: &str) -> bool {
        let Some(tests) = self.by.get(&number) else {
            return false;
        };
        let name = dotted(test);
        // `cargo test` names the binary before a test, which the test itself does not know.
        let behind = |known: &String| name.ends_with(&format!(".{known}"));
        tests.contains("") || tests.contains(&name) || tests.iter().any(behind)
    }
}

/// One way to write a test's name, whichever runner says it.
fn dotted(name: &str) -> String {
    // `tests/test_a.py::T::test_x[a/b] (call)` of pytest, while it runs.
    let name = match name.rsplit_once(" (") {
        Some((name, phase)) if phase.ends_with(')') => name,
        _ => name,
    };
    let (file, rest) = name.split_once("::").unwrap_or(("", name));
    let file = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
    let rest = rest.replace("::", ".");
    match file.is_empty() {
        true => rest,
        false => format!("{file}.{rest}"),
    }
}

/// Canaries and turned tests that did not end as they must, in words.
pub(super) fn wrong_canaries(plan: &Plan, first: &TestRun, now: &TestRun) -> Vec<String> {
    let mut wrong = wrong_own(plan, now);
    for test in &plan.tests {
        for turned in &test.turned {
            wrong.extend(wrong_copies(test, turned, first, now));
        }
    }
    wrong
}

/// The same without copies of tests that now say something else themselves.
pub(super) fn steadily_wrong(plan: &Plan, first: &TestRun, now: &TestRun) -> Vec<String> {
    let unsteady = differing(first, now);
    let mut wrong = wrong_canaries(plan, first, now);
    wrong.retain(|fault| {
        !unsteady
            .iter()
            .any(|name| fault.starts_with(&format!("{name} ")))
    });
    wrong
}

/// The same of canaries alone.
pub(super) fn wrong_own(plan: &Plan, now: &TestRun) -> Vec<String> {
    let mut wrong = Vec::new();
    for canary in plan.tests.iter().flat_map(|test| &test.canaries) {
        let is_it = |name: &str| name.rsplit("::").next() == Some(&canary.name);
        let found = now.tests.iter().find(|test| is_it(&test.name));
        let must = match canary.ends {
            Ends::Passed => Status::Passed,
            Ends::Failed => Status::Failed,
        };
        let kind = canary.name.rsplit('_').next().unwrap_or_default();
        match found.map(|test| test.status) {
            Some(status) if status == must => {}
            Some(status) => wrong.push(format!(
                "a test of ours (`{kind}`) must be {} and was reported {}",
                said(must),
                said(status)
            )),
            None => wrong.push(format!(
                "a test of ours (`{kind}`) must be {} and was not reported",
                said(must)
            )),
        }
    }
    wrong
}

/// What ends wrongly on the code before as well: canaries, and copies of tests that were all there.
pub(super) fn wrong_before(plan: &Plan, before: &TestRun) -> Vec<String> {
    let mut wrong = wrong_own(plan, before);
    for test in plan.tests.iter().filter(|test| test.base == test.text) {
        for turned in &test.turned {
            wrong.extend(wrong_copies(test, turned, before, before));
        }
    }
    wrong
}

fn said(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::Skipped => "skipped",
    }
}

/// Copies that did not fail as they must, of a test that passed as it is.
fn wrong_copies(test: &Test, turned: &Turned, first: &TestRun, now: &TestRun) -> Vec<String> {
    let stem = test.path.rsplit('/').next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let group = match turned.class.as_str() {
        "" => stem.to_owned(),
        class => format!("{stem}.{class}"),
    };
    let is_it = |name: &str| match name.rsplit_once("::") {
        Some((of, name)) => {
            let here = of == group || of.ends_with(&format!(".{group}"));
            here && name == turned.name
        }
        // Tests of scripts stand in suites, and a file has a token of its own.
        None => {
            let before = name.strip_suffix(turned.name.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
        }
    };
    let status = |name: &str| {
        let found = now.tests.iter().find(|test| test.name == name);
        found.map(|test| test.status)
    };
    let wrong = |original: &str| {
        let copy = format!("{original}_{}", test.token);
        match status(&format!("{copy}{AGAIN}")) {
            Some(Status::Passed) => {}
            // Of scripts it may be a test of the same name elsewhere.
            None if original.contains("::") => {}
            // It is another one the second time.
            _ => return None,
        }
        let ended = match status(&copy) {
            Some(Status::Failed) => return None,
            Some(status) => format!("was reported {}", said(status)),
            None => "was not reported".to_owned(),
        };
        Some(format!(
            "{original} with an assertion turned round must fail and {ended}"
        ))
    };
    let passed = first
        .with(Status::Passed)
        .map(|original| original.name.as_str());
    passed
        .filter(|name| is_it(name))
        .filter_map(wrong)
        .collect()
}

/// The tests that say something else than before, or nothing.
pub(crate) fn differing(before: &TestRun, now: &TestRun) -> BTreeSet<String> {
    let now: BTreeMap<&str, Status> = statuses(now);
    let before = statuses(before).into_iter();
    let other = before.filter(|(name, status)| now.get(name) != Some(status));
    other.map(|(name, _)| name.to_owned()).collect()
}

/// The tests that passed before and fail now.
pub(super) fn turned(before: &TestRun, now: &TestRun) -> Vec<String> {
    let passed = statuses(before);
    let failed = now.with(Status::Failed).map(|test| test.name.clone());
    failed
        .filter(|name| passed.get(name.as_str()) == Some(&Status::Passed))
        .collect()
}

/// Takes away what these tests said of mutants; says whether they had said anything.
pub(super) fn unheard(mutants: &mut [Tried], loud: &BTreeSet<String>) -> bool {
    let mut any = false;
    for one in mutants {
        let Fate::Noticed { by, millis } = &mut one.fate else {
            continue;
        };
        let (before, millis) = (by.len(), *millis);
        by.retain(|name| !loud.contains(name));
        any |= by.len() < before;
        if by.is_empty() {
            one.fate = Fate::Survived {
                elsewhere: Vec::new(),
                millis,
            };
        }
    }
    any
}

/// The files of tests in Python of which a test was reported; all where that cannot be told.
pub(super) fn reported(run: &TestRun, files: &[File]) -> Vec<File> {
    let names: Vec<String> = run.tests.iter().map(|test| dotted(&test.name)).collect();
    let module = |file: &File| {
        let path = file.path.strip_suffix(".py").unwrap_or(&file.path);
        path.replace('/', ".")
    };
    let is_of = |module: &str| {
        let begins = format!("{module}.");
        names.iter().any(|name| name.starts_with(&begins))
    };
    let whole: Vec<File> = {
        let named = files.iter().filter(|file| is_of(&module(file)));
        named.cloned().collect()
    };
    if !whole.is_empty() {
        return whole;
    }
    // A runner that begins further down in the tree names modules from there.
    let below = |file: &&File| {
        let module = module(file);
        module
            .match_indices('.')
            .any(|(at, _)| is_of(&module[at + 1..]))
    };
    let below: Vec<File> = files.iter().filter(below).cloned().collect();
    match below.is_empty() {
        true => files.to_vec(),
        false => below,
    }
}

/// Did its tests run?
pub(super) fn ran(ending: Ending) -> bool {
    match ending {
        Ending::Green | Ending::Red | Ending::NoTests => true,
        Ending::NotBuilt | Ending::Incomplete | Ending::Unreadable => false,
    }
}

/// The tests of files that are as they were which passed beside others and fail without them.
pub(super) fn failing_alone(
    beside: &TestRun,
    alone: &TestRun,
    kept: &[&File],
    changed: &[&File],
) -> Vec<String> {
    let beside = statuses(beside);
    let of = |files: &[&File], name: &str| files.iter().any(|file| stands_in(&file.path, name));
    let failed = alone.with(Status::Failed).map(|test| test.name.as_str());
    let turned = failed.filter(|name| beside.get(name) == Some(&Status::Passed));
    let theirs = turned.filter(|name| of(kept, name) && !of(changed, name));
    theirs.map(str::to_owned).collect()
}

/// Does a test of this name stand in this file? A runner may leave out folders above the one that it was
/// started for.
fn stands_in(path: &str, test: &str) -> bool {
    let (name, module) = (dotted(test), dotted(&format!("{path}::")));
    let places = module.match_indices('.').map(|(at, _)| &module[at + 1..]);
    let mut modules = std::iter::once(module.as_str()).chain(places);
    modules.any(|module| !module.is_empty() && name.starts_with(module))
}

fn statuses(run: &TestRun) -> BTreeMap<&str, Status> {
    let each = run.tests.iter();
    each.map(|test| (test.name.as_str(), test.status)).collect()
}

/// A run that lacks just those files which could not be loaded at first either, as what the others made of
/// it.
pub(super) fn forgiven(first: &TestRun, mut shown: Shown) -> Shown {
    let known = |fault: &Fault| first.faults.iter().any(|one| one.is_that_of(fault));
    let ran = shown.run.executed() > 0;
    if shown.ending == Ending::NotBuilt && ran && shown.run.faults.iter().all(known) {
        shown.run.faults.clear();
        shown.ending = match shown.run.count(Status::Failed) {
            0 => Ending::Green,
            _ => Ending::Red,
        };
    }
    shown
}

/// What became of a mutant of this function.
pub(super) fn fate(
    first: &TestRun,
    shown: &Shown,
    number: u32,
    reached: &Reached,
    unsteady: &BTreeSet<String>,
) -> Fate {
    if shown.executed.ended.killed.is_some() {
        return Fate::TooLong;
    }
    match shown.ending {
        Ending::Green | Ending::Red => {}
        Ending::NotBuilt | Ending::Incomplete | Ending::NoTests | Ending::Unreadable => {
            let why = format!("the suite is {} then", shown.ending.as_str());
            return Fate::Untried { why };
        }
    }
    noticed(
        first,
        &shown.run,
        number,
        (reached, &Reached::read(&shown.reached)),
        unsteady,
        shown.executed.ended.millis,
    )
}

fn noticed(
    first: &TestRun,
    now: &TestRun,
    number: u32,
    reached: (&Reached, &Reached),
    unsteady: &BTreeSet<String>,
    millis: u64,
) -> Fate {
    let turned = turned(first, now).into_iter();
    let turned = turned.filter(|name| !unsteady.contains(name));
    // Where no mark was seen at all (a process with an environment of its own), any test may be it.
    let unmarked = !reached.0.has(number) && !reached.1.has(number);
    let reaches =
        |name: &String| unmarked || reached.0.by(number, name) || reached.1.by(number, name);
    let (by, elsewhere): (Vec<String>, Vec<String>) = turned.partition(reaches);
    match by.is_empty() {
        false => Fate::Noticed { by, millis },
        true => Fate::Survived { elsewhere, millis },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use languages::runners::TestResult;

    fn run(tests: &[(&str, Status)]) -> TestRun {
        let one = |(name, status): &(&str, Status)| TestResult {
            name: (*name).to_owned(),
            file: None,
            status: *status,
            message: None,
        };
        TestRun::of(tests.iter().map(one).collect(), Vec::new())
    }

    #[test]
    fn who_fails_without_a_mutant_noticed_none() {
        let tried = |by: &[&str]| Tried {
            number: 1,
            what: String::new(),
            constant: true,
            before: false,
            fate: Fate::Noticed {
                by: by.iter().map(|name| (*name).to_owned()).collect(),
                millis: 5,
            },
        };
        let mut mutants = [tried(&["clock"]), tried(&["clock", "honest"])];
        let first = run(&[("clock", Status::Passed), ("honest", Status::Passed)]);
        let again = run(&[("clock", Status::Failed), ("honest", Status::Passed)]);
        let loud: BTreeSet<String> = turned(&first, &again).into_iter().collect();
        assert!(unheard(&mut mutants, &loud));
        assert!(matches!(mutants[0].fate, Fate::Survived { .. }));
        assert!(matches!(&mutants[1].fate, Fate::Noticed { by, .. } if by == &["honest"]));
        // Where nobody fails, what was noticed was.
        assert!(!unheard(&mut mutants, &BTreeSet::new()));
        assert!(matches!(mutants[1].fate, Fate::Noticed { .. }));
    }

    #[test]
    fn a_test_is_the_same_whoever_names_it() {
        for (said, name) in [
            ("tests.test_a.T.test_x", "tests.test_a.T::test_x"),
            (
                "tests/test_a.py::T::test_x (call)",
                "tests.test_a.T::test_x",
            ),
            (
                "tests/test_a.py::test_x[a/b] (setup)",
                "tests.test_a::test_x[a/b]",
            ),
        ] {
            assert_eq!(dotted(said), dotted(name));
        }
    }

    #[test]
    fn only_who_reaches_a_mutant_notices_it() {
        use Status::{Failed, Passed};
        let first = run(&[("a::near", Passed), ("a::far", Passed), ("a::odd", Passed)]);
        let reached = Reached::read("1 a.near\n1 a.odd\n2 \n");
        let odd = BTreeSet::from(["a::odd".to_owned()]);
        let of = |number, now: &[(&str, Status)]| {
            let none = Reached::read("");
            noticed(&first, &run(now), number, (&reached, &none), &odd, 0)
        };
        let near = [("a::near", Failed), ("a::far", Failed)];
        assert!(matches!(of(1, &near), Fate::Noticed { by, .. } if by == ["a::near"]));
        let far = [("a::near", Passed), ("a::far", Failed), ("a::odd", Failed)];
        assert!(matches!(of(1, &far), Fate::Survived { elsewhere, .. } if elsewhere == ["a::far"]));
        // Nobody could say which test it was, or there was no mark at all.
        assert!(matches!(of(2, &far), Fate::Noticed { .. }));
        assert!(matches!(of(3, &far), Fate::Noticed { .. }));
    }

    #[test]
    fn a_test_is_of_the_file_that_it_stands_in() {
        for (path, test, is) in [
            ("tests/test_a.py", "tests.test_a.T::test_x", true),
            ("tests/test_a.py", "test_a.T::test_x", true),
            ("tests/test_a.py", "tests.test_ab.T::test_x", false),
            ("a/test_a.py", "b.test_a::test_x", false),
            ("test_a.py", "test_a::test_x[1/2]", true),
        ] {
            assert_eq!(stands_in(path, test), is, "{path} {test}");
        }
    }

    #[test]
    fn what_is_missing_or_otherwise_differs() {
        use Status::{Failed, Passed};
        let first = run(&[("a", Passed), ("b", Passed), ("c", Failed)]);
        let now = run(&[("a", Passed), ("c", Passed), ("new", Failed)]);
        let names: Vec<String> = differing(&first, &now).into_iter().collect();
        assert_eq!(names, ["b", "c"]);
    }
}
