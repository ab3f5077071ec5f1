//! The words of one task's loop: what became of a module, what came back, and the steps that are
//! journaled. It decides nothing; `work` does.

use super::debate::{Debate, Move};
use super::roles::{Occasion, Role};
use super::ship::ShipStep;
use crate::halt::exception::Raised;
use crate::micro_plan::{IoContract, Plan, PlanFault};
use crate::project::types::{ModuleId, ModuleRef, Version};
use kernel::outcome::{CheckResult, Outcome};
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};

/// What became of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Its turn has not come.
    Waiting,
    /// It is being debated or shipped.
    Active,
    /// It is shipped, or a shipped one is reused.
    Shipped(ModuleRef),
    /// Its debate or ship failed.
    Failed(String),
}

/// A module at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// What became of it.
    pub fate: Fate,
    /// The version that it will have.
    pub version: Version,
    pub debate: Debate,
    /// The attempt that made its newest deliverable: what was debated is what is shipped.
    #[serde(default)]
    pub deliverable: Option<EffectId>,
    /// The attempt that made what was debated last: what amendments are held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<EffectId>,
    /// The attempt that made its first proposal: what tells this debate from one before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<EffectId>,
    /// The shipped one that the plan would reuse, while it is examined for this task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused: Option<ModuleRef>,
    /// The one of another project that it is; none: it is made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
}

/// A module of another project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    pub reference: ModuleRef,
    /// None: nobody has looked yet.
    pub found: Option<Found>,
}

/// What the engine found of it, held against its seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub contract: IoContract,
    pub depends_on: Vec<ModuleRef>,
    /// Its project, release and ship, in words.
    pub from: String,
}

/// What came back from the effect in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Attempt(EffectId, Box<Outcome>),
    Gate(Vec<CheckResult>),
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Every module is shipped: these, in order.
    Shipped(Vec<ModuleRef>),
    /// A person must help.
    Halted {
        /// A stable word.
        code: String,
        /// The module that failed first.
        module: Option<ModuleId>,
    },
}

/// One step of the loop, as it is journaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The plan is good and cannot change any more.
    PlanLocked(Plan),
    /// It is not good.
    PlanRefused(Vec<PlanFault>),
    /// A module's turn, and the version that it will have.
    Began(usize, Version),
    /// A shipped module is reused.
    Reused(usize, ModuleRef),
    /// A shipped module would be reused, if it passes the exam of this task.
    Examining(usize, ModuleRef),
    /// A module of another project is looked for.
    Sought(usize, ModuleRef),
    /// It is there, and does what the plan needs: it is shipped here as it is, by the same gates.
    Found(usize, Box<Found>),
    /// The debate went on.
    Debated(usize, Move),
    /// An interface change exception was raised; the task halts.
    Raised(Box<Raised>),
    /// One could not be raised.
    RaiseRefused(Vec<String>),
    /// The attempt ended badly; the same question again.
    Again {
        why: String,
        not_before: Option<Time>,
        /// Go on with this attempt.
        continues: Option<EffectId>,
    },
    /// More attempts would change nothing: a person must mend the environment.
    Stuck(String),
    /// The attempts kept ending badly before there was a plan.
    GaveUp(String),
    Over(End),
}

/// What should be in flight for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Plan,
    /// A role's turn in a module's debate.
    Role(usize, Role, Occasion),
    /// A module's proposal, tried by the engine.
    Try(usize),
    /// A module's exam, tried by the engine.
    Seal(usize),
    /// A module's exam, sat before it is debated.
    Sit(usize),
    /// A module of another project, held against its seal.
    Seek(usize),
    /// A step of a module's ship.
    Ship(usize, ShipStep),
}
