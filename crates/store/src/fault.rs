//! Why a record is not believed, and why an entry cannot become one.

use crate::canonical::LARGEST_INTEGER;
use crate::record::{MAX_LINE, Objection};
use kernel::Time;

/// What is wrong with a line of a journal.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is no text.
    #[error("not UTF-8")]
    NotText,
    /// It is not JSON, or misses a member.
    #[error("not a journal record: {0}")]
    NoRecord(#[source] serde_json::Error),
    /// It is JSON in another form than RFC 8785.
    #[error("not canonical JSON")]
    NotCanonical,
    /// The body is something else than an object.
    #[error("the body is not an object")]
    NoObject,
    /// The kind has no version.
    #[error("kind {0:?} is no name with a version")]
    Kind(String),
    /// The sequence number is larger than every JSON reader can hold.
    #[error("a sequence number beyond 2^53")]
    SeqTooLarge,
    /// A hash has another form.
    #[error("hash or prev is not a SHA-256 in lowercase hex")]
    NoHash,
    /// A record is missing, or twice there.
    #[error("sequence number {found} where {expected} should be")]
    WrongSeq {
        /// What follows the record before.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// It does not name the record before it.
    #[error("broken chain: prev is {found}, the record before has {expected}")]
    BrokenChain {
        /// The hash of the record before.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Its content gives another hash.
    #[error("bad hash: the record says {found}, its content gives {computed}")]
    BadHash {
        /// What is there.
        found: String,
        /// What its content gives.
        computed: String,
    },
    /// It is dated after the caller's limit.
    #[error("dated {at}, which is later than {limit}")]
    TooLate {
        /// Its date.
        at: Time,
        limit: Time,
    },
    /// No record is so long.
    #[error("longer than {MAX_LINE} bytes")]
    TooLong,
    /// The journal does not hold what its checkpoint stands on.
    #[error("the record that a checkpoint was taken at is not there any more")]
    CheckpointGone,
    /// The file is shorter than it was.
    #[error("records that were here before are gone: the file is shorter")]
    CutShort,
    /// What the caller has against the record.
    #[error(transparent)]
    Objection(Objection),
}

/// Why an entry cannot be written without changing it.
#[derive(Debug, thiserror::Error)]
pub enum EntryFault {
    /// Its year does not fit.
    #[error("the time {0} has more than four digits of year")]
    Time(String),
    /// The kind has no version.
    #[error("a kind is a name with a version, like moved.v1")]
    Kind,
    /// The body is something else than an object.
    #[error("the body is not an object")]
    NoObject,
    /// It is nested too deeply.
    #[error("nested deeper than {0} levels")]
    Deep(usize),
    /// A number would come back as another.
    #[error("the integer {0} is beyond 2^53: write it as a string")]
    Integer(serde_json::Number),
    /// It cannot be written as JSON.
    #[error("{0}")]
    Json(#[source] serde_json::Error),
    /// No record is so long.
    #[error("longer than {MAX_LINE} bytes")]
    TooLong,
}

// 2^53 stands in the sentences above.
const _: () = assert!(LARGEST_INTEGER == 1 << 53);
