//! Checkpoints: what a gate let pass, or the working tree as it is, committed onto the run's own ref. It
//! refuses to touch the user's branch and index, and to set a ref while the git of a killed engine may be about to.

use super::{
    IDENTITY, Input, TRAILER, commits, common_dir, conversion, failed, finishing, git, started,
    text,
};
use crate::error::Error;
use crate::lock::{self, Turn};
use checks::holds_secrets;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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

/// What a checkpoint commits.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// The working tree as it is.
    Live,
    /// A tree that a gate let pass, with the run's own folder as it is now, if that is part of the tree: the
    /// engine writes there.
    Judged {
        tree: &'a str,
        task: Option<&'a str>,
    },
}

/// Where a checkpoint is made.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    pub repo: &'a Path,
    pub run: &'a str,
    /// Whose turn it is to set the ref.
    pub turns: &'a Path,
    /// An index of this checkpoint alone.
    pub scratch: &'a Path,
}

/// Commits a tree onto the run's own ref. Touches neither branch nor index.
pub fn checkpoint(
    spot: Spot<'_>,
    content: Content<'_>,
    subject: &str,
    head: &store::Head,
) -> Result<String, Error> {
    let Spot {
        repo,
        run,
        turns,
        scratch,
    } = spot;
    // First: the git of an engine that was killed may be about to set the ref.
    let turn = lock::turn(turns)?;
    let index = scratch.display().to_string();
    let mut env = vec![("GIT_INDEX_FILE", index.as_str())];
    env.extend(IDENTITY);
    let own_ref = run_ref(run);
    let [head_commit, own] = commits(repo, ["HEAD", &own_ref])?;
    let parent = own.or_else(|| head_commit.clone());
    let from = head_commit.map_or("--empty", |_| "HEAD");
    let tree = match content {
        Content::Live => {
            stage_all(repo, from, &env)?;
            text(&git(repo, &["write-tree"], &env)?)
        }
        Content::Judged { tree, task } => judged(repo, from, tree, task, &env)?,
    };
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

/// What lies in a working tree, as git would commit it.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The tree's name.
    pub tree: String,
    /// Why it is not what lies there, a line for each file.
    pub converted: Vec<String>,
}

/// Writes the working tree into git without a commit, save what nobody has judged, and holds it against what
/// lies there.
pub fn settled(
    repo: &Path,
    scratch: &Path,
    unjudged: &dyn Fn() -> Result<Vec<PathBuf>, Error>,
) -> Result<Settled, Error> {
    let index = scratch.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    let [head] = commits(repo, ["HEAD"])?;
    let made = stage_all(repo, head.as_deref().unwrap_or("--empty"), &env).and_then(|()| {
        let mut left_out = Vec::new();
        for path in unjudged()? {
            left_out.extend_from_slice(path.as_os_str().as_bytes());
            left_out.push(0);
        }
        if !left_out.is_empty() {
            let args = ["update-index", "--force-remove", "-z", "--stdin"];
            let ended = started(repo, &args, &env, Input::Bytes(left_out))?;
            if !ended.exited_with(0) {
                return Err(failed(repo, &args, &ended));
            }
        }
        let converted = conversion::refused(repo, head.as_deref(), &index, scratch)?;
        let tree = text(&git(repo, &["write-tree"], &env)?);
        Ok(Settled { tree, converted })
    });
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    made
}

/// A tree that was judged, with the run's own folder as it is now.
fn judged(
    repo: &Path,
    from: &str,
    tree: &str,
    task: Option<&str>,
    env: &[(&str, &str)],
) -> Result<String, Error> {
    // That of a commit, where it is named by one.
    let name = format!("{tree}^{{tree}}");
    let there = super::ended(repo, &["rev-parse", "--verify", "--quiet", &name], &[])?;
    if !there.exited_with(0) {
        // No ref keeps it, so that git may have thrown it away after some weeks: what lies there is it, if
        // nobody has edited anything.
        stage_all(repo, from, env)?;
        if text(&git(repo, &["write-tree"], env)?) != tree {
            return Err(Error::user(
                "judged_tree_gone",
                format!(
                    "git does not have the tree {tree} any more that the gate judged, and what lies there is another"
                ),
                "undo what was edited since, and decide `retry`; or stop the run: what lies there stays",
            ));
        }
    }
    let Some(task) = task else {
        return Ok(match there.exited_with(0) {
            true => text(&there.stdout),
            false => tree.to_owned(),
        });
    };
    git(repo, &["read-tree", &name], env)?;
    let below = format!(":(top,literal){task}");
    let listed = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        &below,
    ];
    stage_listed(repo, &git(repo, &listed, env)?, env)?;
    Ok(text(&git(repo, &["write-tree"], env)?))
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

/// The same before there is any folder of ours: git's own holds what it needs on the way.
pub fn edits_here(repo: &Path) -> Result<String, Error> {
    let index = format!("proofhouse-edits-{}", std::process::id());
    edits(repo, &common_dir(repo)?.join(index))
}

/// The ref that keeps the edits that a run began with.
pub fn edits_ref(run: &str) -> String {
    format!("refs/proofhouse/edits/{run}")
}

/// Fills an index with the working tree as it is, without what git ignores. A repository that lies in it
/// and that the commit does not know is left out: its files belong to nobody here, a commit would have a
/// name for it that means nothing elsewhere, and git refuses one without a commit altogether. So is what holds
/// secrets by custom and nobody has committed: whoever pushes the records would push it.
fn stage_all(repo: &Path, from: &str, env: &[(&str, &str)]) -> Result<(), Error> {
    const WITHOUT_OURS: [&str; 3] = ["--", ".", ":(exclude).proofhouse"];
    git(repo, &["read-tree", from], env)?;
    // Not `--all`: that takes repositories in, and fails where the user's git ignores our folder. With the
    // errors ignored it has failed all the same, save for an index with nothing in it.
    let update = ["add", "--update", "--ignore-errors"];
    git(repo, &[&update, &WITHOUT_OURS[..]].concat(), env)?;
    let others = ["ls-files", "-z", "--others", "--exclude-standard"];
    let others = git(repo, &[&others, &WITHOUT_OURS[..]].concat(), env)?;
    let others = others.split_inclusive(|byte| *byte == 0);
    let named =
        |path: &[u8]| OsStr::from_bytes(path.strip_suffix(b"\0").unwrap_or(path)).to_owned();
    let others = others.filter(|path| !holds_secrets(Path::new(&named(path))));
    let others: Vec<&[u8]> = others.collect();
    stage_listed(repo, &others.concat(), env)
}

/// Takes files into an index as they are; one that is gone goes.
fn stage_listed(repo: &Path, listed: &[u8], env: &[(&str, &str)]) -> Result<(), Error> {
    // Only a repository is named as a folder.
    let ends_as_file = |path: &&[u8]| {
        path.strip_suffix(b"\0")
            .is_some_and(|it| !it.ends_with(b"/"))
    };
    let files: Vec<&[u8]> = listed
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
