//! The ground that runs stand on: the project's folder with its settings, git and worktrees, what
//! an agent sees and what of its work is taken, what a process may reach, and the one error.
//!
//! It does not know what a run does: no machine moves here, and no gate is judged.

pub mod agent;
pub mod clock;
pub mod config;
pub mod confine;
pub mod context;
pub mod error;
mod folders;
pub mod found;
pub mod git;
pub mod index_place;
pub mod limits;
pub mod lock;
pub mod near;
pub mod notify;
pub mod pinned;
pub mod places;
pub mod project;
pub mod records;
pub mod room;
pub mod sealed;
pub mod secrets;
pub mod shared;
pub mod spend;
pub mod survey;
mod toolchains;
pub mod trust;
pub mod view;
pub mod worktree;

pub use error::{Blame, EngineError, Error, Kind};
pub use project::Project;
