//! The release manifest and, when a gate fails, its report. A failed release is on record too.

use super::gates::{Gate, Violation};
use crate::ids::{self, MOMENT};
use crate::project::types::ModuleRef;
use crate::ship::Outcome;
use kernel::Time;
use kernel::form::{Fault, Form, Formed, Object, SAID, Size, TEXT, may, must};
use kernel::module::Version;
use kernel::outcome::{CheckResult, Verdict};
use kernel::{EvidenceRef, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The piece of evidence that holds a product: its files' texts by path.
pub const FILES: &str = "product files";

/// Everything, or what a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All tasks are closed; nobody asked.
    Full,
    /// A person named the modules.
    Partial,
}

/// What becomes of the product in a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Building {
    /// It is put together and tried.
    Built,
    /// A person releases without it, and says why.
    Waived(String),
}

/// The gates of a release.
pub fn gates_of(product: Option<&Building>) -> Vec<Gate> {
    let mut gates = Gate::FOUR.to_vec();
    if product == Some(&Building::Built) {
        gates.push(Gate::ProductCheck);
    }
    gates
}

words! {
    /// How it went with the product.
    pub enum ProductResult {
        /// It builds, its tests pass, its cases hold.
        Pass = "PASS",
        /// It does not.
        Fail = "FAIL",
        /// A person released without it.
        Waived = "WAIVED",
    }
}

/// The product of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductJudged {
    pub result: ProductResult,
    /// What can be run now, or why nothing can.
    pub what: String,
    /// Every file of it, as it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<EvidenceRef>,
}

impl ProductJudged {
    /// By what the engine found; none: the release has no product.
    pub fn of(product: Option<&Building>, results: &[CheckResult]) -> Option<Self> {
        let name = Gate::ProductCheck.as_str();
        let (result, what, files) = match product? {
            Building::Waived(why) => (ProductResult::Waived, why.clone(), None),
            Building::Built => match results.iter().find(|one| one.check == name) {
                Some(one) if one.verdict == Verdict::Pass => {
                    let files = one.evidence.iter().find(|kept| kept.name == FILES);
                    (ProductResult::Pass, one.reason.clone(), files.cloned())
                }
                Some(one) => (ProductResult::Fail, one.reason.clone(), None),
                None => (ProductResult::Fail, "it was not tried".to_owned(), None),
            },
        };
        Some(Self {
            result,
            what,
            files,
        })
    }
}

/// One released module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
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
    /// What was put together of the modules; none: nothing was to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<ProductJudged>,
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
        let gates: Map<String, Value> = Gate::FOUR
            .iter()
            .map(|gate| (gate.as_str().to_owned(), Value::from(self.gate(*gate))))
            .collect();
        let notes = match self.violations.len() {
            0 => format!("{} modules released", self.modules.len()),
            count => format!("blocked by {count} violations; see the failure report"),
        };
        let mut document = json!({
            "release_id": self.release_id,
            "created_at": self.created_at,
            "spec_version": self.spec_version,
            "modules": self.modules,
            "integration_gates": gates,
            "overall_result": if self.passed() { "PASS" } else { "FAIL" },
            "notes": notes,
        });
        if let Some(product) = &self.product {
            let mut shown = json!({"result": product.result, "what": product.what});
            if let Some(files) = &product.files {
                shown["files_sha256"] = json!(files.hash);
            }
            document["product"] = shown;
        }
        document
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

