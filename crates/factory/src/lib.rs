//! The factory's data and rules: specifications, plans, contracts, debates, releases. It turns
//! texts into judgements and other texts.
//!
//! It refuses to know a clock, a file, a random number, a thread or a network: ids and times are
//! given to it, and what should be written is returned, not written.

pub mod deficiency;
pub mod ids;
pub mod json;
mod markdown;
pub mod moment;
pub mod spec;
pub mod version;

pub use deficiency::{Deficiency, Report, Severity};
