//! The gate checks: one file per check, and a registry of them all.
//!
//! A check judges what the engine ran, read or hashed itself. It does not take an agent's word:
//! a typed result can hold a gate shut and never open it. A check that is unknown, badly set or
//! cannot be tried answers `could_not_run`, which fails the gate; nothing is ever skipped.
//!
//! To add a check: one file with a type that implements `Judge` (`judge.rs`),
//! two lines in `checks.rs`, and examples in `tests/examples/`, which the tests try.

mod check;
mod checks;
pub mod deploy;
mod error;
mod execute;
mod gate;
mod judge;
mod readers;
mod room;
mod rooms;
mod settings;
mod subject;
mod text;
mod tree;
mod when;

pub use check::Check;
pub use checks::{Heard, ask_product, exam_of_module, exam_so_far, find, free_id, is_id, registry};
pub use error::{BoxError, Error};
pub use gate::{run_gate, run_gate_with};
pub use readers::globs::{Star, compiled};
pub use readers::hash::bytes as hash_of;
pub use readers::items::bytes as item_bytes;
pub use readers::seal::{SECRET_BY_CUSTOM, hash as item_hash, holds_secrets};
pub use rooms::{InRoom, RoomError, Rooms};
pub use settings::{Setting, SettingsError};
pub use subject::{CheckOut, HashTree, Keep, Launches, Place, Subject, Views};
pub use tree::TreeNow;
pub use when::lint;
