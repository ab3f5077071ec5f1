//! The gate checks: one file per check, each with its own examples, and a registry of them all.
//!
//! A check judges what the engine ran, read or hashed itself. It refuses to take an agent's word:
//! a typed result can hold a gate shut and never open it. A check that is unknown, badly set or
//! cannot be tried answers `could_not_run`, which fails the gate; nothing is ever skipped.
//!
//! To add a check: one file with a type that implements `Judges` (`judges.rs`) and carries its
//! examples, and one line in [`registry`]. The test `examples` then runs them.

mod anchors;
mod check;
mod choice;
mod citations;
mod cites;
mod command;
mod complexity;
mod coverage;
mod covers;
mod dependencies;
mod dependency_audit;
mod design;
mod drawing;
mod entries;
mod execute;
mod feature_labels;
mod fields;
mod files_exist;
mod findings;
mod flag;
mod freeze;
mod frozen;
mod gate;
mod globs;
mod header;
mod health;
mod idents;
mod ids;
mod installed;
mod items;
mod judges;
mod lockfile;
mod markdown;
mod no_finding;
mod no_objection;
mod no_placeholders;
mod no_prescriptions;
mod one_of;
mod parrots;
mod paths;
mod progress;
mod promotion;
mod proofs;
mod report;
mod result_keys;
mod room;
pub mod runners;
mod seal;
mod secrets;
mod sections;
mod settings;
mod sources;
mod stable_id;
mod stands;
mod structure;
mod subject;
mod table;
mod tests;
mod text;
mod threshold;
mod tree_unchanged;
mod tripwire;
mod when;

pub use check::{Check, Example, Setting};
pub use gate::run_gate;
pub use globs::{Star, compiled};
pub use items::{bytes as item_bytes, hash as hash_of};
pub use seal::{SECRET_BY_CUSTOM, hash as item_hash};
pub use subject::{Keep, Launches, Place, Subject, TreeNow, Views};
pub use text::is_placeholder;
pub use when::lint;

/// All checks, by name.
pub fn registry() -> &'static [&'static dyn Check] {
    &[
        &anchors::Anchors,
        &citations::Citations,
        &cites::Cites,
        &command::Command,
        &complexity::Complexity,
        &coverage::Coverage,
        &covers::Covers,
        &dependency_audit::DependencyAudit,
        &entries::Entries,
        &feature_labels::FeatureLabels,
        &fields::Fields,
        &files_exist::FilesExist,
        &findings::Findings,
        &flag::Flag,
        &freeze::Freeze,
        &frozen::Frozen,
        &globs::Globs,
        &header::Header,
        &health::Health,
        &ids::Ids,
        &lockfile::Lockfile,
        &no_finding::NoFinding,
        &no_objection::NoObjection,
        &no_placeholders::NoPlaceholders,
        &no_prescriptions::NoPrescriptions,
        &one_of::OneOf,
        &progress::Progress,
        &promotion::Promotion,
        &proofs::Proofs,
        &result_keys::ResultKeys,
        &secrets::Secrets,
        &sections::Sections,
        &stable_id::StableId,
        &stands::Stands,
        &structure::Structure,
        &tests::Tests,
        &tree_unchanged::TreeUnchanged,
        &tripwire::Tripwire,
    ]
}

/// The check with this name.
pub fn find(name: &str) -> Option<&'static dyn Check> {
    registry()
        .iter()
        .copied()
        .find(|check| check.name() == name)
}
