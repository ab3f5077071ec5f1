//! Ship evidence and the log of the tests behind it (sections 11.2 and 11.3). The engine writes
//! both; these checks hold them to their own arithmetic.

use crate::contract::Fingerprint;
use crate::deficiency::{Deficiency, Report};
use crate::findings::{at_least, id, said, when};
use crate::ids;
use crate::schema::Judged;
use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// It worked, or it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Outcome {
    /// It did.
    Pass,
    /// It did not.
    Fail,
}

/// The proof that a module works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShipEvidence {
    /// `MM-...`.
    pub module_id: String,
    /// The version that was proven.
    pub module_version: Version,
    /// `SHIP-` and 8 hex digits.
    pub ship_id: String,
    /// ISO 8601.
    pub verified_at: String,
    /// What was found.
    pub verification: Verification,
    /// Where.
    pub environment: Environment,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// Whether everything passed.
    pub result: Outcome,
    /// Of the public surface.
    pub interface_fingerprint: Fingerprint,
    /// The log of the tests.
    pub evidence_ref: String,
}

/// Where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The commit.
    pub repo_revision: String,
    /// The lock file.
    pub dependency_lock_ref: String,
    /// The machine.
    pub runner_id: String,
}

impl Judged for ShipEvidence {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(&mut found, "$", "module_id", ids::MODULE, &self.module_id);
        id(&mut found, "$", "ship_id", ids::SHIP, &self.ship_id);
        when(&mut found, "$", "verified_at", &self.verified_at);
        let verification = &self.verification;
        if Fingerprint::parse(verification.interface_fingerprint.as_str()).is_none() {
            let message = "should be 64 lowercase hex digits";
            let found_here = Deficiency::error(
                "bad_fingerprint",
                "$.verification",
                "interface_fingerprint",
                message,
            );
            found.push(found_here);
        }
        said(
            &mut found,
            "$.verification",
            "evidence_ref",
            &verification.evidence_ref,
        );
        let environment = &self.environment;
        for (field, text) in [
            ("repo_revision", &environment.repo_revision),
            ("dependency_lock_ref", &environment.dependency_lock_ref),
            ("runner_id", &environment.runner_id),
        ] {
            said(&mut found, "$.environment", field, text);
        }
        found.into_iter().collect()
    }
}

/// The tests that were run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutionLog {
    /// `MM-...`.
    pub module_id: String,
    /// The version under test.
    pub module_version: Version,
    /// ISO 8601, when the run began.
    pub executed_at: String,
    /// At least one.
    pub tests: Vec<TestResult>,
    /// The sums.
    pub summary: Summary,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestResult {
    /// Its name, once in the log.
    pub name: String,
    /// How it ended.
    pub result: Outcome,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// The sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// All tests.
    pub total: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that did not.
    pub failed: u64,
}

impl ExecutionLog {
    /// Whether it blocks the ship: one failure is enough, and no test at all is no proof.
    pub fn blocks_ship(&self) -> bool {
        !self.judge().passes() || self.counted().failed > 0
    }

    fn counted(&self) -> Summary {
        let passed = self.tests.iter().filter(|t| t.result == Outcome::Pass);
        let (total, passed) = (self.tests.len() as u64, passed.count() as u64);
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
}

impl Judged for ExecutionLog {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(&mut found, "$", "module_id", ids::MODULE, &self.module_id);
        when(&mut found, "$", "executed_at", &self.executed_at);
        at_least(&mut found, "$", "tests", (1, self.tests.len()));
        let mut names = BTreeSet::new();
        for (index, test) in self.tests.iter().enumerate() {
            let path = format!("$.tests[{index}]");
            said(&mut found, &path, "name", &test.name);
            if !names.insert(&test.name) {
                let message = format!("`{}` is there twice", test.name);
                found.push(Deficiency::error("duplicate_name", path, "name", message));
            }
        }
        let (given, counted) = (self.summary, self.counted());
        for (field, given, counted) in [
            ("total", given.total, counted.total),
            ("passed", given.passed, counted.passed),
            ("failed", given.failed, counted.failed),
        ] {
            if given != counted {
                let message = format!("says {given}, and the tests are {counted}");
                found.push(Deficiency::error("wrong_sum", "$.summary", field, message));
            }
        }
        found.into_iter().collect()
    }
}
