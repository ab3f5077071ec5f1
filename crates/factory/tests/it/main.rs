//! The factory's data and rules, from texts to judgements. Tests are named by the section of
//! document 002 whose rule they hold.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod artifacts;
mod changes;
mod contract;
mod debate;
mod documents;
mod json;
mod modules;
mod plan;
mod samples;
mod spec;
