//! Waves: several tasks of a milestone at once, each an ordinary run in a worktree of its own, merged
//! one after the other behind an integration gate.
//!
//! `decide.rs` and `board.rs` are the pure machine, `fact.rs` what survives, `conductor.rs` the loop
//! around them. This module refuses to merge what the gate has not passed, to fork from anywhere but
//! the verified base, and to touch a file of the user's that is in no commit.

mod base;
pub mod board;
pub mod conductor;
mod crew;
pub mod decide;
pub mod fact;
mod gate;
pub mod ledger;
mod merge;
pub mod milestone;
pub mod page;
pub mod people;
pub mod report;
pub mod shop;
#[cfg(test)]
mod tests;
mod work;

pub use board::Board;
pub use milestone::Milestone;
pub use shop::Shop;
