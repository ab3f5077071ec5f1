//! What a command left of the judged files in its room. Nothing that it wrote is followed or run: links
//! are looked at as links, and only what lies in the place of a judged file is read.

use crate::error::Error;
use globset::GlobSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use store::{Node, Tree};

/// Judged files that a command had its hands on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// These are others now, or gone.
    pub(super) changed: Vec<String>,
    /// These were opened for writing, or given another time or mode, and are as they were.
    pub(super) touched: Vec<String>,
}

impl Left {
    fn note(&mut self, judged: &Tree, path: &Path, now: Option<Node>, writable: &GlobSet) {
        let name = store::encode_path(path);
        if writable.is_match(path) {
            return;
        }
        match judged.files.get(&name) {
            // A link cannot be kept from being replaced by another: one that was is not believed.
            Some(node @ (Node::File { .. } | Node::Executable { .. }))
                if now.as_ref() == Some(node) =>
            {
                self.touched.push(name);
            }
            Some(_) => self.changed.push(name),
            // It is a folder of the tree that is none any more.
            None => {
                let below = format!("{name}/");
                let gone = judged.files.keys().filter(|path| path.starts_with(&below));
                let gone = gone.filter(|path| !writable.is_match(path.as_str()));
                self.changed.extend(gone.cloned());
            }
        }
    }

    /// From the upper layer of an overlay, which has an entry for everything that was ever written.
    pub(super) fn in_layer(
        upper: &Path,
        lower: &Path,
        judged: &Tree,
        writable: &GlobSet,
    ) -> Result<Self, Error> {
        let mut left = Self::default();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let real = upper.join(&folder);
            let entries = fs::read_dir(&real).map_err(Error::io("list", &real))?;
            for entry in entries {
                let entry = entry.map_err(Error::io("list", &real))?;
                let path = folder.join(entry.file_name());
                let Ok(below) = lower.join(&path).symlink_metadata() else {
                    continue; // New, and thrown away.
                };
                let found = entry.metadata();
                let found = found.map_err(Error::io("read", &entry.path()))?;
                if path == Path::new(".git") {
                    continue;
                }
                if found.is_dir() && below.is_dir() && !is_opaque(&entry.path()) {
                    folders.push(path);
                    continue;
                }
                let now = node(upper, &path, &found)?;
                left.note(judged, &path, now, writable);
            }
        }
        left.changed.sort();
        left.touched.sort();
        Ok(left)
    }

    /// From a copy, by the times at which its files were last changed, which nobody can set.
    pub(super) fn in_copy(
        copy: &Path,
        made: &[(PathBuf, Mark)],
        judged: &Tree,
        writable: &GlobSet,
    ) -> Result<Self, Error> {
        let mut left = Self::default();
        for (path, mark) in made {
            let found = copy.join(path).symlink_metadata();
            let same = found.as_ref().is_ok_and(|found| Mark::of(found) == *mark);
            if same && parents_are_real(copy, path) {
                continue;
            }
            let now = Tree::of(copy, [path])?.files.into_values().next();
            left.note(judged, path, now, writable);
        }
        Ok(left)
    }
}

fn parents_are_real(root: &Path, path: &Path) -> bool {
    let parents = path
        .ancestors()
        .skip(1)
        .filter(|parent| !parent.as_os_str().is_empty());
    let real = |parent: &Path| {
        root.join(parent)
            .symlink_metadata()
            .is_ok_and(|it| it.is_dir())
    };
    parents.into_iter().all(real)
}

/// What tells whether a file was written: device and inode, when it changed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark([i64; 4]);

impl Mark {
    pub(super) fn of(found: &Metadata) -> Self {
        Self([
            found.dev().cast_signed(),
            found.ino().cast_signed(),
            found.ctime(),
            found.ctime_nsec(),
        ])
    }
}

/// What a layer has at a path; none where it says that there is nothing.
fn node(upper: &Path, path: &Path, found: &Metadata) -> Result<Option<Node>, Error> {
    if !found.is_file() && !found.is_symlink() {
        return Ok(None);
    }
    Ok(Tree::of(upper, [path])?.files.into_values().next())
}

/// Does a folder of a layer hide all that lies below it? It was deleted and made anew.
#[cfg(target_os = "linux")]
fn is_opaque(folder: &Path) -> bool {
    let mut value = [0_u8; 8];
    match rustix::fs::lgetxattr(folder, "user.overlay.opaque", &mut value) {
        Ok(length) => value.get(..length) == Some(b"y".as_slice()),
        Err(rustix::io::Errno::NODATA) => false,
        // What cannot be known is not believed.
        Err(_) => true,
    }
}

/// Elsewhere there are no layers.
#[cfg(not(target_os = "linux"))]
fn is_opaque(_folder: &Path) -> bool {
    true
}
