//! An interface change exception (section 13): who may raise one, against what, and what it must
//! say. A record is immutable; what people decide about it are records of their own.

use crate::engineering::roles::Role;
use crate::project::types::{ExceptionId, ModuleRef, TaskId};
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who may raise one (section 13.2). The ship raises through the Proposer's revision.
pub const RAISERS: [Role; 2] = [Role::Proposer, Role::Challenger];

/// May this role?
pub fn may_raise(role: Role) -> bool {
    RAISERS.contains(&role)
}

/// Why the contract is not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExceptionType {
    /// The workflow is impossible with it.
    CannotSupport,
    /// It can be read in two ways.
    Ambiguous,
    /// It leaves something out.
    Incomplete,
    /// A whole dimension is missing.
    MissingDimension,
}

/// What the change would do to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Compatibility {
    /// Nothing.
    BackwardCompatible,
    /// Break them.
    Breaking,
    /// Nobody knows; counts as breaking.
    Unknown,
}

/// How soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Urgency {
    /// Nothing goes on without it.
    Blocking,
    /// Soon.
    High,
    /// Some time.
    Normal,
    /// Whenever.
    Low,
}

/// The change that is asked for. Elements have a `name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Delta {
    /// New inputs.
    pub added_inputs: Vec<Value>,
    /// Inputs that go.
    pub removed_inputs: Vec<Value>,
    /// Inputs that change.
    pub modified_inputs: Vec<Value>,
    /// New outputs.
    pub added_outputs: Vec<Value>,
    /// Outputs that go.
    pub removed_outputs: Vec<Value>,
    /// Outputs that change.
    pub modified_outputs: Vec<Value>,
    /// New error surfaces.
    pub added_error_surfaces: Vec<Value>,
    /// New effects.
    pub added_effects: Vec<Value>,
    /// The modes as they should be.
    pub mode_changes: Option<Value>,
}

impl Delta {
    /// Does it ask for nothing?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Why.
    #[serde(rename = "type")]
    pub kind: ExceptionType,
    /// Whose contract.
    pub target_module: ModuleRef,
    /// In words.
    pub reason: String,
    /// At least one.
    pub evidence: Vec<String>,
    /// At least one change.
    pub proposed_contract_delta: Delta,
    /// What it would do to others.
    pub compatibility_expectation: Compatibility,
    /// How soon.
    pub urgency: Urgency,
}

/// An exception and who raised it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// What.
    pub exception: Exception,
    /// By whom.
    pub role: Role,
    /// In which attempt.
    pub effect: EffectId,
}

impl Exception {
    /// Reads one and judges it: every fault at once.
    pub fn judge(
        value: &Value,
        role: Option<Role>,
        this: Option<&ModuleRef>,
        upstream: &[ModuleRef],
    ) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        if !role.is_some_and(may_raise) {
            let who = role.map_or("the engine", Role::as_str);
            faults.push(format!(
                "exception_not_by_this_role: the {who} may not raise one; the proposer and the challenger may"
            ));
        }
        let read: Self = match serde_json::from_value(value.clone()) {
            Ok(read) => read,
            Err(error) => {
                faults.push(format!("exception_malformed: {error}"));
                return Err(faults);
            }
        };
        let target = &read.target_module;
        if this.is_some_and(|this| this.module == target.module) {
            faults.push(format!(
                "exception_against_itself: {target} is the module at work; its own contract is changed by the debate"
            ));
        } else if !upstream.contains(target) {
            faults.push(format!(
                "exception_not_upstream: {target} is no shipped dependency of this module"
            ));
        }
        if read.reason.trim().is_empty() {
            faults.push("exception_without_reason: say why the contract is not enough".to_owned());
        }
        if read.evidence.iter().all(|line| line.trim().is_empty()) {
            faults.push("exception_without_evidence: give at least one piece".to_owned());
        }
        if read.proposed_contract_delta.is_empty() {
            faults.push("exception_without_change: the delta is empty".to_owned());
        }
        if faults.is_empty() {
            Ok(read)
        } else {
            Err(faults)
        }
    }
}

/// The stored record, `state_store/exceptions/{id}.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub exception_id: ExceptionId,
    /// The task that it halted.
    pub task: TaskId,
    /// When.
    pub at: Time,
    /// What and who. Never changes.
    #[serde(flatten)]
    pub raised: Raised,
}

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Ruling {
    /// The change is debated.
    ApproveChange,
    /// The task must do without, or stay halted.
    RejectChange,
    /// Later.
    Defer,
}

/// What becomes of the task after a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum AfterRejection {
    /// It waits for further guidance.
    #[default]
    StayHalted,
    /// It tries again within the contract.
    Requeue,
}

/// A decision on an exception: a record of its own that points at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionDecision {
    /// On which.
    pub exception_id: ExceptionId,
    /// What.
    pub ruling: Ruling,
    /// Why.
    pub because: String,
    /// Who.
    pub who: String,
    /// When.
    pub at: Time,
    /// For a rejection.
    #[serde(default)]
    pub then: AfterRejection,
}
