//! Checkpoints: the working tree as it is, committed onto the run's own ref. It refuses to touch the
//! user's branch and index, and to set a ref while the git of a killed engine may be about to.

use super::{IDENTITY, Input, TRAILER, commits, common_dir, failed, finishing, git, started, text};
use crate::error::Error;
use crate::lock::{self, Turn};
use std::path::Path;

/// The ref that keeps a run's checkpoints, out of the way of the user's branches.
pub fn run_ref(run: &str) -> String {
    format!("refs/proofhouse/{run}")
}

/// In the scratch of a run or a milestone: whose turn it is to set its ref.
pub const TURNS: &str = "ref.lock";

/// Sets a ref that nobody writes but whoever holds the lock of its run or milestone, and the turn. What
/// is to be set is as in `git update-ref`.
pub fn set_ref(repo: &Path, turn: &Turn, what: &[&str]) -> Result<(), Error> {
    // Nobody else is at it, so that there is nobody to wait for.
    let mut args = vec!["-c", "core.filesRefLockTimeout=0", "update-ref"];
    args.extend(what);
    let Err(error) = finishing(repo, &args, turn) else {
        return Ok(());
    };
    // Everything was killed at once, or the power failed: what lies there is nobody's.
    let left = what.first().map(|name| format!("{name}.lock"));
    let left = common_dir(repo)?.join(left.unwrap_or_default());
    match std::fs::remove_file(&left) {
        Ok(()) => finishing(repo, &args, turn).map(drop),
        Err(_) => Err(error),
    }
}

/// Commits the working tree as it is onto the run's own ref. Touches neither branch nor index.
pub fn checkpoint(
    repo: &Path,
    run: &str,
    turns: &Path,
    scratch: &Path,
    subject: &str,
    head: &store::Head,
) -> Result<String, Error> {
    // First: the git of an engine that was killed may be about to set the ref.
    let turn = lock::turn(turns)?;
    let index = scratch.display().to_string();
    let mut env = vec![("GIT_INDEX_FILE", index.as_str())];
    env.extend(IDENTITY);
    let own_ref = run_ref(run);
    let [head_commit, own] = commits(repo, ["HEAD", &own_ref])?;
    let parent = own.or_else(|| head_commit.clone());
    let from = head_commit.map_or("--empty", |_| "HEAD");
    stage_all(repo, from, &env)?;
    let tree = text(&git(repo, &["write-tree"], &env)?);
    let message = format!("{subject}\n\n{TRAILER}: {run}@{}:{}\n", head.seq, head.hash);
    let mut args = vec!["commit-tree", "-m", message.as_str()];
    if let Some(parent) = &parent {
        args.extend(["-p", parent.as_str()]);
    }
    args.push(&tree);
    let commit = text(&git(repo, &args, &env)?);
    set_ref(repo, &turn, &[&own_ref, &commit])?;
    // Scratch of this checkpoint alone.
    let _ = std::fs::remove_file(scratch);
    Ok(commit)
}

/// Commits the working tree as it is onto HEAD, on no ref: files that git does not ignore, committed or
/// not. Touches neither branch nor index.
pub fn edits(repo: &Path, scratch: &Path) -> Result<String, Error> {
    let index = scratch.display().to_string();
    let mut env = vec![("GIT_INDEX_FILE", index.as_str())];
    env.extend(IDENTITY);
    stage_all(repo, "HEAD", &env)?;
    let tree = text(&git(repo, &["write-tree"], &env)?);
    let message = "edits that were in no commit when a run began";
    let args = ["commit-tree", "-m", message, "-p", "HEAD", &tree];
    let commit = git(repo, &args, &env).map(|commit| text(&commit));
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    commit
}

/// The ref that keeps the edits that a run began with.
pub fn edits_ref(run: &str) -> String {
    format!("refs/proofhouse/edits/{run}")
}

/// Fills an index with the working tree as it is, without what git ignores. A repository that lies in it
/// and that the commit does not know is left out: its files belong to nobody here, a commit would have a
/// name for it that means nothing elsewhere, and git refuses one without a commit altogether.
fn stage_all(repo: &Path, from: &str, env: &[(&str, &str)]) -> Result<(), Error> {
    const WITHOUT_OURS: [&str; 3] = ["--", ".", ":(exclude).proofhouse"];
    git(repo, &["read-tree", from], env)?;
    // Not `--all`: that takes repositories in, and fails where the user's git ignores our folder. With the
    // errors ignored it has failed all the same, save for an index with nothing in it.
    let update = ["add", "--update", "--ignore-errors"];
    git(repo, &[&update, &WITHOUT_OURS[..]].concat(), env)?;
    let others = ["ls-files", "-z", "--others", "--exclude-standard"];
    let others = git(repo, &[&others, &WITHOUT_OURS[..]].concat(), env)?;
    // Only a repository is named as a folder.
    let ends_as_file = |path: &&[u8]| {
        path.strip_suffix(b"\0")
            .is_some_and(|it| !it.ends_with(b"/"))
    };
    let files: Vec<&[u8]> = others
        .split_inclusive(|byte| *byte == 0)
        .filter(ends_as_file)
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    // One that is gone meanwhile is no failure.
    let args = ["update-index", "--add", "--remove", "-z", "--stdin"];
    let ended = started(repo, &args, env, Input::Bytes(files.concat()))?;
    match ended.exited_with(0) {
        true => Ok(()),
        false => Err(failed(repo, &args, &ended)),
    }
}

/// Lays the files of a commit out in a folder. Touches neither branch, index nor working tree.
pub fn check_out(repo: &Path, commit: &str, scratch: &Path, into: &Path) -> Result<(), Error> {
    let index = scratch.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    git(repo, &["read-tree", commit], &env)?;
    let prefix = format!("--prefix={}/", into.display());
    let laid_out = git(repo, &["checkout-index", "--all", "--force", &prefix], &env);
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    laid_out.map(drop)
}
