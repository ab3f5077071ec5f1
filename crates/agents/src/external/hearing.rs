//! From bytes to lines to a dialect, while the agent runs. What is too long to be an event is
//! dropped and counted.

use super::dialect::{Dialect, Keep};
use super::log::EventLog;
use super::meter::Meter;
use crate::transcript::Transcript;
use sandbox::{Listener, Stream, Talk};
use store::redact::redact;

/// The longest line that can be an event; a tool's whole output may stand in one.
const LINE_BYTES: usize = 32 * 1024 * 1024;

/// One attempt being heard.
pub(crate) struct Hearing<'a> {
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) log: EventLog,
    pub(crate) transcript: Transcript,
    pub(crate) meter: Meter<'a>,
    progress: &'a dyn Fn(&str),
    /// What must not be kept anywhere.
    secrets: &'a [&'a str],
    pending: Vec<u8>,
    too_long: bool,
}

impl<'a> Hearing<'a> {
    pub(crate) fn new(
        dialect: Box<dyn Dialect>,
        log: EventLog,
        meter: Meter<'a>,
        progress: &'a dyn Fn(&str),
        secrets: &'a [&'a str],
    ) -> Self {
        Self {
            dialect,
            log,
            transcript: Transcript::default(),
            meter,
            progress,
            secrets,
            pending: Vec::new(),
            too_long: false,
        }
    }

    /// The last line may lack its newline: the agent has ended, so it is whole.
    pub(crate) fn finish(&mut self) {
        let _ = self.end_of_line();
    }

    fn end_of_line(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.pending);
        if std::mem::take(&mut self.too_long) {
            self.transcript
                .line("[a line was too long and was left out]");
            return Vec::new();
        }
        let line = String::from_utf8_lossy(&bytes);
        if line.trim().is_empty() {
            return Vec::new();
        }
        let said = self.dialect.line(&line);
        self.meter.look(self.dialect.heard());
        if said.keep == Keep::Line {
            // After the dialect: what it answers must be what the agent asked.
            let line = redact(&line, self.secrets);
            self.log.line(&line);
            self.transcript.line(&line);
        }
        if let Some(text) = said.progress {
            (self.progress)(&redact(&text, self.secrets));
        }
        said.answer
    }
}

impl Listener for Hearing<'_> {
    fn heard(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8> {
        if stream == Stream::Err {
            // As it comes: a key may lie across two pieces. The transcript is cleaned as a whole.
            self.transcript.bytes(bytes);
            return Vec::new();
        }
        let mut answers = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = match piece.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (piece, false),
            };
            if self.pending.len() + text.len() > LINE_BYTES {
                self.too_long = true;
                self.pending.clear();
            } else if !self.too_long {
                self.pending.extend_from_slice(text);
            }
            if ends {
                answers.extend(self.end_of_line());
            }
        }
        answers
    }

    fn talk(&self) -> Talk {
        self.dialect.talk()
    }
}
