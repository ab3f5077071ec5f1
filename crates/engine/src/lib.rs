//! The engine: the driver loop, the real world around it, recovery, git, and the views.
//!
//! It refuses to decide what happens next (the machine does), whether a gate passes (the checks
//! do) and who is a person (the approval channel does).

pub mod agent;
pub mod approval;
pub mod audit;
pub mod config;
pub mod confine;
pub mod context;
pub mod decide;
pub mod driver;
pub mod error;
pub mod factory;
mod flowing;
pub mod gc;
pub mod git;
pub mod index_place;
pub mod lock;
mod perform;
pub mod project;
pub mod run;
pub mod secrets;
pub mod session;
pub mod spend;
pub mod start;
mod view;
pub mod views;
mod waiver;
pub mod wave;
pub mod worktree;
pub mod world;

pub use driver::{DriveError, Ending, Signal, Until, World, drive};
pub use error::{Blame, EngineError};
pub use project::Project;
pub use run::{Peek, Run};
