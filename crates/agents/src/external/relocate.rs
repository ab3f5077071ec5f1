//! Sessions that move with their view.
//!
//! Agents file a session under the folder that they worked in, and a view moves when a later attempt
//! goes on in it. So the agent's private home notes where its view lay, and when that has changed,
//! the path is changed in the agent's own text files. Nothing outside the private home is touched,
//! no link, and no file that is not text that agents keep sessions in.

use super::own::replace;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const NOTE: &str = ".proofhouse-view";
/// Longer files are no sessions.
const LARGEST: u64 = 64 * 1024 * 1024;
const DEEPEST: usize = 12;

/// Notes where the view lies now; if it lay elsewhere before, sessions are told.
pub(crate) fn settle(home: &Path) -> io::Result<()> {
    let home = home.canonicalize()?;
    let Some(view) = home.parent().and_then(Path::to_str) else {
        return Ok(());
    };
    let note = home.join(NOTE);
    let before = noted(&note);
    if before == view {
        return Ok(());
    }
    if !before.is_empty() {
        let mut files = Vec::new();
        sessions(&home, DEEPEST, &mut files)?;
        for file in files {
            retell(&file, &before, view)?;
        }
    }
    replace(&note, view)
}

/// What the note says; a link says nothing.
fn noted(note: &Path) -> String {
    let is_file = fs::symlink_metadata(note).is_ok_and(|found| found.is_file());
    let text = is_file.then(|| fs::read_to_string(note));
    text.and_then(Result::ok).unwrap_or_default()
}

/// Does the view lie where it lay when the agent last worked here?
pub(crate) fn stayed(home: &Path) -> bool {
    let Ok(home) = home.canonicalize() else {
        return false;
    };
    let view = home.parent().and_then(Path::to_str);
    view == Some(noted(&home.join(NOTE)).as_str())
}

/// Files that may hold a session, or the way to one.
pub(crate) fn sessions(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth > 0 {
            sessions(&path, depth - 1, found)?;
        } else if kind.is_file() && keeps_sessions(&path) && entry.metadata()?.len() <= LARGEST {
            found.push(path);
        }
    }
    Ok(())
}

fn keeps_sessions(path: &Path) -> bool {
    let ends = |name: &str| path.extension().is_some_and(|extension| extension == name);
    ends("json") || ends("jsonl") || path.ends_with(".project_root")
}

fn retell(file: &Path, before: &str, after: &str) -> io::Result<()> {
    // What is not text is no session.
    let Ok(text) = fs::read_to_string(file) else {
        return Ok(());
    };
    if text.contains(before) {
        replace(file, &text.replace(before, after))?;
    }
    Ok(())
}

/// The files of one session, by its id in their names.
pub(crate) fn named(home: &Path, id: &str) -> Option<PathBuf> {
    let mut files = Vec::new();
    sessions(home, DEEPEST, &mut files).ok()?;
    let has = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.contains(id))
    };
    files.into_iter().find(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_follows_its_view() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (old, new) = (root.join("1/view"), root.join("2/view"));
        let home = old.join("agent");
        fs::create_dir_all(home.join("sessions/x")).unwrap();
        let text = format!("{{\"cwd\":\"{}/repo\"}}\n", old.display());
        fs::write(home.join("sessions/x/s-1.jsonl"), &text).unwrap();
        fs::write(home.join("sessions/x/data.bin"), &text).unwrap();
        settle(&home).unwrap();
        fs::create_dir_all(root.join("2")).unwrap();
        fs::rename(&old, &new).unwrap();
        let home = new.join("agent");
        settle(&home).unwrap();
        let file = named(&home, "s-1").unwrap();
        let told = format!("{{\"cwd\":\"{}/repo\"}}\n", new.display());
        assert_eq!(fs::read_to_string(file).unwrap(), told);
        let kept = fs::read_to_string(home.join("sessions/x/data.bin")).unwrap();
        assert_eq!(kept, text);
        assert_eq!(named(&home, "s-2"), None);
    }
}
