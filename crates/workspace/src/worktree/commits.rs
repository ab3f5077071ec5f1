//! Commits and branches around worktrees: merges made of objects alone, and the one step of the user's
//! branch. It does not move that over anything that is in no commit.

use super::one_at_a_time;
use crate::error::Error;
use crate::git::{self, IDENTITY, TRAILER, git, text};
use std::path::Path;

/// A merge of two commits, made of objects alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// The tree of both.
    Tree(String),
    /// They contradict each other.
    Conflict {
        /// In these.
        files: Vec<String>,
        /// The tree of both, with marks in those files.
        marked: String,
        /// What the marks call the two.
        sides: [String; 2],
    },
}

/// Merges two commits without a working tree.
pub fn merge(repo: &Path, ours: &str, theirs: &str) -> Result<Merged, Error> {
    let args = [
        "merge-tree",
        "--write-tree",
        "--name-only",
        "--no-messages",
        ours,
        theirs,
    ];
    let ended = git::ended(repo, &args, &[])?;
    let said = text(&ended.stdout);
    let mut lines = said.lines();
    let tree = lines.next().unwrap_or_default().to_owned();
    if ended.exited_with(0) {
        return Ok(Merged::Tree(tree));
    }
    if ended.exited_with(1) && !tree.is_empty() {
        let files = lines.filter(|line| !line.is_empty());
        return Ok(Merged::Conflict {
            files: files.map(str::to_owned).collect(),
            marked: tree,
            // As git was told them.
            sides: [ours.to_owned(), theirs.to_owned()],
        });
    }
    let mut error = git::failed(repo, &args, &ended);
    error.mend = "merging without a working tree needs git 2.38 or newer".to_owned();
    Err(error)
}

/// Makes a commit of a tree.
pub fn commit(repo: &Path, tree: &str, parents: &[&str], message: &str) -> Result<String, Error> {
    let mut args = vec!["commit-tree", "-m", message];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    args.push(tree);
    Ok(text(&git(repo, &args, &IDENTITY)?))
}

/// The files in which two commits differ.
pub fn differing(repo: &Path, one: &str, other: &str) -> Result<Vec<String>, Error> {
    let args = ["diff", "--name-only", "--no-renames", "-z", one, other];
    let listed = git(repo, &args, &[])?;
    let names = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect())
}

/// Would a commit that the engine did not make be lost with this one? No ref holds it.
pub fn is_anothers(repo: &Path, commit: &str) -> Result<bool, Error> {
    let args = ["log", "--format=%ce", commit, "--not", "--glob=refs/*"];
    let committers = text(&git(repo, &args, &[])?);
    let [.., (_, ours)] = IDENTITY;
    Ok(committers.lines().any(|committer| committer != ours))
}

/// The same of a commit that was to land: what the run was to put onto a branch under the person's name is made
/// again where it is wanted.
pub fn is_anothers_than(repo: &Path, commit: &str, run: &str) -> Result<bool, Error> {
    let format = format!("--format=%ce%x09%(trailers:key={TRAILER},valueonly,separator=%x2C)");
    let args = ["log", &format, commit, "--not", "--glob=refs/*"];
    let said = text(&git(repo, &args, &[])?);
    let [.., (_, ours)] = IDENTITY;
    let names_it = format!("{run}@");
    Ok(said.lines().any(|line| {
        let (committer, claims) = line.split_once('\t').unwrap_or((line, ""));
        let mut claims = claims.split(',');
        committer != ours && !claims.any(|claim| claim.trim().starts_with(&names_it))
    }))
}

/// Files with changes that are in no commit, not too many of them, as git names them.
pub fn uncommitted(repo: &Path) -> Result<Vec<String>, Error> {
    const MOST: usize = 20;
    let mut files = edited(repo)?;
    files.truncate(MOST);
    Ok(files)
}

/// All files with changes that are in no commit.
pub fn edited(repo: &Path) -> Result<Vec<String>, Error> {
    let args = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=no",
        "--ignore-submodules=dirty",
        "--",
        ".",
        ":(exclude).proofhouse",
    ];
    let listed = git(repo, &args, &[])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let files = listed.split('\0').filter(|line| line.len() > 3);
    Ok(files.map(|line| line[3..].to_owned()).collect())
}

/// Files that git neither knows nor ignores.
pub fn untracked(repo: &Path) -> Result<Vec<String>, Error> {
    let args = [
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        ".",
        ":(exclude).proofhouse",
    ];
    let listed = String::from_utf8_lossy(&git(repo, &args, &[])?).into_owned();
    let files = listed.split('\0').filter(|name| !name.is_empty());
    Ok(files.map(str::to_owned).collect())
}

/// The branch that is checked out; none if no branch is.
pub fn branch(repo: &Path) -> Result<Option<String>, Error> {
    let ended = git::ended(repo, &["symbolic-ref", "--quiet", "--short", "HEAD"], &[])?;
    Ok(ended.exited_with(0).then(|| text(&ended.stdout)))
}

/// Would [`fast_forward`] from one commit to another be let through by what lies in the tree? Nothing is
/// changed; git's own answer, on a copy of its index.
pub fn would_step(repo: &Path, index: &Path, from: &str, to: &str) -> Result<bool, Error> {
    let own = text(&git(repo, &["rev-parse", "--git-path", "index"], &[])?);
    let own = repo.join(own);
    if own.exists() {
        std::fs::copy(&own, index).map_err(Error::io("copy", &own))?;
    }
    let name = index.display().to_string();
    let env = [("GIT_INDEX_FILE", name.as_str())];
    // It fails where files differ, which is what is asked next.
    let _ = git::ended(repo, &["update-index", "-q", "--refresh"], &env)?;
    let args = ["read-tree", "--dry-run", "-m", "-u", from, to];
    let ended = git::ended(repo, &args, &env)?;
    // Scratch of this one alone.
    let _ = std::fs::remove_file(index);
    Ok(ended.exited_with(0))
}

/// Moves the checked-out branch forward, the way `git merge --ff-only` does: git refuses if a file
/// of the user's is in the way. Half of it would be the user's to clear up, so it is let finish.
pub fn fast_forward(project: &crate::Project, commit: &str) -> Result<(), Error> {
    let turn = one_at_a_time(&project.worktree("any"))?;
    // What the user's git ignores is in no commit: a task may have stopped ignoring it.
    let keep = "--no-overwrite-ignore";
    let args = [
        "-c",
        "gc.auto=0",
        "merge",
        "--quiet",
        "--ff-only",
        keep,
        commit,
    ];
    git::finishing(project.repo(), &args, &turn).map(drop)
}
