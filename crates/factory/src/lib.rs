//! The factory: its documents with their rules, and its loops as pure machines
//! (project, engineering, halts, delivery).
//!
//! It does not know a clock, a file, a random number, a thread or a network: ids and times are
//! given to it, what should be written is returned, and what should be done the engine performs.

pub mod artifact;
pub mod context_pack;
pub mod contract;
pub mod debate;
pub mod delivery;
pub mod engineering;
pub mod escalation;
pub mod exception;
pub mod halt;
pub mod ids;
pub mod machine;
pub mod micro_plan;
pub mod plan;
pub mod product;
pub mod project;
pub mod schema;
pub mod ship;
pub mod spec;

pub use kernel::deficiency::{self, Deficiency, Report, Severity};
pub use languages::readable;

/// What the journal of a project names in the place of a workflow.
pub const NAME: &str = "factory";
