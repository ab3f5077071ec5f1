//! The engine: the driver loop, the real world around it, recovery, git, and the views.
//!
//! It refuses to decide what happens next (the machine does), whether a gate passes (the checks
//! do) and who is a person (the approval channel does).

pub mod config;
pub mod driver;
pub mod error;
pub mod git;
pub mod project;

pub use driver::{DriveError, Ending, Signal, Until, World, drive};
pub use error::{Blame, EngineError};
pub use project::Project;
