//! The engine: the driver loop, the real world around it, recovery, and the views.
//!
//! It refuses to decide what happens next (the machine does), whether a gate passes (the checks
//! do) and who is a person (the approval channel does).

pub mod approval;
pub mod decide;
pub mod driver;
mod error;
pub mod factory;
mod flowing;
mod perform;
pub mod run;
pub mod session;
pub mod start;
pub mod views;
pub mod waiver;
pub mod wave;
pub mod world;

pub use driver::{DriveError, Ending, Signal, Until, World, drive};
pub use run::{Peek, Run};
