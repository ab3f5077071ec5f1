//! The release manifest and, when a gate fails, its report. A failed release is on record too.

use super::gates::{Gate, Violation};
use crate::project::types::ModuleRef;
use kernel::Time;
use kernel::outcome::{CheckResult, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Everything, or what a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All tasks are closed; nobody asked.
    Full,
    /// A person named the modules.
    Partial,
}

/// One released module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Which.
    pub module_ref: ModuleRef,
    /// Its evidence.
    pub ship_ref: String,
}

/// A release, passed or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// `REL-` and eight hexadecimal digits.
    pub release_id: String,
    /// When.
    pub created_at: Time,
    /// The spec that drove the project.
    pub spec_version: String,
    /// All or some.
    pub scope: Scope,
    /// In order.
    pub modules: Vec<Released>,
    /// What the gates stumbled over; empty: it passed.
    pub violations: Vec<Violation>,
}

impl Manifest {
    /// Did every gate pass?
    pub fn passed(&self) -> bool {
        self.violations.is_empty()
    }

    fn gate(&self, gate: Gate) -> &'static str {
        let failed = self.violations.iter().any(|one| one.gate == gate);
        if failed { "FAIL" } else { "PASS" }
    }

    /// The document's shape.
    pub fn document(&self) -> Value {
        let gates: Map<String, Value> = Gate::ALL
            .iter()
            .map(|gate| (gate.as_str().to_owned(), Value::from(self.gate(*gate))))
            .collect();
        let notes = match self.violations.len() {
            0 => format!("{} modules released", self.modules.len()),
            count => format!("blocked by {count} violations; see the failure report"),
        };
        json!({
            "release_id": self.release_id,
            "created_at": self.created_at,
            "spec_version": self.spec_version,
            "modules": self.modules,
            "integration_gates": gates,
            "overall_result": if self.passed() { "PASS" } else { "FAIL" },
            "notes": notes,
        })
    }

    /// What failed, for people; none if nothing did.
    pub fn failure_report(&self) -> Option<Value> {
        (!self.passed()).then(|| {
            let failing: Vec<&str> = Gate::ALL
                .iter()
                .filter(|gate| self.gate(**gate) == "FAIL")
                .map(|gate| gate.as_str())
                .collect();
            json!({
                "release_id": self.release_id,
                "failing_gates": failing,
                "violations": self.violations,
                "mend": "ship a mended version, or replace what is deprecated, and release again",
            })
        })
    }
}

/// What the engine's own run of the four gates adds. A gate that it did not run has failed.
pub fn engine_violations(results: &[CheckResult]) -> Vec<Violation> {
    let mut found = Vec::new();
    for gate in Gate::ALL {
        let result = results.iter().find(|result| result.check == gate.as_str());
        let why = match result {
            Some(result) if result.verdict == Verdict::Pass => continue,
            Some(result) => format!("{}: {}", result.verdict.as_str(), result.reason),
            None => "it was not run".to_owned(),
        };
        found.push(Violation {
            gate,
            module: "*".to_owned(),
            reference: None,
            why,
        });
    }
    found
}
