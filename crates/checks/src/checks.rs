//! All checks, one file each, and the registry of them.

mod anchors;
mod audited;
mod citations;
mod cites;
mod codes;
mod command;
mod complexity;
mod components;
mod controls;
mod could_fail;
mod coverage;
mod covers;
mod delivers;
mod dependency_audit;
mod deployed;
mod dispositions;
mod entries;
mod exam;
mod extent;
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
mod interfaces;
mod lessons;
mod lockfile;
mod no_finding;
mod no_objection;
mod no_placeholders;
mod no_prescriptions;
mod one_of;
mod progress;
mod promotion;
mod proofs;
mod questions;
mod red_green;
mod references;
mod result_keys;
mod secrets;
mod sections;
mod slices;
mod sourced;
mod stable_id;
mod stands;
mod still_cited;
mod structure;
mod suite;
mod tests;
mod tree_unchanged;
mod tripwire;
mod unasked;
mod unknowns;
mod updated;

use crate::Check;
use crate::judge::check;
pub use exam::module as exam_of_module;
pub use exam::{Heard, ask_product, so_far as exam_so_far};
pub use stable_id::{free_id, is_id};

/// All checks, by name.
pub fn registry() -> &'static [&'static dyn Check] {
    const {
        &[
            check::<anchors::Anchors>(),
            check::<audited::Audited>(),
            check::<citations::Citations>(),
            check::<cites::Cites>(),
            check::<codes::Codes>(),
            check::<command::Command>(),
            check::<complexity::Complexity>(),
            check::<components::Components>(),
            check::<could_fail::CouldFail>(),
            check::<coverage::Coverage>(),
            check::<covers::Covers>(),
            check::<delivers::Delivers>(),
            check::<dependency_audit::DependencyAudit>(),
            check::<deployed::Deployed>(),
            check::<dispositions::Dispositions>(),
            check::<entries::Entries>(),
            check::<exam::Sitting>(),
            check::<extent::Extent>(),
            check::<feature_labels::FeatureLabels>(),
            check::<fields::Fields>(),
            check::<files_exist::FilesExist>(),
            check::<findings::Findings>(),
            check::<flag::Flag>(),
            check::<freeze::Freeze>(),
            check::<frozen::Frozen>(),
            check::<globs::Globs>(),
            check::<header::Header>(),
            check::<health::Health>(),
            check::<ids::Ids>(),
            check::<interfaces::Interfaces>(),
            check::<lessons::Lessons>(),
            check::<lockfile::Lockfile>(),
            check::<no_finding::NoFinding>(),
            check::<no_objection::NoObjection>(),
            check::<no_placeholders::NoPlaceholders>(),
            check::<no_prescriptions::NoPrescriptions>(),
            check::<one_of::OneOf>(),
            check::<progress::Progress>(),
            check::<promotion::Promotion>(),
            check::<proofs::Proofs>(),
            check::<questions::Questions>(),
            check::<red_green::RedGreen>(),
            check::<references::References>(),
            check::<result_keys::ResultKeys>(),
            check::<secrets::Secrets>(),
            check::<sections::Sections>(),
            check::<slices::Slices>(),
            check::<sourced::Sourced>(),
            check::<stable_id::StableId>(),
            check::<stands::Stands>(),
            check::<still_cited::StillCited>(),
            check::<structure::Structure>(),
            check::<suite::Suite>(),
            check::<tests::Tests>(),
            check::<tree_unchanged::TreeUnchanged>(),
            check::<tripwire::Tripwire>(),
            check::<unasked::Unasked>(),
            check::<unknowns::Unknowns>(),
            check::<updated::Updated>(),
        ]
    }
}

/// The check with this name.
pub fn find(name: &str) -> Option<&'static dyn Check> {
    registry()
        .iter()
        .copied()
        .find(|check| check.name() == name)
}
