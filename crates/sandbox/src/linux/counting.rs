//! Which limit on processes holds here. What would harm the machine is not tried: see [`by_pid`].

use super::signals::{self, Wait};
use super::sys::{self, Forked};
use super::trial::{Own, attempt};
use crate::machine::{Counting, Lacking, Through};
use std::io::Error;

type Counted = std::result::Result<Counting, Lacking>;
pub(super) type Tried = std::result::Result<(), Lacking>;

/// By the PID namespace's own highest number.
pub(super) fn by_pid(mount: &Tried, try_bound: &mut dyn FnMut(u32) -> Tried) -> Counted {
    mount.clone()?;
    // Before Linux 6.14 the number is the whole machine's: there, trying would do the harm.
    if kernel() < (6, 14) {
        let why = "pid_max is not the namespace's own before Linux 6.14";
        return Err(Lacking::Because(why));
    }
    let whole = || std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap_or_default();
    let before = whole();
    try_bound(1000)?;
    if whole() == before {
        Ok(Counting::PidNamespace)
    } else {
        // Mends the harm as far as it can; a kernel that says 6.14 and behaves like an older one.
        let _ = std::fs::write("/proc/sys/kernel/pid_max", &before);
        Err(Lacking::Because("pid_max is not the namespace's own"))
    }
}

/// `RLIMIT_NPROC` spares root, and before Linux 5.14 it counted all of a user's processes.
pub(super) fn by_user(namespaces: &std::result::Result<Through, Lacking>, own: &Own) -> Counted {
    const MOST: u64 = 3;
    if *namespaces != Ok(Through::User) || rustix::process::geteuid().is_root() {
        return Err(Lacking::Because("RLIMIT_NPROC does not hold root"));
    }
    let own_exit = |code: i32| Error::from_raw_os_error(code);
    let tried = attempt(|| {
        own.enter()?;
        sys::keep_capabilities(0)?;
        sys::limit_at_most(libc::RLIMIT_NPROC as libc::c_int, MOST)?;
        let [reader, writer] = sys::pipe()?;
        let mut made = 0;
        let stopped = loop {
            match sys::fork() {
                // Waits for the end of the trial, which closes the pipe.
                Ok(Forked::Child) => {
                    sys::close(writer);
                    while sys::has_writer(reader) {}
                    sys::exit(0)
                }
                Ok(Forked::Parent(_)) if made > MOST => break false,
                Ok(Forked::Parent(_)) => made += 1,
                Err(_) => break true,
            }
        };
        sys::close(writer);
        while signals::reap(-1, Wait::UntilOneEnds).is_some() {}
        if stopped && made > 0 {
            Ok(())
        } else {
            Err(own_exit(libc::ENOTSUP))
        }
    });
    tried.map(|()| Counting::UserNamespace)
}

fn kernel() -> (u32, u32) {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(|letter: char| !letter.is_ascii_digit())
        .map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
