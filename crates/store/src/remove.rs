//! Removing a folder that somebody else filled. It refuses to follow a link, to depend on how deep the
//! folders lie, and to stop at one that its maker has closed.
//!
//! The system's own way calls itself once for each level, and a path has a greatest length: folders
//! that an agent nests thirty thousand deep would end the engine, or stay for ever.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Removes the folder with everything in it; what is not there is removed already. Nobody may be at
/// work in it any more.
pub fn remove_tree(root: &Path) -> io::Result<()> {
    match fs::symlink_metadata(root) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return fs::remove_file(root),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    // Every folder comes up to the top before it is emptied, so that no path is ever long.
    let mut folders = vec![root.to_owned()];
    let mut number = 0;
    while let Some(folder) = folders.last().cloned() {
        let mut inside = Vec::new();
        for entry in open(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                inside.push(entry.path());
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        let top = folder == root;
        if inside.is_empty() {
            fs::remove_dir(&folder)?;
            folders.pop();
            continue;
        }
        if !top {
            folders.pop();
        }
        for path in inside {
            // At the top they have their place already.
            let place = if top {
                path
            } else {
                raised(root, &path, &mut number)?
            };
            folders.push(place);
        }
        if !top {
            fs::remove_dir(&folder)?;
        }
    }
    Ok(())
}

fn open(folder: &Path) -> io::Result<fs::ReadDir> {
    // A folder that cannot be written can be neither emptied nor moved.
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    fs::read_dir(folder)
}

/// Moves a folder to the top, under a name that is free.
fn raised(root: &Path, folder: &Path, number: &mut u64) -> io::Result<PathBuf> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    loop {
        let place = root.join(format!("gone-{number}"));
        *number += 1;
        if place.symlink_metadata().is_err() {
            fs::rename(folder, &place)?;
            return Ok(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_lies_deeper_than_any_path_can_say_goes() {
        let dir = tempfile::tempdir().unwrap();
        let (root, other) = (dir.path().join("root"), dir.path().join("other"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        // Deeper than a stack has room for: a thousand at a time, from below.
        let mut inner = root.join("a/b");
        for number in 0..30 {
            let outer = root.join(format!("n{number}"));
            let bottom = outer.join("d/".repeat(1_000));
            fs::create_dir_all(&bottom).unwrap();
            fs::rename(&inner, bottom.join("d")).unwrap();
            inner = outer;
        }
        fs::create_dir(&other).unwrap();
        fs::write(other.join("kept"), "x").unwrap();
        symlink(&other, inner.join("link")).unwrap();
        fs::write(root.join("gone-0"), "in the way").unwrap();
        fs::create_dir_all(root.join("closed/inside")).unwrap();
        fs::write(root.join("closed/inside/file"), "x").unwrap();
        for folder in ["closed/inside", "closed"] {
            let closed = Permissions::from_mode(0o000);
            fs::set_permissions(root.join(folder), closed).unwrap();
        }
        remove_tree(&root).unwrap();
        assert!(root.symlink_metadata().is_err());
        assert!(other.join("kept").exists(), "a link was followed");
        remove_tree(&root).unwrap();
        symlink(&other, &root).unwrap();
        remove_tree(&root).unwrap();
        assert!(other.join("kept").exists() && root.symlink_metadata().is_err());
    }
}
