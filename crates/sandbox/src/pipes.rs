//! The three streams of a child, served by one thread without ever blocking on any of them. `run`
//! polls, this module moves what is ready.

use crate::capture::Capture;
use crate::listen::{Listener, Stream, Talk};
use rustix::event::{PollFd, PollFlags};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// Reads per stream between two looks at the clock: an endless writer must still meet its limit.
const TURNS: usize = 16;
/// After the tree is dead, all that it wrote is in the pipe. An escaped writer must not hold us.
const DRAIN_TURNS: usize = 256;
const CHUNK: usize = 64 * 1024;

/// Did the child say something?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Spoke,
    Silent,
}

/// Our ends of the pipes, and what was read so far.
pub(crate) struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    to_write: VecDeque<u8>,
    listener: &'a mut dyn Listener,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    chunk: Vec<u8>,
    pub(crate) out: Capture,
    pub(crate) err: Capture,
    pub(crate) both: Capture,
}

impl<'a> Pipes<'a> {
    pub(crate) fn take(
        child: &mut Child,
        stdin: &[u8],
        cap: usize,
        listener: &'a mut dyn Listener,
    ) -> std::io::Result<Self> {
        let pipes = Self {
            stdin: child.stdin.take(),
            to_write: stdin.to_vec().into(),
            listener,
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            chunk: vec![0; CHUNK],
            out: Capture::new(cap),
            err: Capture::new(cap),
            both: Capture::new(cap),
        };
        // Our end only: the child's end of a pipe is another open file and stays blocking.
        if let Some(stream) = &pipes.stdin {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        if let Some(stream) = &pipes.stdout {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        if let Some(stream) = &pipes.stderr {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        Ok(pipes)
    }

    /// What to poll for.
    pub(crate) fn interests(&self) -> Vec<PollFd<'_>> {
        let mut fds = Vec::with_capacity(3);
        // An open input with nothing to write is always ready, and would wake us for ever.
        if let Some(stream) = &self.stdin
            && (!self.to_write.is_empty() || self.listener.talk() != Talk::Open)
        {
            fds.push(PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::OUT));
        }
        if let Some(stream) = &self.stdout {
            fds.push(PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN));
        }
        if let Some(stream) = &self.stderr {
            fds.push(PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN));
        }
        fds
    }

    /// Moves what can be moved now, boundedly.
    pub(crate) fn pump(&mut self) -> Activity {
        self.feed();
        let mut activity = Activity::Silent;
        for _ in 0..TURNS {
            match self.read_once() {
                Activity::Spoke => activity = Activity::Spoke,
                Activity::Silent => break,
            }
        }
        activity
    }

    /// What the listener makes of it so far.
    pub(crate) fn talk(&self) -> Talk {
        self.listener.talk()
    }

    /// Reads what a dead tree left in the pipes.
    pub(crate) fn drain(&mut self) {
        for _ in 0..DRAIN_TURNS {
            if self.read_once() == Activity::Silent {
                break;
            }
        }
    }

    fn feed(&mut self) {
        while let Some(stream) = &mut self.stdin {
            if self.to_write.is_empty() {
                if self.listener.talk() != Talk::Open {
                    // Closing is the end of file that the child waits for.
                    self.stdin = None;
                }
                return;
            }
            match stream.write(self.to_write.as_slices().0) {
                Ok(count) => drop(self.to_write.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The child closed its input: its right.
                Err(_) => self.stdin = None,
            }
        }
    }

    /// One chunk from each stream in turn, which keeps their order close to the child's.
    fn read_once(&mut self) -> Activity {
        let mut activity = Activity::Silent;
        if let Some(count) = read_some(&mut self.stdout, &mut self.chunk) {
            self.out.push(&self.chunk[..count]);
            self.both.push(&self.chunk[..count]);
            let answer = self.listener.heard(Stream::Out, &self.chunk[..count]);
            self.to_write.extend(answer);
            activity = Activity::Spoke;
        }
        if let Some(count) = read_some(&mut self.stderr, &mut self.chunk) {
            self.err.push(&self.chunk[..count]);
            self.both.push(&self.chunk[..count]);
            let answer = self.listener.heard(Stream::Err, &self.chunk[..count]);
            self.to_write.extend(answer);
            activity = Activity::Spoke;
        }
        activity
    }
}

/// Bytes read, or none if there are none now. A stream at its end is closed, so that `poll` does
/// not report it again and again.
fn read_some<R: Read>(stream: &mut Option<R>, chunk: &mut [u8]) -> Option<usize> {
    let reader = stream.as_mut()?;
    loop {
        match reader.read(chunk) {
            Ok(0) => break,
            Ok(count) => return Some(count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => break,
        }
    }
    *stream = None;
    None
}
