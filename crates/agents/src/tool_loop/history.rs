//! The whole conversation on disk, in the attempt's own folder: for the vault, and for going on.
//!
//! Nothing that a summary takes out of the conversation is lost here. Secrets are taken out
//! before anything is written.

use super::space::Unopened;
use crate::agent::Order;
use crate::wire::Entry;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use store::redact::redact;

/// The whole conversation, in the attempt's own folder: one JSON value per line, without secrets.
pub const HISTORY_FILE: &str = "history.jsonl";

/// The largest conversation that is read back.
const SESSION_BYTES: u64 = 64 * 1024 * 1024;

/// Being written: `history.jsonl`, one entry per line, and `session.json` at the end.
#[derive(Debug)]
pub(super) struct History {
    file: File,
    session: PathBuf,
    secrets: Vec<String>,
}

impl History {
    pub(super) fn open(order: &Order, secrets: Vec<String>) -> Result<Self, Unopened> {
        let file = File::create(order.home.join(HISTORY_FILE));
        Ok(Self {
            file: file.map_err(Unopened::History)?,
            session: order.home.join("session.json"),
            secrets,
        })
    }

    /// Adds an entry. A disk that is full shows elsewhere; the attempt goes on.
    pub(super) fn append(&mut self, entry: &Entry) {
        if let Ok(line) = serde_json::to_string(entry) {
            let line = self.clean(&line);
            let _ = writeln!(self.file, "{line}");
        }
    }

    /// Keeps the conversation as it now is; its place is the session's name.
    pub(super) fn save(&mut self, entries: &[Entry]) -> Option<String> {
        let text = serde_json::to_string(entries).ok()?;
        fs::write(&self.session, self.clean(&text)).ok()?;
        Some(self.session.to_string_lossy().into_owned())
    }

    fn clean(&self, text: &str) -> String {
        let secrets: Vec<&str> = self.secrets.iter().map(String::as_str).collect();
        redact(text, &secrets)
    }
}

/// The conversation of an earlier attempt.
pub(super) fn load(session: &str) -> io::Result<Vec<Entry>> {
    let mut text = String::new();
    File::open(Path::new(session))?
        .take(SESSION_BYTES)
        .read_to_string(&mut text)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}
