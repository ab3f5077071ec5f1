//! Paths from settings, joined safely: none that is absolute, has `..`, or leads over a symlink,
//! and only to regular files.

use crate::Place;
use crate::error::Error;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// More than this is no document; an agent must not be able to fill our memory.
pub(crate) const LARGEST: u64 = 4 << 20;

/// Refuses a path that could lead out of its folder.
pub(crate) fn lint(path: &str) -> Result<(), Error> {
    if !documents::references::stays_inside(path) {
        return Err(Error::LeadsOut(path.to_owned()));
    }
    Ok(())
}

/// Refuses a path that does not begin with `repo/` or `task/`.
pub(crate) fn lint_placed(path: &str) -> Result<(), Error> {
    match path.split_once('/') {
        Some(("repo" | "task", rest)) => lint(rest),
        _ => Err(Error::NoFolder(path.to_owned())),
    }
}

/// The folder and the rest of a path that begins with `repo/` or `task/`.
fn placed<'p, 'a>(place: Place<'a>, path: &'p str) -> Result<(&'a Path, &'p str), Error> {
    lint_placed(path)?;
    Ok(match path.split_once('/') {
        Some(("repo", rest)) => (place.repo, rest),
        Some((_, rest)) => (place.task, rest),
        None => (place.task, path),
    })
}

/// What is at a path.
pub(crate) enum Found {
    /// A regular file.
    File(PathBuf),
    /// A link, and where it leads to.
    Link(PathBuf),
}

/// A regular file or a link under `root`, with no link on the way; or in a few words why there is
/// none.
pub(crate) fn found_in(root: &Path, path: &str) -> Result<Found, Error> {
    lint(path)?;
    let mut full = root.to_path_buf();
    let parts: Vec<Component<'_>> = Path::new(path).components().collect();
    for (index, part) in parts.iter().enumerate() {
        full.push(part);
        let found = match std::fs::symlink_metadata(&full) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Missing);
            }
            Err(error) => return Err(error.into()),
        };
        let last = index + 1 == parts.len();
        if found.is_symlink() && last {
            return Ok(Found::Link(std::fs::read_link(&full)?));
        }
        if found.is_symlink() {
            return Err(Error::Link);
        }
        if last && !found.is_file() {
            return Err(Error::NotAFile);
        }
    }
    Ok(Found::File(full))
}

/// The same of a path that begins with `repo/` or `task/`.
pub(crate) fn found(place: Place<'_>, path: &str) -> Result<Found, Error> {
    let (root, rest) = placed(place, path)?;
    found_in(root, rest)
}

/// A regular file under `root`; or in a few words why there is none.
pub(crate) fn regular(root: &Path, path: &str) -> Result<PathBuf, Error> {
    match found_in(root, path)? {
        Found::File(full) => Ok(full),
        Found::Link(_) => Err(Error::Link),
    }
}

/// A folder under `root`, with no link on the way.
pub(crate) fn folder(root: &Path, path: &str) -> Option<PathBuf> {
    lint(path).ok()?;
    let mut full = root.to_path_buf();
    for part in Path::new(path).components() {
        full.push(part);
        let found = std::fs::symlink_metadata(&full).ok()?;
        found.is_dir().then_some(())?;
    }
    Some(full)
}

/// The text of a file that is given as `repo/...` or `task/...`; or in a few words why not.
pub(crate) fn read(place: Place<'_>, path: &str) -> Result<String, Error> {
    let bytes = bytes(place, path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The same, to the byte.
pub(crate) fn bytes(place: Place<'_>, path: &str) -> Result<Vec<u8>, Error> {
    let (root, rest) = placed(place, path)?;
    bytes_in(root, rest)
}

/// The bytes of a regular file under `root`.
pub(crate) fn bytes_in(root: &Path, path: &str) -> Result<Vec<u8>, Error> {
    let full = regular(root, path)?;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(full)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::TooLarge(LARGEST >> 20));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for path in [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "..",
            ".",
            "./a",
            "",
            "a\\b",
            "a\0",
        ] {
            assert!(lint(path).is_err(), "{path:?}");
        }
        for path in ["a", "a/b.md", "a b/..c"] {
            assert!(lint(path).is_ok(), "{path:?}");
        }
        for path in ["task", "task/", "other/a", "repo/../a", "task//a/.."] {
            assert!(lint_placed(path).is_err(), "{path:?}");
        }
        assert!(lint_placed("task/EVIDENCE.md").is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn symlinks_are_refused_on_the_whole_way() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        std::fs::write(dir.path().join("real/file"), "x").unwrap();
        let link = |from: &str, to: &str| {
            std::os::unix::fs::symlink(from, dir.path().join(to)).unwrap();
        };
        link("real", "folder");
        link("real/file", "file");
        link("nowhere", "dangling");
        assert!(regular(dir.path(), "real/file").is_ok());
        for path in ["folder/file", "file", "dangling"] {
            let why = regular(dir.path(), path);
            assert!(matches!(why, Err(Error::Link)), "{path}: {why:?}");
        }
        assert!(matches!(regular(dir.path(), "real"), Err(Error::NotAFile)));
        assert!(regular(dir.path(), "real/file/x").is_err());
    }
}
