//! Copying into a view: every file hashed on the way, with a stamp of it and of its source. Whatever
//! is neither file nor link is refused, and what changes meanwhile; for agents, links that lead out too.

use super::spread::spread;
use super::stamp::{Pair, Stamp};
use super::stays_inside;
use crate::error::Error;
use crate::pinned::{Entry, Pinned};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use store::{Node, Tree, encode_path};

/// Files up to this size are read once, for the copy and the hash together.
const SMALL: u64 = 8 << 20;

/// One entry as it was copied.
pub(crate) struct Copied {
    pub(crate) name: String,
    pub(crate) node: Node,
    pub(crate) pair: Pair,
}

/// The folders that hold these files, the top included.
pub(crate) fn folders_of<'a>(files: impl IntoIterator<Item = &'a Path>) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::from([PathBuf::new()]);
    let mut last = OsStr::new("");
    for parent in files.into_iter().filter_map(Path::parent) {
        // Neighbours share it mostly, and paths are slow to compare.
        if parent.as_os_str() == last {
            continue;
        }
        last = parent.as_os_str();
        for folder in parent.ancestors() {
            // Whoever knows a folder knows those above it.
            if !folders.insert(folder.to_owned()) {
                break;
            }
        }
    }
    folders
}

/// Which entries are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Those that an agent may have: a link that leads out would be a hole in its view.
    ForAnAgent,
    /// Every one, as it is; what is gone meanwhile is an error.
    Whole,
}

/// Copies the files to where there is nothing of that name.
pub(crate) fn copy(
    from: &Path,
    to: &Path,
    files: &[&PathBuf],
    manner: Manner,
) -> Result<Vec<Copied>, Error> {
    for folder in folders_of(files.iter().map(|path| path.as_path())) {
        let folder = to.join(folder);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    }
    let source = Pinned::of(from).map_err(Error::io("open", from))?;
    let copied = spread(files, |path| copy_one(&source, from, to, path, manner));
    copied.into_iter().filter_map(Result::transpose).collect()
}

fn copy_one(
    pinned: &Pinned,
    from: &Path,
    to: &Path,
    path: &Path,
    manner: Manner,
) -> Result<Option<Copied>, Error> {
    let (source, target) = (from.join(path), to.join(path));
    let changed = || {
        Error::user(
            "tree_changed",
            format!("{} was changed while it was being copied", path.display()),
            "let nothing write there meanwhile, and go on with `proofhouse run`",
        )
    };
    // Before the content is read: what changes meanwhile has a later stamp next time.
    let Ok(found) = source.symlink_metadata() else {
        return match manner {
            Manner::ForAnAgent => Ok(None),
            Manner::Whole => Err(changed()),
        };
    };
    let name = encode_path(path);
    let entry = pinned.entry(path).map_err(Error::io("read", &source))?;
    let node = match entry {
        Entry::Link(link) => {
            if manner == Manner::ForAnAgent && !stays_inside(path, &link) {
                return Ok(None);
            }
            std::os::unix::fs::symlink(&link, &target).map_err(Error::io("link", &target))?;
            let target = encode_path(&link);
            Node::Link { target }
        }
        Entry::Special(what) => return Err(special(path, what)),
        Entry::Folder | Entry::Nothing if manner == Manner::Whole => return Err(changed()),
        Entry::Folder | Entry::Nothing => return Ok(None),
        Entry::File(mut open) => {
            let opened = open.file.metadata();
            let opened = opened.map_err(Error::io("read", &source))?;
            if (opened.dev(), opened.ino()) != (found.dev(), found.ino()) {
                return Err(changed());
            }
            let sha256 =
                content(&mut open.file, &found, &target).map_err(Error::io("copy", &source))?;
            if open.unchanged().is_err() {
                return Err(changed());
            }
            // The owner's bit alone, as git and the tree's hash have it.
            if found.mode() & 0o100 == 0 {
                Node::File { sha256 }
            } else {
                fs::set_permissions(&target, fs::Permissions::from_mode(0o755))
                    .map_err(Error::io("set the mode of", &target))?;
                Node::Executable { sha256 }
            }
        }
    };
    let made = target.symlink_metadata();
    let made = made.map_err(Error::io("read", &target))?;
    Ok(Some(Copied {
        name,
        node,
        pair: Pair {
            copy: Stamp::from(&made),
            source: Stamp::from(&found),
        },
    }))
}

/// What is neither file, folder nor link.
pub(crate) fn special(path: &Path, what: &str) -> Error {
    Error::user(
        "special_file",
        format!("{} is {what}, and no file", path.display()),
        "delete it, or let git ignore it",
    )
}

/// Copies what is written of a file, and leaves its holes what they are. Where the file system does not
/// tell them apart, all of it is data.
fn copy_data(from: &mut fs::File, to: &mut fs::File, length: u64) -> std::io::Result<()> {
    use rustix::fs::{SeekFrom as At, seek};
    let mut at = 0;
    while at < length {
        let data = match seek(&*from, At::Data(at)) {
            Ok(data) => data,
            Err(rustix::io::Errno::NXIO) => break,
            Err(_) => at,
        };
        let hole = seek(&*from, At::Hole(data)).unwrap_or(length);
        from.seek(SeekFrom::Start(data))?;
        to.seek(SeekFrom::Start(data))?;
        let size = hole.saturating_sub(data);
        if std::io::copy(&mut from.take(size), to)? < size {
            break;
        }
        at = hole;
    }
    to.set_len(length)
}

/// Copies the content, and gives its hash.
fn content(from: &mut fs::File, found: &fs::Metadata, target: &Path) -> std::io::Result<String> {
    // Never over something, nor through a link that lies there.
    let mut to = fs::File::create_new(target)?;
    if found.len() <= SMALL {
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
        from.read_to_end(&mut bytes)?;
        to.write_all(&bytes)?;
        return Ok(store::sha256_hex(&bytes));
    }
    copy_data(from, &mut to, found.len())?;
    let (folder, name) = (target.parent(), target.file_name());
    let (Some(folder), Some(name)) = (folder, name) else {
        return Err(std::io::Error::other("it has no name"));
    };
    let tree = Tree::of(folder, [name]).map_err(std::io::Error::other)?;
    match tree.files.into_values().next() {
        Some(Node::File { sha256 } | Node::Executable { sha256 }) => Ok(sha256),
        _ => Err(std::io::Error::other("its copy is no file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_holes_is_copied_by_its_data() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let size = 16 << 20;
        let mut file = fs::File::create_new(&from).unwrap();
        file.write_all(b"head").unwrap();
        file.seek(SeekFrom::Start(size / 2)).unwrap();
        file.write_all(b"middle").unwrap();
        file.set_len(size).unwrap();
        let mut file = fs::File::open(&from).unwrap();
        let found = file.metadata().unwrap();
        let hash = content(&mut file, &found, &to).unwrap();
        let (before, after) = (fs::read(&from).unwrap(), fs::read(&to).unwrap());
        assert!(before == after, "the same bytes");
        assert_eq!(hash, store::sha256_hex(&after));
        let made = to.metadata().unwrap();
        // A file system without holes has none in the source either.
        if found.blocks() * 512 < size / 2 {
            assert!(made.blocks() * 512 < size / 2, "{}", made.blocks());
        }
    }
}
