//! Files that are there whole or not at all, and folders whose entries survive a power cut. It
//! refuses to leave half a file under the name that readers look for.

use crate::StoreError;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes the file so that readers see the old content or the new, also after a crash. The mode
/// of an existing file is kept.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mode = match fs::symlink_metadata(path) {
        Ok(old) if old.is_file() => Some(old.permissions()),
        Ok(_) | Err(_) => None,
    };
    write_atomic_with(path, bytes, mode)
}

/// As [`write_atomic`], with the mode that the new file gets, from its first moment under this name.
pub fn write_atomic_with(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
) -> Result<(), StoreError> {
    let dir = folder_of(path);
    let (file, temporary) = create_temporary(dir, path)?;
    let written = fill(file, bytes, mode).and_then(|file| file.sync_all());
    renamed(written, &temporary, path)?;
    sync_dir(dir)
}

/// Writes a copy of what is kept elsewhere: readers see the old content or the new, and it lasts from the next
/// [`settle`] on. One by one, hundreds of them would wait for the disk longer than for all else.
pub fn write_copy(path: &Path, bytes: &[u8], mode: Option<Permissions>) -> Result<(), StoreError> {
    let dir = folder_of(path);
    fs::create_dir_all(dir).map_err(StoreError::io("create", dir))?;
    let (file, temporary) = create_temporary(dir, path)?;
    renamed(fill(file, bytes, mode).map(drop), &temporary, path)
}

/// Makes all that was written to the folder's file system durable.
pub fn settle(dir: &Path) -> Result<(), StoreError> {
    File::open(dir)
        .and_then(|dir| Ok(rustix::fs::syncfs(dir)?))
        .map_err(StoreError::io("sync", dir))
}

fn renamed(written: io::Result<()>, temporary: &Path, path: &Path) -> Result<(), StoreError> {
    written
        .and_then(|()| fs::rename(temporary, path))
        .map_err(|error| {
            // The temporary file is ours alone; a failure to remove it must not hide the first one.
            let _ = fs::remove_file(temporary);
            StoreError::io("write", path)(error)
        })
}

/// Makes a link, over whatever file or link has its name: readers see the old one or the new.
pub fn link_atomic(path: &Path, target: &Path) -> Result<(), StoreError> {
    let dir = folder_of(path);
    let ((), temporary) = temporary(dir, path, |name| std::os::unix::fs::symlink(target, name))?;
    if let Err(error) = fs::rename(&temporary, path) {
        let _ = fs::remove_file(&temporary);
        return Err(StoreError::io("link", path)(error));
    }
    sync_dir(dir)
}

/// Writes a file that is not there yet, whole or not at all; of two who try, one is refused.
pub(crate) fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = folder_of(path);
    let (file, temporary) = create_temporary(dir, path).map_err(io::Error::other)?;
    let filled = |file: File| fill(file, bytes, None).and_then(|file| file.sync_all());
    let named = filled(file).and_then(|()| fs::hard_link(&temporary, path));
    let _ = fs::remove_file(&temporary);
    match named {
        // Some file systems have no second names: then it can be seen half written for a moment.
        Err(error) if !path.exists() && error.kind() != ErrorKind::StorageFull => {
            let file = OpenOptions::new().write(true).create_new(true).open(path)?;
            filled(file).inspect_err(|_| drop(fs::remove_file(path)))
        }
        named => named,
    }
}

fn fill(mut file: File, bytes: &[u8], mode: Option<Permissions>) -> io::Result<File> {
    file.write_all(bytes)?;
    if let Some(mode) = mode {
        file.set_permissions(mode)?;
    }
    Ok(file)
}

/// A new file in the same folder, since renaming works only within one file system.
fn create_temporary(dir: &Path, path: &Path) -> Result<(File, PathBuf), StoreError> {
    temporary(dir, path, |name| {
        OpenOptions::new().write(true).create_new(true).open(name)
    })
}

/// Makes something under a temporary name. It is unique among processes by the process id and within
/// this one by a counter; a leftover of a dead process with our id is stepped over.
fn temporary<T>(
    dir: &Path,
    path: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> Result<(T, PathBuf), StoreError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let mut name = std::ffi::OsString::from(".");
        name.push(beginning(path.file_name().unwrap_or_default()));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".tmp-{}-{number}", std::process::id()));
        let temporary = dir.join(name);
        match make(&temporary) {
            Ok(made) => return Ok((made, temporary)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(StoreError::io("write", path)(e)),
        }
    }
}

/// As much of a name as leaves room for what is added to it: a name has at most 255 bytes.
fn beginning(name: &OsStr) -> &OsStr {
    const ROOM: usize = 200;
    let bytes = name.as_bytes();
    let mut end = bytes.len().min(ROOM);
    // Never into a character.
    while end > 0 && end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    OsStr::from_bytes(&bytes[..end])
}

/// Removes what processes that died in the middle of [`write_atomic`] left in this folder. Nobody else's
/// file has such a name, and one whose process lives is let alone.
pub fn sweep(dir: &Path) {
    sweep_where(dir, |_| true);
}

