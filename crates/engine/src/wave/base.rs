//! The base that a wave forks from, and the user's branch after it. The base holds what is merged
//! so far and what the user has committed since; the branch is moved forward only over a tree
//! without changes, and otherwise left to the user.

use super::folder::MilestoneFolder;
use super::performer::WavePerformer;
use ::wave::Board;
use kernel::outcome::CheckResult;
use sandbox::Cancel;
use workspace::error::EngineError;
use workspace::git;
use workspace::lock::{self, Turn};
use workspace::worktree::{self, Merged};

/// A base, and what the gate said of it.
pub(super) struct Base {
    pub(super) commit: String,
    pub(super) results: Vec<CheckResult>,
}

/// Finds the base of the next wave, and runs the integration gate on it unless a merge has done so.
pub(super) fn base(
    performer: &WavePerformer,
    tip: Option<&str>,
    cancel: &Cancel,
) -> Result<Base, EngineError> {
    let folder = &performer.folder;
    let repo = folder.project.repo();
    let head = worktree::resolve(repo, "HEAD")?.ok_or_else(|| {
        EngineError::user(
            "no_commit",
            format!("{} has no commit yet", repo.display()),
            "commit what the tasks should start from",
        )
    })?;
    let commit = match tip {
        None => head,
        Some(tip) if worktree::is_ancestor(repo, &head, tip)? => tip.to_owned(),
        Some(tip) if worktree::is_ancestor(repo, tip, &head)? => head,
        Some(tip) => both(folder, tip, &head)?,
    };
    let results = if tip == Some(commit.as_str()) {
        Vec::new()
    } else {
        performer.run_on(&commit, None, &folder.milestone.integration, cancel)?
    };
    Ok(Base { commit, results })
}

/// The user has committed while waves were merged: the next wave starts from both.
fn both(folder: &MilestoneFolder, tip: &str, head: &str) -> Result<String, EngineError> {
    let repo = folder.project.repo();
    match worktree::merge(repo, tip, head)? {
        Merged::Tree(tree) => {
            let message = format!(
                "{}: take in what was committed since",
                folder.milestone.name
            );
            worktree::commit(repo, &tree, &[tip, head], &message)
        }
        Merged::Conflict { files, .. } => Err(EngineError::user(
            "base_diverged",
            format!(
                "your commits and what waves of `{}` merged contradict each other in {}",
                folder.milestone.name,
                files.join(", ")
            ),
            format!(
                "merge the branch `{}` into yours by hand, then run again",
                folder.branch()
            ),
        )),
    }
}

/// Refuses to work where our own branch is checked out: moving it would pull the ground away.
pub(super) fn not_on_our_branch(folder: &MilestoneFolder) -> Result<(), EngineError> {
    match worktree::branch(folder.project.repo())? {
        Some(branch) if branch == folder.branch() => Err(EngineError::user(
            "wave_branch_checked_out",
            format!("`{branch}` is checked out, and waves move it"),
            "check out another branch; merge this one into it when a wave has ended",
        )),
        _ => not_blocked(folder),
    }
}

/// Refuses to work where a branch has the name of the folder that ours would be in: git has no room for
/// both, and that would be found out when the first task is merged.
fn not_blocked(folder: &MilestoneFolder) -> Result<(), EngineError> {
    const FOLDER: &str = "refs/heads/proofhouse";
    match worktree::resolve(folder.project.repo(), FOLDER)? {
        None => Ok(()),
        Some(_) => Err(EngineError::user(
            "wave_branch_blocked",
            format!(
                "there is a branch `proofhouse`, so that there can be none `{}`",
                folder.branch()
            ),
            "rename it: `git branch -m proofhouse ANOTHER`",
        )),
    }
}

/// Moves our branch one step, from the tip that a merge began with.
pub(super) fn step_branch(
    folder: &MilestoneFolder,
    board: &Board,
    onto: &str,
) -> Result<(), EngineError> {
    match &board.tip {
        Some(tip) if set(folder, &turn(folder)?, tip, Some(onto)).is_ok() => Ok(()),
        // The first step of all, or somebody else has moved it.
        _ => set_branch(folder, board),
    }
}

/// Makes our branch what the journal says.
pub(super) fn set_branch(folder: &MilestoneFolder, board: &Board) -> Result<(), EngineError> {
    let (Some(tip), false) = (&board.tip, board.merged.is_empty()) else {
        return Ok(());
    };
    let repo = folder.project.repo();
    // First: the git of an engine that was killed may be about to set it.
    let turn = turn(folder)?;
    let old = worktree::resolve(repo, &name(folder))?;
    match &old {
        Some(old) if old == tip => Ok(()),
        Some(old) if !worktree::is_ancestor(repo, old, tip)? => Err(EngineError::user(
            "wave_branch_moved",
            format!(
                "the branch `{}` holds commits that no wave has made",
                folder.branch()
            ),
            "it belongs to the waves: put your commits on another branch, and delete this one",
        )),
        _ => set(folder, &turn, tip, old.as_deref()),
    }
}

fn name(folder: &MilestoneFolder) -> String {
    format!("refs/heads/{}", folder.branch())
}

fn turn(folder: &MilestoneFolder) -> Result<Turn, EngineError> {
    lock::turn(&folder.scratch().join(git::TURNS))
}

/// Sets our branch, if it still is what we think.
fn set(
    folder: &MilestoneFolder,
    turn: &Turn,
    tip: &str,
    from: Option<&str>,
) -> Result<(), EngineError> {
    // Forty zeros: it must not exist yet.
    let none = "0".repeat(tip.len());
    let what = [&name(folder), tip, from.unwrap_or(&none)];
    git::set_ref(folder.project.repo(), turn, &what)
}

/// Moves the user's branch to the tip if that is a plain step forward over a tree without changes.
/// Gives what the user should know.
pub(super) fn advance(
    folder: &MilestoneFolder,
    board: &Board,
) -> Result<Option<String>, EngineError> {
    let (Some(tip), false) = (&board.tip, board.merged.is_empty()) else {
        return Ok(None);
    };
    let repo = folder.project.repo();
    let ours = folder.branch();
    let Some(branch) = worktree::branch(repo)? else {
        return Ok(Some(format!(
            "no branch is checked out; the merged work is on `{ours}`"
        )));
    };
    worktree::let_git_finish(&folder.project)?;
    let Some(head) = worktree::resolve(repo, "HEAD")? else {
        return Ok(None);
    };
    if worktree::is_ancestor(repo, tip, &head)? {
        return Ok(None);
    }
    if !worktree::is_ancestor(repo, &head, tip)? {
        return Ok(Some(format!(
            "`{branch}` has moved on; merge `{ours}` into it"
        )));
    }
    let changed = worktree::uncommitted(repo)?;
    if !changed.is_empty() {
        return Ok(Some(format!(
            "`{branch}` is left alone, because of changes that are in no commit: {}. Merge `{ours}` when you are ready",
            changed.join(", ")
        )));
    }
    Ok(Some(match worktree::fast_forward(&folder.project, tip) {
        Ok(()) => format!("`{branch}` was moved forward to {tip}"),
        Err(error) => format!(
            "`{branch}` is left alone ({}); merge `{ours}` by hand",
            error.what
        ),
    }))
}
