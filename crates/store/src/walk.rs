//! Listing the files of a folder. It refuses to follow links, and to enter `.git`: what is in
//! there is version control's business.

use crate::StoreError;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything below `root` that is not a folder, as sorted relative paths. `skip` gets each
/// relative path, folders too, and keeps it and all below it out.
pub fn walk(root: &Path, skip: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    // A list of folders to do, not recursion: an agent can make folders deeper than our stack.
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        for entry in fs::read_dir(&full).map_err(StoreError::io("list", &full))? {
            let entry = entry.map_err(StoreError::io("list", &full))?;
            if entry.file_name() == ".git" {
                continue;
            }
            let path = folder.join(entry.file_name());
            if skip(&path) {
                continue;
            }
            let kind = entry
                .file_type()
                .map_err(StoreError::io("read", &root.join(&path)))?;
            if kind.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn lists_sorted_and_enters_neither_links_nor_git() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["b/deep", ".git", "b/.git", "target", "empty"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for file in [
            "z",
            "a",
            "b/deep/f",
            ".git/HEAD",
            "b/.git/HEAD",
            "target/out",
            "b/x",
        ] {
            fs::write(dir.path().join(file), file).unwrap();
        }
        symlink("/etc", dir.path().join("link")).unwrap();
        symlink("..", dir.path().join("b/up")).unwrap();
        let found = walk(dir.path(), &|path| path == Path::new("target")).unwrap();
        let expected = ["a", "b/deep/f", "b/up", "b/x", "link", "z"];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn a_missing_root_is_named() {
        let error = walk(Path::new("/no/such/root"), &|_| false).unwrap_err();
        assert_eq!(error.code(), "io");
        assert!(error.to_string().contains("/no/such/root"));
    }
}
