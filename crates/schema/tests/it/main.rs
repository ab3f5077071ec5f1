//! The keywords one by one, and what is refused.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod keywords;
mod refusals;
mod sentences;
