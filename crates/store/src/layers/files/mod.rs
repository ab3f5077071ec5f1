//! The layer at the bottom: files below one folder. It follows no link, serves plain files only,
//! and does not know the engine's and version control's own folders: history would show what a
//! pack hides.

mod beneath;
mod change;
mod crew;
mod search;

pub use beneath::Resolving;
use beneath::{Root, judge};

use super::{
    Backend, Capped, Code, Denied, Glob, Grep, Hit, Kind, Listed, MAX_FILE, MAX_LISTED, Rel, Seen,
    Sight, Truncated, Which, Writing, reduce,
};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType};
use std::path::Path;
use std::sync::Mutex;

/// Names that do not exist for any caller, in whatever case.
pub const RESERVED: [&str; 2] = [".git", ".proofhouse"];
/// How half-written files are called until they are whole.
const HALF: &str = ".proofhouse-half-";

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

impl Backend for Files {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
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

    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied> {
        self.put(path, bytes, writing)
    }

    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied> {
        self.change(path, find, replace, which)
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        self.remove(path)
    }

    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied> {
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
                FileType::Directory if sight.enters(path.as_str()) => (Kind::Folder, 0),
                FileType::RegularFile if beneath::is_plain(&stat) => {
                    let size = match sight.sees(path.as_str()) {
                        Seen::Nothing => None,
                        Seen::Whole => Some(stat.st_size as u64),
                        Seen::Members(members) => {
                            let less = self.read(&path).ok();
                            let less = less.and_then(|bytes| reduce(&bytes, members));
                            less.map(|bytes| bytes.len() as u64)
                        }
                    };
                    let Some(size) = size else { continue };
                    (Kind::File, size)
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

    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        self.names(query, sight)
    }

    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        self.lines(query, sight)
    }
}

#[cfg(test)]
mod tests;
