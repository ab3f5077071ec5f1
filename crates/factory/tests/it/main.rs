//! The factory's documents and machines. A test is named by the rule that it shows: `s9_7_` is rule F9.7
//! of `docs/rules.md`.

// Helpers of tests are tests: a panic is how they say no.
#![allow(clippy::unwrap_used)]

mod amend;
mod artifacts;
mod changes;
mod contract;
mod debate;
mod delivery;
mod documents;
mod engineering;
mod fit;
mod fixes;
mod further;
mod halt;
mod json;
mod machine;
mod modules;
mod plan;
mod product;
mod project;
mod records;
mod resolutions;
mod reuse;
mod said;
mod samples;
mod spec;
mod spec_library;
mod spec_texts;
mod stuck;
mod surface;
mod world;
