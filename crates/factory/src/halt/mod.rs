//! What people are asked and what they answer (rules F13 and F17).
//!
//! It refuses free text where a choice is due, and a choice that its payload does not fit.

pub mod artifact;
pub(crate) mod blank;
pub mod candidate;
pub mod change;
pub mod exception;
pub(crate) mod payload;
pub mod resolution;

pub use artifact::Escalation;
pub use resolution::{Action, Resolution};
