//! Waves in the real world: several tasks of a milestone at once, each an ordinary run in a worktree of
//! its own, merged one after the other behind an integration gate.
//!
//! What happens next is decided by the machine in crate `wave`. What is here performs its wants, keeps its
//! journal and its views, and touches no file of the user's that is in no commit.

mod adapter;
mod base;
pub mod folder;
mod guarded;
pub mod listed;
mod merge;
pub mod milestones;
pub mod people;
mod perform;
mod performer;
pub mod session;
mod tidying;
pub mod verify;
mod work;

pub use folder::MilestoneFolder;
