//! The scripted agent's own log: what it was asked to do, written by the worker itself.
//!
//! Tests hold it against the engine's journal to show that no attempt ran twice. A line is on disk
//! before the attempt goes on, or a crash would hide it.

use crate::agent::Order;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

/// The log cannot be written, so nothing could be held against it.
#[derive(Debug, thiserror::Error)]
#[error("the script's log {} cannot be written: {source}", path.display())]
pub(super) struct LogError {
    path: PathBuf,
    source: io::Error,
}

/// A file that only grows.
#[derive(Debug)]
pub(super) struct Log(PathBuf);

impl Log {
    pub(super) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Adds one line.
    pub(super) fn append(&self, what: &str, order: &Order, tail: &str) -> Result<(), LogError> {
        let Order {
            run,
            effect,
            state,
            nth,
            ..
        } = order;
        let line = format!("{what} run={run} effect={effect} state={state} nth={nth}{tail}\n");
        self.write(line.as_bytes()).map_err(|source| LogError {
            path: self.0.clone(),
            source,
        })
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.0)?;
        // One write per line: attempts of a wave share the file, and lines must not mingle.
        file.write_all(line)?;
        file.sync_all()
    }
}
