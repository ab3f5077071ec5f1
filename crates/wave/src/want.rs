//! What the waves of a milestone want done in the world. Pure descriptions that can be carried to
//! another process; `engine::wave` performs them.

use crate::board::Contradicted;
use crate::fact::Row;
use kernel::Time;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that should be in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "want", rename_all = "snake_case")]
pub enum Want {
    /// Find the base of the next wave, and try the integration gate on it.
    Base(BaseOrder),
    /// Make a task's worktree, and ask git where it stands.
    Fork(ForkOrder),
    /// Drive a task's run.
    Work(WorkOrder),
    /// Merge a task's work, and try the integration gate on the merged tree.
    Merge(MergeOrder),
    /// Everything has ended: put away what the wave needed.
    Close(CloseOrder),
    /// Try the exit criteria.
    Judge(JudgeOrder),
}

/// The kinds of want.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// See [`Want::Base`].
    Base,
    /// See [`Want::Fork`].
    Fork,
    /// See [`Want::Work`].
    Work,
    /// See [`Want::Merge`].
    Merge,
    /// See [`Want::Close`].
    Close,
    /// See [`Want::Judge`].
    Judge,
}

impl Act {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Act::Base => "base",
            Act::Fork => "fork",
            Act::Work => "work",
            Act::Merge => "merge",
            Act::Close => "close",
            Act::Judge => "judge",
        }
    }
}

/// What tells a want apart, in all lives of all engines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WantId {
    /// In which wave, from 1.
    pub wave: u32,
    /// Of which task; empty if of none.
    pub task: String,
    /// What is done.
    pub act: Act,
    /// For which time: a claim or a merge that was lost is begun anew under another number.
    pub nth: u32,
}

impl fmt::Display for WantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (act, wave, nth) = (self.act.name(), self.wave, self.nth);
        write!(f, "{act} {} of wave {wave}, time {nth}", self.task)
    }
}

/// An order to find the base of the next wave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseOrder {
    /// Fences late answers.
    pub id: WantId,
    /// The last commit that passed the integration gate, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// The tasks that are ready.
    pub ready: Vec<String>,
}

/// An order to make a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrder {
    /// Fences late answers.
    pub id: WantId,
    /// The task.
    pub row: Row,
    /// Where it must stand.
    pub base: String,
    /// Is it there already, and only asked where it stands?
    #[serde(default)]
    pub again: bool,
}

/// An order to drive a task's run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkOrder {
    /// Fences late answers.
    pub id: WantId,
    /// The task.
    pub row: Row,
    /// What an earlier try ended with, for this one to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_back: Option<String>,
    /// The work of an earlier try that is to be brought together with the base, instead of anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settles: Option<Contradicted>,
    /// When its claim ends; none: a claim's whole time from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

/// An order to merge a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeOrder {
    /// Fences late answers.
    pub id: WantId,
    /// The task.
    pub row: Row,
    /// The commit with all its work.
    pub work: String,
    /// The wave's base.
    pub base: String,
    /// What it is merged onto.
    pub tip: String,
}

/// An order to put away what a wave needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseOrder {
    /// Fences late answers.
    pub id: WantId,
    /// What goes into the milestone's wave log.
    pub digest: String,
}

/// An order to try the exit criteria.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeOrder {
    /// Fences late answers.
    pub id: WantId,
    pub commit: String,
    /// One command for each criterion that names one, in order.
    pub commands: Vec<String>,
}

impl kernel::Want for Want {
    type Id = WantId;

    fn id(&self) -> WantId {
        match self {
            Want::Base(order) => order.id.clone(),
            Want::Fork(order) => order.id.clone(),
            Want::Work(order) => order.id.clone(),
            Want::Merge(order) => order.id.clone(),
            Want::Close(order) => order.id.clone(),
            Want::Judge(order) => order.id.clone(),
        }
    }
}
