//! The raw events of an attempt, on disk as they come, so that a restart finds what was said.
//!
//! It is bounded, and a killed attempt never looks finished: our own last line says how the attempt
//! ended as we saw it.

use crate::transcript::Transcript;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// An agent that talks for ever fills this much of the disk and no more.
const LOG_BYTES: u64 = 64 * 1024 * 1024;
const NAME: &str = "events.jsonl";
const OURS: &str = "proofhouse_ended";

/// The log of a running attempt.
#[derive(Debug)]
pub(crate) struct EventLog {
    file: File,
    written: u64,
    /// The first failure; the log is a help for recovery, so the attempt goes on without it.
    pub(crate) failed: Option<io::Error>,
}

impl EventLog {
    /// An empty log in this folder; an older one is set aside.
    pub(crate) fn create(home: &Path) -> io::Result<Self> {
        let path = path(home);
        match fs::rename(&path, home.join("events.set-aside.jsonl")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)?;
        Ok(Self {
            file,
            written: 0,
            failed: None,
        })
    }

    /// One line as the agent said it.
    pub(crate) fn line(&mut self, line: &str) {
        if self.written <= LOG_BYTES {
            self.put(line);
        }
    }

    /// How the attempt ended as we saw it, and the end of the log, safely on disk.
    pub(crate) fn close(mut self, class: &str) -> Option<io::Error> {
        self.put(&json!({OURS: class}).to_string());
        if self.failed.is_none() {
            self.failed = self.file.sync_all().err();
        }
        self.failed
    }

    fn put(&mut self, line: &str) {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend(line.bytes());
        bytes.push(b'\n');
        self.written += bytes.len() as u64;
        if let Err(error) = self.file.write_all(&bytes) {
            self.failed.get_or_insert(error);
        }
    }
}

/// A log that an earlier life left.
#[derive(Debug)]
pub(crate) struct Left {
    text: String,
}

impl Left {
    /// The log in this folder, if there is one that can be read.
    pub(crate) fn read(home: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        let file = File::open(path(home)).ok()?;
        file.take(2 * LOG_BYTES).read_to_end(&mut bytes).ok()?;
        Some(Self {
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }

    /// The agent's whole lines. A last line without its newline was being written.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.whole().filter(|line| ours(line).is_none())
    }

    /// All of it: the transcript of an attempt that outlived us.
    pub(crate) fn transcript(&self) -> Vec<u8> {
        let mut transcript = Transcript::default();
        transcript.bytes(self.text.as_bytes());
        transcript.finish()
    }

    /// How the attempt ended as we saw it, if we saw it.
    pub(crate) fn ended(&self) -> Option<String> {
        self.whole().filter_map(ours).last()
    }

    fn whole(&self) -> impl Iterator<Item = &str> {
        let whole = self.text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines()
    }
}

fn ours(line: &str) -> Option<String> {
    if !line.contains(OURS) {
        return None;
    }
    let value: Value = serde_json::from_str(line).ok()?;
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(OURS)?.as_str().map(str::to_owned)
}

fn path(home: &Path) -> PathBuf {
    home.join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_come_back_and_our_own_line_is_apart() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Left::read(dir.path()).is_none());
        let mut log = EventLog::create(dir.path()).unwrap();
        log.line("one");
        log.line(r#"{"text":"proofhouse_ended"}"#);
        let left = Left::read(dir.path()).unwrap();
        assert_eq!(left.ended(), None);
        assert!(log.close("done").is_none());
        let left = Left::read(dir.path()).unwrap();
        assert_eq!(left.ended().as_deref(), Some("done"));
        assert_eq!(left.lines().count(), 2);
        fs::write(path(dir.path()), "one\ntw").unwrap();
        let lines: Vec<String> = Left::read(dir.path())
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        assert_eq!(lines, ["one"]);
        EventLog::create(dir.path()).unwrap();
        assert_eq!(Left::read(dir.path()).unwrap().lines().count(), 0);
    }
}
