//! Hearing a child while it lives, and answering it. A listener says what to write and when the talk
//! is over; limits and kills are not its own.

/// Which stream bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// What becomes of a child's standard input when all that was given has been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Talk {
    /// It stays open: answers may follow.
    Open,
    /// It is closed, and the child ends when it likes, within its limits.
    Ends,
    /// It is closed; a child that has said its last word and does not end soon is stopped. That is
    /// [`crate::Ended::dismissed`], not a kill.
    Over,
}

/// Somebody who hears a child's output as it comes.
pub trait Listener {
    /// Bytes as they were read, in no particular pieces. What is returned is written to the
    /// child's standard input, after what is still waiting there.
    fn heard(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8>;

    /// Asked after every piece.
    fn talk(&self) -> Talk;
}

/// Nobody: what [`crate::run`] uses.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Listener for Nobody {
    fn heard(&mut self, _: Stream, _: &[u8]) -> Vec<u8> {
        Vec::new()
    }

    fn talk(&self) -> Talk {
        Talk::Ends
    }
}
