//! Seeing what a confined process tries to connect to. The kernel stops each attempt and asks us; we
//! read the address, note it, and let the kernel go on. Nothing is decided here about a connection:
//! the namespace, Landlock and the filter hold the network, whatever is noted here.
//!
//! So it does not matter that another thread of the process may write another address into that
//! memory after we have looked: a lie spoils its own record and opens nothing. The one call that we
//! answer ourselves is `socket` where there is no network at all, and the answer is always no.
//!
//! Nobody hangs on us: a call that we do not answer because we have died fails with ENOSYS, and the
//! caller dies with us anyway.

use super::address::{self, Given, LONGEST};
use super::attempts::{Judge, Verdict, here};
use super::sys::{self, Answer, Notice};
use crate::refusals::Refusals;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{PipeReader, PipeWriter, Result};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was noted.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) refused: Refusals,
    /// Why an address could not be read, of the first one. Whoever may not look does not know
    /// whether it was refused.
    pub(super) unread: Option<String>,
}

/// A witness at work.
#[derive(Debug)]
pub(crate) struct Witness {
    seen: Arc<Mutex<Seen>>,
    // Closing it ends the thread.
    _stop: PipeWriter,
}

impl Witness {
    /// Answers what comes on the file, in a thread of its own.
    pub(super) fn start(notices: OwnedFd, judge: Judge) -> Result<Self> {
        let seen = Arc::<Mutex<Seen>>::default();
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

    /// What was seen, after the end of all processes. There is nothing to wait for: an attempt
    /// is noted before its caller goes on, so all that could be noted has been.
    pub(super) fn seen(self) -> Seen {
        std::mem::take(&mut *locked(&self.seen))
    }
}

struct Watch {
    notices: OwnedFd,
    judge: Judge,
    seen: Arc<Mutex<Seen>>,
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
                let name = socket(notice.arguments[0]).to_owned();
                locked(&self.seen).refused.note(name);
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
        // An `int` for the kernel, whatever is in the rest of the register.
        let mut bytes = [0; LONGEST];
        let length = (length as u32 as usize).min(LONGEST);
        let verdict = match memory(notice.thread, at, &mut bytes[..length]) {
            Ok(read) => match address::read(&bytes[..read], given) {
                Some(address) => self.judge.judge(notice.thread, &address),
                None => Verdict::Unrecorded,
            },
            // An address at which there is nothing: the kernel says so to the caller.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => Verdict::Unrecorded,
            Err(error) => Verdict::Unreadable(error.to_string()),
        };
        // Only now is it certain that the memory was the caller's, and not of a successor in number.
        if sys::still_waits(self.notices.as_fd(), notice) {
            match verdict {
                Verdict::Unrecorded => {}
                Verdict::OwnServer(port) => {
                    let mut seen = locked(&self.seen);
                    seen.refused.withdraw(|target| is_port(target, port));
                }
                Verdict::Refused(target) => locked(&self.seen).refused.note(target),
                Verdict::Unreadable(why) => {
                    locked(&self.seen).unread.get_or_insert(why);
                }
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

/// A piece of a thread's memory, and how much of it there was. It does not allocate: a trial reads
/// like this, too.
pub(super) fn memory(thread: u32, at: u64, bytes: &mut [u8]) -> Result<usize> {
    use std::io::Write;
    let mut name = [0u8; 24];
    let mut rest = name.as_mut_slice();
    write!(rest, "/proc/{thread}/mem")?;
    let end = 24 - rest.len();
    let file = std::fs::File::open(OsStr::from_bytes(&name[..end]))?;
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], at.saturating_add(read as u64)) {
            Ok(0) => break,
            Ok(more) => read += more,
            // The end of what is mapped; what comes before it may well be an address.
            Err(_) if read > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    // Every change is whole after one statement, so a panic elsewhere does not spoil it.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
