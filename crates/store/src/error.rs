//! The one error of this crate: what went wrong, where, and how to mend it.
//!
//! Codes are promises: scripts match on them, so one is added, never renamed.

use crate::fault::{EntryFault, Fault};
use std::io;
use std::path::{Path, PathBuf};

/// Whether a failed append left bytes behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// The journal is as long as it was before the append.
    RolledBack,
    /// Cutting failed as well; the next open judges what is there.
    BytesLeft,
    /// Nothing was tried: an earlier append through this handle failed.
    Refused,
}

impl AfterFailure {
    fn sentence(self) -> &'static str {
        match self {
            AfterFailure::RolledBack => "the journal was cut back to what it was",
            AfterFailure::BytesLeft => "cutting it back failed too, so a torn tail may be left",
            AfterFailure::Refused => "this handle refuses appends since an earlier one failed",
        }
    }
}

/// Everything that can go wrong in the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else wrote to the journal, or the caller's sequence number is old.
    #[error("journal of run {run}: {why} (expected sequence number {expected})")]
    JournalConflict {
        run: String,
        /// What the caller thought the last sequence number was.
        expected: u64,
        /// What was found instead.
        why: String,
    },
    /// A record cannot be believed. Concerns this run alone.
    #[error("journal of run {run}, line {line}: {reason}")]
    JournalCorrupt {
        run: String,
        /// The line, from 1.
        line: u64,
        /// Why.
        #[source]
        reason: Fault,
    },
    /// There is no journal for this run.
    #[error("run {run} has no journal at {}", path.display())]
    JournalMissing {
        run: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// There is a journal for this run already.
    #[error("run {run} has a journal already at {}", path.display())]
    JournalExists {
        run: String,
        /// Where it is.
        path: PathBuf,
    },
    /// Records did not reach the disk. What was there before is still there.
    #[error("journal of run {run}: could not write {}: {source}; {}", path.display(), after.sentence())]
    JournalWriteFailed {
        run: String,
        /// The journal.
        path: PathBuf,
        /// What became of the bytes.
        after: AfterFailure,
        /// What the system said.
        source: io::Error,
    },
    /// A run's name that could not be a file name everywhere.
    #[error("{name:?} is not a run name")]
    BadRunName { name: String },
    /// An entry that a journal cannot hold without changing it.
    #[error("entry of kind {kind:?} cannot be journaled: {reason}")]
    BadEntry {
        /// The entry's kind.
        kind: String,
        /// Why.
        #[source]
        reason: EntryFault,
    },
    /// The vault has no such content.
    #[error("evidence {hash} is not in the vault ({})", path.display())]
    EvidenceMissing {
        /// The content's hash.
        hash: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// The vault holds other content under this hash.
    #[error("evidence {hash} at {}: {reason}", path.display())]
    EvidenceCorrupt {
        /// The content's hash.
        hash: String,
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A text that is no SHA-256 in lowercase hex, so that it names nothing (and no path).
    #[error("{hash:?} is not a SHA-256 in lowercase hex")]
    BadHash {
        /// The text.
        hash: String,
    },
    /// A path that leads out of the tree that is being hashed.
    #[error("path {} is not inside the tree {}", path.display(), root.display())]
    BadPath {
        /// The tree.
        root: PathBuf,
        path: PathBuf,
    },
    /// The system refused something.
    #[error("could not {what} {}: {source}", path.display())]
    Io {
        /// The verb, as in "read".
        what: &'static str,
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::JournalConflict { .. } => "journal_conflict",
            StoreError::JournalCorrupt { .. } => "journal_corrupt",
            StoreError::JournalMissing { .. } => "journal_missing",
            StoreError::JournalExists { .. } => "journal_exists",
            StoreError::JournalWriteFailed { .. } => "journal_write_failed",
            StoreError::BadRunName { .. } => "bad_run_name",
            StoreError::BadEntry { .. } => "bad_entry",
            StoreError::EvidenceMissing { .. } => "evidence_missing",
            StoreError::EvidenceCorrupt { .. } => "evidence_corrupt",
            StoreError::BadHash { .. } => "bad_hash",
            StoreError::BadPath { .. } => "bad_path",
            StoreError::Io { .. } => "io",
        }
    }

    /// How to mend it, in one sentence.
    pub fn mend(&self) -> &'static str {
        match self {
            StoreError::JournalConflict { .. } => {
                "read what the other writer wrote, decide again on the new state, then append"
            }
            StoreError::JournalCorrupt { .. } => {
                "restore the file from a backup or from the run's own ref (`git show refs/proofhouse/records/RUN:journal/RUN.jsonl`), or start a new run; other runs are not touched"
            }
            StoreError::JournalMissing { .. } => {
                "check the run's name, fetch its records (`proofhouse records fetch`; if its commits were pushed without them, `proofhouse records push` where it ran), or restore the file from version control"
            }
            StoreError::JournalExists { .. } => "choose another run name, or resume the run",
            StoreError::JournalWriteFailed { .. } => {
                "free space or make the folder writable, then resume the run: what was written before is intact"
            }
            StoreError::BadRunName { .. } => {
                "use 1 to 64 of a-z, 0-9, dot, underscore and dash, beginning with a letter or a digit, without `..`, a dot or `.lock` at the end"
            }
            StoreError::BadEntry { .. } => {
                "this is a bug in the caller: write 64-bit numbers as strings, name kinds like moved.v1, keep bodies objects and small"
            }
            StoreError::EvidenceMissing { .. } => {
                "restore the evidence folder from version control, or run the check again"
            }
            StoreError::EvidenceCorrupt { .. } => {
                "restore the file from version control, or run the check again"
            }
            StoreError::BadHash { .. } => "give the 64 hex digits as the journal has them",
            StoreError::BadPath { .. } => "list paths relative to the tree, without .. in them",
            StoreError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull => "free some disk space; nothing was lost",
                io::ErrorKind::ReadOnlyFilesystem => "make the disk writable; nothing was changed",
                _ => "check that the path exists and that you may use it",
            },
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }
}
