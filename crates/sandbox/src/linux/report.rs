//! What the confined side tells us: which step failed, or how the program ended. The program itself
//! never has the pipe.

use super::sys;
use std::io::{Error, PipeReader, Read, Result};
use std::os::fd::RawFd;

const FAILED: u32 = 1;
const ENDED: u32 = 2;
const SIZE: usize = 16;

/// A step of confinement, so that a failure can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Step {
    UserNamespace = 1,
    PidNamespace,
    Namespaces,
    Root,
    Mount,
    Directory,
    ProcessLimit,
    Loopback,
    Session,
    Limits,
    Capabilities,
    Landlock,
    Seccomp,
}

const STEPS: [(Step, &str); 13] = [
    (Step::UserNamespace, "a user namespace"),
    (Step::PidNamespace, "a PID namespace"),
    (Step::Namespaces, "mount, network and IPC namespaces"),
    (Step::Root, "a root of its own"),
    (Step::Mount, "a mount"),
    (Step::Directory, "the folder to start in"),
    (Step::ProcessLimit, "the limit on processes"),
    (Step::Loopback, "a loopback"),
    (Step::Session, "a session"),
    (Step::Limits, "resource limits"),
    (Step::Capabilities, "giving up capabilities"),
    (Step::Landlock, "Landlock"),
    (Step::Seccomp, "seccomp"),
];

/// What was reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The step that failed and the error, in words; the index tells mounts apart.
    pub(crate) failed: Option<(String, u32)>,
    /// The program's status, as `waitpid` puts it, and how many processes it left.
    pub(crate) ended: Option<(i32, u32)>,
}

/// Says that a step failed, and gives the error on.
pub(crate) fn failed(pipe: RawFd, step: Step, index: usize, error: Error) -> Error {
    let errno = error.raw_os_error().unwrap_or(0);
    send(pipe, [FAILED, step as u32, errno as u32, index as u32]);
    error
}

/// Says how the program ended.
pub(crate) fn ended(pipe: RawFd, status: i32, left: u32) {
    send(pipe, [ENDED, status as u32, left, 0]);
}

fn send(pipe: RawFd, words: [u32; 4]) {
    let mut bytes = [0u8; SIZE];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    // Smaller than a pipe's atom: whole or not at all. Without it we report a kill.
    let _ = sys::write(pipe, &bytes);
}

/// Reads what was reported. The pipe does not block, so a copy of its other end that somebody
/// still holds does not matter.
pub(crate) fn read(pipe: &mut PipeReader) -> Result<Report> {
    let mut report = Report::default();
    let mut bytes = [0u8; SIZE];
    rustix::io::ioctl_fionbio(&*pipe, true)?;
    while pipe.read_exact(&mut bytes).is_ok() {
        let mut words = bytes.chunks_exact(4).map(|word| {
            let mut four = [0u8; 4];
            four.copy_from_slice(word);
            u32::from_ne_bytes(four)
        });
        let mut word = || words.next().unwrap_or_default();
        match word() {
            FAILED => {
                let (step, errno, index) = (word(), word(), word());
                let name = STEPS
                    .iter()
                    .find(|(known, _)| *known as u32 == step)
                    .map_or("a step", |(_, name)| name);
                let error = Error::from_raw_os_error(errno as i32);
                report.failed = Some((format!("{name} ({error})"), index));
            }
            ENDED => report.ended = Some((word() as i32, word())),
            _ => {}
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn what_is_sent_is_read() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        assert_eq!(read(&mut reader).unwrap(), Report::default());
        let error = Error::from_raw_os_error(libc::EPERM);
        failed(writer.as_raw_fd(), Step::Mount, 7, error);
        ended(writer.as_raw_fd(), 256, 3);
        let report = read(&mut reader).unwrap();
        assert_eq!(report.ended, Some((256, 3)));
        let (what, index) = report.failed.unwrap();
        assert!(
            what.contains("a mount") && what.contains("not permitted"),
            "{what}"
        );
        assert_eq!(index, 7);
    }
}
