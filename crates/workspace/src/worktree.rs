//! Worktrees, merges and the one fast-forward, through git's command line.
//!
//! It does not touch what a person has not committed: merges are made of objects alone, worktrees
//! of ours are removed only when git itself finds nothing in them that is not in a commit, and the
//! user's branch is only ever moved forward, by git's own rules, over a tree without changes.

mod added;
mod again;
mod commits;
mod remove;

pub use crate::git::{is_ancestor, resolve};
pub use added::{both_added, merge_trees};
pub use again::{lay_work, stand_again};
pub use commits::{
    Merged, branch, commit, differing, edited, fast_forward, is_anothers, is_anothers_than, merge,
    uncommitted, untracked, would_step,
};
pub use remove::{Removal, clear, held, prune, remove};

use crate::error::Error;
use crate::git::{self, git, text};
use crate::lock::{self, Turn};
use remove::{
    REMOVING, discard, forget_missing, is_ours, open_folders, own_record, place_of, records_of,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What lies where a worktree should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Absent,
    /// A worktree of exactly this commit, complete and unchanged.
    Fresh,
    /// One whose making was cut short: files of the commit are missing, and nothing else differs.
    Incomplete,
    /// Something else; its commit, if it has one.
    Foreign(String),
}

/// The commit that a worktree stands on, as `git rev-parse HEAD` says in it. Empty if the folder is
/// no worktree: git would answer for the repository around it.
pub fn echo(dir: &Path) -> Result<String, Error> {
    if !dir.join(".git").exists() {
        return Ok(String::new());
    }
    if let Some(Head::Commit(head)) = head(dir) {
        return Ok(head);
    }
    let ended = git::ended(dir, &["rev-parse", "--show-toplevel", "HEAD"], &[])?;
    let said = text(&ended.stdout);
    let mut lines = said.lines();
    let (top, head) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let real = |path: &Path| path.canonicalize().ok();
    Ok(
        if ended.exited_with(0) && real(Path::new(top)) == real(dir) {
            head.to_owned()
        } else {
            String::new()
        },
    )
}

/// Git's own folder for a worktree, as its `.git` file says; none if it has no such file, or if that
/// folder is not this worktree's: anybody can write the file, and a record is written to and deleted.
fn record(dir: &Path) -> Option<PathBuf> {
    let said = std::fs::read_to_string(dir.join(".git")).ok()?;
    let path = dir.join(said.strip_prefix("gitdir: ")?.trim_end());
    // The repository's own `.git` has no such line, and a copied `.git` file is not its owner's.
    let back = std::fs::read_to_string(path.join("gitdir")).ok()?;
    let back = path.join(back.trim_end()).canonicalize().ok()?;
    (back == dir.join(".git").canonicalize().ok()?).then_some(path)
}

/// What the HEAD of a worktree says.
enum Head {
    Commit(String),
    Branch(String),
}

/// The HEAD of a worktree, read as git reads it: each start of git is felt in a wave. None where the
/// file alone does not tell, as with other ways to store refs: then git is to be asked.
fn head(dir: &Path) -> Option<Head> {
    let said = std::fs::read_to_string(record(dir)?.join("HEAD")).ok()?;
    let said = said.strip_suffix('\n')?;
    if let Some(branch) = said.strip_prefix("ref: refs/heads/") {
        // The name that stands there when refs are not stored as files.
        return (branch != ".invalid").then(|| Head::Branch(branch.to_owned()));
    }
    let is_hash = matches!(said.len(), 40 | 64) && said.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| Head::Commit(said.to_owned()))
}

/// Where a repository keeps the records of its worktrees.
fn records(repo: &Path) -> Result<PathBuf, Error> {
    Ok(git::common_dir(repo)?.join("worktrees"))
}

/// Removes the locks that a git which was killed with an earlier engine left. Only for worktrees that
/// nobody else works in.
fn unlock(record: &Path) {
    for lock in ["index.lock", "HEAD.lock"] {
        let _ = std::fs::remove_file(record.join(lock));
    }
}

/// Everything that is in no commit, whatever the user's settings hide from a plain `git status`. It
/// does not look into submodules: to do so, git would run what their own settings name.
const STATUS: [&str; 6] = [
    "status",
    "--no-renames",
    "--porcelain",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
];

/// How a worktree differs from its commit, without what git ignores.
pub fn status(dir: &Path) -> Result<Vec<u8>, Error> {
    git(dir, &STATUS, &[])
}

/// Looks at the place of a worktree before it is used.
pub fn look(dir: &Path, base: &str) -> Result<Found, Error> {
    if dir.symlink_metadata().is_err() {
        return Ok(Found::Absent);
    }
    if only_dot_git(dir) {
        return Ok(Found::Incomplete);
    }
    let head = echo(dir)?;
    if head != base {
        return Ok(Found::Foreign(head));
    }
    // Git writes the index last: without one, its files are not all there yet.
    match record(dir) {
        // Git writes the record before it has a HEAD to answer with: this one is not git's.
        None => return Ok(Found::Foreign(head)),
        Some(record) if !record.join("index").exists() => return Ok(Found::Incomplete),
        Some(_) => {}
    }
    let status = status(dir)?;
    let status = String::from_utf8_lossy(&status).into_owned();
    let mut lines = status.split('\0').filter(|line| !line.is_empty());
    Ok(if status.is_empty() {
        Found::Fresh
    } else if lines.all(|line| line.starts_with(" D") || line.starts_with("D ")) {
        Found::Incomplete
    } else {
        Found::Foreign(head)
    })
}

