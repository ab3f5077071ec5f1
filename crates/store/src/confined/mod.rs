//! Files below one folder, for whoever may look at nothing else: an agent's tools read, list, search and
//! change its view through it. It follows no link, serves plain files only, tells no hidden file from one
//! that is not there, and does not know the engine's and version control's own folders.
//!
//! What a role may see is decided where its view is laid out; here nothing leads out of it.

mod beneath;
mod change;
mod denied;
mod query;
mod rel;
mod search;
mod walk;

pub use beneath::Resolving;
pub use denied::{Code, Denied};
pub use query::{Case, Glob, Grep};
pub use rel::Rel;

use beneath::{Root, judge};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType};
use std::path::Path;
use std::sync::Mutex;

/// The largest file that is read, written or searched.
pub const MAX_FILE: usize = 16 * 1024 * 1024;
/// The most entries that one `ls` answers with.
const MAX_LISTED: usize = 10_000;
/// The most bytes of one line that a hit carries.
const MAX_HIT_TEXT: usize = 400;
/// Names that do not exist for any caller, in whatever case.
const RESERVED: [&str; 2] = [".git", ".proofhouse"];
/// How half-written files are called until they are whole.
const HALF: &str = ".proofhouse-half-";

/// How many places an edit changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The text must be there exactly once.
    Once,
    /// Every place, at least one.
    All,
}

/// What a listed entry is. Links and devices are not listed at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    Folder,
}

/// One entry of `ls`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Where it is, from the root.
    pub path: Rel,
    pub kind: Kind,
    /// Bytes; 0 for a folder.
    pub size: u64,
}

/// One matching line of `grep`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    pub path: Rel,
    /// The line, from 1.
    pub line: u64,
    /// The line without its end, cut where it is long; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// Whether a capped answer is all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truncated {
    /// Everything is here.
    #[default]
    No,
    /// A limit was reached: there is more that is not here.
    Yes,
}

/// A sorted answer that was cut at a limit, or was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capped<T> {
    /// The first items in order.
    pub items: Vec<T>,
    /// Whether more was found than is here.
    pub truncated: Truncated,
}

/// Files below a folder of the host.
pub struct Files {
    root: Root,
    at: Rel,
    /// One change at a time: an edit reads and writes.
    changing: Mutex<()>,
}

impl Files {
    /// Serves the files below `dir`. The folder must be there.
    pub fn open(dir: &Path) -> Result<Files, Denied> {
        Files::open_at(dir, &Rel::root(), Resolving::Kernel)
    }

    /// Serves the files below `dir` as if that folder stood at `at`.
    pub fn open_at(dir: &Path, at: &Rel, resolving: Resolving) -> Result<Files, Denied> {
        Ok(Files {
            root: Root::open(dir, resolving).map_err(|errno| Denied::system(at, errno))?,
            at: at.clone(),
            changing: Mutex::new(()),
        })
    }

    /// The path below our folder; reserved names are not there.
    fn inside<'p>(&self, path: &'p Rel) -> Result<&'p str, Denied> {
        match path.below(&self.at) {
            Some(rest) if !rest.split('/').any(reserved) => Ok(rest),
            _ => Err(Denied::not_found(path)),
        }
    }
}

/// Whether a name is the engine's, version control's, or half a file.
fn reserved(name: &str) -> bool {
    // Most names do not begin with a dot, and this is asked for every file of a search.
    name.starts_with('.')
        && (RESERVED.iter().any(|own| own.eq_ignore_ascii_case(name))
            || (name.len() >= HALF.len()
                && name.is_char_boundary(HALF.len())
                && name[..HALF.len()].eq_ignore_ascii_case(HALF)))
}

/// Whether a name that stands on the disk could be asked for.
fn sayable(name: &str) -> bool {
    !matches!(name, "." | "..")
        && !reserved(name)
        && !name.contains('\\')
        && !name.chars().any(char::is_control)
}

/// All bytes of an open file that was judged, into `buffer`; answers how many there are.
fn fill(fd: &OwnedFd, size: u64, buffer: &mut Vec<u8>) -> Result<usize, FillError> {
    if size > MAX_FILE as u64 {
        return Err(FillError::TooLarge);
    }
    let mut filled = 0;
    // One byte more than needed, so that the end shows in the first round.
    let mut want = size as usize + 1;
    loop {
        if buffer.len() < want {
            buffer.resize(want, 0);
        }
        match rustix::io::read(fd, &mut buffer[filled..]) {
            Ok(0) => return Ok(filled),
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(FillError::System(errno)),
        }
        if filled > MAX_FILE {
            return Err(FillError::TooLarge);
        }
        if filled == buffer.len() {
            want = filled + 8_192;
        }
    }
}

enum FillError {
    TooLarge,
    System(rustix::io::Errno),
}

impl Denied {
    fn too_large(path: &Rel) -> Denied {
        Denied::new(
            Code::TooLarge,
            format!("{path} is larger than {MAX_FILE} bytes"),
            "work on smaller files",
        )
    }
}

impl Files {
    /// The whole content of a file.
    pub fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        let system = |errno| Denied::system(path, errno);
        let fd = self.root.file(self.inside(path)?).map_err(system)?;
        let stat = rustix::fs::fstat(&fd).map_err(system)?;
        judge(path, &stat)?;
        let mut bytes = Vec::new();
        match fill(&fd, stat.st_size as u64, &mut bytes) {
            Ok(count) => bytes.truncate(count),
            Err(FillError::TooLarge) => return Err(Denied::too_large(path)),
            Err(FillError::System(errno)) => return Err(system(errno)),
        }
        Ok(bytes)
    }

    /// The entries of a folder, sorted by path.
    pub fn ls(&self, path: &Rel) -> Result<Capped<Listed>, Denied> {
        let rest = self.inside(path)?;
        let folder = self.root.folder(rest).map_err(|errno| match errno {
            rustix::io::Errno::NOTDIR => match self.read(path) {
                Ok(_) => Denied::new(
                    Code::NotFolder,
                    format!("{path} is a file"),
                    "read it; list the folder that holds it",
                ),
                Err(denied) => denied,
            },
            errno => Denied::system(path, errno),
        })?;
        let mut items = Vec::new();
        let entries = Dir::read_from(&folder).map_err(|errno| Denied::system(path, errno))?;
        for entry in entries {
            let entry = entry.map_err(|errno| Denied::system(path, errno))?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if !sayable(name) {
                continue;
            }
            let Ok(path) = path.join(name) else { continue };
            // It may be gone by now: then it is not listed.
            let stat = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW);
            let Ok(stat) = stat else { continue };
            let (kind, size) = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => (Kind::Folder, 0),
                FileType::RegularFile if beneath::is_plain(&stat) => {
                    (Kind::File, stat.st_size as u64)
                }
                _ => continue,
            };
            items.push(Listed { path, kind, size });
        }
        items.sort();
        let truncated = match items.len() > MAX_LISTED {
            true => Truncated::Yes,
            false => Truncated::No,
        };
        items.truncate(MAX_LISTED);
        Ok(Capped { items, truncated })
    }
}

#[cfg(test)]
mod tests;
