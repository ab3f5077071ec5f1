//! What is shipped, and what is released of it (rules F15.4 and F16).
//!
//! It refuses to let an entry go: versions are superseded and deprecated, never changed.

pub mod gates;
pub mod manifest;
pub mod registry;

pub use manifest::{Manifest, Scope};
pub use registry::Registry;