/// Is there nothing in the folder but git's own file?
fn only_dot_git(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|entries| {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.all(|name| name == ".git")
    })
}

/// One at a time: git reads all worktrees when it makes one, and fails on another half-made one. `dir`
/// is a worktree of ours.
fn one_at_a_time(dir: &Path) -> Result<Turn, Error> {
    lock::turn(&dir.with_file_name(".lock"))
}

/// Makes a worktree that stands on a commit, on no branch; also where there was one that somebody deleted.
pub fn add(repo: &Path, dir: &Path, commit: &str) -> Result<(), Error> {
    let turn = one_at_a_time(dir)?;
    forget_missing(repo, dir)?;
    let place = dir.display().to_string();
    let args = ["worktree", "add", "--quiet", "--detach", &place, commit];
    git::finishing(repo, &args, &turn).map(drop)
}

/// Removes a worktree whose making was cut short; the caller has looked.
pub fn discard_incomplete(repo: &Path, dir: &Path) -> Result<(), Error> {
    // Git may not have come so far as to tie the two together.
    let by_name = records(repo)?.join(dir.file_name().unwrap_or_default());
    let place = dir.canonicalize().map(|dir| dir.join(".git")).ok();
    let is_its = match std::fs::read_to_string(by_name.join("gitdir")) {
        Ok(said) if !said.is_empty() => Some(by_name.join(said.trim_end())) == place,
        _ => true,
    };
    discard(dir, own_record(repo, dir)?.or(is_its.then_some(by_name)))
}

/// Removes git's own records of worktrees whose making was cut short before they could be read:
/// until then git makes no other worktree. `ours` says which names are ours.
pub fn clear_half_made(project: &crate::Project, ours: &dyn Fn(&str) -> bool) -> Result<(), Error> {
    // One that is being made still is no ruin.
    let _turn = one_at_a_time(&project.worktree("any"))?;
    for path in records_of(project)? {
        let name = path.file_name().and_then(OsStr::to_str);
        // A person may be making one of theirs.
        let theirs = place_of(&path).is_some_and(|place| !is_ours(project, &place));
        let empty =
            |file: &str| std::fs::metadata(path.join(file)).map_or(true, |found| found.len() == 0);
        // Git holds a record locked until it is whole.
        let half_made = || path.join("locked").exists() && (empty("commondir") || empty("HEAD"));
        if name.is_some_and(ours) && !theirs && half_made() {
            std::fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Puts a worktree of ours on a commit, and makes it first if need be. What git ignores stays: a
/// build's cache is worth keeping.
pub fn stand(repo: &Path, dir: &Path, commit: &str) -> Result<(), Error> {
    let Some(record) = record(dir).filter(|record| record.join("index").exists()) else {
        if dir.exists() {
            discard_incomplete(repo, dir)?;
        }
        return add(repo, dir, commit);
    };
    unlock(&record);
    let args = ["checkout", "--quiet", "--force", "--detach", commit];
    git(dir, &args, &[]).map(drop)
}

/// Removes what a command left in a worktree of ours, repositories included. What git ignores stays.
pub fn sweep(dir: &Path, below: &str) -> Result<(), Error> {
    clean(dir, &["-d", "--", below])
}

/// Removes everything from a worktree of ours that no commit holds, also what git ignores.
pub fn empty(dir: &Path) -> Result<(), Error> {
    clean(dir, &["-d", "-x"])
}

fn clean(dir: &Path, what: &[&str]) -> Result<(), Error> {
    // Twice: else a repository in it stays.
    let mut args = vec!["clean", "--quiet", "--force", "--force"];
    args.extend(what);
    let cleaned = git(dir, &args, &[]).or_else(|_| {
        open_folders(dir);
        git(dir, &args, &[])
    });
    cleaned.map(drop)
}

/// Waits until no git is at a worktree of ours, or moves the user's branch, any more: the git of an
/// engine that was killed finishes what it was doing.
pub fn let_git_finish(project: &crate::Project) -> Result<(), Error> {
    one_at_a_time(&project.worktree("any")).map(drop)
}

/// Every worktree of ours, by name.
pub fn all(project: &crate::Project) -> Vec<(String, PathBuf)> {
    let mut all = entries(project);
    all.retain(|(name, _)| !name.starts_with(REMOVING));
    all
}

fn entries(project: &crate::Project) -> Vec<(String, PathBuf)> {
    let folder = project.home().join(crate::project::WORKTREES);
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests;
