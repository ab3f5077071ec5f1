//! Folders and files in an agent's private home, made without following a link.
//!
//! The home outlives an attempt, and the agent that worked there may have left links in it. We
//! are not in its sandbox: what we write through such a link, it has written. So every part of a
//! path must be a true folder, and every file is made anew.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// The folder `path` below `home`, made if it is not there. `home` itself is made too.
///
/// # Errors
/// If a part of the path is a link or a file, or leads out.
pub(crate) fn folder(home: &Path, path: &str) -> io::Result<PathBuf> {
    let mut folder = home.to_owned();
    true_folder(&folder)?;
    for part in Path::new(path).components() {
        let Component::Normal(part) = part else {
            return Err(io::Error::other(format!("{path} leads out of the folder")));
        };
        folder.push(part);
        true_folder(&folder)?;
    }
    Ok(folder)
}

/// Writes the file `path` below `home` anew and returns where it is.
///
/// # Errors
/// As [`folder`], or if the file cannot be written.
pub(crate) fn write(home: &Path, path: &str, text: &str) -> io::Result<PathBuf> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let file = folder(home, parent)?.join(name);
    replace(&file, text)?;
    Ok(file)
}

/// Replaces a file, and a link itself rather than what it leads to.
pub(crate) fn replace(file: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut made = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    made.write_all(text.as_bytes())
}

/// Only we may enter what we make: sessions hold what the agent read.
fn true_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::other(format!(
            "{} is not a folder but a link or a file, which the agent may have left; remove it",
            path.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::DirBuilder::new().mode(0o700).create(path)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (home, outside) = (dir.path().join("agent"), dir.path().join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine"), "mine").unwrap();
        write(&home, "a/b.json", "one").unwrap();
        fs::remove_file(home.join("a/b.json")).unwrap();
        symlink(outside.join("mine"), home.join("a/b.json")).unwrap();
        write(&home, "a/b.json", "two").unwrap();
        assert_eq!(fs::read_to_string(home.join("a/b.json")).unwrap(), "two");
        assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
        symlink(&outside, home.join("c")).unwrap();
        assert!(write(&home, "c/mine", "theirs").is_err());
        assert!(folder(&home, "../outside").is_err());
        fs::remove_dir_all(&home).unwrap();
        symlink(&outside, &home).unwrap();
        assert!(folder(&home, "").is_err());
    }
}
