//! Entering a room: an overlay over the checkout at the repository's own path, or, where the kernel
//! gives none, a copy of the checkout in a place of its own. Never hard links: a write in place would
//! reach the checkout through them.

use super::include::{Include, Included};
use super::left::{Left, Mark};
use super::python::Environment;
use crate::error::Error;
use crate::view::stamp::{Stamp, time};
use globset::GlobSet;
use sandbox::{Launch, Overlay, Placed, Policy};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Tree;

/// How a room is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Overlay,
    Copy,
}

/// What a room is made of.
pub(super) struct Room<'a> {
    /// Where it is, for the command.
    pub(super) at: &'a Path,
    /// The checkout.
    pub(super) lower: &'a Path,
    pub(super) include: &'a [Include],
    /// Judged files that cannot be opened for writing.
    pub(super) fixed: &'a BTreeSet<PathBuf>,
    pub(super) judged: &'a Tree,
}

/// A room, ready to be used once. It goes when this goes.
pub(super) struct Entered {
    pub(super) launch: Launch,
    pub(super) how: How,
    /// Where what the command writes lies.
    pub(super) after: PathBuf,
    lower: PathBuf,
    place: PathBuf,
    /// In a copy: the judged files as they were made.
    made: Vec<(PathBuf, Mark)>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        // Left behind, it is litter in the scratch of its run, which is removed with it.
        let _ = store::remove_tree(&self.place);
    }
}

impl Room<'_> {
    /// Makes the room in `place`, and points the launch at it.
    pub(super) fn enter(&self, place: &Path, launch: &Launch, how: How) -> Result<Entered, Error> {
        let place = match how {
            How::Overlay => place.to_owned(),
            How::Copy => outside(place),
        };
        // Of an engine that was killed in the middle.
        store::remove_tree(&place).map_err(Error::io("remove", &place))?;
        if how == How::Copy {
            private(&place)?;
        }
        let mut entered = Entered {
            launch: launch.clone(),
            how,
            after: place.join(match how {
                How::Overlay => "upper",
                How::Copy => "copy",
            }),
            lower: self.lower.to_owned(),
            place,
            made: Vec::new(),
        };
        folder(&entered.after)?;
        match how {
            How::Overlay => self.overlay(&mut entered)?,
            How::Copy => self.copy(&mut entered)?,
        }
        self.activate(&mut entered)?;
        Ok(entered)
    }

    /// Puts the repository's own environment of Python to use.
    fn activate(&self, entered: &mut Entered) -> Result<(), Error> {
        let laid = Environment::among(self.include);
        let Some(environment) = laid.or_else(|| Environment::linked_from(self.lower)) else {
            return Ok(());
        };
        environment.activate(&mut entered.launch.env);
        let folder = &environment.folder;
        let Some(policy) = &mut entered.launch.policy else {
            return Ok(());
        };
        if !folder.starts_with(self.at) && !policy.read.contains(folder) {
            policy.read.push(folder.clone());
        }
        if entered.how == How::Copy {
            return Ok(());
        }
        let mut places = vec![folder.clone()];
        let laid = self.include.iter().filter(|one| one.source == *folder);
        places.extend(laid.map(|one| self.at.join(&one.path)));
        for retold in environment.retold(self.at, &entered.place.join("python"))? {
            policy.placed.extend(places.iter().map(|place| Placed {
                source: retold.file.clone(),
                at: place.join(&retold.inside),
            }));
        }
        Ok(())
    }

    /// The policy without the folder that the room stands for, nor anybody's `.git`: a room has its own.
    fn without_place(&self, policy: &mut Policy) {
        policy.write.retain(|path| path != self.at);
        policy.read.retain(|path| !path.ends_with(".git"));
        policy
            .hidden
            .retain(|path| match path.strip_prefix(self.at) {
                Ok(inside) => self.lower.join(inside).symlink_metadata().is_ok(),
                Err(_) => true,
            });
    }

    fn overlay(&self, entered: &mut Entered) -> Result<(), Error> {
        let Some(policy) = &mut entered.launch.policy else {
            return Ok(());
        };
        self.without_place(policy);
        let work = entered.place.join("work");
        folder(&work)?;
        policy.overlays.push(Overlay {
            at: self.at.to_owned(),
            lower: self.lower.to_owned(),
            upper: entered.after.clone(),
            work,
            fixed: self.fixed.iter().cloned().collect(),
        });
        for (number, include) in self.include.iter().enumerate() {
            let at = self.at.join(&include.path);
            match include.kind {
                Included::Dependencies => policy.placed.push(Placed {
                    source: include.source.clone(),
                    at,
                }),
                Included::Cache => {
                    let [upper, work] = ["upper", "work"]
                        .map(|name| entered.place.join(format!("cache-{number}")).join(name));
                    folder(&upper)?;
                    folder(&work)?;
                    policy.overlays.push(Overlay {
                        at,
                        lower: include.source.clone(),
                        upper,
                        work,
                        fixed: Vec::new(),
                    });
                }
            }
        }
        Ok(())
    }

    fn copy(&self, entered: &mut Entered) -> Result<(), Error> {
        let copy = entered.after.clone();
        copy_all(self.lower, &copy)?;
        for include in self.include {
            let to = copy.join(&include.path);
            let into = to.parent().unwrap_or(&copy).to_owned();
            folder(&into)?;
            // A build's cache would have to be copied whole: it is begun anew.
            if include.kind == Included::Dependencies {
                std::os::unix::fs::symlink(&include.source, &to).map_err(Error::io("link", &to))?;
            }
        }
        if let Some(policy) = &mut entered.launch.policy {
            self.without_place(policy);
            // The task's folder may lie in the repository, and is read there.
            for path in &policy.read {
                if let Ok(inside) = path.strip_prefix(self.at)
                    && path.is_dir()
                {
                    copy_all(path, &copy.join(inside))?;
                }
            }
            policy.write.push(copy.clone());
            policy
                .read
                .extend(self.fixed.iter().map(|path| copy.join(path)));
            let sources = self.include.iter();
            let sources = sources.filter(|include| include.kind == Included::Dependencies);
            policy
                .read
                .extend(sources.map(|include| include.source.clone()));
        }
        if let Ok(inside) = entered.launch.dir.strip_prefix(self.at) {
            let inside = inside.to_owned();
            entered.launch.dir = match inside.as_os_str().is_empty() {
                true => copy.clone(),
                false => copy.join(inside),
            };
        }
        entered.made = marks(&entered.place, &copy, self.judged)?;
        Ok(())
    }
}

