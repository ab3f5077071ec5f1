//! Worktrees, merges and the one fast-forward, through git's command line.
//!
//! It refuses to touch what a person has not committed: merges are made of objects alone, worktrees
//! of ours are removed only when git itself finds nothing in them that is not in a commit, and the
//! user's branch is only ever moved forward, by git's own rules, over a tree without changes.

use crate::error::EngineError;
use crate::git::{self, IDENTITY, git, text};
use crate::lock::{self, Turn};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
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
pub fn echo(dir: &Path) -> Result<String, EngineError> {
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
fn records(repo: &Path) -> Result<PathBuf, EngineError> {
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
pub fn status(dir: &Path) -> Result<Vec<u8>, EngineError> {
    git(dir, &STATUS, &[])
}

/// Looks at the place of a worktree before it is used.
pub fn look(dir: &Path, base: &str) -> Result<Found, EngineError> {
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
fn one_at_a_time(dir: &Path) -> Result<Turn, EngineError> {
    lock::turn(&dir.with_file_name(".lock"))
}

/// Makes a worktree that stands on a commit, on no branch.
pub fn add(repo: &Path, dir: &Path, commit: &str) -> Result<(), EngineError> {
    let turn = one_at_a_time(dir)?;
    let place = dir.display().to_string();
    let args = ["worktree", "add", "--quiet", "--detach", &place, commit];
    git::finishing(repo, &args, &turn).map(drop)
}

/// Removes a worktree whose making was cut short; the caller has looked.
pub fn discard_incomplete(repo: &Path, dir: &Path) -> Result<(), EngineError> {
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
pub fn clear_half_made(
    project: &crate::Project,
    ours: &dyn Fn(&str) -> bool,
) -> Result<(), EngineError> {
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
            std::fs::remove_dir_all(&path).map_err(EngineError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Whether a worktree was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// It is gone; everything in it is in the commit.
    Removed,
    /// It stays, because of this.
    Kept(String),
}

/// What a worktree is called while it is being deleted. No run can have such a name.
const REMOVING: &str = ".removing-";

/// Why a worktree must stay; none if everything in it, save what git ignores, is in `commit`. It
/// changes nothing that is anybody's: a person may have made a branch in it, or be at work in it.
pub fn held(repo: &Path, dir: &Path, commit: &str) -> Result<Option<String>, EngineError> {
    let because = |why: &str| Ok(Some(why.to_owned()));
    let Some(record) = own_record(repo, dir)? else {
        return because("it is not a worktree of this repository");
    };
    let head = match stands_on(dir)? {
        Head::Commit(head) => head,
        Head::Branch(branch) => {
            return Ok(Some(format!("the branch `{branch}` is checked out in it")));
        }
    };
    let holds = match head.as_str() {
        "" => Ok(false),
        head => is_ancestor(repo, head, commit),
    };
    match holds {
        Ok(true) => {}
        Ok(false) => return because("it stands on a commit of somebody else's"),
        Err(_) if resolve(repo, commit)?.is_none() => {
            return because("the commit that should hold its work is gone");
        }
        Err(error) => return Err(error),
    }
    let first = first_difference(dir, &record, commit)?;
    Ok(first.map(|first| format!("{first} in it is in no commit")))
}

/// What a worktree stands on, from its file or from git.
fn stands_on(dir: &Path) -> Result<Head, EngineError> {
    if let Some(head) = head(dir) {
        return Ok(head);
    }
    Ok(match branch(dir)? {
        Some(branch) => Head::Branch(branch),
        None => Head::Commit(echo(dir)?),
    })
}

/// The record of a worktree, if it lies where this repository keeps them.
fn own_record(repo: &Path, dir: &Path) -> Result<Option<PathBuf>, EngineError> {
    let Some(record) = record(dir).and_then(|record| record.canonicalize().ok()) else {
        return Ok(None);
    };
    let folder = records(repo)?.canonicalize().ok();
    Ok((folder.as_deref() == record.parent()).then_some(record))
}

/// The first file of a worktree, save what git ignores, that is not as in the commit. Asked with an
/// index of its own, so that nothing changes and no mark in the worktree's index hides a file.
fn first_difference(
    dir: &Path,
    record: &Path,
    commit: &str,
) -> Result<Option<String>, EngineError> {
    let path = record.join(format!("proofhouse-index-{}", std::process::id()));
    let index = path.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    let found = git(dir, &["read-tree", commit], &env).and_then(|_| {
        let staged = git(dir, &["ls-files", "-z", "--stage"], &env)?;
        Ok((git(dir, &STATUS, &env)?, staged))
    });
    let _ = std::fs::remove_file(&path);
    let (status, staged) = found?;
    Ok(first_unlike_the_index(&status).or_else(|| filled_submodule(dir, &staged)))
}

/// A submodule of the index that lies in the worktree with anything in it: git made its folder empty,
/// and nobody looks into it.
fn filled_submodule(dir: &Path, staged: &[u8]) -> Option<String> {
    let lines = staged.split(|byte| *byte == 0);
    let mut paths = lines.filter_map(|line| {
        let line = line.strip_prefix(b"160000 ")?;
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        Some(OsStr::from_bytes(&line[tab + 1..]))
    });
    let filled = |path: &&OsStr| {
        let entries = std::fs::read_dir(dir.join(path));
        entries.is_ok_and(|mut entries| entries.next().is_some())
    };
    let found = paths.find(filled)?;
    Some(found.to_string_lossy().into_owned())
}

/// The first file that a status names and that is not as in the index. The first letter of a line is
/// how the index differs from HEAD, which says nothing here; the second how the file does from it.
fn first_unlike_the_index(status: &[u8]) -> Option<String> {
    let lines = status.split(|byte| *byte == 0);
    let mut unlike = lines.filter(|line| line.len() > 3 && line[1] != b' ');
    unlike
        .next()
        .map(|line| String::from_utf8_lossy(&line[3..]).into_owned())
}

/// Deletes a worktree, and git's record of it.
fn discard(dir: &Path, record: Option<PathBuf>) -> Result<(), EngineError> {
    // Renamed first: half of a worktree, which a kill would leave, could not be judged again.
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let aside = dir.with_file_name(format!("{REMOVING}{name}"));
    std::fs::rename(dir, &aside).map_err(EngineError::io("move", dir))?;
    remove_folder(&aside)?;
    let _turn = one_at_a_time(dir)?;
    // What `git worktree prune` would do at the end; hundreds of dead records slow every git down.
    if let Some(record) = record {
        let _ = std::fs::remove_dir_all(&record);
    }
    Ok(())
}

/// Removes a worktree if nothing in it is held.
pub fn remove(repo: &Path, dir: &Path, commit: &str) -> Result<Removal, EngineError> {
    if let Some(why) = held(repo, dir, commit)? {
        return Ok(Removal::Kept(why));
    }
    let record = own_record(repo, dir)?;
    discard(dir, record).map(|()| Removal::Removed)
}

/// Ends removals that were cut short, and removes git's records of worktrees of ours that are gone. Not
/// what `git worktree prune` does: a person's worktree may lie on a disk that is not there just now.
pub fn prune(project: &crate::Project) -> Result<(), EngineError> {
    for (name, path) in entries(project) {
        if name.starts_with(REMOVING) {
            remove_folder(&path)?;
        }
    }
    let _turn = one_at_a_time(&project.worktree("any"))?;
    for record in records_of(project)? {
        let gone =
            place_of(&record).is_some_and(|place| is_ours(project, &place) && !place.exists());
        if gone {
            remove_folder(&record)?;
        }
    }
    Ok(())
}

/// Every record of a worktree, ours and the user's.
fn records_of(project: &crate::Project) -> Result<Vec<PathBuf>, EngineError> {
    let entries = std::fs::read_dir(records(project.repo())?);
    let entries = entries.into_iter().flatten().flatten();
    Ok(entries.map(|entry| entry.path()).collect())
}

/// The `.git` file that a record belongs to; none while git has not written it down.
fn place_of(record: &Path) -> Option<PathBuf> {
    let said = std::fs::read(record.join("gitdir")).ok()?;
    let said = said.trim_ascii_end();
    (!said.is_empty()).then(|| record.join(OsStr::from_bytes(said)))
}

/// Does it lie where our worktrees do?
fn is_ours(project: &crate::Project, place: &Path) -> bool {
    let folder = project.home().join(crate::project::WORKTREES);
    let theirs = place.parent().and_then(Path::parent);
    let real = folder.canonicalize().ok();
    theirs == Some(&folder) || theirs.is_some_and(|theirs| real.as_deref() == Some(theirs))
}

/// A merge of two commits, made of objects alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// The tree of both.
    Tree(String),
    /// They contradict each other, here.
    Conflict(Vec<String>),
}

/// Merges two commits without a working tree.
pub fn merge(repo: &Path, ours: &str, theirs: &str) -> Result<Merged, EngineError> {
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
        return Ok(Merged::Conflict(files.map(str::to_owned).collect()));
    }
    let mut error = git::failed(repo, &args, &ended);
    error.mend = "merging without a working tree needs git 2.38 or newer".to_owned();
    Err(error)
}

/// Makes a commit of a tree.
pub fn commit(
    repo: &Path,
    tree: &str,
    parents: &[&str],
    message: &str,
) -> Result<String, EngineError> {
    let mut args = vec!["commit-tree", "-m", message];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    args.push(tree);
    Ok(text(&git(repo, &args, &IDENTITY)?))
}

/// Is the first commit in the history of the second, or the same?
pub fn is_ancestor(repo: &Path, earlier: &str, later: &str) -> Result<bool, EngineError> {
    let args = ["merge-base", "--is-ancestor", earlier, later];
    let ended = git::ended(repo, &args, &[])?;
    match ended.exit {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(git::failed(repo, &args, &ended)),
    }
}

/// Would a commit that the engine did not make be lost with this one? No ref holds it.
pub fn is_anothers(repo: &Path, commit: &str) -> Result<bool, EngineError> {
    let args = ["log", "--format=%ce", commit, "--not", "--glob=refs/*"];
    let committers = text(&git(repo, &args, &[])?);
    let [.., (_, ours)] = IDENTITY;
    Ok(committers.lines().any(|committer| committer != ours))
}

/// The commit that a name means, if there is one.
pub fn resolve(repo: &Path, name: &str) -> Result<Option<String>, EngineError> {
    let name = format!("{name}^{{commit}}");
    let ended = git::ended(repo, &["rev-parse", "--verify", "--quiet", &name], &[])?;
    Ok(ended.exited_with(0).then(|| text(&ended.stdout)))
}

/// Puts a worktree of ours on a commit, and makes it first if need be. What git ignores stays: a
/// build's cache is worth keeping.
pub fn stand(repo: &Path, dir: &Path, commit: &str) -> Result<(), EngineError> {
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
pub fn sweep(dir: &Path, below: &str) -> Result<(), EngineError> {
    clean(dir, &["-d", "--", below])
}

/// Removes everything from a worktree of ours that no commit holds, also what git ignores.
pub fn empty(dir: &Path) -> Result<(), EngineError> {
    clean(dir, &["-d", "-x"])
}

fn clean(dir: &Path, what: &[&str]) -> Result<(), EngineError> {
    // Twice: else a repository in it stays.
    let mut args = vec!["clean", "--quiet", "--force", "--force"];
    args.extend(what);
    let cleaned = git(dir, &args, &[]).or_else(|_| {
        open_folders(dir);
        git(dir, &args, &[])
    });
    cleaned.map(drop)
}

/// Removes a folder, also one with folders in it that its owner may not write to: caches of some
/// toolchains are such.
fn remove_folder(dir: &Path) -> Result<(), EngineError> {
    let removed = std::fs::remove_dir_all(dir).or_else(|_| {
        open_folders(dir);
        std::fs::remove_dir_all(dir)
    });
    removed.map_err(EngineError::io("remove", dir))
}

/// Lets us write to every folder below. What we may not change is not ours, and stays as it is.
fn open_folders(dir: &Path) {
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        let _ = std::fs::set_permissions(&folder, Permissions::from_mode(0o700));
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // Never through a link.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
}

/// Files with changes that are in no commit, at most this many, as git names them.
pub fn uncommitted(repo: &Path) -> Result<Vec<String>, EngineError> {
    const MOST: usize = 20;
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
    Ok(files.take(MOST).map(|line| line[3..].to_owned()).collect())
}

/// The branch that is checked out; none if no branch is.
pub fn branch(repo: &Path) -> Result<Option<String>, EngineError> {
    let ended = git::ended(repo, &["symbolic-ref", "--quiet", "--short", "HEAD"], &[])?;
    Ok(ended.exited_with(0).then(|| text(&ended.stdout)))
}

/// Moves the checked-out branch forward, the way `git merge --ff-only` does: git refuses if a file
/// of the user's is in the way. Half of it would be the user's to clear up, so it is let finish.
pub fn fast_forward(project: &crate::Project, commit: &str) -> Result<(), EngineError> {
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

/// Waits until no git is at a worktree of ours, or moves the user's branch, any more: the git of an
/// engine that was killed finishes what it was doing.
pub fn let_git_finish(project: &crate::Project) -> Result<(), EngineError> {
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
