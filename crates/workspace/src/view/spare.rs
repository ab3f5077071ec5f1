//! The last view of a run as the start of the next one: a copy of thousands of files that are the
//! same is not made again.
//!
//! An agent had that view, so nothing in it is believed. An entry stays only if its own stamp and
//! its source's stamp are those of the layout, and if the folder that holds it has its stamp too, or
//! else is made anew. All else goes. Each entry is proved by itself, so a view that a crash left
//! halfway could mislead nobody; it is not looked for either.

use super::spread::spread;
use super::stamp::Pair;
use super::{Base, base_of, replaced};
use crate::context::Context;
use kernel::EffectId;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use store::{Node, decode_path, encode_path};

/// Puts the view of an attempt aside that is on record as done.
pub fn put_aside(context: &Context, effect: EffectId) {
    let home = context.home(effect);
    super::session::keep(context, effect, &home);
    let view = home.join("view");
    // A view that cannot be put aside is removed; one that stays is untidy, not wrong.
    if keep(&home, &spare_of(context)).is_err() {
        let _ = store::remove_tree(&view);
    }
}

fn spare_of(context: &Context) -> PathBuf {
    context.project.work(&context.run).join("spare")
}

fn keep(home: &Path, spare: &Path) -> io::Result<()> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    // The note on a process stays while one of its tree may live, and could still write there.
    if replaced(home).is_some() || is_there(spare) || is_there(&home.join("pid")) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let (view, aside) = (home.join("view"), home.join("aside"));
    for entry in fs::read_dir(&view)? {
        let entry = entry?;
        // The task's copies, and whatever the agent made beside them.
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
        } else if entry.file_name() != "repo" {
            store::remove_tree(&entry.path())?;
        }
    }
    fs::create_dir(&aside)?;
    fs::rename(home.join("base.json"), aside.join("base.json"))?;
    fs::rename(&view, aside.join("view"))?;
    // Whole, in one step: there is a spare, or there is none.
    fs::rename(&aside, spare).inspect_err(|_| {
        let _ = store::remove_tree(&aside);
    })
}

/// An earlier view that nobody uses: where its copy of the repository lies, and what was laid out.
pub(super) struct Spare {
    pub(super) base: Base,
    pub(super) repo: PathBuf,
    /// For what goes. Below the attempt's own folder, where its agent cannot look.
    pub(super) bin: PathBuf,
}

impl Spare {
    /// Takes the run's spare view. Of two attempts at once, one gets it.
    pub(super) fn take(context: &Context, home: &Path) -> Option<Spare> {
        let bin = home.join("spare");
        fs::rename(spare_of(context), &bin).ok()?;
        let spare = has_a_repo(&bin).then(|| base_of(&bin)).flatten();
        let spare = spare.map(|base| Spare {
            base,
            repo: bin.join("view/repo"),
            bin: bin.clone(),
        });
        if spare.is_none() {
            throw_away(&bin);
        }
        spare
    }

    /// Moves to `to` what may stay of the files, which are to be as below `from`, and says which.
    /// Where this fails, nothing stays, and `to` does not exist.
    pub(super) fn reuse<'a>(
        &'a self,
        from: &Path,
        to: &Path,
        files: &'a [PathBuf],
        folders: &'a BTreeSet<PathBuf>,
    ) -> BTreeSet<&'a OsStr> {
        let seen = &self.base.seen;
        let same = spread(files, |path| seen.same_file(path, from, &self.repo));
        let same = files.iter().zip(same).filter(|(_, same)| *same);
        let mut sorting = Sorting {
            spare: self,
            same: same.map(|(path, _)| path.as_os_str()).collect(),
            wanted: folders.iter().map(|path| path.as_os_str()).collect(),
            entries: entries(&self.base),
            kept: BTreeSet::new(),
            thrown: 0,
        };
        match sorting.folder(&self.repo, to, Path::new("")) {
            Ok(()) => sorting.kept,
            Err(_) => {
                // Whatever it was, a fresh layout does not depend on it.
                if to.symlink_metadata().is_ok() {
                    let _ = sorting.throw(to);
                }
                BTreeSet::new()
            }
        }
    }

    /// What was laid out at a path.
    pub(super) fn said_of(&self, path: &Path) -> Option<(String, &Node, &Pair)> {
        let name = encode_path(path);
        let node = self.base.repo.files.get(&name)?;
        let pair = self.base.seen.files.get(&name)?;
        Some((name, node, pair))
    }
}

