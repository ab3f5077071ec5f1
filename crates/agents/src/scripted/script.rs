//! What a script is once it has been read, and which of its entries an attempt gets.
//!
//! Plain data.

use kernel::outcome::Usage;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// A whole script.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) log: Option<PathBuf>,
    pub(super) entries: Vec<Entry>,
}

/// One `[[attempt]]`.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) line: usize,
    pub(super) state: Option<String>,
    pub(super) role: Option<String>,
    pub(super) brief: Option<String>,
    pub(super) attempt: Option<u32>,
    pub(super) steps: Vec<Step>,
    pub(super) answer: Answer,
    pub(super) usage: Option<Usage>,
}

/// What an entry leaves in the result file.
#[derive(Debug)]
pub(super) enum Answer {
    /// No file.
    Nothing,
    /// A JSON object, not judged here: a script may leave a wrong one on purpose.
    Value(Map<String, Value>),
    /// These very bytes.
    Text(String),
}

/// One thing that the agent does. Paths are as written, relative to the view.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Write {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    Edit {
        path: String,
        find: String,
        replace: String,
        occurs: Occurs,
    },
    Set {
        field: String,
        to: String,
    },
    Delete {
        path: String,
    },
    Chmod {
        path: String,
        mode: u32,
    },
    Symlink {
        path: String,
        to: String,
    },
    Run {
        command: String,
        failure: OnFailure,
    },
    Wait {
        time: Duration,
    },
    Print {
        text: String,
    },
    Crash {
        code: u8,
    },
    Hang,
}

/// How often the text of an `edit` may occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurs {
    Once,
    AtLeastOnce,
}

/// What a non-zero exit of a `run` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    GoOn,
    Crash,
}

impl Script {
    /// The first entry whose given keys all match; one that names the attempt wins over one
    /// that does not.
    pub(super) fn choose(&self, state: &str, role: &str, nth: u32, brief: &str) -> Option<&Entry> {
        let fits = |entry: &&Entry| {
            entry.state.as_deref().is_none_or(|wanted| wanted == state)
                && entry.role.as_deref().is_none_or(|wanted| wanted == role)
                && entry
                    .brief
                    .as_deref()
                    .is_none_or(|wanted| brief.contains(wanted))
        };
        let mut exact = self
            .entries
            .iter()
            .filter(fits)
            .filter(|entry| entry.attempt == Some(nth));
        let mut general = self
            .entries
            .iter()
            .filter(fits)
            .filter(|entry| entry.attempt.is_none());
        exact.next().or_else(|| general.next())
    }
}

impl Answer {
    /// The bytes of the result file, with the usage inside as a program would leave it.
    pub(super) fn bytes(&self, usage: Option<&Usage>) -> Option<Vec<u8>> {
        match self {
            Answer::Nothing => None,
            Answer::Text(text) => Some(text.clone().into_bytes()),
            Answer::Value(object) => {
                let mut object = object.clone();
                if let Some(usage) = usage {
                    object.insert("usage".to_owned(), serde_json::json!(usage));
                }
                Some(Value::Object(object).to_string().into_bytes())
            }
        }
    }
}
