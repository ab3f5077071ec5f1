//! The Code Index: an append-only ledger of shipped modules, and the search for one to reuse
//! (rules F14 and F16).
//!
//! SQLite is the only store. An entry is inserted once and never changes; that it was deprecated or
//! superseded is a record of its own that points at it. What makes search fast (quantised vectors,
//! postings) is derived from the entries, and may be thrown away. This crate refuses to delete, to
//! let a status go back, and to mix vectors of two models. It reads no clock: times come from the
//! caller.

pub mod embed;
mod entry;
mod error;
mod ledger;
mod memory;
mod model;
mod open;
mod read;
mod schema;
mod search;
mod segment;
mod text;
mod vector;

pub use embed::Embedder;
pub use entry::{CodeIndexEntry, IoSummary, Status};
pub use error::{Cause, IndexError};
pub use kernel::module::{Dependency, ModuleId, ModuleRef, Range, Version};
pub use ledger::Replacement;
pub use open::{AppendOnlyCodeIndex, Create};
pub use read::{Dependent, Filter, Stats};
pub use search::{Hit, Ranking, SearchRequest};

use kernel::form::{Document, Formed};

/// The documents of this crate, for whoever prints or judges documents.
pub static DOCUMENTS: [Document; 2] = [
    Document::of(
        "14.2",
        "a shipped module in the Code Index",
        CodeIndexEntry::FORM,
    )
    .with(entry::successor),
    Document::of("14.3", "a question to the Code Index", SearchRequest::FORM),
];
