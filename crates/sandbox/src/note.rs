//! The pid file: what is in flight, written so that the next Proofhouse can clear up after one that
//! was killed. A pid alone kills nobody: pids are given to strangers again.

use crate::LaunchError;
use crate::tree::Tree;
use rustix::process::Pid;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

static COUNT: AtomicU64 = AtomicU64::new(0);

/// How many programs this process has started, or tried to: what an operation costs, counted in a
/// unit that no other load on the machine changes.
pub fn launches() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// A name for one launch that no other launch has: boot, time, our pid, a count.
pub(crate) fn fresh_token() -> String {
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{nanos:x}-{}-{count}", boot(), std::process::id())
}

/// A pid file that exists while its launch does.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    path: Option<&'a Path>,
    token: &'a str,
}

impl<'a> Note<'a> {
    /// Written before the start, with the token alone: a kill between start and the second
    /// write still leaves enough to sweep by.
    pub(crate) fn open(path: Option<&'a Path>, token: &'a str) -> Result<Self, LaunchError> {
        let note = Self { path, token };
        note.write(0, 0)?;
        Ok(note)
    }

    pub(crate) fn started(&self, pid: Pid) -> Result<(), LaunchError> {
        let pid = pid.as_raw_nonzero().get();
        self.write(pid, start_of(pid).unwrap_or(0))
    }

    /// Removes the file. The caller says that nothing is left to be killed.
    pub(crate) fn close(self) {
        if let Some(path) = self.path {
            // A file that stays is harmless: its process and its token are gone.
            let _ = std::fs::remove_file(path);
        }
    }

    fn write(&self, pid: i32, start: u64) -> Result<(), LaunchError> {
        let Some(path) = self.path else {
            return Ok(());
        };
        // Replaced whole: a reader never sees half a line.
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        std::fs::write(&new, format!("{pid} {start} {}\n", self.token))
            .and_then(|()| std::fs::rename(&new, path))
            .map_err(|source| LaunchError::PidFile {
                path: path.to_path_buf(),
                source,
            })
    }
}

/// Kills what a Proofhouse that was itself killed left running, and removes its pid file.
/// Returns how many processes that were. A missing file is nothing to do.
///
/// The noted pid counts only if its start time and the machine's boot are the noted ones; the
/// token in the environment counts always. Where there is no `/proc` nothing can be told apart,
/// so nothing is killed.
pub fn kill_leftover(pid_file: &Path) -> Result<usize, LaunchError> {
    let fault = |source| LaunchError::PidFile {
        path: pid_file.to_path_buf(),
        source,
    };
    let text = match std::fs::read_to_string(pid_file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(fault(error)),
    };
    let (pid, start, token) = parse(&text).ok_or_else(|| {
        let what = "it is not `<pid> <start time> <token>`";
        fault(std::io::Error::new(std::io::ErrorKind::InvalidData, what))
    })?;
    // Another boot: all of it is gone, and its numbers mean strangers.
    let swept = if token.split('-').next() == Some(boot().as_str()) {
        let same = start != 0 && start_of(pid) == Some(start);
        let leader = Pid::from_raw(pid).filter(|_| same);
        Tree::new(leader, token, start).end(Duration::ZERO)
    } else {
        Default::default()
    };
    if swept.survivors > 0 {
        let what = format!("{} processes do not die, even by KILL", swept.survivors);
        return Err(fault(std::io::Error::other(what)));
    }
    std::fs::remove_file(pid_file).map_err(fault)?;
    Ok(swept.killed)
}

fn parse(text: &str) -> Option<(i32, u64, &str)> {
    let mut words = text.split_whitespace();
    let (pid, start) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    // A short token would be a wide net; ours are never short.
    let token = words.next().filter(|token| token.len() > 8)?;
    (pid >= 0 && words.next().is_none()).then_some((pid, start, token))
}

/// When a process started, in ticks since boot.
#[cfg(target_os = "linux")]
pub(crate) fn start_of(pid: i32) -> Option<u64> {
    crate::processes::process(pid).map(|process| process.start)
}

#[cfg(target_os = "linux")]
fn boot() -> String {
    crate::processes::boot()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn start_of(_pid: i32) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn boot() -> String {
    "noboot".to_string()
}
