//! A pack laid over paths: which file may be seen, and how much of it. It answers from the path
//! alone, so that its answer can not depend on what is hidden.
//!
//! What a pack does not name is not there. What it excludes is not there either, even inside
//! something that it gives.

use super::opaque::in_sealed_folder;
use super::{Backend, Code, Denied, Pack, Permission, Reference, Rel, Seen, Sight, Units, rel};
use std::collections::{BTreeMap, BTreeSet};

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

fn surface(name: &str, permission: Permission) -> Seen {
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

/// What becomes of modules that a pack neither gives nor excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are not there: a pack says exactly what was provided (section 5.3).
    #[default]
    Absent,
    /// They are seen at the pack's default level, for a role that finds modules through the Code
    /// Index (section 3.4, the Proposer: "CONTRACT_ONLY for all other modules").
    AtDefault,
}

/// A pack laid over paths.
#[derive(Debug, Clone, Default)]
pub struct View {
    places: BTreeMap<String, Permission>,
    /// In lower case: where the file system ignores case, another spelling is the same file.
    excluded: BTreeSet<String>,
    /// `id/version` of excluded references, in lower case, wherever they stand.
    excluded_versions: BTreeSet<String>,
    modules: Option<Units>,
    unlisted: Option<Permission>,
}

impl View {
    /// Nothing at all, to be filled place by place.
    pub fn empty() -> View {
        View::default()
    }

    /// Gives a file or a folder. Given twice, the lower level counts.
    pub fn give(mut self, place: &Rel, permission: Permission) -> View {
        let entry = self.places.entry(place.as_str().to_owned());
        let level = entry.or_insert(permission);
        *level = permission.min(*level);
        self
    }

    /// Keeps a file or a folder away, whatever is given.
    pub fn exclude(mut self, place: &Rel) -> View {
        self.excluded.insert(place.as_str().to_lowercase());
        self
    }

    /// Lays `pack` over a state store that stands at `base` in `store`. References that are not
    /// kept in the store (tasks, the workspace) must be placed in `elsewhere`.
    pub fn of(
        pack: &Pack,
        store: &dyn Backend,
        base: &Rel,
        elsewhere: &BTreeMap<Reference, Rel>,
        unlisted: Unlisted,
    ) -> Result<View, Denied> {
        let mut view = View {
            modules: Some(Units {
                base: base.join("modules")?,
                depth: 2,
            }),
            unlisted: (unlisted == Unlisted::AtDefault).then_some(pack.default_permission),
            ..View::default()
        };
        for one in &pack.included_refs {
            let permission = one.permission.unwrap_or(pack.default_permission);
            let place = match elsewhere.get(&one.reference) {
                Some(place) => place.clone(),
                None => find(&one.reference, store, base)?,
            };
            view = view.give(&place, permission);
        }
        for one in &pack.excluded_refs {
            let (id, version) = (one.reference.id(), one.reference.version());
            view.excluded_versions
                .insert(format!("{id}/{version}").to_lowercase());
            if let Some(place) = elsewhere.get(&one.reference) {
                view = view.exclude(place);
            }
            if let Some(file) = record(&one.reference) {
                view = view.exclude(&base.join(&file)?);
            }
            if !id.starts_with("MM-") {
                view = view.exclude(&base.join(&format!("debates/{id}"))?);
            }
        }
        Ok(view)
    }

    fn is_excluded(&self, path: &str) -> bool {
        if self.excluded.is_empty() && self.excluded_versions.is_empty() {
            return false;
        }
        let path = path.to_lowercase();
        if ancestors(&path).any(|folder| self.excluded.contains(folder)) {
            return true;
        }
        if self.excluded_versions.is_empty() {
            return false;
        }
        let names: Vec<&str> = path.split('/').collect();
        let mut pairs = names.windows(2);
        pairs.any(|two| self.excluded_versions.contains(&two.join("/")))
    }

