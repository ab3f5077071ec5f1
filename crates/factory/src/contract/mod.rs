//! The contract of a micro module (section 11.1): what goes in, what comes out, how it fails, what
//! it changes, how it is called. The five dimensions are all there or it is no contract. It says
//! nothing about how a module works inside, and never will.

pub mod answers;
mod bump;
pub mod coverage;
pub mod examples;
mod fingerprint;
pub mod fit;
pub mod from_plan;
mod validate;

pub use bump::{judge_bump, required_bump};
pub use fingerprint::{DimensionDiff, Fingerprint, Mismatch, MismatchArtifact, canonical, compare};

use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that others may know of a module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MicroModuleContract {
    /// `MM-...`.
    #[schemars(extend("pattern" = r"^MM-[\w-]+$"))]
    pub module_id: String,
    /// Its version.
    pub module_version: Version,
    /// Its name, for people.
    pub name: String,
    /// What it is for, in one sentence.
    pub purpose: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
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
    /// Scenarios that the implementation must handle.
    #[serde(default)]
    pub error_cases: Vec<String>,
    /// Modules that it uses.
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
    /// What it promises to users of other versions.
    #[serde(default)]
    pub compatibility: Compatibility,
    /// Hints about cost.
    #[serde(default)]
    pub runtime_budgets: RuntimeBudgets,
}

/// The five dimensions alone: all that a fingerprint covers. Read from a contract, it passes over
/// everything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// One input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_: String,
    /// What holds of it. A constraint that begins with `optional` says that it may be left out.
    pub constraints: Vec<String>,
}

/// One output.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_: String,
    /// What always holds of it.
    pub invariants: Vec<String>,
}

/// One way to fail.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorSurface {
    /// Its name.
    pub name: String,
    /// The condition.
    pub when: String,
    /// How callers see it.
    pub surface: SurfaceKind,
}

/// How callers see an error.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SurfaceKind {
    /// It is thrown.
    Exception,
    /// It is a code.
    Code,
    /// It is one of the values that can be returned.
    Variant,
}

/// One change outside of the module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// What kind of change.
    #[serde(rename = "type")]
    pub type_: EffectKind,
    /// What is changed or called.
    pub target: String,
    /// What happens to it.
    pub description: String,
}

/// Kinds of effects.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum EffectKind {
    Post,
    Put,
    Patch,
    Write,
    Call,
    Mutation,
}

/// Whether callers wait.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modes {
    /// It can be called and waited for.
    pub sync: bool,
    /// It can be called without waiting.
    #[serde(rename = "async")]
    pub async_: bool,
    /// What else there is to know.
    #[serde(default)]
    pub notes: String,
}

/// A module that is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// `MM-...@range`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Why.
    pub why: String,
}

/// Promises about other versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compatibility {
    /// `MM-...@range` each.
    #[serde(default)]
    pub backward_compatible_with: Vec<String>,
    /// What users can rely on when it breaks.
    #[serde(default)]
    pub breaking_change_policy: String,
}

/// Hints about cost; no promise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuntimeBudgets {
    /// 95 of 100 calls take at most so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms_p95: Option<f64>,
    /// It never takes more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mb_max: Option<f64>,
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

    /// The hash of its five dimensions (section 11.1).
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
