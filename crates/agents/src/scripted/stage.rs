//! Where a script is played: the order, its limits, and the transcript of what happened.
//!
//! All waiting goes through here, so that none outlasts a cancel or the wall limit.

use crate::agent::Order;
use crate::command::killed_class;
use crate::connections::Connections;
use crate::transcript::Transcript;
use kernel::outcome::Class;
use sandbox::{Cancel, Killed};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Why a script was not played to its end.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) class: Class,
    pub(super) reason: String,
}

impl Stop {
    pub(super) fn crashed(reason: impl Into<String>) -> Self {
        Self {
            class: Class::Crashed,
            reason: reason.into(),
        }
    }

    pub(super) fn killed(killed: Killed) -> Self {
        Self {
            class: killed_class(killed),
            reason: killed.to_string(),
        }
    }
}

/// One attempt being played.
pub(super) struct Stage<'a> {
    pub(super) order: &'a Order,
    pub(super) cancel: &'a Cancel,
    progress: &'a dyn Fn(&str),
    // None: the limit is so far away that the clock cannot hold it.
    deadline: Option<Instant>,
    transcript: Transcript,
    pub(super) connections: Connections,
}

impl<'a> Stage<'a> {
    pub(super) fn new(order: &'a Order, cancel: &'a Cancel, progress: &'a dyn Fn(&str)) -> Self {
        Self {
            order,
            cancel,
            progress,
            deadline: Instant::now().checked_add(order.wall),
            transcript: Transcript::default(),
            connections: Connections::default(),
        }
    }

    /// A path as the script wrote it. Absolute ones and `..` pass: see the module's head.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.order.view.join(path)
    }

    /// Says what is being done, in the transcript and to whoever watches.
    pub(super) fn announce(&mut self, line: &str) {
        (self.progress)(line);
        self.transcript.line(&format!("> {line}"));
    }

    pub(super) fn note(&mut self, line: &str) {
        self.transcript.line(line);
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        self.transcript.bytes(bytes);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.transcript.finish()
    }

    /// What is left of the wall limit.
    pub(super) fn left(&self) -> Duration {
        match self.deadline {
            None => self.order.wall,
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
        }
    }

    /// May the next step begin?
    pub(super) fn go_on(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::killed(Killed::Cancelled));
        }
        if self.left().is_zero() {
            return Err(Stop::killed(Killed::Wall(self.order.wall)));
        }
        Ok(())
    }

    /// Waits this long, or until a cancel or the wall limit ends the attempt.
    pub(super) fn wait(&self, time: Duration) -> Result<(), Stop> {
        self.go_on()?;
        self.cancel.wait_timeout(time.min(self.left()));
        self.go_on()
    }
}
