//! The one error of this crate: what went wrong, where, and how to mend it.
//!
//! Codes are promises: scripts match on them, so one is added, never renamed.

use kernel::module::{Malformed, Wanted};
use std::path::{Path, PathBuf};

/// What lies behind an error: what SQLite, the system or a model's file said.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Everything that can go wrong in the index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// An entry that its schema refuses.
    #[error("entry {entry}: `{field}` {why}")]
    BadEntry {
        /// Its id and version, as far as they were readable.
        entry: String,
        /// The member.
        field: String,
        /// What is wrong with it.
        why: String,
    },
    /// A text that names no module and no range of versions.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The key was used before.
    #[error("{reference} is in the index already")]
    EntryExists {
        /// The key.
        reference: String,
    },
    /// Versions of a module only rise (rule F8.3).
    #[error("{reference} is not higher than {highest}, which is in the index already")]
    VersionNotHigher {
        /// What was to be added.
        reference: String,
        /// What is there.
        highest: String,
    },
    /// No such entry.
    #[error("{reference} is not in the index")]
    UnknownModule {
        /// What was asked for.
        reference: String,
    },
    /// Deprecated and superseded are final.
    #[error("{reference} is {status} already, since {since}")]
    StatusFinal {
        /// The entry.
        reference: String,
        status: &'static str,
        /// When that was recorded.
        since: String,
    },
    /// The successor cannot stand in for the entry.
    #[error("{replacement} cannot replace {reference}: {why}")]
    BadReplacement {
        /// The entry.
        reference: String,
        /// The successor.
        replacement: String,
        /// Why not.
        why: &'static str,
    },
    /// A status change without a reason.
    #[error("the note on {reference} is {why}")]
    BadNote {
        /// The entry.
        reference: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A search that cannot be answered.
    #[error("the search's `{field}` {why}")]
    BadQuery {
        /// The member.
        field: String,
        /// What is wrong with it.
        why: String,
    },
    /// A text that names no embedder.
    #[error("{text:?} is not an embedder: {why}")]
    BadEmbedder {
        text: String,
        /// Why not.
        why: String,
    },
    /// Vectors of two models cannot be compared.
    #[error("the index at {} was embedded with {index}, not with {given}", path.display())]
    EmbedderChanged {
        /// The database.
        path: PathBuf,
        /// What the vectors were made with.
        index: String,
        /// What was to be used.
        given: String,
    },
    /// The model misses a criterion of rule F14.1.
    #[error("the embedder {embedder} does not meet criterion {criterion} of the index: {why}")]
    EmbedderUnfit {
        /// The model.
        embedder: String,
        /// 1 dense, 2 length of texts, 3 dimensions.
        criterion: u8,
        /// What was found.
        why: String,
    },
    /// The model could not be loaded or did not answer.
    #[error("the embedder {embedder}: {why}")]
    EmbedderFailed {
        /// The model.
        embedder: String,
        /// What happened.
        #[source]
        why: Cause,
    },
    /// There is no key for the endpoint.
    #[error("there is no API key for the embedder in {place}")]
    EmbedderNoKey {
        /// Where it was looked for.
        place: String,
    },
    /// There is no index.
    #[error("there is no index at {}", path.display())]
    IndexMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("the index at {} is damaged: {why}", path.display())]
    IndexCorrupt {
        /// The database.
        path: PathBuf,
        /// What SQLite or we found.
        #[source]
        why: Cause,
    },
    /// The file is a database of something else.
    #[error("{} is a database, but not a Code Index", path.display())]
    IndexForeign {
        /// The database.
        path: PathBuf,
    },
    /// The file is of a later version of Proofhouse.
    #[error("the index at {} has format {found}; this version knows {known}", path.display())]
    IndexNewer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Another process is writing and did not end in time.
    #[error("the index at {} is locked by another process", path.display())]
    IndexBusy {
        /// The database.
        path: PathBuf,
    },
    /// The index may not be written.
    #[error("the index at {} cannot be written: {why}", path.display())]
    IndexReadOnly {
        /// The database.
        path: PathBuf,
        /// What the system said.
        #[source]
        why: Cause,
    },
    /// The disk is full.
    #[error("no room for the index at {}", path.display())]
    IndexFull {
        /// The database.
        path: PathBuf,
    },
    /// The index cannot be opened.
    #[error("the index at {} cannot be opened: {why}", path.display())]
    IndexUnreadable {
        /// The database.
        path: PathBuf,
        /// What the system said.
        #[source]
        why: Cause,
    },
    /// SQLite refused something that it should not.
    #[error("the index at {}: {why}", path.display())]
    IndexFailed {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        why: Cause,
    },
}

