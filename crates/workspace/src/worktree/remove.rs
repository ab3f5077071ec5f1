//! Removing worktrees of ours. It refuses to remove one that holds anything which is in no commit, and
//! to forget one of the user's.

use super::{
    Found, Head, STATUS, branch, discard_incomplete, echo, entries, head, is_ancestor, look,
    one_at_a_time, record, records, resolve,
};
use crate::error::Error;
use crate::git::git;
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Whether a worktree was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// It is gone; everything in it is in the commit.
    Removed,
    /// It stays, because of this.
    Kept(String),
}

/// What a worktree is called while it is being deleted. No run can have such a name.
pub(super) const REMOVING: &str = ".removing-";

/// As many files are named that a worktree stays for.
const MOST_NAMED: usize = 5;

/// Why a worktree must stay; none if everything in it, save what git ignores, is in `commit`. It
/// changes nothing that is anybody's: a person may have made a branch in it, or be at work in it.
pub fn held(repo: &Path, dir: &Path, commit: &str) -> Result<Option<String>, Error> {
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
    let differ = differences(dir, &record, commit)?;
    Ok(match differ.as_slice() {
        [] => None,
        [one] => Some(format!("{one} in it is in no commit")),
        some if some.len() <= MOST_NAMED => {
            Some(format!("{} in it are in no commit", some.join(", ")))
        }
        many => {
            let (named, more) = (many[..MOST_NAMED].join(", "), many.len() - MOST_NAMED);
            Some(format!("{named} and {more} more in it are in no commit"))
        }
    })
}

/// What a worktree stands on, from its file or from git.
fn stands_on(dir: &Path) -> Result<Head, Error> {
    if let Some(head) = head(dir) {
        return Ok(head);
    }
    Ok(match branch(dir)? {
        Some(branch) => Head::Branch(branch),
        None => Head::Commit(echo(dir)?),
    })
}

/// The record of a worktree, if it lies where this repository keeps them.
pub(super) fn own_record(repo: &Path, dir: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(record) = record(dir).and_then(|record| record.canonicalize().ok()) else {
        return Ok(None);
    };
    let folder = records(repo)?.canonicalize().ok();
    Ok((folder.as_deref() == record.parent()).then_some(record))
}

/// The first file of a worktree, save what git ignores, that is not as in the commit. Asked with an
/// index of its own, so that nothing changes and no mark in the worktree's index hides a file.
fn differences(dir: &Path, record: &Path, commit: &str) -> Result<Vec<String>, Error> {
    let path = record.join(format!("proofhouse-index-{}", std::process::id()));
    let index = path.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    let found = git(dir, &["read-tree", commit], &env).and_then(|_| {
        let staged = git(dir, &["ls-files", "-z", "--stage"], &env)?;
        Ok((git(dir, &STATUS, &env)?, staged))
    });
    let _ = std::fs::remove_file(&path);
    let (status, staged) = found?;
    let mut differ = unlike_the_index(&status);
    differ.extend(filled_submodule(dir, &staged).filter(|_| differ.is_empty()));
    Ok(differ)
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

/// The files that a status names and that are not as in the index. The first letter of a line is
/// how the index differs from HEAD, which says nothing here; the second how the file does from it.
fn unlike_the_index(status: &[u8]) -> Vec<String> {
    let lines = status.split(|byte| *byte == 0);
    let unlike = lines.filter(|line| line.len() > 3 && line[1] != b' ');
    unlike
        .map(|line| String::from_utf8_lossy(&line[3..]).into_owned())
        .collect()
}

/// Deletes a worktree, and git's record of it.
pub(super) fn discard(dir: &Path, record: Option<PathBuf>) -> Result<(), Error> {
    // Renamed first: half of a worktree, which a kill would leave, could not be judged again.
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let aside = dir.with_file_name(format!("{REMOVING}{name}"));
    std::fs::rename(dir, &aside).map_err(Error::io("move", dir))?;
    remove_folder(&aside)?;
    let _turn = one_at_a_time(dir)?;
    // What `git worktree prune` would do at the end; hundreds of dead records slow every git down.
    if let Some(record) = record {
        let _ = std::fs::remove_dir_all(&record);
    }
    Ok(())
}

/// Removes a worktree if nothing in it is held.
pub fn remove(repo: &Path, dir: &Path, commit: &str) -> Result<Removal, Error> {
    if let Some(why) = held(repo, dir, commit)? {
        return Ok(Removal::Kept(why));
    }
    let record = own_record(repo, dir)?;
    discard(dir, record).map(|()| Removal::Removed)
}

/// Removes a worktree in which nobody works but us, whatever commit of ours it stands on, also one whose making
/// was cut short.
pub fn clear(repo: &Path, dir: &Path) -> Result<Removal, Error> {
    let commit = echo(dir)?;
    match look(dir, &commit)? {
        Found::Absent => Ok(Removal::Removed),
        Found::Incomplete => discard_incomplete(repo, dir).map(|()| Removal::Removed),
        Found::Fresh | Found::Foreign(_) => remove(repo, dir, &commit),
    }
}

/// Removes git's record of a worktree at this place that somebody has deleted: as long as it is there, git makes
/// no other one in its place. What somebody has locked stays, and so does what is there.
pub(super) fn forget_missing(repo: &Path, dir: &Path) -> Result<(), Error> {
    if dir.symlink_metadata().is_ok() {
        return Ok(());
    }
    // Git writes down where it really lies.
    let folder = dir.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder
        .zip(dir.file_name())
        .map(|(folder, name)| folder.join(name));
    let is_here = |place: &Path| place == dir || Some(place) == real.as_deref();
    let entries = std::fs::read_dir(records(repo)?);
    for record in entries.into_iter().flatten().flatten() {
        let record = record.path();
        let place = place_of(&record);
        let here = place.is_some_and(|place| place.parent().is_some_and(is_here));
        if here && !record.join("locked").exists() {
            remove_folder(&record)?;
        }
    }
    Ok(())
}

/// Ends removals that were cut short, and removes git's records of worktrees of ours that are gone. Not
/// what `git worktree prune` does: a person's worktree may lie on a disk that is not there just now.
pub fn prune(project: &crate::Project) -> Result<(), Error> {
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
pub(super) fn records_of(project: &crate::Project) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(records(project.repo())?);
    let entries = entries.into_iter().flatten().flatten();
    Ok(entries.map(|entry| entry.path()).collect())
}

/// The `.git` file that a record belongs to; none while git has not written it down.
pub(super) fn place_of(record: &Path) -> Option<PathBuf> {
    let said = std::fs::read(record.join("gitdir")).ok()?;
    let said = said.trim_ascii_end();
    (!said.is_empty()).then(|| record.join(OsStr::from_bytes(said)))
}

/// Does it lie where our worktrees do?
pub(super) fn is_ours(project: &crate::Project, place: &Path) -> bool {
    let folder = project.home().join(crate::project::WORKTREES);
    let theirs = place.parent().and_then(Path::parent);
    let real = folder.canonicalize().ok();
    theirs == Some(&folder) || theirs.is_some_and(|theirs| real.as_deref() == Some(theirs))
}

/// Removes a folder, also one with folders in it that its owner may not write to: caches of some
/// toolchains are such.
pub(super) fn remove_folder(dir: &Path) -> Result<(), Error> {
    store::remove_tree(dir).map_err(Error::io("remove", dir))
}

/// Lets us write to every folder below. What we may not change is not ours, and stays as it is.
pub(super) fn open_folders(dir: &Path) {
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
