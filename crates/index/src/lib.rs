//! The Code Index: an append-only ledger of shipped modules, and the search for one to reuse
//! (document 002, sections 14 and 16).
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
mod module;
mod open;
mod range;
mod read;
mod schema;
mod search;
mod segment;
mod status;
mod text;
mod vector;

pub use embed::Embedder;
pub use entry::{CodeIndexEntry, IoSummary};
pub use error::{Cause, IndexError};
pub use ledger::Replacement;
pub use module::{ModuleId, ModuleRef, Version};
pub use open::{AppendOnlyCodeIndex, Create};
pub use range::{Dependency, VersionRange};
pub use read::{Dependent, Filter, Stats};
pub use search::{Hit, Ranking, SearchRequest};
pub use status::Status;