impl IndexError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            IndexError::BadEntry { .. } => "bad_index_entry",
            IndexError::Malformed(of) => match of.wanted {
                Wanted::Reference => "bad_module_reference",
                Wanted::Range => "bad_version_range",
            },
            IndexError::EntryExists { .. } => "index_entry_exists",
            IndexError::VersionNotHigher { .. } => "version_not_higher",
            IndexError::UnknownModule { .. } => "unknown_module",
            IndexError::StatusFinal { .. } => "status_final",
            IndexError::BadReplacement { .. } => "bad_replacement",
            IndexError::BadNote { .. } => "bad_note",
            IndexError::BadQuery { .. } => "bad_query",
            IndexError::BadEmbedder { .. } => "bad_embedder",
            IndexError::EmbedderChanged { .. } => "embedder_changed",
            IndexError::EmbedderUnfit { .. } => "embedder_unfit",
            IndexError::EmbedderFailed { .. } => "embedder_failed",
            IndexError::EmbedderNoKey { .. } => "embedder_no_key",
            IndexError::IndexMissing { .. } => "index_missing",
            IndexError::IndexCorrupt { .. } => "index_corrupt",
            IndexError::IndexForeign { .. } => "index_foreign",
            IndexError::IndexNewer { .. } => "index_newer",
            IndexError::IndexBusy { .. } => "index_busy",
            IndexError::IndexReadOnly { .. } => "index_read_only",
            IndexError::IndexFull { .. } => "index_full",
            IndexError::IndexUnreadable { .. } => "index_unreadable",
            IndexError::IndexFailed { .. } => "index_failed",
        }
    }

    /// How to mend it, in one sentence.
    pub fn mend(&self) -> &'static str {
        match self {
            IndexError::BadEntry { .. } => {
                "correct the entry; docs/code-index.md shows every member. Nothing was added"
            }
            IndexError::Malformed(of) => match of.wanted {
                Wanted::Reference => "write it as MM-NAME@x.y.z",
                Wanted::Range => "write it as 1.2.3, ^1.2.3, ~1.2.3, 1.x, >=1.0.0 <2.0.0 or *",
            },
            IndexError::EntryExists { .. } => {
                "entries never change: give what changed a higher version"
            }
            IndexError::VersionNotHigher { .. } => "versions only rise: take the next higher one",
            IndexError::UnknownModule { .. } => {
                "check id and version; `proofhouse index search TEXT --include-inactive` finds entries"
            }
            IndexError::StatusFinal { .. } => {
                "nothing is left to do: a status never goes back, and never changes twice"
            }
            IndexError::BadReplacement { .. } => {
                "name another entry of this index that is SHIPPED; add it first"
            }
            IndexError::BadNote { .. } => "say in a few sentences why, and how users migrate",
            IndexError::BadQuery { .. } => {
                "correct the search; docs/code-index.md shows every member"
            }
            IndexError::BadEmbedder { .. } => "write it as built-in, folder:DIR or openai:MODEL",
            IndexError::EmbedderChanged { .. } => {
                "use that embedder, or embed all entries anew with `proofhouse index reindex --embedder NAME`"
            }
            IndexError::EmbedderUnfit { .. } => {
                "take a model with dense vectors of 256 to 1536 dimensions that reads at least 512 tokens"
            }
            IndexError::EmbedderFailed { .. } => {
                "mend what it says, or go back to the built-in one with `proofhouse index reindex --embedder built-in`"
            }
            IndexError::EmbedderNoKey { .. } => {
                "put the key there, or name another place with `index.key_env` or `index.key_file`"
            }
            IndexError::IndexMissing { .. } => {
                "add an entry first: `proofhouse index add FILE`; or look at the other index with --global or --project"
            }
            IndexError::IndexCorrupt { .. } => {
                "restore the file from a backup; nothing was changed in it"
            }
            IndexError::IndexForeign { .. } => "name another file; nothing was changed in this one",
            IndexError::IndexNewer { .. } => "use a newer Proofhouse",
            IndexError::IndexBusy { .. } => "wait for the other process, then try again",
            IndexError::IndexReadOnly { .. } => {
                "make the folder and the file writable, or use the other index with --global or --project"
            }
            IndexError::IndexFull { .. } => "free some disk space; nothing was lost",
            IndexError::IndexUnreadable { .. } => {
                "check that the path is right and that you may use it"
            }
            IndexError::IndexFailed { .. } => "please report it: this should not happen",
        }
    }

    /// Is it to be mended in what was asked, rather than in what is around us?
    pub fn is_the_users(&self) -> bool {
        match self {
            IndexError::BadEntry { .. }
            | IndexError::Malformed(_)
            | IndexError::EntryExists { .. }
            | IndexError::VersionNotHigher { .. }
            | IndexError::UnknownModule { .. }
            | IndexError::StatusFinal { .. }
            | IndexError::BadReplacement { .. }
            | IndexError::BadNote { .. }
            | IndexError::BadQuery { .. }
            | IndexError::BadEmbedder { .. }
            | IndexError::EmbedderChanged { .. }
            | IndexError::EmbedderUnfit { .. }
            | IndexError::IndexMissing { .. } => true,
            IndexError::EmbedderFailed { .. }
            | IndexError::EmbedderNoKey { .. }
            | IndexError::IndexCorrupt { .. }
            | IndexError::IndexForeign { .. }
            | IndexError::IndexNewer { .. }
            | IndexError::IndexBusy { .. }
            | IndexError::IndexReadOnly { .. }
            | IndexError::IndexFull { .. }
            | IndexError::IndexUnreadable { .. }
            | IndexError::IndexFailed { .. } => false,
        }
    }

    /// What SQLite said, in our words.
    pub(crate) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> IndexError {
        use rusqlite::ErrorCode;
        move |error| {
            let path = path.to_owned();
            let code = error.sqlite_error_code();
            let why = error.into();
            match code {
                Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                    IndexError::IndexCorrupt { path, why }
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    IndexError::IndexBusy { path }
                }
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                    IndexError::IndexReadOnly { path, why }
                }
                Some(ErrorCode::DiskFull) => IndexError::IndexFull { path },
                Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
                    IndexError::IndexUnreadable { path, why }
                }
                _ => IndexError::IndexFailed { path, why },
            }
        }
    }
}
