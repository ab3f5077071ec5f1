//! What a command has just done, for whoever reads its JSON: something new began, a person's word was
//! taken in, work was landed or set aside.

use kernel::Status;
use serde::Serialize;
use std::path::PathBuf;

/// A new run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunBegun {
    pub run: String,
    pub workflow: String,
    /// Its task folder.
    pub task: PathBuf,
    /// What proves its work.
    pub commands: Vec<String>,
    /// Who named these commands.
    pub commands_from: String,
    /// Files that were written from templates.
    pub written: Vec<String>,
    /// What its agents lack here.
    pub missing: Vec<String>,
}

/// A new run that left another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForkBegun {
    pub run: String,
    /// The run that it left, at which record, and that record's hash.
    pub parent: String,
    pub seq: u64,
    pub hash: String,
    /// The commit that it goes on from.
    pub commit: String,
    /// The state that it stands in.
    pub state: String,
    /// Its task folder.
    pub task: PathBuf,
    /// What its agents lack here.
    pub missing: Vec<String>,
}

/// A new project of the factory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectBegun {
    pub project: String,
    /// How many tasks its spec has; none while there is no spec yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<usize>,
    /// What its agents lack here.
    pub missing: Vec<String>,
}

/// A person's word on a spec that was taken in.
#[derive(Debug, Clone, Serialize)]
pub struct SpokenOn {
    pub project: String,
    /// Where the project stands after it.
    pub status: Status,
}

/// A run whose work is on a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Landed {
    pub run: String,
    pub branch: String,
    /// The commit that is now its last.
    pub commit: String,
    /// How many files it changed.
    pub files: usize,
    /// The commands that passed on both together, if the branch had moved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proven_together: Vec<String>,
    /// What of it nothing shows that it could have failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weak_together: Vec<String>,
    /// Why the run's worktree is still there; none if it is gone.
    pub worktree_kept: Option<String>,
}

/// A run that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Discarded {
    pub run: String,
    /// The ref that keeps what it made.
    pub kept_by: String,
    /// The commit that the ref is at.
    pub commit: String,
    /// Was there a worktree to remove?
    pub removed: bool,
}

/// What became of a branch at a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pushed {
    /// It was not there.
    New,
    /// An earlier one of the same run gave way.
    Anew,
    /// An earlier one of the same run holds the same work.
    Already,
}

/// A pull request for a run's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Requested {
    pub run: String,
    /// The branch that was pushed.
    pub branch: String,
    /// Was it there before?
    pub pushed: Pushed,
    /// The branch that it is to go onto.
    pub onto: String,
    pub commit: String,
    pub title: String,
    pub body: String,
    /// What the person's program said of the opened request; none if there is no such program.
    pub opened: Option<String>,
}
