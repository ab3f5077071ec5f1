//! The four integration gates of rule F15.4 over a set of modules. Each says which modules and
//! references it stumbled over, and why.

use super::registry::Registry;
use crate::project::types::ModuleRef;
use kernel::module::ModuleStatus;
use kernel::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

words! {
    /// A gate, in the manifest's order: its member, and the check's name in the engine's registry.
    pub enum Gate {
        /// Every dependency is in the set.
        DependencyCheck = "dependency_check",
        /// Every consumer was built against the contract that its producer has now.
        FingerprintCheck = "fingerprint_check",
        /// Nothing in use depends on what is not.
        DeprecationCheck = "deprecation_check",
        /// Every module is in the Code Index as shipped.
        CodeIndexCheck = "code_index_check",
        /// The product builds, its tests pass and its cases hold. Not of the document's four: a
        /// person can release without it, on record.
        ProductCheck = "product_check",
    }
}

impl Gate {
    /// Those of rule F15.4.
    pub const FOUR: [Gate; 4] = [
        Gate::DependencyCheck,
        Gate::FingerprintCheck,
        Gate::DeprecationCheck,
        Gate::CodeIndexCheck,
    ];
}

/// What a gate stumbled over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    pub gate: Gate,
    pub module: String,
    /// What it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ModuleRef>,
    /// In words.
    pub why: String,
}

/// Judges a set. Empty: all four pass.
pub fn judge(registry: &Registry, set: &[ModuleRef]) -> Vec<Violation> {
    let inside: BTreeSet<&ModuleRef> = set.iter().collect();
    let mut found = Vec::new();
    let mut stumble = |gate, module: &ModuleRef, on: Option<&ModuleRef>, why: String| {
        found.push(Violation {
            gate,
            module: module.to_string(),
            reference: on.cloned(),
            why,
        });
    };
    for module in set {
        let Some(entry) = registry.get(module) else {
            stumble(
                Gate::CodeIndexCheck,
                module,
                None,
                "it has no entry".to_owned(),
            );
            continue;
        };
        if entry.status != ModuleStatus::Shipped {
            let why = format!("ITS ENTRY IS {}", entry.status.as_str());
            stumble(Gate::CodeIndexCheck, module, None, why);
        }
        for (used, built_against) in &entry.dependencies {
            let producer = registry.get(used);
            let shipped = producer.is_some_and(|one| one.status == ModuleStatus::Shipped);
            if !inside.contains(used) || !shipped {
                let why = format!("{used} is not in the release as SHIPPED");
                stumble(Gate::DependencyCheck, module, Some(used), why);
            }
            let Some(producer) = producer else {
                continue;
            };
            if producer.fingerprint != *built_against {
                let why = format!(
                    "it was built against {built_against}, and {used} has {}",
                    producer.fingerprint
                );
                stumble(Gate::FingerprintCheck, module, Some(used), why);
            }
            let gone = producer.status != ModuleStatus::Shipped;
            if gone && entry.status != ModuleStatus::Deprecated {
                let mend = producer.superseded_by.as_ref().map_or_else(
                    || "there is no replacement".to_owned(),
                    |new| format!("use {new}"),
                );
                let why = format!("{used} is not for use any more; {mend}");
                stumble(Gate::DeprecationCheck, module, Some(used), why);
            }
        }
    }
    found
}
