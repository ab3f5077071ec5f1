//! Signals and children for the two small processes that hold a confined tree. There are no
//! handlers: signals are blocked and taken one at a time.

#![allow(unsafe_code)]

use std::io::Result;
use std::mem::MaybeUninit;

/// How one child ended, as `waitpid` puts it.
pub(crate) struct Gone {
    pub(crate) pid: libc::pid_t,
    pub(crate) status: i32,
}

/// May a wait block?
#[derive(Clone, Copy)]
pub(crate) enum Wait {
    UntilOneEnds,
    Not,
}

/// Blocks everything that can be blocked, so that only KILL ends this process.
pub(crate) fn block_all() {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` fills the set before it is used; the old mask is not asked for.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
        // Inherited, "ignore" would reap children behind our back.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}

/// As a program expects it at its start.
pub(crate) fn block_none() {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: as above, with an empty set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// Waits for a child's end or a TERM, both blocked, and says which.
pub(crate) fn next() -> libc::c_int {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is made before it is used; nothing is asked for but the number.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::sigaddset(set.as_mut_ptr(), libc::SIGTERM);
        libc::sigwaitinfo(set.as_ptr(), std::ptr::null_mut())
    }
}

/// A child that has ended, if there is one.
pub(crate) fn reap(pid: libc::pid_t, wait: Wait) -> Option<Gone> {
    let flags = match wait {
        Wait::UntilOneEnds => 0,
        Wait::Not => libc::WNOHANG,
    };
    let mut status = 0;
    loop {
        // SAFETY: one live integer to be filled.
        let gone = unsafe { libc::waitpid(pid, &raw mut status, flags | libc::__WALL) };
        if gone > 0 {
            return Some(Gone { pid: gone, status });
        }
        if gone == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return None;
        }
    }
}

/// Signals every process of the namespace but its first.
pub(crate) fn signal_all(signal: libc::c_int) {
    // SAFETY: plain numbers. Called by the first process of a PID namespace only, where -1 means
    // all others in it and nobody else.
    unsafe {
        libc::kill(-1, signal);
    }
}

/// Ends a child of ours that was not waited for yet, so that the number is its own.
pub(crate) fn kill(child: libc::pid_t) {
    // SAFETY: plain numbers.
    unsafe {
        libc::kill(child, libc::SIGKILL);
    }
}

/// A session of its own.
pub(crate) fn own_session() -> Result<()> {
    Ok(rustix::process::setsid().map(drop)?)
}
