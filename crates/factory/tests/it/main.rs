//! The factory's tests. Each is named by the section of document 002 that it proves.

#![allow(clippy::unwrap_used)]

mod engineering;
mod escalation;
mod machine;
mod project;
mod release;
mod said;
mod world;
