//! Reading files below a folder that is held open: every step of the way is opened from the one before
//! it, and none is a link. A path that becomes another while it is read is an error, never another
//! file: whoever changes a tree under a copy could otherwise have us read any file that we may.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, openat, readlinkat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
// A pipe that somebody put in a file's place does not make us wait for its other end.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// A folder, held open.
pub(crate) struct Pinned {
    root: OwnedFd,
}

/// What is at a path.
pub(crate) enum Entry {
    /// A regular file, open.
    File(Open),
    /// A link, and where it leads to.
    Link(PathBuf),
    /// A pipe, a socket or a device: named, and never opened.
    Special(&'static str),
    /// A folder.
    Folder,
    /// Nothing, or something behind a link.
    Nothing,
}

/// An open file, and what it was when it was opened.
pub(crate) struct Open {
    pub(crate) file: File,
    pub(crate) found: Stat,
}

impl Open {
    /// Is it still just what was opened? Asked when it has been read.
    pub(crate) fn unchanged(&self) -> io::Result<()> {
        let now = rustix::fs::fstat(&self.file)?;
        let same = |of: &Stat| {
            (
                of.st_size,
                of.st_mtime,
                of.st_mtime_nsec,
                of.st_ctime,
                of.st_ctime_nsec,
            )
        };
        match same(&now) == same(&self.found) {
            true => Ok(()),
            false => Err(changed()),
        }
    }
}

fn changed() -> io::Error {
    io::Error::other("it was changed while it was being copied")
}

/// A regular file below a folder, if it is not larger than that.
pub fn read_below(root: &Path, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let Entry::File(mut open) = Pinned::of(root)?.entry(path)? else {
        return Err(ErrorKind::NotFound.into());
    };
    let mut bytes = Vec::new();
    let read = (&mut open.file).take(most + 1).read_to_end(&mut bytes)?;
    match u64::try_from(read).is_ok_and(|read| read <= most) {
        true => Ok(bytes),
        false => Err(ErrorKind::FileTooLarge.into()),
    }
}

impl Pinned {
    /// Holds a folder, which is no link itself.
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let root = rustix::fs::open(root, FOLDER, Mode::empty())?;
        Ok(Self { root })
    }

    /// What is at a path below the folder.
    pub(crate) fn entry(&self, path: &Path) -> io::Result<Entry> {
        let plain = |part| matches!(part, Component::Normal(_));
        let (Some(name), true) = (path.file_name(), path.components().all(plain)) else {
            let what = format!("{} leads out of its folder", path.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, what));
        };
        match path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            None => look(&self.root, name),
            Some(folder) => match self.folder(folder) {
                Ok(folder) => look(&folder, name),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(Entry::Nothing),
                Err(error) => Err(error.into()),
            },
        }
    }

    fn folder(&self, path: &Path) -> Result<OwnedFd, Errno> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{ResolveFlags, openat2};
            let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
            match openat2(&self.root, path, FOLDER, Mode::empty(), how) {
                // An old kernel, or a sandbox around us that does not know it.
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return opened,
            }
        }
        let mut here = openat(&self.root, ".", FOLDER, Mode::empty())?;
        for part in path {
            here = openat(&here, part, FOLDER, Mode::empty())?;
        }
        Ok(here)
    }
}

fn look(folder: &OwnedFd, name: &OsStr) -> io::Result<Entry> {
    let seen = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(seen) => seen,
        Err(Errno::NOENT) => return Ok(Entry::Nothing),
        Err(error) => return Err(error.into()),
    };
    Ok(match FileType::from_raw_mode(seen.st_mode) {
        FileType::RegularFile => {
            let file = match openat(folder, name, FILE, Mode::empty()) {
                Err(Errno::LOOP | Errno::NOENT | Errno::NXIO) => return Err(changed()),
                opened => File::from(opened?),
            };
            let found = rustix::fs::fstat(&file)?;
            if (seen.st_dev, seen.st_ino) != (found.st_dev, found.st_ino) {
                return Err(changed());
            }
            Entry::File(Open { file, found })
        }
        FileType::Symlink => {
            let target = readlinkat(folder, name, Vec::new())?;
            Entry::Link(PathBuf::from(OsString::from_vec(target.into_bytes())))
        }
        FileType::Directory => Entry::Folder,
        FileType::Fifo => Entry::Special("a pipe"),
        FileType::Socket => Entry::Special("a socket"),
        _ => Entry::Special("a device"),
    })
}

