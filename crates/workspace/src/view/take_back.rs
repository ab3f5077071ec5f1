//! The way back: an attempt's changes over the user's files, as a whole, and only where those are
//! still as the agent saw them.

use super::stage::{Stage, mode};
use super::{Change, Root};
use crate::context::{Context, Files};
use crate::error::Error;
use crate::folders::remove_emptied;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use store::{Node, Tree};

fn real(context: &Context, change: &Change) -> PathBuf {
    match change.root {
        Root::Repo => context.project.repo().join(&change.path),
        Root::Task => context.task.join(&change.path),
    }
}

fn now(context: &Context, change: &Change) -> Result<Option<Node>, Error> {
    let root = match change.root {
        Root::Repo => context.project.repo(),
        Root::Task => &context.task,
    };
    Ok(Tree::of(root, [&change.path])?.files.remove(&change.path))
}

/// The parent of a path, if it is there and is no real folder: writing below it would write
/// somewhere else. One that the same changes delete is on its way out.
fn led_astray(context: &Context, change: &Change, all: &[Change]) -> Option<String> {
    let root = match change.root {
        Root::Repo => context.project.repo(),
        Root::Task => &context.task,
    };
    let parents = Path::new(&change.path).ancestors().skip(1);
    let mut parents = parents.filter(|parent| !parent.as_os_str().is_empty());
    let goes = |parent: &Path| {
        let mut deleted = all
            .iter()
            .filter(|other| other.root == change.root && other.after.is_none());
        deleted.any(|other| Path::new(&other.path) == parent)
    };
    let astray = parents.find(|parent| {
        let found = root.join(parent).symlink_metadata();
        found.is_ok_and(|found| !found.is_dir()) && !goes(parent)
    });
    astray.map(|parent| format!("{} (a link at {})", change.name(), parent.display()))
}

/// The first path that somebody else changed meanwhile, or that does not lead where it says.
pub fn conflict(context: &Context, changes: &[Change]) -> Result<Option<String>, Error> {
    for change in changes {
        if let Some(link) = led_astray(context, change, changes) {
            return Ok(Some(link));
        }
        let here = now(context, change)?;
        let as_seen = here == change.before || here == change.after;
        if !as_seen && !gives_way(context, change, changes)? {
            return Ok(Some(change.name()));
        }
    }
    Ok(None)
}

/// Is it a folder, and do the same changes delete everything in it? Agents make files of folders.
fn gives_way(context: &Context, change: &Change, all: &[Change]) -> Result<bool, Error> {
    let folder = real(context, change);
    if now(context, change)? != Some(Node::Folder) || change.before.is_some() {
        return Ok(false);
    }
    let gone = all.iter().filter(|other| other.after.is_none());
    let gone: BTreeSet<PathBuf> = gone.map(|other| real(context, other)).collect();
    // What git ignores, and a repository in it, is in no change and is somebody's.
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
            let entry = entry.map_err(Error::io("read", &folder))?;
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => folders.push(entry.path()),
                false if gone.contains(&entry.path()) => {}
                false => return Ok(false),
            }
        }
    }
    Ok(true)
}

/// Takes the changes back. May be repeated after a crash: what is there already stays. The content
/// that is replaced or deleted goes into the vault first, because nothing of the user's is lost.
pub fn take_back(context: &Context, home: &Path, changes: &[Change]) -> Result<(), Error> {
    prepare(context, changes)?;
    // What goes first: a file may come where a folder was.
    let (gone, made): (Vec<_>, Vec<_>) = changes.iter().partition(|one| one.after.is_none());
    let stage = Stage::of(context, home, &made)?;
    for change in gone.into_iter().chain(made) {
        let here = now(context, change)?;
        if here == change.after {
            continue;
        }
        let target = real(context, change);
        if matches!(here, Some(Node::File { .. } | Node::Executable { .. })) {
            let old = fs::read(&target).map_err(Error::io("read", &target))?;
            let name = format!("before: {}", change.name());
            match (change.root, context.files) {
                // The user's own content, to the byte.
                (Root::Repo, Files::OfGit) => context.vault.put(&name, &old)?,
                // An agent's: a key in it stays out of the vault.
                (Root::Repo, Files::OfStore) | (Root::Task, _) => context.keep(&name, &old)?,
            };
        }
        let source = home.join("view").join(change.name());
        if here == Some(Node::Folder) {
            remove_emptied(&target)?;
        }
        if change.after.is_some()
            && let Some(folder) = target.parent()
        {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        match &change.after {
            None => fs::remove_file(&target).map_err(Error::io("delete", &target))?,
            // Each at once: half of a change would pass for somebody else's after a crash.
            Some(Node::Link { target: link }) => {
                store::link_atomic(&target, Path::new(link))?;
            }
            Some(_) => {
                if let Some(waiting) = stage.waiting(change) {
                    fs::rename(waiting, &target).map_err(Error::io("write", &target))?;
                    continue;
                }
                let bytes = fs::read(&source).map_err(Error::io("read", &source))?;
                let mode = fs::Permissions::from_mode(mode(change));
                store::write_atomic_with(&target, &bytes, Some(mode))?;
            }
        }
    }
    stage.done()
}

/// Removes what a taking back that was killed in the middle of a file left beside it.
pub fn sweep(context: &Context, changes: &[Change]) {
    let targets: Vec<PathBuf> = changes.iter().map(|change| real(context, change)).collect();
    store::sweep_beside(targets.iter().map(PathBuf::as_path));
}

/// Writes down which folders the changes need and are not there: a revert takes exactly those away
/// again once they are empty. Once for all changes, before the first is made.
fn prepare(context: &Context, changes: &[Change]) -> Result<(), Error> {
    let mut missing = BTreeSet::new();
    for change in changes.iter().filter(|change| change.after.is_some()) {
        let target = real(context, change);
        let new = target
            .ancestors()
            .skip(1)
            .take_while(|folder| !missing.contains(*folder) && folder.symlink_metadata().is_err());
        let new: Vec<PathBuf> = new.map(Path::to_owned).collect();
        missing.extend(new);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let list = context.made_folders();
    // As JSON: a name may hold a line break.
    let line = |folder: &PathBuf| format!("{}\n", serde_json::json!(store::encode_path(folder)));
    let before = fs::read_to_string(&list).unwrap_or_default();
    let lines: String = missing.iter().map(line).collect();
    Ok(store::write_atomic(&list, (before + &lines).as_bytes())?)
}

/// Removes folders that this run made and that are empty now.
pub fn remove_empty(context: &Context) -> Result<(), Error> {
    let list = context.made_folders();
    let made = fs::read_to_string(&list).unwrap_or_default();
    // Earlier versions wrote the bare path.
    let read = |line: &str| match serde_json::from_str::<String>(line) {
        Ok(path) => store::decode_path(&path),
        Err(_) => Some(PathBuf::from(line)),
    };
    let mut folders: Vec<PathBuf> = made.lines().filter_map(read).collect();
    // The deepest first.
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in folders {
        if folder.starts_with(context.project.repo()) || folder.starts_with(&context.task) {
            // One with something in it is refused by the system itself, and stays.
            let _ = fs::remove_dir(folder);
        }
    }
    Ok(())
}
