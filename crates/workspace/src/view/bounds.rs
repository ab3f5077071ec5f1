//! How much a view takes, and how much an agent may leave in one. It refuses before anything is copied
//! or read: a file of a hundred gigabytes costs nobody a disk, the memory, or an hour.

use crate::error::{Error, Kind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The largest file that a view has a copy of. Git could not keep a larger one in a checkpoint within
/// the time that it is given.
pub(super) const LARGEST_SHOWN: u64 = 4 << 30;
/// The largest file that is taken from an agent.
pub(super) const LARGEST_TAKEN: u64 = 1 << 30;
/// The most that is taken from one attempt.
pub(super) const MOST_TAKEN: u64 = 4 << 30;

/// The code of what an agent left that is too large. Its own doing: another try may do better.
const TOO_LARGE: &str = "change_too_large";

/// What went wrong while a view was listed: folders without end inside of each other are the agent's doing.
pub(super) fn listing(root: &Path) -> impl FnOnce(std::io::Error) -> Error {
    move |error| {
        match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::NAMETOOLONG.raw_os_error() => Error::user(
            "path_too_long",
            format!(
                "a path in the view has more than {} characters: folders lie inside of each other without end",
                crate::pinned::LONGEST
            ),
            "remove them",
        )
        .of_kind(Kind::AgentsDoing),
        _ => Error::io("list", root)(error),
    }
    }
}

fn size(path: &Path) -> u64 {
    size_and_data(path).0
}

/// The size of a file, and what a copy of it takes: its data, and nothing for its holes.
fn size_and_data(path: &Path) -> (u64, u64) {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => {
            let written = found.blocks().saturating_mul(512);
            (found.len(), found.len().min(written))
        }
        _ => (0, 0),
    }
}

/// Refuses a view that there is no room for.
pub(super) fn room(from: &Path, files: &[&PathBuf], home: &Path) -> Result<(), Error> {
    let mut all = 0_u64;
    for path in files {
        let (size, data) = size_and_data(&from.join(path));
        all = all.saturating_add(data);
        if size > LARGEST_SHOWN {
            return Err(Error::user(
                "repo_file_too_large",
                format!(
                    "{} has {size} bytes; agents work on copies, and none is made of a file of more than {LARGEST_SHOWN}",
                    path.display()
                ),
                "move it out of the repository, or let git ignore it",
            ));
        }
    }
    let free = rustix::fs::statvfs(home).map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    match free {
        Ok(free) if free < all => Err(Error::environment(
            "no_room_for_view",
            format!(
                "the agent's copy of the repository needs {all} bytes, and the disk of {} has {free}",
                home.display()
            ),
            "make room, or let git ignore what no agent needs",
        )),
        // Where nobody can say, the copy itself will.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Refuses to read what an agent left and nobody can take. What has the size of the real file may be
/// the user's own, however large it is.
pub(super) fn taken<'a>(
    root: &Path,
    real: &Path,
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Error> {
    let mut all = 0_u64;
    for path in paths {
        let now = size(&root.join(path));
        if now == size(&real.join(path)) {
            continue;
        }
        all = all.saturating_add(now);
        let what = match (now > LARGEST_TAKEN, all > MOST_TAKEN) {
            (true, _) => format!("it has {now} bytes, and at most {LARGEST_TAKEN} are taken"),
            (false, true) => format!(
                "with it there are {all} bytes, and at most {MOST_TAKEN} are taken from an attempt"
            ),
            (false, false) => continue,
        };
        return Err(Error::user(
            TOO_LARGE,
            format!("{}: {what}", path.display()),
            "delete it, or let git ignore it",
        )
        .of_kind(Kind::AgentsDoing));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    fn sparse(path: &Path, size: u64) {
        File::create(path).unwrap().set_len(size).unwrap();
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (view, real) = (dir.path().join("view"), dir.path().join("real"));
        fs::create_dir_all(&view).unwrap();
        fs::create_dir_all(&real).unwrap();
        let path = |name: &str| PathBuf::from(name);
        sparse(&view.join("small"), LARGEST_TAKEN);
        sparse(&view.join("large"), 100 << 30);
        sparse(&view.join("theirs"), 100 << 30);
        sparse(&real.join("theirs"), 100 << 30);
        std::os::unix::fs::symlink("large", view.join("link")).unwrap();
        taken(
            &view,
            &real,
            &[path("small"), path("theirs"), path("link"), path("gone")],
        )
        .unwrap();
        let refused = taken(&view, &real, &[path("small"), path("large")]).unwrap_err();
        assert_eq!(refused.code, TOO_LARGE);
        assert!(refused.what.contains("large"), "{refused}");
        let many: Vec<PathBuf> = (0..5).map(|nth| path(&format!("part-{nth}"))).collect();
        for part in &many {
            sparse(&view.join(part), LARGEST_TAKEN);
        }
        taken(&view, &real, &many[..4]).unwrap();
        assert_eq!(taken(&view, &real, &many).unwrap_err().code, TOO_LARGE);
        let refused = room(&view, &[&path("small"), &path("large")], dir.path()).unwrap_err();
        assert_eq!(refused.code, "repo_file_too_large");
        room(&view, &[&path("link")], dir.path()).unwrap();
        // Holes take no room, and no disk of a test has it for so much data.
        let part = path("part-0");
        room(&view, &vec![&part; 1 << 12], dir.path()).unwrap();
        let mut file = File::create(view.join("full")).unwrap();
        std::io::Write::write_all(&mut file, &vec![7; 32 << 20]).unwrap();
        file.sync_all().unwrap();
        let full = path("full");
        let all = vec![&full; 1 << 20];
        assert_eq!(
            room(&view, &all, dir.path()).unwrap_err().code,
            "no_room_for_view"
        );
    }
}
