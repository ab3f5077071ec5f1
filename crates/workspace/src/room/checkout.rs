//! Checkouts of ours, one for each judged tree, by its hash: rooms are layers over them, and nobody
//! writes them. One that is there already is believed while every file and folder in it has the stamp
//! that it was left with. The last few are kept.

use crate::error::Error;
use crate::lock;
use crate::view::copy::{Manner, copy, folders_of};
use crate::view::stamp::{Seen, time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Tree;

/// How many are kept beside those that are in use.
const KEPT: usize = 6;
/// The files of the tree, and our `.git`.
const FILES: &str = "tree";
/// What is known of them.
const RECORD: &str = "checkout.json";
/// Locked by whoever uses it; its time says when that was last.
const USED: &str = "used";

/// Those that this process has looked at or made: nobody else writes there while it lives.
static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The files of one tree. It is not removed while this is there.
pub(super) struct Checkout {
    pub(super) folder: PathBuf,
    _used: Option<File>,
}

/// What tells whether a checkout has been touched.
#[derive(Serialize, Deserialize)]
struct Record {
    tree: Tree,
    seen: Seen,
}

impl Checkout {
    /// A folder of ours that is there.
    pub(super) fn made(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self {
            folder,
            _used: None,
        }
    }

    /// The checkout of a tree, made from `source` where there is none.
    pub(super) fn of(trees: &Path, source: &Path, tree: &Tree) -> Result<Self, Error> {
        fs::create_dir_all(trees).map_err(Error::io("create", trees))?;
        let place = trees.join(tree.hash());
        if let Some(there) = Self::there(trees, &place, tree)? {
            return Ok(there);
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = trees.join(format!("new-{}-{number}", std::process::id()));
        let own = trees.join(format!("{}-{}-{number}", tree.hash(), std::process::id()));
        let made = make(&new, source, tree).and_then(|()| {
            let _turn = lock::turn(&trees.join("lock"))?;
            let made_here = known().contains(&place) && place.join(FILES).is_dir();
            if made_here || untouched(&place, tree) {
                // Somebody else was faster, and may be in it by now: theirs is as good.
                throw_away(&new);
                return Ok((used(&place)?, place.clone()));
            }
            let place = match place.exists() {
                // Where times say nothing, nobody can tell whether theirs is what it was, and it stays
                // while they are in it.
                true if is_used(&place) => own,
                true => {
                    let bin = trees.join(format!("old-{}-{number}", std::process::id()));
                    fs::rename(&place, &bin).map_err(Error::io("move", &place))?;
                    throw_away(&bin);
                    place.clone()
                }
                false => place.clone(),
            };
            fs::rename(&new, &place).map_err(Error::io("move", &new))?;
            known().insert(place.clone());
            let used = used(&place)?;
            sweep(trees, KEPT);
            Ok((used, place))
        });
        if made.is_err() {
            throw_away(&new);
        }
        let (used, place) = made?;
        Ok(Self {
            folder: place.join(FILES),
            _used: Some(used),
        })
    }

    /// The one that is there, if it is still what was made.
    fn there(trees: &Path, place: &Path, tree: &Tree) -> Result<Option<Self>, Error> {
        let used = {
            let _turn = lock::turn(&trees.join("lock"))?;
            match place.join(FILES).is_dir() {
                true => used(place)?,
                false => return Ok(None),
            }
        };
        if !known().contains(place) {
            if !untouched(place, tree) {
                return Ok(None);
            }
            known().insert(place.to_owned());
        }
        Ok(Some(Self {
            folder: place.join(FILES),
            _used: Some(used),
        }))
    }
}

fn known() -> std::sync::MutexGuard<'static, BTreeSet<PathBuf>> {
    KNOWN
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// As another process would find it.
#[cfg(test)]
pub(super) fn forget() {
    known().clear();
}

fn used(place: &Path) -> Result<File, Error> {
    let path = place.join(USED);
    let used = File::create(&path).map_err(Error::io("create", &path))?;
    used.lock_shared().map_err(Error::io("lock", &path))?;
    Ok(used)
}

/// Is a room over it?
fn is_used(place: &Path) -> bool {
    let used = File::open(place.join(USED));
    used.is_ok_and(|used| match used.try_lock() {
        Ok(()) => {
            let _ = used.unlock();
            false
        }
        Err(_) => true,
    })
}

fn untouched(place: &Path, tree: &Tree) -> bool {
    let record = fs::read(place.join(RECORD)).ok();
    let record = record.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    record.is_some_and(|record| {
        let root = place.join(FILES);
        let same = |name: &String| {
            store::decode_path(name)
                .is_some_and(|path| record.seen.same_copy(&root.join(path), name))
        };
        record.tree == *tree
            && record.seen.same_folders(&root)
            && record.tree.files.keys().all(same)
    })
}

fn make(new: &Path, source: &Path, tree: &Tree) -> Result<(), Error> {
    let files = new.join(FILES);
    fs::create_dir_all(&files).map_err(Error::io("create", &files))?;
    let paths: Vec<PathBuf> = tree
        .files
        .keys()
        .filter_map(|name| store::decode_path(name))
        .collect();
    let mut record = Record {
        tree: Tree::default(),
        seen: Seen::default(),
    };
    record.seen.began = time(new)?;
    let listed: Vec<&PathBuf> = paths.iter().collect();
    for copied in copy(source, &files, &listed, Manner::Whole)? {
        record.tree.files.insert(copied.name.clone(), copied.node);
        record.seen.files.insert(copied.name, copied.pair);
    }
    if let Some(change) = tree.diff(&record.tree).first() {
        return Err(Error::user(
            "tree_changed",
            format!("{} was changed before it could be judged", change.path),
            "let nothing write there meanwhile, and go on with `proofhouse run`",
        ));
    }
    super::git::make(source, &files)?;
    let folders = folders_of(paths.iter().map(PathBuf::as_path));
    record.seen.settle(new, &files, &folders)?;
    let json =
        serde_json::to_vec(&record).map_err(|error| Error::io("write", new)(error.into()))?;
    Ok(store::write_atomic(&new.join(RECORD), &json)?)
}

/// Removes all that nobody uses.
pub(super) fn tidy(trees: &Path) {
    if !trees.exists() {
        return;
    }
    // What stays is found by the next one.
    if let Ok(_turn) = lock::turn(&trees.join("lock")) {
        sweep(trees, 0);
    }
}

/// Removes what nobody uses any more, save the last few. Whoever calls it has the turn.
fn sweep(trees: &Path, kept: usize) {
    let mut unused = Vec::new();
    for entry in fs::read_dir(trees).into_iter().flatten().flatten() {
        let path = entry.path();
        let used = File::open(path.join(USED));
        let Ok(used) = used else {
            // Being made, or left half made by somebody who is gone.
            let made = entry.metadata().and_then(|found| found.modified());
            let old = made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age.as_secs() > 3600));
            if old && path.is_dir() {
                throw_away(&path);
            }
            continue;
        };
        let last = used.metadata().and_then(|found| found.modified());
        if used.try_lock().is_ok() {
            unused.push((last.ok(), path));
        }
        let _ = used.unlock();
    }
    unused.sort();
    let too_many = unused.len().saturating_sub(kept);
    for (_, path) in unused.into_iter().take(too_many) {
        known().remove(&path);
        throw_away(&path);
    }
}

fn throw_away(path: &Path) {
    // What stays is litter below our own folder; the next sweep finds it.
    let _ = store::remove_tree(path);
}
