//! Waves as a pure machine: several tasks of a milestone at once, each an ordinary run in a worktree
//! of its own, merged one after the other behind an integration gate.
//!
//! It refuses to merge what the gate has not passed, and to let anybody work on a fork that does not
//! stand on the verified base. It starts nothing and reads nothing: `engine::wave` does.

pub mod board;
mod decide;
pub mod fact;
pub mod input;
pub mod ledger;
pub mod machine;
pub mod milestone;
pub mod page;
#[cfg(test)]
mod tests;
pub mod want;

pub use board::Board;
pub use fact::{Dated, Fact};
pub use input::{Answer, Merging, What, Worked, tick_option};
pub use machine::{Settings, Status, Waves};
pub use milestone::Milestone;
pub use want::{Act, Want, WantId};