/// What the engine's own run of the gates adds. A gate that it did not run has failed.
pub fn engine_violations(gates: &[Gate], results: &[CheckResult]) -> Vec<Violation> {
    let mut found = Vec::new();
    for gate in gates.iter().copied() {
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

const PRODUCT: Form = Form::Object(&Object {
    name: "ReleasedProduct",
    about: "What was put together of the modules.",
    members: &[
        must(
            "result",
            "WAIVED: a person released without it.",
            ProductResult::FORM,
        ),
        must("what", "What can be run now, or why nothing can.", SAID),
        may(
            "files_sha256",
            "Every file of it, among the evidence.",
            TEXT,
        ),
    ],
});

const GATES: Form = Form::Object(&Object {
    name: "IntegrationGates",
    about: "How each gate ended.",
    members: &[
        must(
            "dependency_check",
            "Every dependency is in the set and shipped.",
            Outcome::FORM,
        ),
        must(
            "fingerprint_check",
            "Every consumer was built against the producer's present contract.",
            Outcome::FORM,
        ),
        must(
            "deprecation_check",
            "Nothing active depends on what is deprecated.",
            Outcome::FORM,
        ),
        must(
            "code_index_check",
            "Every module is in the Code Index as shipped.",
            Outcome::FORM,
        ),
    ],
});

/// A manifest as a document.
pub const MANIFEST: Object = Object {
    name: "ReleaseManifest",
    about: "A set of modules that goes together.",
    members: &[
        must(
            "release_id",
            "`REL-` and 8 hex digits.",
            Form::Id(ids::RELEASE),
        ),
        must("created_at", "ISO 8601.", MOMENT),
        must("spec_version", "Of the spec behind it.", Version::FORM),
        must(
            "modules",
            "In order.",
            Form::List(
                &Form::Object(&Object {
                    name: "ReleasedModule",
                    about: "One of them.",
                    members: &[
                        must("module_ref", "`MM-...@x.y.z`.", ModuleRef::FORM),
                        must("ship_ref", "`SHIP-` and 8 hex digits.", Form::Id(ids::SHIP)),
                    ],
                }),
                Size::SOME,
            ),
        ),
        must("integration_gates", "How each gate ended.", GATES),
        must(
            "overall_result",
            "PASS if and only if all four are, and the product does not FAIL.",
            Outcome::FORM,
        ),
        must("notes", "For people, with the failures.", TEXT),
        may("product", "What was put together of the modules.", PRODUCT),
    ],
};

/// The report beside a manifest that says FAIL, as a document.
pub const FAILURE_REPORT: Object = Object {
    name: "ReleaseFailureReport",
    about: "What the gates of a release stumbled over.",
    members: &[
        must(
            "release_id",
            "`REL-` and 8 hex digits.",
            Form::Id(ids::RELEASE),
        ),
        must(
            "failing_gates",
            "Every gate that failed.",
            Form::List(&TEXT, Size::SOME),
        ),
        must(
            "violations",
            "What each stumbled over.",
            Form::List(
                &Form::Object(&Object {
                    name: "GateViolation",
                    about: "One thing that a gate stumbled over.",
                    members: &[
                        must("gate", "Which gate.", TEXT),
                        must("module", "`MM-...@x.y.z`, or `*` for all of them.", TEXT),
                        may("reference", "The module that it refers to.", TEXT),
                        must("why", "In words.", SAID),
                    ],
                }),
                Size::ANY,
            ),
        ),
        must("mend", "What to do about it.", TEXT),
    ],
};

/// A result that follows from the gates, and each module once.
pub(crate) fn manifest_rules(manifest: &Value, found: &mut Vec<Fault>) {
    let mut seen = std::collections::BTreeSet::new();
    let modules = manifest["modules"].as_array().into_iter().flatten();
    for (index, module) in modules.enumerate() {
        if !seen.insert(module["module_ref"].as_str()) {
            let path = format!("$.modules[{index}]");
            found.push(Fault::rule(
                "duplicate_id",
                path,
                "module_ref",
                "it is there twice",
            ));
        }
    }
    let gates = manifest["integration_gates"].as_object();
    let passed = gates.is_some_and(|gates| gates.values().all(|gate| gate == "PASS"))
        && manifest["product"]["result"] != "FAIL";
    if passed != (manifest["overall_result"] == "PASS") {
        let what = "PASS if and only if all four gates are PASS and the product does not FAIL";
        found.push(Fault::rule(
            "result_contradicts",
            "$",
            "overall_result",
            what,
        ));
    }
    if manifest["overall_result"] == "FAIL" {
        for mut fault in SAID.faults(&manifest["notes"]) {
            "notes".clone_into(&mut fault.field);
            found.push(fault);
        }
    }
}

/// Every violation is of a gate that failed.
pub(crate) fn failure_rules(report: &Value, found: &mut Vec<Fault>) {
    let failing = report["failing_gates"].as_array();
    let violations = report["violations"].as_array().into_iter().flatten();
    for (index, one) in violations.enumerate() {
        if !failing.is_some_and(|gates| gates.contains(&one["gate"])) {
            let what = format!("{} is not among the gates that failed", one["gate"]);
            let path = format!("$.violations[{index}]");
            found.push(Fault::rule("unknown_reference", path, "gate", what));
        }
    }
}
