//! Putting files back to what they are in a commit. It refuses to write through a link, and to touch
//! anything that it was not given: the rest of the working tree is the user's.

use super::{git, text};
use crate::error::Error;
use crate::folders::remove_emptied;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// What a commit has at a path: the mode, as git writes it. A path is no pattern, whatever it looks like.
fn mode_in(repo: &Path, commit: &str, path: &str) -> Result<Option<String>, Error> {
    let args = ["--literal-pathspecs", "ls-tree", "-z", commit, "--", path];
    let listed = text(&git(repo, &args, &[])?);
    Ok(listed.split_once(' ').map(|(mode, _)| mode.to_owned()))
}

/// Those of the paths that a commit holds, or that are not there at all.
pub fn committed(repo: &Path, commit: &str, paths: &[String]) -> Result<Vec<String>, Error> {
    let mut kept = Vec::new();
    for path in paths {
        let absent = repo.join(path).symlink_metadata().is_err();
        if absent || mode_in(repo, commit, path)?.is_some() {
            kept.push(path.clone());
        }
    }
    Ok(kept)
}

/// Puts paths back to what they are in a commit, and deletes those that it does not have. Only what
/// is given, and never through a link: the rest of the working tree is the user's.
pub fn put_back(repo: &Path, commit: &str, paths: &[String]) -> Result<(), Error> {
    let mut files = Vec::new();
    // What goes first: a folder may come back where a file is, and a file where a folder is.
    for path in paths {
        let target = repo.join(path);
        if !stays_inside(repo, &target) {
            continue;
        }
        match mode_in(repo, commit, path)? {
            Some(mode) if mode != FOLDER => files.push((path, target, mode)),
            _ if target.is_dir() && !target.is_symlink() => {}
            _ => match std::fs::remove_file(&target) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                // What it lay in is a file by now.
                Err(error) if error.kind() == ErrorKind::NotADirectory => {}
                Err(error) => return Err(Error::io("delete", &target)(error)),
            },
        }
    }
    for (path, target, mode) in files {
        put_back_file(repo, &format!("{commit}:{path}"), &target, &mode)?;
    }
    Ok(())
}

/// The mode of a folder in a commit.
const FOLDER: &str = "040000";

fn put_back_file(repo: &Path, what: &str, target: &Path, mode: &str) -> Result<(), Error> {
    let bytes = git(repo, &["cat-file", "blob", what], &[])?;
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    if target.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        remove_emptied(target)?;
    }
    if mode == "120000" {
        return Ok(store::link_atomic(
            target,
            Path::new(&OsString::from_vec(bytes)),
        )?);
    }
    let bits = if mode == "100755" { 0o755 } else { 0o644 };
    let bits = std::os::unix::fs::PermissionsExt::from_mode(bits);
    Ok(store::write_atomic_with(target, &bytes, Some(bits))?)
}

/// No folder on the way to it is a link.
fn stays_inside(repo: &Path, target: &Path) -> bool {
    let Ok(inside) = target.strip_prefix(repo) else {
        return false;
    };
    let mut here = repo.to_owned();
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, std::path::Component::Normal(_)) {
            return false;
        }
        here.push(part);
        let link = here
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
        if link && parts.peek().is_some() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::first_commit;
    use std::fs;

    #[test]
    fn what_changed_places_with_a_folder_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path();
        let write = |path: &str, text: &str| {
            let path = repo.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("d/e/a", "1");
        write("f", "2");
        write(":(top)x", "3");
        first_commit(repo, "first").unwrap();
        fs::remove_dir_all(repo.join("d")).unwrap();
        fs::remove_file(repo.join("f")).unwrap();
        write("d", "file");
        write("f/x/y", "folder");
        write(":(top)x", "other");
        write("new", "new");
        write("f/user", "not given");
        let paths = ["d", "d/e/a", "f", "f/x/y", ":(top)x", "new"].map(str::to_owned);
        let refused = put_back(repo, "HEAD", &paths).unwrap_err();
        assert!(refused.what.contains("f/user"), "{refused}");
        assert_eq!(fs::read(repo.join("f/user")).unwrap(), b"not given");
        fs::remove_file(repo.join("f/user")).unwrap();
        put_back(repo, "HEAD", &paths).unwrap();
        for (path, text) in [("d/e/a", "1"), ("f", "2"), (":(top)x", "3")] {
            assert_eq!(fs::read_to_string(repo.join(path)).unwrap(), text);
        }
        assert!(!repo.join("new").exists());
    }
}
