//! Calls of seccomp's user notification: a system call that waits until we have answered.

#![allow(unsafe_code)]

use super::check;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// A call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notice {
    pub(crate) id: u64,
    /// The calling thread, by our own numbers.
    pub(crate) thread: u32,
    pub(crate) number: libc::c_long,
    pub(crate) arguments: [u64; 6],
}

/// What becomes of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The kernel does it, as if nobody had looked.
    GoOn,
    /// The caller gets this error number.
    Refused(libc::c_int),
}

/// Puts a filter on this process, and gives the file on which its notices come.
pub(crate) fn seccomp_with_notices(filter: &[libc::sock_filter]) -> Result<OwnedFd> {
    let Ok(len) = libc::c_ushort::try_from(filter.len()) else {
        return Err(Error::from_raw_os_error(libc::E2BIG));
    };
    let program = libc::sock_fprog {
        len,
        filter: filter.as_ptr().cast_mut(),
    };
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    let plain = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // Spares callers with many signals a call that is broken off and made again (Linux 5.19).
    let calm = plain | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let fd = call!(libc::SYS_seccomp, mode, calm, &raw const program)
        .or_else(|_| call!(libc::SYS_seccomp, mode, plain, &raw const program))?;
    // SAFETY: the kernel has just made it for us; it is closed on exec.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Waits for the next notice. There is one if the file was readable; a caller that was killed
/// since then is ENOENT.
pub(crate) fn next_notice(from: BorrowedFd<'_>) -> Result<Notice> {
    /// Later kernels may have a longer structure than the one that we know.
    #[repr(C)]
    struct Room {
        notice: libc::seccomp_notif,
        more: [u64; 32],
    }
    // SAFETY: all zeros is a valid value of these plain numbers, and what the kernel asks for.
    let mut room: Room = unsafe { std::mem::zeroed() };
    // SAFETY: a live structure at least as long as the kernel's.
    let got = unsafe {
        libc::ioctl(
            from.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_RECV,
            &raw mut room,
        )
    };
    check(got.into())?;
    let notice = &room.notice;
    Ok(Notice {
        id: notice.id,
        thread: notice.pid,
        number: notice.data.nr.into(),
        arguments: notice.data.args,
    })
}

/// Does the caller still wait? Then its number is still its own.
pub(crate) fn still_waits(at: BorrowedFd<'_>, notice: &Notice) -> bool {
    let id = notice.id;
    // SAFETY: one live number.
    let valid = unsafe {
        libc::ioctl(
            at.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
            &raw const id,
        )
    };
    valid == 0
}

/// Answers. A caller that was killed meanwhile needs none.
pub(crate) fn answer(at: BorrowedFd<'_>, notice: &Notice, answer: Answer) -> Result<()> {
    let (error, flags) = match answer {
        Answer::GoOn => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        Answer::Refused(number) => (-number, 0),
    };
    let mut response = libc::seccomp_notif_resp {
        id: notice.id,
        val: 0,
        error,
        flags,
    };
    // SAFETY: a live structure of the type that this request takes.
    let sent = unsafe {
        libc::ioctl(
            at.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND,
            &raw mut response,
        )
    };
    check(sent.into()).map(drop)
}

/// Lets a caller and its answer share a processor, which makes a notice cheaper (Linux 6.6).
pub(crate) fn answer_nearby(at: BorrowedFd<'_>) {
    const SYNC_WAKE_UP: libc::c_ulong = 1;
    // SAFETY: a plain number; a kernel that does not know the request refuses it.
    unsafe {
        libc::ioctl(
            at.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS,
            SYNC_WAKE_UP,
        );
    }
}

/// A `connect` that can only fail: the error number says who answered it.
pub(crate) fn connect_nowhere() -> Error {
    match call!(libc::SYS_connect, -1, 0usize, 0) {
        Ok(_) => Error::from_raw_os_error(libc::EISCONN),
        Err(error) => error,
    }
}

/// Is there something to read within this time?
pub(crate) fn readable_within(fd: BorrowedFd<'_>, millis: libc::c_int) -> bool {
    let mut fd = libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live structure.
    let ready = unsafe { libc::poll(&raw mut fd, 1, millis) };
    ready > 0 && fd.revents & libc::POLLIN != 0
}
