//! What code makes public, read where only the language's own tools can read it. What fits a contract
//! is shown in `factory`, whose contracts these are.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod javascript;
mod product;
mod python;
mod runners;
