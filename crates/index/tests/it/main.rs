//! The index from outside: what rules F14 and F16 promise, and what must not
//! happen to anybody's file.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod append_only;
mod concurrent;
mod deprecation;
mod embedders;
mod endpoint;
mod entries;
mod files;
mod search;
mod sentence;
mod support;
