//! An interface change exception (rule F13): who may raise one, against what, and what it must
//! say. A record is immutable; what people decide about it are records of their own.

use crate::debate::line;
use crate::engineering::roles::Role;
pub use crate::exception::Ruling;
use crate::exception::{ANSWER, InterfaceChangeException, RAISED};
use crate::project::types::{ExceptionId, ModuleRef, TaskId};
use kernel::form::Answer;
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who may raise one (rule F13.2). The ship raises through the Proposer's revision.
pub const RAISERS: [Role; 2] = [Role::Proposer, Role::Challenger];

/// May this role?
pub fn may_raise(role: Role) -> bool {
    RAISERS.contains(&role)
}

/// An exception and who raised it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    pub exception: InterfaceChangeException,
    /// By whom.
    pub role: Role,
    /// In which attempt.
    pub effect: EffectId,
}

/// Judges what a role raised: every fault at once. `result` is its whole answer.
pub fn judge(
    result: &Value,
    role: Option<Role>,
    this: Option<&ModuleRef>,
    upstream: &[ModuleRef],
) -> Result<InterfaceChangeException, Vec<String>> {
    let mut faults = Vec::new();
    if !role.is_some_and(may_raise) {
        let who = role.map_or("the engine", Role::as_str);
        faults.push(format!(
            "exception_not_by_this_role: the {who} may not raise one; the proposer and the challenger may"
        ));
    }
    let wrong = Answer(&[&ANSWER]).faults(result);
    faults.extend(
        wrong
            .iter()
            .map(|one| format!("exception_malformed: {}", line(one))),
    );
    let Ok(read) = InterfaceChangeException::deserialize(&result[RAISED]) else {
        return Err(faults);
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
    if read.proposed_contract_delta.is_empty() {
        faults.push("exception_without_change: the delta is empty".to_owned());
    }
    if faults.is_empty() {
        Ok(read)
    } else {
        Err(faults)
    }
}

/// The stored record, `state_store/exceptions/{id}.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub exception_id: ExceptionId,
    /// The task that it halted.
    pub task: TaskId,
    /// When.
    pub at: Time,
    /// What and who. Never changes.
    #[serde(flatten)]
    pub raised: Raised,
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
    pub exception_id: ExceptionId,
    pub ruling: Ruling,
    /// Why.
    pub because: String,
    pub who: String,
    /// When.
    pub at: Time,
    #[serde(default)]
    pub then: AfterRejection,
}