    /// The place that governs a path (the one with the longest path), and what comes after it.
    fn governing<'p>(&self, path: &'p str) -> Option<(Permission, &'p str)> {
        ancestors(path).find_map(|folder| {
            let permission = self.places.get(folder)?;
            Some((*permission, rel::below(path, folder)?))
        })
    }

    /// The level at which a path may be seen if it is there, and what of it.
    pub(super) fn level(&self, path: &str) -> Option<Permission> {
        match self.governing(path) {
            Some((permission, _)) if !self.is_excluded(path) => Some(permission),
            _ => None,
        }
    }

    /// Whether this is inside the sealed folders of a module that the pack shows from outside:
    /// then section 12.5 answers, whether or not there is such a file.
    pub(super) fn is_sealed(&self, path: &str) -> bool {
        let Some((unit, rest)) = self.modules.as_ref().and_then(|units| units.of(path)) else {
            return false;
        };
        let shown = match self.level(unit.as_str()) {
            Some(permission) => permission < Permission::Full,
            None => self.unlisted.is_some() && !self.is_excluded(unit.as_str()),
        };
        shown && in_sealed_folder(rest) && self.sees(path) == Seen::Nothing
    }

    fn enters_unlisted(&self, folder: &str) -> bool {
        let (Some(units), Some(_)) = (&self.modules, self.unlisted) else {
            return false;
        };
        match rel::below(folder, units.base.as_str()) {
            Some(rest) => rest.split('/').count() <= units.depth,
            None => units.base.is_within(&Rel::walked(folder.to_owned())),
        }
    }
}

impl Sight for View {
    fn enters(&self, folder: &str) -> bool {
        if self.is_excluded(folder) {
            return false;
        }
        match self.governing(folder) {
            Some((Permission::Full, _)) | Some((_, "")) => return true,
            _ => {}
        }
        let mut below = folder.to_owned();
        if !folder.is_empty() {
            below.push('/');
        }
        // On the way to something that is given.
        let next = self.places.range(below.clone()..).next();
        // The top is always there, if only to be empty.
        folder.is_empty()
            || next.is_some_and(|(place, _)| place.starts_with(&below))
            || self.enters_unlisted(folder)
    }

    fn sees(&self, file: &str) -> Seen {
        if self.is_excluded(file) {
            return Seen::Nothing;
        }
        let own_name = file.rsplit('/').next().unwrap_or_default();
        match self.governing(file) {
            Some((Permission::Full, _)) => Seen::Whole,
            Some((permission, "")) => surface(own_name, permission),
            // Surfaces stand directly in the version folder.
            Some((permission, name)) => surface(name, permission),
            None => match (&self.modules, self.unlisted) {
                (Some(units), Some(permission)) => units
                    .of(file)
                    .map_or(Seen::Nothing, |(_, name)| surface(name, permission)),
                _ => Seen::Nothing,
            },
        }
    }
}

/// The path itself, then the folders above it up to the root.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rfind('/') {
        Some(cut) => Some(&path[..cut]),
        None if path.is_empty() => None,
        None => Some(""),
    })
}

/// The file of a record that section 7 keeps by its id.
fn record(reference: &Reference) -> Option<String> {
    let id = reference.id();
    let folder = match id.split_once('-')?.0 {
        "CP" => "context_packs",
        "ICE" => "exceptions",
        "ESC" => "escalations",
        _ => return None,
    };
    Some(format!("{folder}/{id}.json"))
}

/// Where the store keeps a reference. Pillars are not in references, so artifacts are looked for.
fn find(reference: &Reference, store: &dyn Backend, base: &Rel) -> Result<Rel, Denied> {
    let (id, version) = (reference.id(), reference.version());
    if id.starts_with("MM-") {
        return base.join(&format!("modules/{id}/{version}"));
    }
    if let Some(file) = record(reference) {
        return base.join(&file);
    }
    let pillars = store.ls(&base.join("artifacts")?);
    for pillar in pillars.map(|listed| listed.items).unwrap_or_default() {
        let place = pillar.path.join(&format!("{id}/{version}"))?;
        if store.ls(&place).is_ok() {
            return Ok(place);
        }
    }
    Err(Denied::new(
        Code::BadPack,
        format!("the pack gives {reference}, which is not in the store"),
        "ship or write it first, or say where it is kept",
    ))
}
