//! What survives of a milestone: every fact of its journal. As with runs, kinds are versioned, a
//! stored struct may gain a member with a default, and an unknown kind is refused.

use kernel::outcome::CheckResult;
use kernel::{Autonomy, Time};
use serde::{Deserialize, Serialize};

kernel::stored! {
    /// The fact itself.
    pub enum Fact {
        /// A wave began.
        WaveOpened(WaveOpened) = "wave_opened.v1",
        /// A torn last line of this journal was cut.
        TailCut(kernel::event::TailCut) = "wave_tail_cut.v1",
        /// A worker took a task.
        TaskClaimed(TaskClaimed) = "task_claimed.v1",
        /// Its worktree was made, and stands where it should.
        TaskForked(TaskForked) = "task_forked.v1",
        /// A worker is gone; its claim went back.
        ClaimReturned(ClaimReturned) = "claim_returned.v1",
        /// A task's run waits for a person.
        TaskWaits(TaskWaits) = "task_waits.v1",
        /// A person has answered; the task goes on.
        TaskResumed(TaskResumed) = "task_resumed.v1",
        /// A task's run is done, and everything in its worktree is in a commit.
        TaskFinished(TaskFinished) = "task_finished.v1",
        /// A task failed in this wave.
        TaskFailed(TaskFailed) = "task_failed.v1",
        /// A merge is about to be tried.
        MergeBegan(MergeBegan) = "merge_began.v1",
        /// A merge will never answer.
        MergeLost(MergeLost) = "merge_lost.v1",
        /// A merge was not tried, for a reason that a person can mend.
        MergeHeld(MergeHeld) = "merge_held.v1",
        /// A task is merged, and the gate passed on the merged tree.
        TaskMerged(TaskMerged) = "task_merged.v1",
        /// A merge failed; the task is ready again.
        TaskPutBack(TaskPutBack) = "task_put_back.v1",
        /// Too many failed: one by one from here.
        WaveFellBack(WaveFellBack) = "wave_fell_back.v1",
        /// A wave ended.
        WaveClosed(WaveClosed) = "wave_closed.v1",
        /// The exit criteria were tried.
        GoalJudged(GoalJudged) = "goal_judged.v1",
        /// A person says that a criterion holds, which no command can show.
        CriterionTicked(CriterionTicked) = "criterion_ticked.v1",
        /// A person took on that the sandbox may not hold on this machine.
        SandboxWaived(Said) = "wave_sandbox_waived.v1",
    }
}

/// One fact and its time.
pub type Dated = kernel::Event<Fact>;

/// What a person said about a milestone, and how it came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub who: String,
    /// Through which channel.
    pub channel: String,
    /// Why.
    pub because: String,
    /// The journal's last record when it was said.
    pub seen_seq: u64,
    /// The armored signature, if it was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A person says that a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionTicked {
    /// As it is written.
    pub criterion: String,
    /// On this commit; on another one it has to be said again.
    pub commit: String,
    /// Who, how and why.
    pub said: Said,
}

/// A wave began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaveOpened {
    pub milestone: String,
    /// From 1.
    pub number: u32,
    /// The commit that every fork must stand on.
    pub base: String,
    /// Tasks at once.
    pub jobs: u64,
    /// Failures until one by one.
    pub sequential_after: u32,
    /// In the order of merging.
    pub roster: Vec<Row>,
    /// The integration gate on the base; empty if an earlier merge had proven it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CheckResult>,
}

/// One task of a wave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub task: String,
    /// Its run, and its worktree's name.
    pub run: String,
    /// Its task folder in the tree; empty where that is out of it.
    pub dir: String,
    /// Its rung.
    pub autonomy: Autonomy,
    /// How long one claim lasts.
    pub timeout_millis: u64,
}

/// A worker took a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskClaimed {
    pub task: String,
    /// The engine that holds it.
    pub lease: String,
    /// Until when.
    pub until: Time,
}

/// Its worktree stands where it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskForked {
    pub task: String,
    /// What `git rev-parse HEAD` said in the worktree.
    pub echo: String,
}

/// Why a claim went back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Return {
    /// The engine that held it is gone.
    WorkerGone,
    /// A person interrupted it.
    Interrupted,
    /// Its time ran out.
    Lapsed,
}

/// A claim went back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReturned {
    pub task: String,
    pub why: Return,
}

/// A task's run waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskWaits {
    pub task: String,
    /// The run's reason, a stable word.
    pub reason: String,
    /// A sentence.
    pub why: String,
}

/// A person has answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResumed {
    pub task: String,
    /// Is git asked anew where its fork stands, before anybody builds on what was approved?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

/// A task's run is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFinished {
    pub task: String,
    /// The commit with all its work.
    pub commit: String,
    /// The run's last record.
    pub seq: u64,
    pub hash: String,
}

/// A task failed in this wave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFailed {
    pub task: String,
    /// A stable word.
    pub code: String,
    /// A sentence.
    pub reason: String,
}

/// A merge is about to be tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeBegan {
    pub task: String,
    /// The tip that it is merged onto.
    pub onto: String,
}

/// A merge will never answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeLost {
    pub task: String,
    /// Why we think so.
    pub reason: String,
}

/// A merge was not tried, or this machine could not judge it. It counts as no try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeHeld {
    pub task: String,
    /// A stable word.
    pub code: String,
    /// A sentence.
    pub reason: String,
}

/// A task is merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskMerged {
    pub task: String,
    /// What `git rev-parse HEAD` said in its worktree, right before.
    pub echo: String,
    /// The tip before.
    pub onto: String,
    /// The tip after.
    pub commit: String,
    /// The integration gate on the merged tree.
    pub results: Vec<CheckResult>,
}

/// A merge failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPutBack {
    pub task: String,
    /// `merge_conflict` or `integration_failed`.
    pub code: String,
    /// A sentence.
    pub reason: String,
    /// The integration gate, if it came to that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CheckResult>,
}

/// One by one from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaveFellBack {
    /// How many had failed.
    pub failures: u32,
}

/// A wave ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaveClosed {
    pub number: u32,
    /// What goes into the milestone's wave log.
    pub digest: String,
}

/// The exit criteria were tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalJudged {
    pub commit: String,
    /// One answer for each criterion that names a command, in order.
    pub results: Vec<CheckResult>,
    /// Criteria that only a person can judge.
    pub unproven: Vec<String>,
}
