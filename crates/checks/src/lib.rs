//! The gate checks: one file per check, each with its own examples, and a registry of them all.
//!
//! A check judges what the engine ran, read or hashed itself. It refuses to take an agent's word:
//! a typed result can hold a gate shut and never open it. A check that is unknown, badly set or
//! cannot be tried answers `could_not_run`, which fails the gate; nothing is ever skipped.
//!
//! To add a check: one file with a type that implements [`Check`] and carries its examples, and
//! one line in [`registry`]. The test `examples` then runs them.

mod check;
mod command;
mod execute;
mod feature_labels;
mod fields;
mod files_exist;
mod freeze;
mod frozen;
mod gate;
mod idents;
mod items;
mod markdown;
mod no_objection;
mod paths;
mod progress;
mod report;
pub mod runners;
mod sections;
mod settings;
mod stands;
mod subject;
mod tests;
mod text;
mod tree_unchanged;

pub use check::{Check, Example, Setting};
pub use gate::run_gate;
pub use subject::{Keep, Place, Subject, TreeNow};
pub use text::is_placeholder;

/// All checks, by name.
pub fn registry() -> &'static [&'static dyn Check] {
    &[
        &command::Command,
        &feature_labels::FeatureLabels,
        &fields::Fields,
        &files_exist::FilesExist,
        &freeze::Freeze,
        &frozen::Frozen,
        &no_objection::NoObjection,
        &progress::Progress,
        &sections::Sections,
        &stands::Stands,
        &tests::Tests,
        &tree_unchanged::TreeUnchanged,
    ]
}

/// The check with this name.
pub fn find(name: &str) -> Option<&'static dyn Check> {
    registry()
        .iter()
        .copied()
        .find(|check| check.name() == name)
}
