//! Ship evidence and the log of the tests behind it (rules F11.2 and F11.3). The engine writes both;
//! these checks hold them to their own arithmetic.

use crate::contract::Fingerprint;
use crate::ids::{self, MOMENT};
use kernel::form::{Fault, Form, Formed, SAID, Size};
use kernel::module::Version;
use kernel::{document, words};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

words! {
    /// It worked, or it did not.
    pub enum Outcome {
        Pass = "PASS",
        Fail = "FAIL",
    }
}

document! {
    /// The proof that a module works.
    pub struct ShipEvidence {
        /// `MM-...`.
        module_id: String = Form::Id(ids::MODULE),
        /// The version that was proven.
        module_version: Version,
        /// `SHIP-` and 8 hex digits.
        ship_id: String = Form::Id(ids::SHIP),
        /// ISO 8601.
        verified_at: String = MOMENT,
        /// What was found.
        verification: Verification,
        /// Where.
        environment: Environment,
    }
}

document! {
    /// What was found.
    pub struct Verification {
        /// Whether everything passed.
        result: Outcome,
        /// Of the public surface.
        interface_fingerprint: Fingerprint,
        /// The log of the tests.
        evidence_ref: String = SAID,
        /// What the exam of it came to: `observed: ...` or `reported: ...`; none in a project of before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exam?: Option<String> = SAID,
    }
}

document! {
    /// Where it was found.
    pub struct Environment {
        /// The commit.
        repo_revision: String = SAID,
        /// The lock file.
        dependency_lock_ref: String = SAID,
        /// The machine.
        runner_id: String = SAID,
    }
}

document! {
    /// The tests that were run.
    pub struct ExecutionLog {
        /// `MM-...`.
        module_id: String = Form::Id(ids::MODULE),
        /// The version under test.
        module_version: Version,
        /// ISO 8601, when the run began.
        executed_at: String = MOMENT,
        /// At least one.
        tests: Vec<TestResult> = Form::List(&TestResult::FORM, Size::SOME),
        /// The sums.
        summary: Summary,
    }
}

document! {
    /// One test.
    pub struct TestResult {
        /// Its name, once in the log.
        name: String = SAID,
        /// How it ended.
        result: Outcome,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms?: Option<u64>,
    }
}

document! {
    /// The sums.
    #[derive(Copy, Eq)]
    pub struct Summary {
        /// All tests.
        total: u64,
        /// Those that passed.
        passed: u64,
        /// Those that did not.
        failed: u64,
    }
}

impl ExecutionLog {
    /// Whether it blocks the ship: one failure is enough, and no test at all is no proof.
    pub fn blocks_ship(&self) -> bool {
        self.tests.is_empty() || !self.faults().is_empty() || self.counted().failed > 0
    }

    fn counted(&self) -> Summary {
        let (total, passed) = (self.tests.len() as u64, self.passed().count() as u64);
        Summary {
            total,
            passed,
            failed: total - passed,
        }
    }

    /// The names of the tests that passed.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        let passed = self.tests.iter().filter(|t| t.result == Outcome::Pass);
        passed.map(|test| test.name.as_str())
    }

    fn faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        let mut names = BTreeSet::new();
        for (index, test) in self.tests.iter().enumerate() {
            if !names.insert(&test.name) {
                let what = format!("`{}` is there twice", test.name);
                let path = format!("$.tests[{index}]");
                found.push(Fault::rule("duplicate_name", path, "name", what));
            }
        }
        let (given, counted) = (self.summary, self.counted());
        for (field, given, counted) in [
            ("total", given.total, counted.total),
            ("passed", given.passed, counted.passed),
            ("failed", given.failed, counted.failed),
        ] {
            if given != counted {
                let what = format!("says {given}, and the tests are {counted}");
                found.push(Fault::rule("wrong_sum", "$.summary", field, what));
            }
        }
        found
    }
}

/// Names once, and sums that are sums.
pub(crate) fn log_rules(log: &Value, found: &mut Vec<Fault>) {
    if let Ok(log) = ExecutionLog::deserialize(log) {
        found.extend(log.faults());
    }
}
