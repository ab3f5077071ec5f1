//! The factory's tests. Each is named by the section of document 002 that it proves.

mod engineering;
mod escalation;
mod project;
mod said;
mod world;
