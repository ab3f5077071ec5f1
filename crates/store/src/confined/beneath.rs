//! Opening what is below one folder, without following any link on the way.
//!
//! The kernel resolves the whole path in one call (`openat2`); where it cannot, every folder on
//! the way is opened by itself and links are refused at each step. Nothing is checked by name
//! first and opened later: what was opened is what is judged.

use super::{Code, Denied, Rel};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::path::Path;

/// How paths are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolving {
    /// By the kernel in one call, or step by step where it cannot.
    Kernel,
    /// Always step by step.
    Stepwise,
}

/// The folder that nothing gets out of.
pub(super) struct Root {
    folder: OwnedFd,
    resolving: Resolving,
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
// Without NONBLOCK, opening a pipe would wait for a writer for ever.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl Root {
    pub(super) fn open(dir: &Path, resolving: Resolving) -> Result<Root, Errno> {
        // The root itself is the caller's word; links are judged below it.
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        let folder = rustix::fs::open(dir, flags, Mode::empty())?;
        Ok(Root { folder, resolving })
    }

    pub(super) fn folder(&self, path: &str) -> Result<OwnedFd, Errno> {
        self.resolve(path, FOLDER)
    }

    pub(super) fn file(&self, path: &str) -> Result<OwnedFd, Errno> {
        self.resolve(path, FILE)
    }

    /// The folder of that path, made with all folders above it where they are missing.
    pub(super) fn make_folder(&self, path: &str) -> Result<OwnedFd, Errno> {
        let mut folder = self.folder("")?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            folder = rustix::fs::openat(&folder, name, FOLDER, Mode::empty())?;
        }
        Ok(folder)
    }

    fn resolve(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        match self.resolving {
            Resolving::Kernel => match kernel(self.folder.as_fd(), path, flags) {
                // Old kernels lack the call; old container filters answer EPERM to it.
                Err(Errno::NOSYS | Errno::PERM) => stepwise(self.folder.as_fd(), path, flags),
                opened => opened,
            },
            Resolving::Stepwise => stepwise(self.folder.as_fd(), path, flags),
        }
    }
}

/// Opens one name in an open folder. The name must be a single one.
pub(super) fn file_in(folder: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(folder, name, FILE, Mode::empty())
}

#[cfg(target_os = "linux")]
fn kernel(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let path = if path.is_empty() { "." } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match openat2(root, path, flags, Mode::empty(), resolve) {
            // A rename went on meanwhile and the kernel could not be sure.
            Err(Errno::AGAIN) if tries < 8 => tries += 1,
            opened => return opened,
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn kernel(_root: BorrowedFd<'_>, _path: &str, _flags: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

fn stepwise(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let Some((folders, name)) = path.rsplit_once('/').or(Some(("", path))) else {
        return Err(Errno::NOENT);
    };
    let mut folder = rustix::fs::openat(root, ".", FOLDER, Mode::empty())?;
    for step in folders.split('/').filter(|step| !step.is_empty()) {
        folder = rustix::fs::openat(&folder, step, FOLDER, Mode::empty())?;
    }
    let name = if name.is_empty() { "." } else { name };
    rustix::fs::openat(&folder, name, flags, Mode::empty())
}

/// Whether an open file may be served: a regular file with one name. A second name could be
/// outside, and nobody can tell where.
pub(super) fn judge(path: &Rel, stat: &Stat) -> Result<(), Denied> {
    match FileType::from_raw_mode(stat.st_mode) {
        _ if is_plain(stat) => Ok(()),
        FileType::Directory => Err(Denied::is_folder(path)),
        _ => Err(Denied::not_plain(path)),
    }
}

pub(super) fn is_plain(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink <= 1
}

impl Denied {
    pub(super) fn is_folder(path: &Rel) -> Denied {
        let what = format!("{path} is a folder");
        Denied::new(
            Code::IsFolder,
            what,
            "name a file in it; list it to see them",
        )
    }

    pub(super) fn not_plain(path: &Rel) -> Denied {
        Denied::new(
            Code::NotPlain,
            format!("{path} is reached through a link, or is no plain file"),
            "use the file's own path; links, hard links and devices are not served",
        )
    }

    /// What the system's answer means to a caller. The path on the host is not in it.
    pub(super) fn system(path: &Rel, errno: Errno) -> Denied {
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Denied::not_found(path),
            Errno::LOOP | Errno::XDEV | Errno::NXIO | Errno::NODEV | Errno::MLINK => {
                Denied::not_plain(path)
            }
            Errno::ISDIR => Denied::is_folder(path),
            other => Denied::new(
                Code::Io,
                format!("the system refused {path}: {other}"),
                "try again; if it stays, check space and rights of the folder",
            ),
        }
    }
}
