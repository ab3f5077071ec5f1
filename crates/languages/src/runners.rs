//! Test suites as data: which runner a repository uses, how it is asked for results that a machine
//! can read, and one type for all of them. Pure: texts in, values out.
//!
//! It does not judge a suite by its exit code: a run is what its tests did, by name. What did not
//! build is told apart from what is red, and a run that ended early, ran nothing or cannot be read
//! is neither green nor red.

mod cargo;
mod compare;
mod coverage;
mod detect;
pub mod files;
mod go;
mod jest;
mod junit;
mod lines;
mod script;
mod symbols;
mod table;
mod xml;

pub use compare::{AsBefore, Comparison, as_before, compare};
pub use coverage::{Coverage, coverage};
pub use detect::{detect, is_plain_python, is_python_test, python_line};
pub use lines::{Call, call, in_folder};
pub use script::{Script, script};
pub use table::{DRIVER, Known, REPORT, RUNNERS, Results, Runner};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why no runner is known, or its results cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unknown(String);

impl From<String> for Unknown {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for Unknown {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

/// What one test did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran and passed.
    Passed,
    /// It ran and failed.
    Failed,
    /// It was known and not run.
    Skipped,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Its full name, the same from run to run and unlike any other in the suite.
    pub name: String,
    /// The file it stands in, if the runner says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What it did.
    pub status: Status,
    /// Why it failed or was skipped, as the runner says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What is wrong with a run as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The report is no report.
    Unreadable,
    /// Tests did not compile, or could not be collected.
    NotBuilt,
    /// Other results than tests that were begun: something ended early, or wrote results itself.
    Incomplete,
    /// A file without a test.
    NoTests,
}

/// One thing that is wrong with a run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// What, for people.
    pub what: String,
    /// Names that the build or the collection did not find. Whether their absence is the right
    /// reason (they are yet to be written) or the wrong one is for the caller to decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// One run of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestRun {
    /// Every test, sorted by name.
    pub tests: Vec<TestResult>,
    /// What is wrong beyond single tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// What a run amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// At least one test ran, none failed, nothing is missing.
    Green,
    /// Tests ran, and some failed.
    Red,
    /// It did not compile, or tests could not be collected.
    NotBuilt,
    /// It ended before all that it had begun, or its exit code contradicts its results.
    Incomplete,
    /// Nothing ran.
    NoTests,
    /// Its results cannot be read.
    Unreadable,
}

impl Ending {
    /// Its stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Green => "green",
            Ending::Red => "red",
            Ending::NotBuilt => "not_built",
            Ending::Incomplete => "incomplete",
            Ending::NoTests => "no_tests",
            Ending::Unreadable => "unreadable",
        }
    }
}

impl TestRun {
    /// A run from results in any order: names become unique, and the order is that of names.
    pub fn of(tests: Vec<TestResult>, faults: Vec<Fault>) -> Self {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut tests: Vec<TestResult> = tests
            .into_iter()
            .map(|mut test| {
                let count = seen.entry(test.name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    test.name = format!("{} #{count}", test.name);
                }
                test
            })
            .collect();
        tests.sort_by(|left, right| left.name.cmp(&right.name));
        Self { tests, faults }
    }

    /// A run whose results cannot be read.
    pub fn unreadable(what: impl Into<String>) -> Self {
        Self::of(Vec::new(), vec![Fault::new(FaultKind::Unreadable, what)])
    }

    /// How many tests have this status.
    pub fn count(&self, status: Status) -> usize {
        self.with(status).count()
    }

    /// How many tests really ran.
    pub fn executed(&self) -> usize {
        self.count(Status::Passed) + self.count(Status::Failed)
    }

    /// The tests with this status.
    pub fn with(&self, status: Status) -> impl Iterator<Item = &TestResult> {
        self.tests.iter().filter(move |test| test.status == status)
    }

    /// What the run amounts to, given the exit code of the runner. The exit code can spoil a run
    /// and never mend one.
    pub fn ending(&self, exit: Option<i32>) -> Ending {
        let has = |kind| self.faults.iter().any(|fault| fault.kind == kind);
        if has(FaultKind::Unreadable) {
            Ending::Unreadable
        } else if has(FaultKind::NotBuilt) {
            Ending::NotBuilt
        } else if has(FaultKind::Incomplete) {
            Ending::Incomplete
        } else if self.executed() == 0 || has(FaultKind::NoTests) {
            Ending::NoTests
        } else if self.count(Status::Failed) > 0 {
            Ending::Red
        } else if exit != Some(0) {
            Ending::Incomplete
        } else {
            Ending::Green
        }
    }

    /// One line about the run for people.
    pub fn summary(&self) -> String {
        let count = |status| self.count(status);
        format!(
            "{} passed, {} failed, {} skipped",
            count(Status::Passed),
            count(Status::Failed),
            count(Status::Skipped)
        )
    }

    /// The run with the names that its output says were not found, where its report does not say:
    /// node reports only that a file failed.
    pub fn explained_by(mut self, output: &str) -> Self {
        for fault in &mut self.faults {
            if fault.kind == FaultKind::NotBuilt && fault.missing.is_empty() {
                fault.missing = symbols::missing(output);
            }
        }
        self
    }

    /// Names that a build or a collection did not find.
    pub fn missing_symbols(&self) -> Vec<&str> {
        let missing = self.faults.iter().flat_map(|fault| &fault.missing);
        missing.map(String::as_str).collect()
    }
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            missing: Vec::new(),
        }
    }

    /// What it is about, and what was said of it.
    pub(crate) fn parts(&self) -> (&str, &str) {
        self.what.split_once(": ").unwrap_or((&self.what, ""))
    }

    /// Is it the same fault of the same file, whatever was said of it?
    pub fn is_that_of(&self, other: &Self) -> bool {
        self.kind == other.kind && self.parts().0 == other.parts().0
    }

    /// A build that failed, with the names that it did not find.
    pub(crate) fn not_built(what: impl Into<String>, output: &str) -> Self {
        Self {
            kind: FaultKind::NotBuilt,
            what: what.into(),
            missing: symbols::missing(output),
        }
    }
}

/// Several reports of one run together: some tools write one file for each class.
pub fn merge(runs: Vec<TestRun>) -> TestRun {
    let (mut tests, mut faults) = (Vec::new(), Vec::new());
    for run in runs {
        tests.extend(run.tests);
        faults.extend(run.faults);
    }
    TestRun::of(tests, faults)
}