impl Entered {
    /// What the command left of the judged files.
    pub(super) fn left(&self, judged: &Tree, writable: &GlobSet) -> Result<Left, Error> {
        match self.how {
            How::Overlay => Left::in_layer(&self.after, &self.lower, judged, writable),
            How::Copy => Left::in_copy(&self.after, &self.made, judged, writable),
        }
    }

    /// Can a file be kept from being written in such a room?
    pub(super) fn can_fix(&self) -> bool {
        self.launch.policy.is_some() && sandbox::has_mounts()
    }
}

/// Where a copy for this place lies: below no folder of the person's, because runners look for their
/// settings, workspaces and modules in every folder above the one that they are started in.
pub(super) fn outside(place: &Path) -> PathBuf {
    let name = store::sha256_hex(place.as_os_str().as_encoded_bytes());
    std::env::temp_dir().join(format!("proofhouse-room-{}", &name[..16]))
}

/// A folder that nobody else on the machine can look into, made by us or not at all.
fn private(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    made.map_err(Error::io("create", path))
}

fn folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

/// Copies a folder with everything in it, links as links and with their times. Where the file system can
/// share blocks between files, it does: the system's own copy asks for that first.
fn copy_all(from: &Path, to: &Path) -> Result<(), Error> {
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        let (source, target) = (from.join(&inside), to.join(&inside));
        folder(&target)?;
        for entry in fs::read_dir(&source).map_err(Error::io("list", &source))? {
            let entry = entry.map_err(Error::io("list", &source))?;
            let (path, target) = (entry.path(), target.join(entry.file_name()));
            let kind = entry.file_type().map_err(Error::io("read", &path))?;
            if kind.is_dir() {
                folders.push(inside.join(entry.file_name()));
            } else if kind.is_symlink() {
                let made =
                    fs::read_link(&path).and_then(|link| std::os::unix::fs::symlink(link, &target));
                made.map_err(Error::io("link", &target))?;
            } else if kind.is_file() {
                let copied = fs::copy(&path, &target)
                    .and_then(|_| entry.metadata()?.modified())
                    .and_then(|time| {
                        fs::File::options()
                            .append(true)
                            .open(&target)?
                            .set_modified(time)
                    });
                copied.map_err(Error::io("copy", &path))?;
            }
        }
    }
    Ok(())
}

/// The judged files as they are, after the clock's next tick: from then on a write shows.
fn marks(place: &Path, copy: &Path, judged: &Tree) -> Result<Vec<(PathBuf, Mark)>, Error> {
    let (mut made, mut newest) = (Vec::new(), 0);
    for path in judged
        .files
        .keys()
        .filter_map(|name| store::decode_path(name))
    {
        let real = copy.join(&path);
        let found = real.symlink_metadata();
        let found = found.map_err(Error::io("read", &real))?;
        newest = newest.max(Stamp::from(&found).changed());
        made.push((path, Mark::of(&found)));
    }
    for _ in 0..25 {
        if time(place)? > newest {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(made)
}
