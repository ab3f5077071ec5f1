//! How much of a module a role is given: the four levels of a context pack, and the one table of
//! what each of them shows of a version folder (rules F5.3, F6.1 and F12.2).
//!
//! Views are laid out by it and briefs name its files, so that no second list could show more. It does
//! not know where modules lie.

use serde::{Deserialize, Serialize};

/// How much of a reference may be seen. Each level shows all that the one before it shows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Permission {
    /// Who and which version it is.
    MetadataOnly,
    /// And what it is for.
    SummaryOnly,
    /// `contract.json`, `examples.md` and `ship.json` (rule F6.1).
    #[default]
    ContractOnly,
    /// Everything, and the right to change it.
    Full,
}

/// The files of a version folder that others than its maker may see.
const SURFACES: [&str; 3] = ["contract.json", "examples.md", "ship.json"];

impl Permission {
    /// What this level shows of a module, as globs from its version folder. No file is cut: what the two
    /// lowest levels tell of a module stands in the brief, and they show no file of it.
    pub fn module_globs(self) -> Vec<&'static str> {
        match self {
            Permission::Full => vec!["**"],
            Permission::ContractOnly => SURFACES.to_vec(),
            Permission::SummaryOnly | Permission::MetadataOnly => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s6_1_of_another_module_its_surfaces_are_shown_and_nothing_inside() {
        assert_eq!(Permission::default(), Permission::ContractOnly);
        let contract = ["contract.json", "examples.md", "ship.json"];
        assert_eq!(Permission::ContractOnly.module_globs(), contract);
        assert_eq!(Permission::Full.module_globs(), ["**"]);
        for level in [Permission::SummaryOnly, Permission::MetadataOnly] {
            assert!(level.module_globs().is_empty());
        }
    }
}
