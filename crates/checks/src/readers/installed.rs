//! Folders of installed dependencies, which git ignores and tests need: `node_modules`, `.venv`.
//! One hash stands for a whole folder, so that a freeze can remember it. Caches are no part of it:
//! what a runner writes there for itself is neither hashed nor shown to a clean room.

use crate::error::Error;
use crate::readers::hash;
use crate::readers::paths::Found;
use sha2::{Digest, Sha256};
use std::io::ErrorKind;
use std::path::Path;

/// Their names, at the top of a repository.
pub(crate) const FOLDERS: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];
/// What runners write into them on the way.
const CACHES: [&str; 6] = [
    ".cache",
    ".vite",
    ".vite-temp",
    ".vitest",
    "__pycache__",
    ".pytest_cache",
];
/// More than this is no folder of dependencies; nothing of ours should walk it for ever.
const MOST: usize = 500_000;

/// Is this a cache, by its name?
pub(crate) fn is_cache(name: &str) -> bool {
    CACHES.contains(&name)
}

/// The folder's name, if an item is one of these folders: `repo/node_modules/`.
pub(crate) fn folder(item: &str) -> Option<&str> {
    let name = item.strip_prefix("repo/")?.strip_suffix('/')?;
    FOLDERS.contains(&name).then_some(name)
}

/// The folders that are there, as items.
pub(crate) fn items(repo: &Path) -> Vec<String> {
    let there = |name: &&str| {
        let found = repo.join(name).symlink_metadata();
        found.is_ok_and(|found| found.is_dir())
    };
    let there = FOLDERS.into_iter().filter(there);
    there.map(|name| format!("repo/{name}/")).collect()
}

/// One hash over every file and link of a folder; or in a few words why there is none.
pub(crate) fn hash_of(repo: &Path, name: &str) -> Result<String, Error> {
    let root = repo.join(name);
    if !root.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Err(Error::Missing);
    }
    let mut lines = Vec::new();
    walk(&root, "", &mut lines)?;
    lines.sort();
    let mut hasher = Sha256::new();
    for line in &lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    Ok(hash::hex(hasher.finalize().as_slice()))
}

fn walk(folder: &Path, name: &str, lines: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let own = entry.file_name().to_string_lossy().into_owned();
        if is_cache(&own) {
            continue;
        }
        let kind = entry.file_type()?;
        let path = format!("{name}/{own}");
        if kind.is_dir() {
            walk(&entry.path(), &path, lines)?;
            continue;
        }
        let found = if kind.is_symlink() {
            Found::Link(std::fs::read_link(entry.path())?)
        } else if kind.is_file() {
            Found::File(entry.path())
        } else {
            return Err(std::io::Error::new(
                ErrorKind::InvalidData,
                format!("{path} is no file"),
            ));
        };
        lines.push(format!("{path} {}", hash::of(&found)?));
        if lines.len() > MOST {
            let why = format!("more than {MOST} files");
            return Err(std::io::Error::new(ErrorKind::InvalidData, why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hash_sees_every_file_and_no_cache() {
        let repo = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = repo.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert!(items(repo.path()).is_empty());
        let missing = hash_of(repo.path(), "node_modules");
        assert!(matches!(missing, Err(Error::Missing)));
        write("node_modules/a/index.js", "one");
        assert_eq!(items(repo.path()), ["repo/node_modules/"]);
        let now = || hash_of(repo.path(), "node_modules").unwrap();
        let before = now();
        write("node_modules/.cache/x", "noise");
        write("node_modules/a/__pycache__/x.pyc", "noise");
        assert_eq!(now(), before);
        write("node_modules/a/index.js", "two");
        let edited = now();
        assert_ne!(edited, before);
        write("node_modules/a/more.js", "");
        assert_ne!(now(), edited);
        assert_eq!(folder("repo/node_modules/"), Some("node_modules"));
        assert_eq!(folder("repo/src/"), None);
    }
}
