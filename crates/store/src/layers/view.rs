//! A pack laid over paths: which file may be seen, and how much of it. It answers from the path
//! alone, so that its answer cannot depend on what is hidden.
//!
//! What a pack does not name is not there. What it excludes is not there either, even inside
//! something that it gives.

use super::opaque::in_sealed_folder;
use super::{Permission, Rel, Seen, Sight, Units, rel};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of modules that a pack neither gives nor excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are not there: a pack says exactly what was provided (rule F5.3).
    #[default]
    Absent,
    /// They are seen at the pack's default level, for a role that finds modules through the Code
    /// Index (rule F3.4, the Proposer: "CONTRACT_ONLY for all other modules").
    AtDefault,
}

/// A pack laid over paths.
#[derive(Debug, Clone, Default)]
pub struct View {
    places: BTreeMap<String, Permission>,
    /// In lower case: where the file system ignores case, another spelling is the same file.
    excluded: BTreeSet<String>,
    /// `id/version` of excluded references, in lower case, wherever they stand.
    pub(super) excluded_versions: BTreeSet<String>,
    pub(super) modules: Option<Units>,
    pub(super) unlisted: Option<Permission>,
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
    /// then rule F12.5 answers, whether or not there is such a file.
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
            Some((permission, "")) => permission.of(own_name),
            // Surfaces stand directly in the version folder.
            Some((permission, name)) => permission.of(name),
            None => match (&self.modules, self.unlisted) {
                (Some(units), Some(permission)) => units
                    .of(file)
                    .map_or(Seen::Nothing, |(_, name)| permission.of(name)),
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
