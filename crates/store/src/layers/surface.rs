//! What each level below FULL shows of a version folder, as data.

use super::{Permission, Seen};

/// A file of a version folder that levels below [`Permission::Full`] show.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// The file's name, directly in the version folder.
    pub name: &'static str,
    /// The members that SUMMARY_ONLY shows.
    pub summary: &'static [&'static str],
    /// The members that METADATA_ONLY shows.
    pub metadata: &'static [&'static str],
}

/// What CONTRACT_ONLY shows whole (sections 6.1 and 12.2; for an artifact, its envelope), and what
/// the lower levels leave of it (after the index entry of 14.2 and the envelope of 8).
pub const SURFACES: [Surface; 4] = [
    Surface {
        name: "contract.json",
        summary: &["module_id", "module_version", "name", "purpose", "tags"],
        metadata: &["module_id", "module_version", "name"],
    },
    Surface {
        name: "examples.md",
        summary: &[],
        metadata: &[],
    },
    Surface {
        name: "ship.json",
        summary: &["module_id", "module_version", "ship_id", "verified_at"],
        metadata: &["module_id", "module_version", "ship_id"],
    },
    Surface {
        name: "envelope.json",
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

/// What a level shows of the file of this name.
pub(super) fn surface(name: &str, permission: Permission) -> Seen {
    let Some(surface) = SURFACES.iter().find(|surface| surface.name == name) else {
        return Seen::Nothing;
    };
    let members = match permission {
        Permission::Full | Permission::ContractOnly => return Seen::Whole,
        Permission::SummaryOnly => surface.summary,
        Permission::MetadataOnly => surface.metadata,
    };
    match members {
        [] => Seen::Nothing,
        members => Seen::Members(members),
    }
}
