//! What is shipped, and what is released of it (sections 15.4 and 16).
//!
//! It refuses to let an entry go: versions are superseded and deprecated, never changed.

pub mod gates;
pub mod manifest;
pub mod registry;

pub use manifest::{Manifest, Scope};
pub use registry::Registry;
