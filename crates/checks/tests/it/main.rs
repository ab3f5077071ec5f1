//! The registry, its examples and the gate, on real folders.
// Clippy's leave for tests does not reach the helpers beside them.
#![allow(clippy::unwrap_used)]

mod exam;
mod examples;
mod gate;
mod seals;
mod world;
