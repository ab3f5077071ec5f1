//! The release stage (section 15.4): four gates over a set of modules, and the manifest that says
//! how each ended. A manifest whose result does not follow from its gates is refused.

use crate::code_index::EntryStatus;
use crate::contract::Fingerprint;
use crate::deficiency::{Deficiency, Report};
use crate::findings::{at_least, id, module_ref, said, when};
use crate::ids;
use crate::schema::Judged;
use crate::ship::Outcome;
use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A set of modules that goes together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseManifest {
    /// `REL-` and 8 hex digits.
    pub release_id: String,
    /// ISO 8601.
    pub created_at: String,
    /// Of the spec behind it.
    pub spec_version: Version,
    /// In order.
    pub modules: Vec<ReleasedModule>,
    /// How each gate ended.
    pub integration_gates: IntegrationGates,
    /// PASS if and only if all four are.
    pub overall_result: Outcome,
    /// For people, with the failures.
    pub notes: String,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleasedModule {
    /// `MM-...@x.y.z`.
    pub module_ref: String,
    /// `SHIP-` and 8 hex digits.
    pub ship_ref: String,
}

/// What the gates of a release stumbled over: the report beside a manifest that says FAIL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ReleaseFailureReport")]
pub struct FailureReport {
    /// `REL-` and 8 hex digits.
    pub release_id: String,
    /// Every gate that failed, by its name.
    pub failing_gates: Vec<String>,
    /// What each stumbled over.
    pub violations: Vec<GateViolation>,
    /// What to do about it.
    pub mend: String,
}

/// One thing that a gate stumbled over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateViolation {
    /// Which gate.
    pub gate: String,
    /// `MM-...@x.y.z`, or `*` for all of them.
    pub module: String,
    /// The module that it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// In words.
    pub why: String,
}

impl Judged for FailureReport {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "release_id",
            ids::RELEASE,
            &self.release_id,
        );
        let gates = self.failing_gates.len();
        at_least(&mut found, "$", "failing_gates", (1, gates));
        for (index, one) in self.violations.iter().enumerate() {
            let path = format!("$.violations[{index}]");
            said(&mut found, &path, "why", &one.why);
            if !self.failing_gates.contains(&one.gate) {
                let message = format!("`{}` is not among the gates that failed", one.gate);
                found.push(Deficiency::error(
                    "unknown_reference",
                    path,
                    "gate",
                    message,
                ));
            }
        }
        found.into_iter().collect()
    }
}

/// How each gate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntegrationGates {
    /// Every dependency is in the set and shipped.
    pub dependency_check: Outcome,
    /// Every consumer was built against the producer's present contract.
    pub fingerprint_check: Outcome,
    /// Nothing active depends on what is deprecated.
    pub deprecation_check: Outcome,
    /// Every module is in the Code Index as shipped.
    pub code_index_check: Outcome,
}

impl IntegrationGates {
    /// PASS if and only if all four are.
    pub fn overall(self) -> Outcome {
        let all = [
            self.dependency_check,
            self.fingerprint_check,
            self.deprecation_check,
            self.code_index_check,
        ];
        if all.iter().all(|outcome| *outcome == Outcome::Pass) {
            Outcome::Pass
        } else {
            Outcome::Fail
        }
    }
}

impl Judged for ReleaseManifest {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(
            &mut found,
            "$",
            "release_id",
            ids::RELEASE,
            &self.release_id,
        );
        when(&mut found, "$", "created_at", &self.created_at);
        at_least(&mut found, "$", "modules", (1, self.modules.len()));
        let mut seen = BTreeSet::new();
        for (index, module) in self.modules.iter().enumerate() {
            let path = format!("$.modules[{index}]");
            module_ref(&mut found, &path, "module_ref", &module.module_ref);
            id(&mut found, &path, "ship_ref", ids::SHIP, &module.ship_ref);
            if !seen.insert(&module.module_ref) {
                let message = "it is there twice";
                found.push(Deficiency::error(
                    "duplicate_id",
                    &path,
                    "module_ref",
                    message,
                ));
            }
        }
        if self.overall_result != self.integration_gates.overall() {
            let message = "PASS if and only if all four gates are PASS";
            found.push(Deficiency::error(
                "result_contradicts",
                "$",
                "overall_result",
                message,
            ));
        }
        if self.overall_result == Outcome::Fail {
            said(&mut found, "$", "notes", &self.notes);
        }
        found.into_iter().collect()
    }
}

/// What is known of a module that is to be released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// `MM-...@x.y.z`.
    pub module_ref: String,
    /// Of its shipped contract.
    pub fingerprint: Fingerprint,
    /// What it depends on, and the contract that it was built against.
    pub built_against: BTreeMap<String, Fingerprint>,
}

/// Why a gate failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateFailure {
    /// `dependency_check` and so on.
    pub gate: String,
    /// The module.
    pub module_ref: String,
    /// What it refers to, if that is the matter.
    pub reference: Option<String>,
    /// For people.
    pub what: String,
}

/// Runs the four gates over the set. `index` has the status of everything that the Code Index
/// knows.
pub fn gates(
    set: &[Candidate],
    index: &BTreeMap<String, EntryStatus>,
) -> (IntegrationGates, Vec<GateFailure>) {
    let by_ref: BTreeMap<&str, &Candidate> =
        set.iter().map(|c| (c.module_ref.as_str(), c)).collect();
    let mut failures = Vec::new();
    let mut fail = |gate: &str, module: &Candidate, reference: Option<&String>, what: String| {
        failures.push(GateFailure {
            gate: gate.to_owned(),
            module_ref: module.module_ref.clone(),
            reference: reference.cloned(),
            what,
        });
    };
    for module in set {
        let own = index.get(&module.module_ref);
        if own != Some(&EntryStatus::Shipped) {
            let what = match own {
                None => "it is not in the Code Index".to_owned(),
                Some(status) => format!("its entry in the Code Index is {status:?}"),
            };
            fail("code_index_check", module, None, what);
        }
        for (reference, built) in &module.built_against {
            match by_ref.get(reference.as_str()) {
                None => {
                    let what = "it depends on a module that is not in the release".to_owned();
                    fail("dependency_check", module, Some(reference), what);
                }
                Some(producer) if producer.fingerprint != *built => {
                    let what = format!(
                        "built against {built}, and the contract is {}",
                        producer.fingerprint
                    );
                    fail("fingerprint_check", module, Some(reference), what);
                }
                Some(_) => {}
            }
            let inactive = index
                .get(reference)
                .is_some_and(|s| *s != EntryStatus::Shipped);
            if inactive && own != Some(&EntryStatus::Deprecated) {
                let what = "it depends on a module that should not be used any more".to_owned();
                fail("deprecation_check", module, Some(reference), what);
            }
        }
    }
    let outcome = |gate: &str| {
        if failures.iter().any(|failure| failure.gate == gate) {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    };
    let gates = IntegrationGates {
        dependency_check: outcome("dependency_check"),
        fingerprint_check: outcome("fingerprint_check"),
        deprecation_check: outcome("deprecation_check"),
        code_index_check: outcome("code_index_check"),
    };
    (gates, failures)
}