/// The same where others write, too: only what was to become one of these files.
pub fn sweep_beside<'a>(targets: impl IntoIterator<Item = &'a Path>) {
    let mut folders: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for target in targets {
        let name = target.file_name().map(beginning).and_then(OsStr::to_str);
        let names = folders.entry(folder_of(target)).or_default();
        names.extend(name);
    }
    for (dir, names) in folders {
        sweep_where(dir, |target| names.contains(target));
    }
}

fn sweep_where(dir: &Path, ours: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let left = name.to_str().and_then(temporary_of);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder && left.is_some_and(|(target, process)| ours(target) && !lives(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The file that a temporary one of this name was to become, and the process that wrote it.
fn temporary_of(name: &str) -> Option<(&str, u32)> {
    let (target, numbers) = name.strip_prefix('.')?.rsplit_once(".tmp-")?;
    let (process, number) = numbers.split_once('-')?;
    number.parse::<u64>().ok()?;
    Some((target, process.parse().ok()?))
}

/// Where nobody can say, it does.
fn lives(process: u32) -> bool {
    let all = Path::new("/proc");
    !all.join("self").exists() || all.join(process.to_string()).exists()
}

/// The folder that holds the file; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        Some(_) | None => Path::new("."),
    }
}

/// Makes the folder's entries durable: a new file's name lives in its folder.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(StoreError::io("sync", dir))
}

/// Makes the folder and its parents, and makes them durable where they are new.
pub(crate) fn create_dir(dir: &Path) -> Result<(), StoreError> {
    if dir.is_dir() {
        return Ok(());
    }
    let parent = folder_of(dir);
    if parent != dir {
        create_dir(parent)?;
    }
    match fs::create_dir(dir) {
        Ok(()) => {}
        // Another process was faster; a file in the way is not that.
        Err(e) if e.kind() == ErrorKind::AlreadyExists && dir.is_dir() => {}
        Err(e) => return Err(StoreError::io("create", dir)(e)),
    }
    sync_dir(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_a_dead_process_left_is_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        // No process has such a number.
        let left = [".STATE.md.tmp-4294967295-0", ".a.tmp-1.tmp-4294967295-12"];
        let own = format!(".b.tmp-{}-3", std::process::id());
        let others = ["a", ".tmp-1", ".b.tmp-x-1", "c.tmp-4294967295-0", &own];
        for name in left.iter().chain(&others) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        sweep(dir.path());
        for name in left {
            assert!(!dir.path().join(name).exists(), "{name}");
        }
        for name in others {
            assert!(dir.path().join(name).exists(), "{name}");
        }
        sweep(&dir.path().join("absent"));
    }

    #[test]
    fn where_others_write_only_what_was_to_become_these_files_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let left = [".a.tmp-4294967295-0", "sub/.b.tmp-4294967295-7"];
        let others = [".b.tmp-4294967295-0", "sub/.a.tmp-4294967295-0", "a"];
        for name in left.iter().chain(&others) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let targets = ["a", "c", "sub/b", "absent/b"].map(|name| dir.path().join(name));
        sweep_beside(targets.iter().map(PathBuf::as_path));
        let is_there = |name: &&str| dir.path().join(name).exists();
        assert!(!left.iter().any(is_there));
        assert!(others.iter().all(is_there));
    }

    #[test]
    fn a_link_takes_the_place_of_a_file_or_a_link_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("link");
        fs::write(&path, "old").unwrap();
        for target in ["one", "two"] {
            link_atomic(&path, Path::new(target)).unwrap();
            assert_eq!(fs::read_link(&path).unwrap(), Path::new(target));
        }
        fs::create_dir(dir.path().join("folder")).unwrap();
        link_atomic(&dir.path().join("folder"), Path::new("one")).unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn replaces_content_and_keeps_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        write_atomic(&path, b"one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_of_any_length_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["x".repeat(255), "é".repeat(127), "✓".repeat(85)] {
            let path = dir.path().join(name);
            write_atomic(&path, b"one").unwrap();
            write_atomic(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_failure_leaves_the_old_state_and_no_rubbish() {
        let dir = tempfile::tempdir().unwrap();
        let taken = dir.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), "kept").unwrap();
        let error = write_atomic(&taken, b"x").unwrap_err();
        assert_eq!(error.code(), "io");
        assert!(error.to_string().contains("taken"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(
            write_atomic(&dir.path().join("no/such"), b"x")
                .unwrap_err()
                .code(),
            "io"
        );
    }

    #[test]
    fn replaces_a_link_instead_of_writing_through_it() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        fs::write(&target, "theirs").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomic(&link, b"ours").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
        assert_eq!(fs::read(&link).unwrap(), b"ours");
    }

    #[test]
    fn makes_folders_with_their_parents() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        create_dir(&deep).unwrap();
        create_dir(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(dir.path().join("file"), "").unwrap();
        assert_eq!(
            create_dir(&dir.path().join("file")).unwrap_err().code(),
            "io"
        );
    }
}
