//! Changing files: whole files at once, by renaming a finished one into place. A link that stands
//! where the file should be is neither followed nor replaced.

use super::{Code, Denied, Files, HALF, MAX_FILE, Rel, Which, beneath};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};

static HALVES: AtomicU64 = AtomicU64::new(0);

impl Files {
    fn alone(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data, so a panic elsewhere left nothing half done.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a whole file at once: readers see the old one or the new one. Missing folders are made.
    pub fn write(&self, path: &Rel, bytes: &[u8]) -> Result<(), Denied> {
        let _alone = self.alone();
        self.replace(path, bytes)
    }

    fn replace(&self, path: &Rel, bytes: &[u8]) -> Result<(), Denied> {
        if bytes.len() > MAX_FILE {
            return Err(Denied::too_large(path));
        }
        let (folder, name) = split(path, self.inside(path)?)?;
        let system = |errno| match errno {
            // A file stands where a folder should be.
            Errno::NOTDIR => Denied::not_plain(path),
            errno => Denied::system(path, errno),
        };
        let folder = self.root.make_folder(folder).map_err(system)?;
        let mode = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Mode::from_raw_mode(0o644),
            Err(errno) => return Err(system(errno)),
            Ok(stat) => {
                beneath::judge(path, &stat)?;
                // The right to execute stays with the file.
                Mode::from_raw_mode(stat.st_mode & 0o777)
            }
        };
        let half = half_file(&folder, bytes, mode).map_err(system)?;
        rustix::fs::renameat(&folder, &half, &folder, name).map_err(|errno| {
            // What we made ourselves is ours to remove.
            let _ = rustix::fs::unlinkat(&folder, &half, AtFlags::empty());
            system(errno)
        })
    }

    /// Replaces `find` by `replace` in a text file; answers how many places changed.
    pub fn edit(
        &self,
        path: &Rel,
        find: &str,
        replace: &str,
        which: Which,
    ) -> Result<usize, Denied> {
        if find.is_empty() {
            return Err(Denied::new(
                Code::NoMatch,
                "the text to replace is empty",
                "quote some of the file, or write the whole file",
            ));
        }
        let _alone = self.alone();
        let text = String::from_utf8(self.read(path)?).map_err(|_| {
            let what = format!("{path} is not UTF-8 text");
            Denied::new(Code::NotText, what, "write the whole file instead")
        })?;
        let count = text.matches(find).count();
        match (count, which) {
            (0, _) => Err(Denied::new(
                Code::NoMatch,
                format!("the text to replace is not in {path}"),
                "read the file again and quote it exactly, with its spaces",
            )),
            (2.., Which::Once) => Err(Denied::new(
                Code::Ambiguous,
                format!("the text to replace is in {path} {count} times"),
                "quote more around the place, or replace all",
            )),
            (count, Which::Once | Which::All) => {
                let longer = replace
                    .len()
                    .saturating_sub(find.len())
                    .saturating_mul(count);
                // Judged before the text is built: the product can be far beyond memory.
                if text.len().saturating_add(longer) > MAX_FILE {
                    return Err(Denied::too_large(path));
                }
                let text = text.replace(find, replace);
                self.replace(path, text.as_bytes())?;
                Ok(count)
            }
        }
    }
}

fn split<'p>(path: &Rel, rest: &'p str) -> Result<(&'p str, &'p str), Denied> {
    match rest.rsplit_once('/').unwrap_or(("", rest)) {
        (_, "") => Err(Denied::is_folder(path)),
        both => Ok(both),
    }
}

fn half_file(folder: &OwnedFd, bytes: &[u8], mode: Mode) -> Result<String, Errno> {
    let count = HALVES.fetch_add(1, Ordering::Relaxed);
    let half = format!("{HALF}{}-{count}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = match rustix::fs::openat(folder, &half, flags, mode) {
        // Left over from a dead process that had our number.
        Err(Errno::EXIST) => {
            rustix::fs::unlinkat(folder, &half, AtFlags::empty())?;
            rustix::fs::openat(folder, &half, flags, mode)?
        }
        opened => opened?,
    };
    let mut file = File::from(fd);
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    written.map_err(|error| {
        let _ = rustix::fs::unlinkat(folder, &half, AtFlags::empty());
        Errno::from_io_error(&error).unwrap_or(Errno::IO)
    })?;
    Ok(half)
}
