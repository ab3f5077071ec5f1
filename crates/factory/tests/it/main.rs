//! The factory's data and rules, from texts to judgements. Tests are named by the section of
//! document 002 whose rule they hold.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod contract;
mod documents;
mod json;
mod plan;
mod rules;
mod samples;
mod spec;
