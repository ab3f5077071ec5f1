//! The engineering loop (rules F3.4, F9, F10 and F11): plan, debate, ship, one task at a time.
//!
//! No role is trusted: what a role may see is a table, what it may say is checked, how often it
//! may try is counted.

pub mod amend;
pub mod asked;
pub mod context;
pub mod debate;
pub mod exam;
pub(crate) mod held;
mod helped;
pub mod kind;
pub mod patience;
mod returned;
pub mod reuse;
pub mod roles;
mod scene;
pub mod ship;
mod shipped_by;
mod step;
mod told;
pub mod work;
