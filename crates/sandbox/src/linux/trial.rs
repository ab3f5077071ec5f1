//! Trying a mechanism in a process that is thrown away. What a trial does to itself ends with it.

use super::signals::{self, Wait};
use super::sys::{self, Forked};
use crate::machine::{Lacking, Through};
use std::ffi::CString;
use std::io::{Error, Result};

/// Who we are, for a user namespace; prepared before the fork.
pub(crate) struct Own {
    uid_map: CString,
    gid_map: CString,
}

impl Own {
    pub(crate) fn new() -> Self {
        let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
        let own = |id: u32| CString::new(format!("{id} {id} 1\n")).unwrap_or_default();
        Self {
            uid_map: own(uid.as_raw()),
            gid_map: own(gid.as_raw()),
        }
    }

    /// A user namespace of our own, in a trial.
    pub(crate) fn enter(&self) -> Result<()> {
        sys::unshare(libc::CLONE_NEWUSER)?;
        let _ = sys::write_file(c"/proc/self/setgroups", b"deny");
        sys::write_file(c"/proc/self/uid_map", self.uid_map.as_bytes())?;
        sys::write_file(c"/proc/self/gid_map", self.gid_map.as_bytes())
    }
}

/// Runs the body in a forked process. It must not allocate.
pub(crate) fn attempt(body: impl FnOnce() -> Result<()>) -> std::result::Result<(), Lacking> {
    match sys::fork() {
        Ok(Forked::Child) => end(body()),
        Ok(Forked::Parent(pid)) => match signals::reap(pid, Wait::UntilOneEnds) {
            Some(gone) => judge(gone.status),
            None => Err(Lacking::Because("the trial was lost")),
        },
        Err(error) => Err(Lacking::NoFork(error.raw_os_error().unwrap_or(libc::EIO))),
    }
}

/// Runs the body as the first process of a PID namespace, in a trial.
pub(crate) fn as_first(
    through: Through,
    own: &Own,
    body: impl FnOnce() -> Result<()>,
) -> Result<()> {
    if through == Through::User {
        own.enter()?;
    }
    sys::unshare(libc::CLONE_NEWPID)?;
    match sys::fork()? {
        Forked::Child => end(body()),
        Forked::Parent(pid) => match signals::reap(pid, Wait::UntilOneEnds) {
            Some(gone) if libc::WIFEXITED(gone.status) => match libc::WEXITSTATUS(gone.status) {
                0 => Ok(()),
                errno => Err(Error::from_raw_os_error(errno)),
            },
            _ => Err(Error::from_raw_os_error(libc::ECHILD)),
        },
    }
}

/// The error number is the exit code: all of them are below 134.
fn end(result: Result<()>) -> ! {
    match result {
        Ok(()) => sys::exit(0),
        Err(error) => sys::exit(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}

fn judge(status: i32) -> std::result::Result<(), Lacking> {
    if !libc::WIFEXITED(status) {
        return Err(Lacking::Killed(libc::WTERMSIG(status)));
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(()),
        errno => Err(Lacking::System(errno)),
    }
}
