//! The factory's data and rules: specifications, plans, contracts, debates, releases. It turns
//! texts into judgements and other texts.
//!
//! It refuses to know a clock, a file, a random number, a thread or a network: ids and times are
//! given to it, and what should be written is returned, not written.

pub mod artifact;
pub mod code_index;
pub mod context_pack;
pub mod contract;
pub mod contribution;
pub mod debate;
pub mod deficiency;
pub mod escalation;
pub mod exception;
mod findings;
pub mod ids;
pub mod json;
mod markdown;
pub mod micro_plan;
pub mod moment;
pub mod plan;
pub mod release;
pub mod schema;
pub mod ship;
pub mod spec;
pub mod version;

pub use deficiency::{Deficiency, Report, Severity};
