//! The locks of whoever works on something: one engine at a time, and one git at a time where git
//! leaves a ruin if it is not alone. The first refuses to wait for an engine that is at work; the second
//! refuses to go on while the git of an engine that was killed still is.

use crate::error::Error;
use sandbox::Held;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Held while an engine works; another one is refused.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    /// Closing the file is not enough: a process that somebody in here starts at this very moment has a
    /// copy of it until it becomes another program, and would hold the lock for as long.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// How often, and how far apart, a taken lock is tried again before it counts as an engine's at work.
/// Whoever only looks holds it for a moment; and a process that an engine was just starting when it
/// was killed holds it until it has become another program, which takes a while on a busy machine.
const LOOKS: usize = 100;
const LOOK: Duration = Duration::from_millis(10);

/// Takes the lock; none if an engine has it.
pub fn take(path: &Path) -> Result<Option<Lock>, Error> {
    let file = File::create(path).map_err(Error::io("create", path))?;
    for _ in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
        }
    }
    Ok(None)
}

/// Takes the lock of a folder of scratch, for whoever drives what it belongs to; none if another engine has
/// it.
pub fn drive(folder: &Path) -> Result<Option<Lock>, Error> {
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let Some(lock) = take(&folder.join("lock"))? else {
        return Ok(None);
    };
    // For whoever wants it to end; it counts only while the lock is held.
    let driver = driver_file(folder);
    std::fs::write(&driver, std::process::id().to_string()).map_err(Error::io("write", &driver))?;
    Ok(Some(lock))
}

/// The file that names the process which drives it.
pub fn driver_file(folder: &Path) -> PathBuf {
    folder.join("driver")
}

/// Has an engine taken it? Looks, and leaves nothing behind.
pub fn is_taken(path: &Path) -> bool {
    let lock = File::open(path);
    lock.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// A turn at something that takes a moment. A git that is given it holds it on its own account, and so
/// a turn ends when both have: an engine that was killed leaves no git behind that nobody knows of.
#[derive(Debug)]
pub struct Turn(Arc<File>);

impl Turn {
    /// For a git that is to finish, whatever becomes of us.
    pub fn held(&self) -> Held {
        Held(Arc::clone(&self.0))
    }
}

impl Drop for Turn {
    /// As for [`Lock`]. Whatever was given the turn has ended when it was waited for.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Waits for its turn.
pub fn turn(path: &Path) -> Result<Turn, Error> {
    // Readable, as somebody's standard input, and empty.
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(Error::io("create", path))?;
    file.lock().map_err(Error::io("lock", path))?;
    Ok(Turn(Arc::new(file)))
}
