//! The shapes of a journal: what goes in, what comes out, and what stands for all of it. They
//! refuse to know what a body means.

use kernel::Time;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The longest line in bytes, its newline included. A longer one is damage, not a record: without
/// a limit one broken file could take all memory.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// What a caller gives to be journaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When it happened, by the caller's clock.
    pub at: Time,
    /// A versioned kind, as in `moved.v1`.
    pub kind: String,
    /// A JSON object; integers beyond 2^53 go in as strings.
    pub body: serde_json::Value,
}

/// The last record of a journal: how much there is, and a hash that stands for all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The last record's sequence number; 0 if there is none.
    pub seq: u64,
    /// The last record's hash; [`crate::NO_HASH`] if there is none.
    pub hash: String,
}

impl Head {
    /// Of a journal without any record.
    pub fn start() -> Self {
        Self {
            seq: 0,
            hash: crate::NO_HASH.to_owned(),
        }
    }
}

/// A record as it stands in the reader's buffer.
#[derive(Debug, Clone, Copy)]
pub struct RecordRef<'a> {
    /// When it happened.
    pub at: Time,
    /// The body's exact text.
    pub body: &'a RawValue,
    /// Hash over the record.
    pub hash: &'a str,
    /// The versioned kind.
    pub kind: &'a str,
    /// Hash of the record before.
    pub prev: &'a str,
    /// The place in the journal, from 1.
    pub seq: u64,
}

/// Why a caller does not take a record. Callers are of every kind; what they say is passed on.
pub type Objection = Box<dyn std::error::Error + Send + Sync>;

impl<'a> RecordRef<'a> {
    /// Decodes the body; a visitor can pass the error on.
    pub fn body_as<T: Deserialize<'a>>(&self) -> Result<T, Objection> {
        serde_json::from_str(self.body.get())
            .map_err(|error| format!("bad body of {}: {error}", self.kind).into())
    }
}
