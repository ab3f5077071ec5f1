//! The system calls of confinement, each a thin wrapper. They are called between fork and exec in a
//! copy of a process with threads, so nothing here allocates, locks or calls back; errors are bare
//! error numbers.
//!
//! Raw numbers and structures where neither libc nor rustix has a call that is safe there.

#![allow(unsafe_code)]

/// One system call on plain numbers.
macro_rules! call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        // SAFETY: every caller below this folder passes numbers, pointers to live, NUL-ended strings,
        // or pointers to live structures of the size that it states; the kernel copies them in.
        check(unsafe { libc::syscall($number $(, $argument)*) })
    };
}

mod files;
mod mount;
mod notice;
mod rights;

pub(crate) use files::*;
pub(crate) use mount::*;
pub(crate) use notice::*;
pub(crate) use rights::*;

use std::io::{Error, Result};
use std::os::fd::RawFd;

fn check(result: libc::c_long) -> Result<libc::c_long> {
    if result < 0 {
        return Err(Error::last_os_error());
    }
    Ok(result)
}

/// A process forked by [`fork`].
pub(crate) enum Forked {
    Parent(libc::pid_t),
    Child,
}

/// A fork without libc's handlers, which may take locks that a dead thread holds.
pub(crate) fn fork() -> Result<Forked> {
    let flags = libc::SIGCHLD as libc::c_ulong;
    let pid = call!(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize)?;
    Ok(match libc::pid_t::try_from(pid) {
        Ok(0) => Forked::Child,
        Ok(pid) => Forked::Parent(pid),
        Err(_) => return Err(Error::from_raw_os_error(libc::EOVERFLOW)),
    })
}

pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process at once, without any handler.
    unsafe { libc::_exit(code) }
}

pub(crate) fn unshare(flags: libc::c_int) -> Result<()> {
    call!(libc::SYS_unshare, flags).map(drop)
}

pub(crate) fn prctl(option: libc::c_int, value: libc::c_ulong) -> Result<()> {
    let zero: libc::c_ulong = 0;
    let option = libc::c_long::from(option);
    call!(libc::SYS_prctl, option, value, zero, zero, zero).map(drop)
}

pub(crate) fn close(fd: RawFd) {
    let _ = call!(libc::SYS_close, fd);
}

/// Closes every file but these two, which are at least 3 or -1.
pub(crate) fn close_all_but(keep: [RawFd; 2]) {
    let (low, high) = (keep[0].min(keep[1]), keep[0].max(keep[1]));
    let mut from: libc::c_uint = 0;
    for fd in [low, high] {
        let Ok(fd) = libc::c_uint::try_from(fd) else {
            continue;
        };
        if fd > from {
            let _ = call!(libc::SYS_close_range, from, fd - 1, 0);
        }
        from = fd + 1;
    }
    let _ = call!(libc::SYS_close_range, from, libc::c_uint::MAX, 0);
}

/// Does the other end of a pipe still have a writer?
pub(crate) fn has_writer(reader: RawFd) -> bool {
    let mut fd = libc::pollfd {
        fd: reader,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live structure; a zero timeout never blocks.
    let ready = unsafe { libc::poll(&raw mut fd, 1, 0) };
    ready == 0
}

pub(crate) fn pipe() -> Result<[RawFd; 2]> {
    let mut fds: [RawFd; 2] = [-1, -1];
    call!(libc::SYS_pipe2, fds.as_mut_ptr(), libc::O_CLOEXEC)?;
    Ok(fds)
}
