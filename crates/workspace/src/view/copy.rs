//! Copying into a view: every file hashed on the way, with a stamp of it and of its source. Links that
//! lead out are not copied, nor is anything that is neither file nor link.

use super::spread::spread;
use super::stamp::{Pair, Stamp};
use super::stays_inside;
use crate::error::EngineError;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use store::{Node, Tree, encode_path};

/// Files up to this size are read once, for the copy and the hash together.
const SMALL: u64 = 8 << 20;

/// One entry as it was copied.
pub(super) struct Copied {
    pub(super) name: String,
    pub(super) node: Node,
    pub(super) pair: Pair,
}

/// The folders that hold these files, the top included.
pub(super) fn folders_of<'a>(files: impl IntoIterator<Item = &'a Path>) -> BTreeSet<PathBuf> {
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

/// Copies the files to where there is nothing of that name.
pub(super) fn copy(from: &Path, to: &Path, files: &[&PathBuf]) -> Result<Vec<Copied>, EngineError> {
    for folder in folders_of(files.iter().map(|path| path.as_path())) {
        let folder = to.join(folder);
        fs::create_dir_all(&folder).map_err(EngineError::io("create", &folder))?;
    }
    let copied = spread(files, |path| copy_one(from, to, path));
    copied.into_iter().filter_map(Result::transpose).collect()
}

fn copy_one(from: &Path, to: &Path, path: &Path) -> Result<Option<Copied>, EngineError> {
    let (source, target) = (from.join(path), to.join(path));
    // Before the content is read: what changes meanwhile has a later stamp next time.
    let Ok(found) = source.symlink_metadata() else {
        return Ok(None);
    };
    let name = encode_path(path);
    let node = if found.is_symlink() {
        let link = fs::read_link(&source).map_err(EngineError::io("read", &source))?;
        // A link that leads out would be a hole in the view.
        if !stays_inside(path, &link) {
            return Ok(None);
        }
        std::os::unix::fs::symlink(&link, &target).map_err(EngineError::io("link", &target))?;
        let target = encode_path(&link);
        Node::Link { target }
    } else if !found.is_file() {
        return Ok(None);
    } else if found.len() > SMALL {
        fs::copy(&source, &target).map_err(EngineError::io("copy", &source))?;
        let Some(node) = Tree::of(to, [path])?.files.remove(&name) else {
            return Ok(None);
        };
        node
    } else {
        let bytes = fs::read(&source).map_err(EngineError::io("read", &source))?;
        // Never over something, nor through a link that lies there.
        fs::File::create_new(&target)
            .and_then(|mut file| file.write_all(&bytes))
            .map_err(EngineError::io("write", &target))?;
        let sha256 = store::sha256_hex(&bytes);
        // The owner's bit alone, as git and the tree's hash have it.
        if found.mode() & 0o100 == 0 {
            Node::File { sha256 }
        } else {
            fs::set_permissions(&target, fs::Permissions::from_mode(0o755))
                .map_err(EngineError::io("set the mode of", &target))?;
            Node::Executable { sha256 }
        }
    };
    let made = target.symlink_metadata();
    let made = made.map_err(EngineError::io("read", &target))?;
    Ok(Some(Copied {
        name,
        node,
        pair: Pair {
            copy: Stamp::from(&made),
            source: Stamp::from(&found),
        },
    }))
}
