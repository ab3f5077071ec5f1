//! The software factory of document 002 as pure machines: project, engineering, release, escalation.
//!
//! It refuses to read a clock, a file or a random number; the engine performs what it wants.

pub mod engineering;
pub mod escalation;
pub mod machine;
pub mod project;
pub mod release;
