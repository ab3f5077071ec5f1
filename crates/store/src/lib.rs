//! What survives: the journal of each run, the vault of evidence, and hashes of file trees.
//!
//! This crate keeps bytes and proves that they are still the same bytes. It refuses to read a
//! clock (times arrive on entries), to know what a record means (callers decode bodies), and to
//! delete or mend anything by itself: broken things are named and left where they are.

mod audit;
mod canonical;
mod chain;
mod checkpoint;
pub mod confined;
mod disk;
mod encode;
mod error;
mod fault;
mod files;
mod hash;
mod journal;
mod kind;
mod lines;
mod name;
mod pack;
mod parse;
mod paths;
mod read;
mod record;
pub mod redact;
mod remove;
mod tail;
mod torn;
mod tree;
mod vault;
mod walk;

pub use audit::{Audit, AuditReport, Finding, FindingCode, audit};
pub use checkpoint::Checkpoint;
#[doc(hidden)]
pub use disk::{Disk, RealDisk};
pub use encode::encode;
pub use error::{AfterFailure, StoreError};
pub use fault::{EntryFault, Fault};
pub use files::{
    link_atomic, settle, sweep, sweep_beside, write_atomic, write_atomic_with, write_copy,
};
pub use hash::{NO_HASH, sha256_hex};
pub use journal::{CaughtUp, Journal, Opened};
pub use kind::split_kind;
pub use name::{RunName, list};
pub use paths::{decode_path, encode_path};
pub use read::{ReadReport, Replay};
pub use record::{Entry, Head, MAX_LINE, Objection, RecordRef};
pub use remove::remove_tree;
pub use tail::{Follow, Notice, Since, Tail, Tails};
pub use torn::{Torn, TornTail};
pub use tree::{Change, ChangeKind, Node, Tree};
pub use vault::Vault;
pub use walk::walk;
