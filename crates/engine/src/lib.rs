//! The engine: the driver loop, the real world around it, recovery, and the views.
//!
//! It does not decide what happens next (the machine does), whether a gate passes (the checks
//! do) and who is a person (the approval channel does).

pub mod decide;
mod decision;
pub mod driver;
mod error;
pub mod factory;
pub mod fork;
pub mod guest;
pub mod land;
mod on_commit;
mod perform;
pub mod run;
mod run_adapter;
pub mod session;
pub mod setup;
pub mod start;
pub mod waiver;
pub mod wave;
pub mod world;

pub use driver::{DriveError, Ending, Signal, Until, World, drive};
pub use run::Run;
