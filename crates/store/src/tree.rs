//! One hash for a tree of files, and what differs between two. It refuses to follow any link, the
//! last component or a folder on the way, since a link would let a tree vouch for files outside.

use crate::StoreError;
use crate::hash::HexHash;
use crate::paths::encode_path;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Node {
    /// A plain file.
    File {
        /// SHA-256 of its content.
        sha256: String,
    },
    /// A plain file that its owner may execute.
    Executable {
        /// SHA-256 of its content.
        sha256: String,
    },
    /// A symbolic link, whether or not it leads anywhere.
    Link {
        /// The target's text, spelled by [`encode_path`].
        target: String,
    },
    /// A folder in the list of files (a submodule, say): its presence counts, its content does not.
    Folder,
    /// A pipe, a socket or a device. Never opened.
    Special,
}

/// The files of a tree by their relative paths, spelled by [`encode_path`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tree {
    /// What is at each path.
    pub files: BTreeMap<String, Node>,
}

/// How a path differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only in the later tree.
    Added,
    /// In both, with other content, mode or type.
    Modified,
    /// Only in the earlier tree.
    Deleted,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path, as the tree spells it.
    pub path: String,
    pub kind: ChangeKind,
}

impl Tree {
    /// Hashes those of the paths (relative to `root`) that are there. A path that is gone, or that
    /// is reached only through a link, is not in the tree.
    pub fn of<P: AsRef<Path>>(
        root: &Path,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Tree, StoreError> {
        let mut tree = Tree::default();
        let mut folders = BTreeSet::new();
        for path in paths {
            let path = path.as_ref();
            if !path.components().all(|c| matches!(c, Component::Normal(_)))
                || path == Path::new("")
            {
                return Err(StoreError::BadPath {
                    root: root.to_owned(),
                    path: path.to_owned(),
                });
            }
            let full = root.join(path);
            let node = match real_parents(root, path, &mut folders) {
                Ok(Parents::Real) => node(&full),
                Ok(Parents::NotReal) => continue,
                Err(error) => Err(error),
            };
            match node {
                Ok(node) => {
                    tree.files.insert(encode_path(path), node);
                }
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(StoreError::io("hash", &full)(e)),
            }
        }
        Ok(tree)
    }

    /// SHA-256 over the listing: for each path in byte order its type, its content's hash, the
    /// path, and a zero byte, which no path holds.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for (path, node) in &self.files {
            let (word, content) = match node {
                Node::File { sha256 } => ("file", sha256.clone()),
                Node::Executable { sha256 } => ("executable", sha256.clone()),
                Node::Link { target } => ("link", crate::sha256_hex(target.as_bytes())),
                Node::Folder => ("folder", "-".to_owned()),
                Node::Special => ("special", "-".to_owned()),
            };
            hasher.update(format!("{word} {content} {path}\0"));
        }
        HexHash::finish(hasher).as_str().to_owned()
    }

    /// What has to change for this tree to become `later`, sorted by path.
    pub fn diff(&self, later: &Tree) -> Vec<Change> {
        let paths: BTreeSet<&String> = self.files.keys().chain(later.files.keys()).collect();
        let change = |path: &String| {
            let kind = match (self.files.get(path), later.files.get(path)) {
                (Some(before), Some(after)) if before == after => return None,
                (Some(_), Some(_)) => ChangeKind::Modified,
                (Some(_), None) => ChangeKind::Deleted,
                (None, _) => ChangeKind::Added,
            };
            let path = path.clone();
            Some(Change { path, kind })
        };
        paths.into_iter().filter_map(change).collect()
    }
}

enum Parents {
    Real,
    NotReal,
}

/// Whether every folder on the way is a folder. `known` spares asking again for each file.
fn real_parents(root: &Path, path: &Path, known: &mut BTreeSet<PathBuf>) -> io::Result<Parents> {
    let parents = path.ancestors().skip(1).filter(|p| *p != Path::new(""));
    for parent in parents.collect::<Vec<_>>().into_iter().rev() {
        if known.contains(parent) {
            continue;
        }
        if !fs::symlink_metadata(root.join(parent))?.is_dir() {
            return Ok(Parents::NotReal);
        }
        known.insert(parent.to_owned());
    }
    Ok(Parents::Real)
}

fn node(path: &Path) -> io::Result<Node> {
    let seen = fs::symlink_metadata(path)?;
    if seen.is_symlink() {
        let target = encode_path(&fs::read_link(path)?);
        return Ok(Node::Link { target });
    }
    if seen.is_dir() {
        return Ok(Node::Folder);
    }
    if !seen.is_file() {
        return Ok(Node::Special);
    }
    let mut file = File::open(path)?;
    let opened = file.metadata()?;
    if (seen.dev(), seen.ino()) != (opened.dev(), opened.ino()) {
        return Err(io::Error::other(
            "it was replaced while it was being hashed",
        ));
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(&buffer[..count]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let sha256 = HexHash::finish(hasher).as_str().to_owned();
    // The owner's bit alone, as git has it: the others follow the umask and differ by machine.
    if opened.permissions().mode() & 0o100 == 0 {
        Ok(Node::File { sha256 })
    } else {
        Ok(Node::Executable { sha256 })
    }
}