/// A pipe, a socket or a device in the place of something that git opens by itself, such as
/// `.gitignore`: it would wait there for ever. Others are no business of git's.
/// A path that is too long to be used elsewhere is an error.
pub(crate) fn in_gits_way(root: &Path) -> io::Result<Option<(PathBuf, &'static str)>> {
    in_the_way(root, &[], LONGEST)
}

/// So long may a path in a view be: in the repository and in rooms there are others before it, and the
/// system takes 4096 in all.
pub(crate) const LONGEST: usize = 2048;

/// The same in a person's own tree, without folders that tools fill by the thousand and git ignores.
pub(crate) fn in_a_persons_way(root: &Path) -> io::Result<Option<(PathBuf, &'static str)>> {
    const FILLED: [&str; 6] = [
        ".git",
        ".proofhouse",
        "node_modules",
        ".venv",
        "venv",
        "target",
    ];
    in_the_way(root, &FILLED, usize::MAX)
}

fn in_the_way(
    root: &Path,
    skipped: &[&str],
    longest: usize,
) -> io::Result<Option<(PathBuf, &'static str)>> {
    use std::os::unix::fs::FileTypeExt;
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if path.as_os_str().len() > longest {
                return Err(Errno::NAMETOOLONG.into());
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !skipped.iter().any(|name| entry.file_name() == *name) {
                    folders.push(path);
                }
                continue;
            }
            let what = if kind.is_fifo() {
                "a pipe"
            } else if kind.is_socket() {
                "a socket"
            } else if kind.is_block_device() || kind.is_char_device() {
                "a device"
            } else {
                continue;
            };
            let of_git = |part: &OsStr| part.to_string_lossy().to_lowercase().starts_with(".git");
            if path.iter().any(of_git) {
                return Ok(Some((path, what)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("real/deep")).unwrap();
        std::fs::write(dir.path().join("real/deep/file"), "text").unwrap();
        symlink("real", dir.path().join("link")).unwrap();
        symlink("/etc/passwd", dir.path().join("out")).unwrap();
        dir
    }

    #[test]
    fn no_step_of_the_way_is_a_link() {
        let dir = folder();
        let pinned = Pinned::of(dir.path()).unwrap();
        let entry = |path: &str| pinned.entry(Path::new(path));
        let Entry::File(mut open) = entry("real/deep/file").unwrap() else {
            panic!("a file")
        };
        let mut text = String::new();
        open.file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        open.unchanged().unwrap();
        for behind in ["link/deep/file", "out/x", "real/deep/file/x", "nothing/x"] {
            assert!(matches!(entry(behind).unwrap(), Entry::Nothing), "{behind}");
        }
        assert!(matches!(entry("out").unwrap(), Entry::Link(to) if to == Path::new("/etc/passwd")));
        assert!(matches!(entry("real").unwrap(), Entry::Folder));
        for wrong in ["../x", "/etc/passwd", "real/../out", ""] {
            assert!(entry(wrong).is_err(), "{wrong}");
        }
        assert!(Pinned::of(&dir.path().join("link")).is_err());
    }

    #[test]
    fn what_changes_while_it_is_read_is_no_copy() {
        let dir = folder();
        let pinned = Pinned::of(dir.path()).unwrap();
        let Entry::File(open) = pinned.entry(Path::new("real/deep/file")).unwrap() else {
            panic!("a file")
        };
        std::fs::write(dir.path().join("real/deep/file"), "another").unwrap();
        assert!(open.unchanged().is_err());
    }

    #[test]
    fn pipes_and_sockets_are_named_and_never_opened() {
        let dir = folder();
        assert_eq!(in_gits_way(dir.path()).unwrap(), None);
        let pipe = dir.path().join("real/deep/.gitignore");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let pinned = Pinned::of(dir.path()).unwrap();
        let found = pinned.entry(Path::new("real/deep/.gitignore")).unwrap();
        assert!(matches!(found, Entry::Special("a pipe")));
        let named = in_gits_way(dir.path()).unwrap();
        assert_eq!(named, Some(("real/deep/.gitignore".into(), "a pipe")));
        std::fs::remove_file(pipe).unwrap();
        let socket = |name| std::os::unix::net::UnixListener::bind(dir.path().join(name)).unwrap();
        let _theirs = socket("server");
        assert_eq!(in_gits_way(dir.path()).unwrap(), None);
        let _gits = socket(".gitattributes");
        let named = in_gits_way(dir.path()).unwrap();
        assert_eq!(named, Some((".gitattributes".into(), "a socket")));
    }
}
