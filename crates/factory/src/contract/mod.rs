//! The contract of a micro module (rule F11.1): what goes in, what comes out, how it fails, what
//! it changes, how it is called. The five dimensions are all there or it is no contract. It says
//! nothing about how a module works inside, and never will.

pub mod answers;
pub mod coverage;
pub mod from_plan;

pub use documents::examples;
pub use languages::bump::{BadBump, judge_bump, required_bump};
pub use languages::dimensions::{
    Effect, EffectKind, ErrorSurface, Input, Modes, Output, Surface, SurfaceKind, SurfaceRef,
};
pub use languages::fingerprint::{
    DimensionDiff, Fingerprint, Mismatch, MismatchArtifact, canonical, compare,
};

use crate::ids;
use kernel::document;
use kernel::form::{Fault, Form, Formed, SAID, Size};
use kernel::module::{DEPENDENCY, Version};
use serde_json::Value;
use std::collections::BTreeSet;

const TEXTS: Form = Form::List(&SAID, Size::ANY);
const DIMENSION: Size = Size::SOME.or(
    "empty_dimension",
    "a module turns at least one input into at least one output",
);
const RANGES: Form = Form::List(&DEPENDENCY, Size::ANY);

document! {
    /// Everything that others may know of a module.
    pub struct MicroModuleContract {
        /// `MM-...`.
        module_id: String = Form::Id(ids::MODULE),
        /// Its version.
        module_version: Version,
        /// Its name, for people.
        name: String = SAID,
        /// What it is for, in one sentence.
        purpose: String = SAID,
        /// Words to find it by.
        #[serde(default)]
        tags?: Vec<String>,
        /// What callers provide.
        inputs: Vec<Input> = Form::List(&Input::FORM, DIMENSION),
        /// What callers receive.
        outputs: Vec<Output> = Form::List(&Output::FORM, DIMENSION),
        /// How failures reach callers.
        error_surfaces: Vec<ErrorSurface>,
        /// What changes outside of it.
        effects: Vec<Effect>,
        /// Whether callers wait.
        modes: Modes,
        /// Scenarios that the implementation must handle.
        #[serde(default)]
        error_cases?: Vec<String> = TEXTS,
        /// Modules that it uses.
        #[serde(default)]
        dependencies?: Vec<Dependency>,
        /// What it promises to users of other versions.
        #[serde(default)]
        compatibility?: Compatibility,
        /// Hints about cost.
        #[serde(default)]
        runtime_budgets?: RuntimeBudgets,
    }
}

/// The five dimensions, in the order of the document.
pub const DIMENSIONS: [&str; 5] = ["inputs", "outputs", "error_surfaces", "effects", "modes"];

document! {
    /// A module that is used.
    #[derive(Eq)]
    pub struct Dependency {
        /// `MM-...@range`.
        reference as "ref": String = DEPENDENCY,
        /// Why.
        why: String = SAID,
    }
}

document! {
    /// Promises about other versions.
    #[derive(Default, Eq)]
    pub struct Compatibility {
        /// `MM-...@range` each.
        #[serde(default)]
        backward_compatible_with?: Vec<String> = RANGES,
        /// What users can rely on when it breaks.
        #[serde(default)]
        breaking_change_policy?: String,
    }
}

document! {
    /// Hints about cost; no promise.
    #[derive(Copy, Default)]
    pub struct RuntimeBudgets {
        /// 95 of 100 calls take at most so long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        latency_ms_p95?: Option<f64>,
        /// It never takes more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory_mb_max?: Option<f64>,
    }
}

/// A module can be called, and no name is there twice.
pub(crate) fn rules(contract: &Value, found: &mut Vec<Fault>) {
    let modes = &contract["modes"];
    if modes["sync"] == false && modes["async"] == false {
        let what = "a module that is neither sync nor async cannot be called";
        found.push(Fault::rule("no_mode", "$", "modes", what));
    }
    for field in ["inputs", "outputs", "error_surfaces"] {
        let mut seen = BTreeSet::new();
        for (index, item) in contract[field].as_array().into_iter().flatten().enumerate() {
            let name = item["name"].as_str().unwrap_or_default();
            if !seen.insert(name) {
                let what = format!("`{name}` is there twice");
                let path = format!("$.{field}[{index}]");
                found.push(Fault::rule("duplicate_name", path, "name", what));
            }
        }
    }
}

impl MicroModuleContract {
    /// Its five dimensions.
    pub fn surface(&self) -> SurfaceRef<'_> {
        SurfaceRef {
            inputs: &self.inputs,
            outputs: &self.outputs,
            error_surfaces: &self.error_surfaces,
            effects: &self.effects,
            modes: &self.modes,
        }
    }

    /// The hash of its five dimensions (rule F11.1).
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.surface())
    }

    /// `MM-...@x.y.z`.
    pub fn reference(&self) -> String {
        format!("{}@{}", self.module_id, self.module_version)
    }
}
