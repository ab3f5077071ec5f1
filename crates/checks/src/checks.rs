//! All checks, one file each, and the registry of them.

mod anchors;
mod citations;
mod cites;
mod command;
mod complexity;
mod coverage;
mod covers;
mod dependency_audit;
mod entries;
mod feature_labels;
mod fields;
mod files_exist;
mod findings;
mod flag;
mod freeze;
mod frozen;
mod globs;
mod header;
mod health;
mod ids;
mod lockfile;
mod no_finding;
mod no_objection;
mod no_placeholders;
mod no_prescriptions;
mod one_of;
mod progress;
mod promotion;
mod proofs;
mod result_keys;
mod secrets;
mod sections;
mod stable_id;
mod stands;
mod structure;
mod tests;
mod tree_unchanged;
mod tripwire;

use crate::Check;

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
