//! The contract of a micro module (rule F11.1): what goes in, what comes out, how it fails, what
//! it changes, how it is called. The five dimensions are all there or it is no contract. It says
//! nothing about how a module works inside, and never will.

pub mod answers;
mod bump;
pub mod coverage;
pub mod examples;
mod fingerprint;
pub mod fit;
pub mod from_plan;

pub use bump::{BadBump, judge_bump, required_bump};
pub use fingerprint::{DimensionDiff, Fingerprint, Mismatch, MismatchArtifact, canonical, compare};

use crate::ids;
use kernel::form::{Fault, Form, Formed, SAID, Size};
use kernel::module::{DEPENDENCY, Version};
use kernel::{document, words};
use serde::{Deserialize, Serialize};
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

/// The five dimensions alone: all that a fingerprint covers. Read from a contract, it passes over
/// everything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// What callers provide.
    pub inputs: Vec<Input>,
    /// What callers receive.
    pub outputs: Vec<Output>,
    /// How failures reach callers.
    pub error_surfaces: Vec<ErrorSurface>,
    /// What changes outside of it.
    pub effects: Vec<Effect>,
    /// Whether callers wait.
    pub modes: Modes,
}

/// The five dimensions of something that has more.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceRef<'c> {
    /// What callers provide.
    pub inputs: &'c [Input],
    /// What callers receive.
    pub outputs: &'c [Output],
    /// How failures reach callers.
    pub error_surfaces: &'c [ErrorSurface],
    /// What changes outside of it.
    pub effects: &'c [Effect],
    /// Whether callers wait.
    pub modes: &'c Modes,
}

document! {
    /// One input.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Input {
        /// Its name.
        name: String = SAID,
        /// Its type.
        type_ as "type": String = SAID,
        /// What holds of it. A constraint that begins with `optional` says that it may be left out.
        constraints: Vec<String> = TEXTS,
    }
}

document! {
    /// One output.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Output {
        /// Its name.
        name: String = SAID,
        /// Its type.
        type_ as "type": String = SAID,
        /// What always holds of it.
        invariants: Vec<String> = TEXTS,
    }
}

document! {
    /// One way to fail.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct ErrorSurface {
        /// Its name.
        name: String = SAID,
        /// The condition.
        when: String = SAID,
        /// How callers see it.
        surface: SurfaceKind,
    }
}

words! {
    /// How callers see an error.
    pub enum SurfaceKind {
        /// It is thrown.
        Exception = "exception",
        /// It is a code.
        Code = "code",
        /// It is one of the values that can be returned.
        Variant = "variant",
    }
}

document! {
    /// One change outside of the module.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Effect {
        /// What kind of change.
        type_ as "type": EffectKind,
        /// What is changed or called.
        target: String = SAID,
        /// What happens to it.
        description: String = SAID,
    }
}

words! {
    /// Kinds of effects.
    pub enum EffectKind {
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Write = "WRITE",
        Call = "CALL",
        Mutation = "MUTATION",
    }
}

document! {
    /// Whether callers wait.
    #[derive(Eq, PartialOrd, Ord)]
    pub struct Modes {
        /// It can be called and waited for.
        sync: bool,
        /// It can be called without waiting.
        async_ as "async": bool,
        /// What else there is to know.
        #[serde(default)]
        notes?: String,
    }
}

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

impl Surface {
    /// Lends them.
    pub fn surface(&self) -> SurfaceRef<'_> {
        SurfaceRef {
            inputs: &self.inputs,
            outputs: &self.outputs,
            error_surfaces: &self.error_surfaces,
            effects: &self.effects,
            modes: &self.modes,
        }
    }

    /// Their hash.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.surface())
    }
}

/// Does a constraint say that the input may be left out?
pub(crate) fn is_optional(constraint: &str) -> bool {
    let word = constraint.trim_start().get(..8);
    word.is_some_and(|word| word.eq_ignore_ascii_case("optional"))
}

impl Input {
    /// Whether callers may leave it out.
    pub fn is_optional(&self) -> bool {
        self.constraints.iter().any(|one| is_optional(one))
    }
}
