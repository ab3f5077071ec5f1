//! Seeing what a confined process tries to connect to. The kernel stops each attempt and asks us;
//! we read the address, note it, and let the kernel go on. It refuses to decide about a connection:
//! the namespace, Landlock and the filter hold the network, whatever is noted here.
//!
//! So it does not matter that another thread of the process may write another address into that
//! memory after we have looked: a lie spoils its own record and opens nothing. The one call that we
//! answer ourselves is `socket` where there is no network at all, and the answer is always no.
//!
//! Nobody hangs on us: a call that we do not answer because we have died fails with ENOSYS, and the
//! caller dies with us anyway.

use super::address::{self, Given, LONGEST};
use super::sys::{self, Answer, Notice};
use super::worth::{Judge, Worth, here};
use crate::refusals::Refusals;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use std::io::{PipeReader, PipeWriter, Result};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What stands for an address that we may not read.
const UNREADABLE: &str = "an address that could not be read";

/// A witness at work.
#[derive(Debug)]
pub(crate) struct Witness {
    seen: Arc<Mutex<Refusals>>,
    // Closing it ends the thread.
    _stop: PipeWriter,
}

impl Witness {
    /// Answers what comes on the file, in a thread of its own.
    pub(super) fn start(notices: OwnedFd, judge: Judge) -> Result<Self> {
        let seen = Arc::<Mutex<Refusals>>::default();
        let (waiting, stop) = std::io::pipe()?;
        sys::answer_nearby(notices.as_fd());
        let mut watch = Watch {
            notices,
            judge,
            seen: Arc::clone(&seen),
        };
        std::thread::Builder::new()
            .name("witness".into())
            .spawn(move || watch.until(&waiting))?;
        Ok(Self { seen, _stop: stop })
    }

    /// What was refused, after the end of all processes. There is nothing to wait for: an attempt
    /// is noted before its caller goes on, so all that could be noted has been.
    pub(crate) fn seen(self) -> Refusals {
        std::mem::take(&mut *locked(&self.seen))
    }
}

struct Watch {
    notices: OwnedFd,
    judge: Judge,
    seen: Arc<Mutex<Refusals>>,
}

impl Watch {
    fn until(&mut self, stop: &PipeReader) {
        loop {
            let mut fds = [
                PollFd::from_borrowed_fd(self.notices.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN),
            ];
            match rustix::event::poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            let (come, stopped) = (fds[0].revents(), fds[1].revents());
            if come.contains(PollFlags::IN) {
                match sys::next_notice(self.notices.as_fd()) {
                    Ok(notice) => self.attend(&notice),
                    // Killed while it waited.
                    Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {}
                    Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                    Err(_) => return,
                }
            } else if !come.is_empty() || !stopped.is_empty() {
                // Nobody is left who could ask, or nobody who wants to know.
                return;
            }
        }
    }

    fn attend(&mut self, notice: &Notice) {
        let answer = match notice.number {
            libc::SYS_socket => {
                locked(&self.seen).note(socket(notice.arguments[0]).to_owned());
                Answer::Refused(libc::EPERM)
            }
            libc::SYS_connect => self.goes(notice, notice.arguments[1], notice.arguments[2]),
            libc::SYS_sendto => self.goes(notice, notice.arguments[4], notice.arguments[5]),
            // Our filter asks for nothing else.
            _ => Answer::Refused(libc::EPERM),
        };
        // A caller that was killed meanwhile needs no answer.
        let _ = sys::answer(self.notices.as_fd(), notice, answer);
    }

    fn goes(&mut self, notice: &Notice, at: u64, length: u64) -> Answer {
        let given = match notice.number {
            libc::SYS_sendto => Given::ToSend,
            _ => Given::ToConnect,
        };
        let bytes = memory(notice.thread, at, length);
        let worth = match bytes {
            Ok(bytes) => match address::read(&bytes, given) {
                Some(address) => self.judge.judge(notice.thread, &address),
                None => Worth::Nothing,
            },
            // An address at which there is nothing: the kernel says so to the caller.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => Worth::Nothing,
            Err(_) => Worth::Refused(UNREADABLE.to_owned()),
        };
        // Only now is it certain that the memory was the caller's, and not of a successor in number.
        if sys::still_waits(self.notices.as_fd(), notice) {
            match worth {
                Worth::Nothing => {}
                Worth::Own(port) => locked(&self.seen).withdraw(|target| is_port(target, port)),
                Worth::Refused(target) => locked(&self.seen).note(target),
            }
        }
        Answer::GoOn
    }
}

/// Attempts before the server was up were no refusals: whoever starts one waits for it like that.
fn is_port(target: &str, port: u16) -> bool {
    let parsed: std::result::Result<std::net::SocketAddr, _> = target.parse();
    parsed.is_ok_and(|address| here(address) && address.port() == port)
}

/// Without a network there is no socket, and so no address.
fn socket(family: u64) -> &'static str {
    match i32::try_from(family) {
        Ok(libc::AF_INET) => "an IPv4 socket",
        Ok(libc::AF_INET6) => "an IPv6 socket",
        _ => "a socket",
    }
}

/// A piece of a thread's memory.
fn memory(thread: u32, at: u64, length: u64) -> Result<Vec<u8>> {
    // An `int` for the kernel, whatever is in the rest of the register.
    let length = (length as u32 as usize).min(LONGEST);
    let mut bytes = vec![0; length];
    let file = std::fs::File::open(format!("/proc/{thread}/mem"))?;
    let mut read = 0;
    while read < length {
        match file.read_at(&mut bytes[read..], at.saturating_add(read as u64)) {
            Ok(0) => break,
            Ok(more) => read += more,
            // The end of what is mapped; what comes before it may well be an address.
            Err(_) if read > 0 => break,
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

fn locked(seen: &Mutex<Refusals>) -> MutexGuard<'_, Refusals> {
    // Every change is whole after one statement, so a panic elsewhere does not spoil it.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
