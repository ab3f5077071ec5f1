//! What the file system says of an entry without its content, and when that can be believed.
//!
//! Nobody can set a change time back, so an entry with the same stamp is the same. Two things could
//! make that untrue, and are refused here: a change in the same tick of the clock as the stamp, and
//! a file system whose change times do not move with every kind of write.

use super::spread::spread;
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Node, Tree, encode_path};

/// How coarse the clock of the user's own file system may be. Sources can lie on another one than
/// the marks by which we tell its time, so the coarsest that is in use.
pub(super) const COARSEST: i64 = 2_000_000_000;
/// How often, a millisecond apart, we look whether the clock has ticked after the last copy.
const LOOKS: usize = 25;
const MARK: &str = "laid-out";
/// By their magic numbers, the file systems on which every write moves the change time, those
/// through a memory map too: ext2 to ext4, XFS, Btrfs, F2FS, and overlays of these.
#[cfg(target_os = "linux")]
const RELIABLE: [u64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x794C_7630];

/// Device, inode, links, mode, owner, group, size, modified, changed. In this order, as a short
/// list: thousands of them are written before each attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp([i64; 9]);

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        Some(Stamp::from(&path.symlink_metadata().ok()?))
    }

    fn device(&self) -> i64 {
        self.0[0]
    }

    pub(crate) fn changed(&self) -> i64 {
        self.0[8]
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        Stamp([
            found.dev().cast_signed(),
            found.ino().cast_signed(),
            found.nlink().cast_signed(),
            found.mode().into(),
            found.uid().into(),
            found.gid().into(),
            found.size().cast_signed(),
            nanos(found.mtime(), found.mtime_nsec()),
            nanos(found.ctime(), found.ctime_nsec()),
        ])
    }
}

/// A copy, and what it was copied from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(super) copy: Stamp,
    pub(super) source: Stamp,
}

/// The stamps of everything in a folder that was laid out. There is nothing else in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Seen {
    pub(crate) files: BTreeMap<String, Pair>,
    /// The folders; the empty name is the top.
    pub(super) folders: BTreeMap<String, Stamp>,
    /// The file system's time before the first source was looked at.
    pub(crate) began: i64,
    /// The file system's time after the last copy. Zero where its times say nothing.
    pub(super) done: i64,
}

impl Seen {
    /// Is what we laid out at `path` still just that? A stamp from the last tick is no proof.
    fn untouched(&self, path: &Path, stamp: &Stamp) -> bool {
        stamp.changed() < self.done && Stamp::of(path).as_ref() == Some(stamp)
    }

    /// Is the copy at `path` still just what we made?
    pub(crate) fn same_copy(&self, path: &Path, name: &str) -> bool {
        let pair = self.files.get(name);
        pair.is_some_and(|pair| self.untouched(path, &pair.copy))
    }

    /// Are source and copy still just what we copied, and made of it?
    pub(super) fn same_file(&self, path: &Path, from: &Path, to: &Path) -> bool {
        self.files.get(&encode_path(path)).is_some_and(|pair| {
            pair.source.device() == pair.copy.device()
                && pair.source.changed().saturating_add(COARSEST) < self.began
                && Stamp::of(&from.join(path)).as_ref() == Some(&pair.source)
                && self.untouched(&to.join(path), &pair.copy)
        })
    }

    /// Does the folder at `place`, which we laid out as `path`, still have just the entries that we
    /// made in it, under the same names?
    pub(super) fn same_folder(&self, place: &Path, path: &Path) -> bool {
        let stamp = self.folders.get(&encode_path(path));
        stamp.is_some_and(|stamp| self.untouched(place, stamp))
    }

    /// Has nothing been added, renamed or deleted anywhere?
    pub fn same_folders(&self, root: &Path) -> bool {
        // The top alone is the least that is ever laid out; none means that we know nothing.
        self.folders.contains_key("")
            && self.folders.iter().all(|(name, stamp)| {
                store::decode_path(name)
                    .is_some_and(|path| self.untouched(&below(root, &path), stamp))
            })
    }

    /// The tree now, of what was laid out from `real`. Files that are just what we made are not read
    /// again.
    pub fn tree_now(
        &self,
        root: &Path,
        real: &Path,
        before: &Tree,
        paths: &[PathBuf],
    ) -> Result<Tree, Error> {
        let looked: Vec<(String, Option<Node>)> = spread(paths, |path| {
            let name = encode_path(path);
            let node = before.files.get(&name);
            let node = node.filter(|_| self.same_copy(&root.join(path), &name));
            let node = node.cloned();
            (name, node)
        });
        let mut tree = Tree::default();
        let mut again = Vec::new();
        for (path, (name, node)) in paths.iter().zip(looked) {
            match node {
                Some(node) => {
                    tree.files.insert(name, node);
                }
                None => again.push(path),
            }
        }
        super::bounds::taken(root, real, again.iter().copied())?;
        tree.files.extend(Tree::of(root, again)?.files);
        Ok(tree)
    }

    /// Stamps the folders, and waits for the clock's next tick: from then on a change shows.
    pub(crate) fn settle(
        &mut self,
        home: &Path,
        root: &Path,
        folders: &BTreeSet<PathBuf>,
    ) -> Result<(), Error> {
        self.folders = folders
            .iter()
            .filter_map(|path| Some((encode_path(path), Stamp::of(&below(root, path))?)))
            .collect();
        if !reliable(home) {
            self.done = 0;
            return Ok(());
        }
        let copies = self.files.values().map(|pair| &pair.copy);
        let newest = copies
            .chain(self.folders.values())
            .map(Stamp::changed)
            .max();
        for _ in 0..LOOKS {
            self.done = time(home)?;
            if newest.is_none_or(|newest| newest < self.done) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// `root.join("")` would end in a slash, and follow a link that lies there.
fn below(root: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() {
        root.to_owned()
    } else {
        root.join(path)
    }
}

/// The file system's own time, by a mark that is written now.
pub(crate) fn time(home: &Path) -> Result<i64, Error> {
    let mark = home.join(MARK);
    fs::write(&mark, b"x").map_err(Error::io("write", &mark))?;
    let found = mark.symlink_metadata();
    let found = found.map_err(Error::io("read", &mark))?;
    Ok(Stamp::from(&found).changed())
}

#[cfg(target_os = "linux")]
fn reliable(home: &Path) -> bool {
    // The type of the field differs between machines; the magic numbers have 32 bits.
    rustix::fs::statfs(home)
        .is_ok_and(|found| RELIABLE.contains(&(found.f_type as u64 & 0xFFFF_FFFF)))
}

#[cfg(not(target_os = "linux"))]
fn reliable(_home: &Path) -> bool {
    false
}
