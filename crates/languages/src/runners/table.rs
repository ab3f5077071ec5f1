//! All that is known of each test runner, as one row: its name, its command, where its results are
//! and who reads them.

use super::{TestRun, cargo, go, jest, junit};

/// The runners that we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    /// `cargo test`, all targets and documentation tests.
    Cargo,
    /// pytest, through its JUnit report.
    Pytest,
    /// Python's own `unittest`, through a driver of ours that writes a JUnit report.
    Unittest,
    /// vitest, through its JSON report.
    Vitest,
    /// jest, through its JSON report.
    Jest,
    /// `node --test`, through its JUnit report.
    Node,
    /// `go test -json`.
    Go,
    /// Any command that writes JUnit XML.
    Junit,
}

/// Where a runner's results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    Output,
    /// In the file that the variable [`REPORT`] names.
    Report,
}

/// The variable that tells a command where to write its report.
pub const REPORT: &str = "PROOFHOUSE_REPORT";

/// Everything that is known of a runner, as one row.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub runner: Runner,
    /// Its name in settings.
    pub name: &'static str,
    /// The line for `sh -c`; none: a person must give one.
    pub command: Option<&'static str>,
    /// A program of ours that lies beside the report, as [`DRIVER`].
    pub driver: Option<&'static str>,
    /// Where its results are.
    pub results: Results,
    read: fn(&str) -> TestRun,
}

/// The name of a runner's driver, in the folder of the report.
pub const DRIVER: &str = "driver.py";

/// All runners.
pub const RUNNERS: [Known; 8] = [
    Known {
        runner: Runner::Cargo,
        name: "cargo",
        // One stream: cargo names the binaries on one and the tests speak on the other.
        command: Some("exec cargo test --workspace --no-fail-fast 2>&1"),
        driver: None,
        results: Results::Output,
        read: cargo::read,
    },
    Known {
        runner: Runner::Pytest,
        name: "pytest",
        command: Some(
            "if [ -x .venv/bin/python ]; then p=.venv/bin/python; else p=python3; fi; \
             exec \"$p\" -m pytest -p no:cacheprovider --continue-on-collection-errors --junitxml=\"$PROOFHOUSE_REPORT\"",
        ),
        driver: None,
        results: Results::Report,
        read: junit::by_class,
    },
    Known {
        runner: Runner::Unittest,
        name: "unittest",
        command: Some(
            "if [ -x .venv/bin/python ]; then p=.venv/bin/python; else p=python3; fi; \
             exec \"$p\" \"${PROOFHOUSE_REPORT%/*}/driver.py\" discover",
        ),
        driver: Some(include_str!("run_unittest.py")),
        results: Results::Report,
        read: junit::by_class,
    },
    Known {
        runner: Runner::Vitest,
        name: "vitest",
        command: Some(
            "exec npx --no-install vitest run --reporter=default --reporter=json \
             --outputFile.json=\"$PROOFHOUSE_REPORT\"",
        ),
        driver: None,
        results: Results::Report,
        read: jest::read,
    },
    Known {
        runner: Runner::Jest,
        name: "jest",
        command: Some("exec npx --no-install jest --ci --json --outputFile=\"$PROOFHOUSE_REPORT\""),
        driver: None,
        results: Results::Report,
        read: jest::read,
    },
    Known {
        runner: Runner::Node,
        name: "node",
        // A test that calls `exit(0)` takes those behind it with it, and the report does not show it:
        // inside of tests, an exit code of 0 becomes one that `junit` knows.
        command: Some(
            "exec node --import 'data:text/javascript,const e=process.reallyExit;\
             process.reallyExit=c=>e.call(process,c||86)' --test --test-reporter=spec --test-reporter-destination=stdout \
             --test-reporter=junit --test-reporter-destination=\"$PROOFHOUSE_REPORT\"",
        ),
        driver: None,
        results: Results::Report,
        read: junit::by_suite,
    },
    Known {
        runner: Runner::Go,
        name: "go",
        // `-count=1`: a cached result is not a run.
        command: Some("exec go test -count=1 -json ./... 2>&1"),
        driver: None,
        results: Results::Output,
        read: go::read,
    },
    Known {
        runner: Runner::Junit,
        name: "junit",
        command: None,
        driver: None,
        results: Results::Report,
        read: junit::by_class,
    },
];

impl Runner {
    /// Its row.
    pub fn known(self) -> &'static Known {
        RUNNERS
            .iter()
            .find(|known| known.runner == self)
            .expect("every runner has a row; a test holds that")
    }

    /// The runner with this name.
    pub fn named(name: &str) -> Option<Self> {
        let known = RUNNERS.iter().find(|known| known.name == name)?;
        Some(known.runner)
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// Reads its results.
    pub fn read(self, text: &str) -> TestRun {
        (self.known().read)(text)
    }
}
