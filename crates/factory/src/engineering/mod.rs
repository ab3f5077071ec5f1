//! The engineering loop (sections 3.4, 9, 10 and 11): plan, debate, ship, one task at a time.
//!
//! It refuses to trust: what a role may see is a table, what it may say is checked, how often it
//! may try is counted.

pub mod amend;
pub mod context;
pub mod debate;
mod helped;
pub mod patience;
pub mod reuse;
pub mod roles;
pub mod ship;
mod step;
pub mod work;