fn has_a_repo(bin: &Path) -> bool {
    ["view", "view/repo"].iter().all(|part| {
        let found = bin.join(part).symlink_metadata();
        found.is_ok_and(|found| found.is_dir())
    })
}

/// Removes what went.
pub(super) fn throw_away(bin: &Path) {
    // Scratch that stays is untidy, not wrong; it goes with the run.
    let _ = store::remove_tree(bin);
}

/// What was laid out in one folder.
#[derive(Default)]
struct Entries {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn entries(base: &Base) -> BTreeMap<OsString, Entries> {
    let mut all: BTreeMap<OsString, Entries> = BTreeMap::new();
    for path in base.seen.files.keys().filter_map(|name| decode_path(name)) {
        if let Some(folder) = path.parent() {
            all.entry(folder.into()).or_default().files.push(path);
        }
    }
    for path in base
        .seen
        .folders
        .keys()
        .filter_map(|name| decode_path(name))
    {
        if let Some(folder) = path.parent() {
            all.entry(folder.into()).or_default().folders.push(path);
        }
    }
    all
}

/// Goes through the old view from the top, so that no path leads through a folder that was not
/// looked at before.
struct Sorting<'a> {
    spare: &'a Spare,
    /// Files whose copy and source are as they were. As plain text: paths are slow to compare.
    same: BTreeSet<&'a OsStr>,
    wanted: BTreeSet<&'a OsStr>,
    entries: BTreeMap<OsString, Entries>,
    kept: BTreeSet<&'a OsStr>,
    thrown: usize,
}

impl Sorting<'_> {
    /// Brings the folder that was laid out as `path`, and lies `here`, to `target`.
    fn folder(&mut self, here: &Path, target: &Path, path: &Path) -> io::Result<()> {
        let Entries { files, folders } = self.entries.remove(path.as_os_str()).unwrap_or_default();
        if self.spare.base.seen.same_folder(here, path) {
            if here != target {
                fs::rename(here, target)?;
            }
            // It has just the entries that we made.
            for file in files {
                match self.same.get(file.as_os_str()) {
                    Some(same) => {
                        self.kept.insert(same);
                    }
                    None => fs::remove_file(target.join(name_of(&file)?))?,
                }
            }
            for folder in folders {
                let inside = target.join(name_of(&folder)?);
                if self.wanted.contains(folder.as_os_str()) {
                    self.folder(&inside, &inside, &folder)?;
                } else {
                    self.throw(&inside)?;
                }
            }
            return Ok(());
        }
        // Anything may be in it, and on it. What was laid out below may be as it was all the same.
        if !here.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            if here == target && here.symlink_metadata().is_ok() {
                self.throw(here)?;
            }
            return Ok(());
        }
        let old = self.throw(here)?;
        fs::create_dir(target)?;
        for folder in folders {
            if self.wanted.contains(folder.as_os_str()) {
                let name = name_of(&folder)?;
                self.folder(&old.join(name), &target.join(name), &folder)?;
            }
        }
        Ok(())
    }

    /// Moves something into the bin, and says where it is.
    fn throw(&mut self, what: &Path) -> io::Result<PathBuf> {
        self.thrown += 1;
        let place = self.spare.bin.join(format!("thrown-{}", self.thrown));
        if what.symlink_metadata()?.is_dir() {
            // A folder that cannot be written cannot be moved, nor emptied.
            fs::set_permissions(what, Permissions::from_mode(0o700))?;
        }
        fs::rename(what, &place)?;
        Ok(place)
    }
}

fn name_of(path: &Path) -> io::Result<&OsStr> {
    path.file_name()
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
