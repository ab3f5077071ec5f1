//! Everything that can happen to the waves of a milestone. Time arrives with it.

use crate::fact::TaskFinished;
use crate::want::WantId;
use kernel::Decision;
use kernel::machine::Happening;
use kernel::outcome::CheckResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a person's word about a criterion begins with; the criterion's text or number follows.
pub(crate) const TICK: &str = "tick ";

/// The words that stand for a tick.
pub fn tick_option(criterion: &str) -> String {
    format!("{TICK}{criterion}")
}

/// What happened. It can be carried to another process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", content = "with", rename_all = "snake_case")]
pub enum What {
    /// An engine takes the milestone up: what an earlier one held goes back.
    Open,
    /// The last line of the journal was torn by a crash and has been cut.
    TailCut {
        bytes: u64,
        /// The file that keeps them.
        kept_in: String,
    },
    /// Settle.
    Advance,
    /// The engine is about to start this.
    Begin(WantId),
    /// Something that was started ended.
    Answered { id: WantId, answer: Answer },
    /// A person has answered what a task's run waited for.
    Resume { task: String },
    /// A person ends the live wave.
    Close,
    /// A person decided something about the milestone as a whole.
    Decide(Decision),
}

impl Happening for What {
    type Id = WantId;

    fn advance() -> Self {
        What::Advance
    }

    fn begin(id: WantId) -> Self {
        What::Begin(id)
    }

    fn decide(decision: Decision) -> Self {
        What::Decide(decision)
    }
}

/// How something ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "with", rename_all = "snake_case")]
pub enum Answer {
    /// The base of the next wave.
    Base {
        commit: String,
        /// Names that runs have already, or will have.
        taken: BTreeSet<String>,
        /// The integration gate on it; empty if an earlier merge had proven it.
        results: Vec<CheckResult>,
    },
    /// A worktree was made; `git rev-parse HEAD` says that it stands here.
    Forked(String),
    /// A worker ended, or could not begin.
    Worked(Worked),
    /// A merge ended.
    Merged(Merging),
    /// What the wave needed is put away.
    PutAway,
    /// The criteria were tried: one answer for each command, in order.
    Judged(Vec<CheckResult>),
    /// It was interrupted, and there is nothing to tell.
    Interrupted,
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worked {
    /// The run is done.
    Finished(TaskFinished),
    /// The run waits for a person.
    Waits {
        /// The run's reason.
        reason: String,
        /// A sentence.
        why: String,
    },
    /// It cannot go on.
    Failed {
        /// A stable word.
        code: String,
        /// A sentence.
        reason: String,
    },
    /// It was interrupted, by a person or because its time was over.
    Interrupted,
}

/// How a merge ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merging {
    /// The gate ran on the merged tree.
    Gated {
        /// `git rev-parse HEAD` in the task's worktree, right before.
        echo: String,
        /// The merged commit.
        commit: String,
        /// What the gate said.
        results: Vec<CheckResult>,
    },
    /// The task contradicts what was merged before it.
    Conflict { files: Vec<String> },
    /// It was not tried: the worktree does not stand on the base.
    Unverified {
        /// What git said.
        echo: String,
    },
    /// It did not come to an end.
    Lost {
        /// Why.
        reason: String,
    },
}
