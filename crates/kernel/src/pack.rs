//! How much of a module a role is given: the four levels of a context pack, and the one table of
//! what each of them shows of a version folder (rules F5.3, F6.1 and F12.2).
//!
//! The storage layers serve by it, views are laid out by it and briefs name its files, so that no
//! second list could show more. It does not know where modules lie.

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

/// How much of a file may be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing: the file does not exist.
    Nothing,
    /// The named members of a JSON object, and nothing else.
    Members(&'static [&'static str]),
    /// Everything.
    Whole,
}

/// What a version folder is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Module,
    /// Any other artifact.
    Artifact,
}

/// A file of a version folder that levels below [`Permission::Full`] show.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// The file's name, directly in the version folder.
    pub name: &'static str,
    pub of: Unit,
    /// The members that SUMMARY_ONLY shows.
    pub summary: &'static [&'static str],
    /// The members that METADATA_ONLY shows.
    pub metadata: &'static [&'static str],
}

/// What CONTRACT_ONLY shows whole (rules F6.1 and F12.2; for an artifact, its envelope), and what
/// the lower levels leave of it (after the index entry of 14.2 and the envelope of 8).
pub const SURFACES: [Surface; 4] = [
    Surface {
        name: "contract.json",
        of: Unit::Module,
        summary: &["module_id", "module_version", "name", "purpose", "tags"],
        metadata: &["module_id", "module_version", "name"],
    },
    Surface {
        name: "examples.md",
        of: Unit::Module,
        summary: &[],
        metadata: &[],
    },
    Surface {
        name: "ship.json",
        of: Unit::Module,
        summary: &["module_id", "module_version", "ship_id", "verified_at"],
        metadata: &["module_id", "module_version", "ship_id"],
    },
    Surface {
        name: "envelope.json",
        of: Unit::Artifact,
        summary: &[
            "artifact_id",
            "artifact_type",
            "version",
            "status",
            "created_at",
            "notes",
        ],
        metadata: &["artifact_id", "artifact_type", "version", "status"],
    },
];

impl Permission {
    /// What this level shows of a file, by its path from the version folder.
    pub fn of(self, path: &str) -> Seen {
        if self == Permission::Full {
            return Seen::Whole;
        }
        let Some(surface) = SURFACES.iter().find(|surface| surface.name == path) else {
            return Seen::Nothing;
        };
        let members = match self {
            Permission::Full | Permission::ContractOnly => return Seen::Whole,
            Permission::SummaryOnly => surface.summary,
            Permission::MetadataOnly => surface.metadata,
        };
        match members {
            [] => Seen::Nothing,
            members => Seen::Members(members),
        }
    }

    /// What this level shows whole of a module, as globs from its version folder. A view of files can
    /// not cut a file, so a level that shows only parts of one shows no file in a view.
    pub fn module_globs(self) -> Vec<&'static str> {
        if self == Permission::Full {
            return vec!["**"];
        }
        let files = SURFACES.iter().filter(|one| one.of == Unit::Module);
        let names = files.map(|surface| surface.name);
        names.filter(|name| self.of(name) == Seen::Whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s6_1_each_level_shows_what_the_one_below_shows_and_none_shows_the_inside() {
        let levels = [
            Permission::MetadataOnly,
            Permission::SummaryOnly,
            Permission::ContractOnly,
            Permission::Full,
        ];
        let within = |less: Seen, more: Seen| match (less, more) {
            (Seen::Nothing, _) | (_, Seen::Whole) => true,
            (Seen::Members(less), Seen::Members(more)) => {
                less.iter().all(|name| more.contains(name))
            }
            _ => false,
        };
        for two in levels.windows(2) {
            for surface in &SURFACES {
                let (less, more) = (two[0].of(surface.name), two[1].of(surface.name));
                assert!(within(less, more), "{two:?} {}", surface.name);
            }
        }
        for inside in ["implementation/lib.rs", "tests/contract.json", "seal.json"] {
            assert_eq!(
                Permission::ContractOnly.of(inside),
                Seen::Nothing,
                "{inside}"
            );
            assert_eq!(Permission::Full.of(inside), Seen::Whole);
        }
        assert_eq!(Permission::default(), Permission::ContractOnly);
    }

    #[test]
    fn a_view_of_files_shows_no_part_of_a_file() {
        let contract = ["contract.json", "examples.md", "ship.json"];
        assert_eq!(Permission::ContractOnly.module_globs(), contract);
        assert_eq!(Permission::Full.module_globs(), ["**"]);
        for level in [Permission::SummaryOnly, Permission::MetadataOnly] {
            assert!(level.module_globs().is_empty());
        }
    }
}
