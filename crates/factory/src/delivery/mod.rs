//! What is shipped, and what is released of it (rules F15.4 and F16).
//!
//! Versions are superseded and deprecated, never changed.

pub mod gates;
pub mod manifest;
pub mod promised;
pub mod registry;

pub use manifest::{Manifest, Scope};
pub use registry::Registry;
