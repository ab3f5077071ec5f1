//! A shipped module is a closed-source service (rule F12): `implementation/` and
//! `tests/` answer with the text of rule F12.5 when asked for by path, and do not appear when
//! listed or searched.

use super::sight::Both;
use super::{
    Backend, Capped, Denied, Glob, Grep, Hit, Listed, Rel, Seen, Shipped, Sight, Truncated, Units,
    Which, Writing,
};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The folders of a version that are sealed when it is shipped.
pub(super) const SEALED: [&str; 2] = ["implementation", "tests"];

/// A layer that seals what was shipped.
pub struct Opaque {
    inner: Arc<dyn Backend>,
    units: Units,
    shipped: Arc<dyn Shipped>,
}

/// Whether the first name of a path inside a version folder is a sealed one.
pub(super) fn in_sealed_folder(rest: &str) -> bool {
    // Where the file system ignores case, `Tests` is the same folder.
    let first = rest.split('/').next().unwrap_or_default();
    SEALED
        .iter()
        .any(|sealed| sealed.eq_ignore_ascii_case(first))
}

impl Opaque {
    /// Seals the version folders in `units` that `shipped` knows.
    pub fn new(inner: Arc<dyn Backend>, units: Units, shipped: Arc<dyn Shipped>) -> Opaque {
        Opaque {
            inner,
            units,
            shipped,
        }
    }

    fn is_sealed(&self, path: &str) -> bool {
        self.units
            .of(path)
            .is_some_and(|(unit, rest)| in_sealed_folder(rest) && self.shipped.is_shipped(&unit))
    }

    fn refuse_sealed(&self, path: &Rel) -> Result<(), Denied> {
        match self.is_sealed(path.as_str()) {
            true => Err(Denied::sealed(path)),
            false => Ok(()),
        }
    }
}

/// What is sealed during one walk: each version folder is asked for once, not for every file.
struct Walking<'o> {
    opaque: &'o Opaque,
    known: RwLock<BTreeMap<Rel, Sealing>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sealing {
    Sealed,
    Open,
}

impl<'o> Walking<'o> {
    fn through(opaque: &'o Opaque) -> Walking<'o> {
        let known = RwLock::default();
        Walking { opaque, known }
    }

    fn sealing(&self, path: &str) -> Sealing {
        let unit = match self.opaque.units.of(path) {
            Some((unit, rest)) if in_sealed_folder(rest) => unit,
            _ => return Sealing::Open,
        };
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(sealing) = known.get(&unit) {
            return *sealing;
        }
        drop(known);
        let sealing = match self.opaque.shipped.is_shipped(&unit) {
            true => Sealing::Sealed,
            false => Sealing::Open,
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // Two threads may have asked; the stricter answer stays.
        let kept = known.entry(unit).or_insert(sealing);
        if sealing == Sealing::Sealed {
            *kept = sealing;
        }
        *kept
    }
}

impl Sight for Walking<'_> {
    fn enters(&self, folder: &str) -> bool {
        self.sealing(folder) == Sealing::Open
    }

    fn sees(&self, file: &str) -> Seen {
        match self.sealing(file) {
            Sealing::Sealed => Seen::Nothing,
            Sealing::Open => Seen::Whole,
        }
    }
}

impl<T> Capped<T> {
    /// Nothing, and nothing left out that anybody may know of.
    pub(super) fn nothing() -> Capped<T> {
        Capped {
            items: Vec::new(),
            truncated: Truncated::No,
        }
    }
}

impl Backend for Opaque {
    fn read(&self, path: &Rel) -> Result<Vec<u8>, Denied> {
        self.refuse_sealed(path)?;
        self.inner.read(path)
    }

    fn write(&self, path: &Rel, bytes: &[u8], writing: Writing) -> Result<(), Denied> {
        // Not in the table of 12.5, yet "it exists already" would tell what is in there.
        self.refuse_sealed(path)?;
        self.inner.write(path, bytes, writing)
    }

    fn edit(&self, path: &Rel, find: &str, replace: &str, which: Which) -> Result<usize, Denied> {
        self.refuse_sealed(path)?;
        self.inner.edit(path, find, replace, which)
    }

    fn delete(&self, path: &Rel) -> Result<(), Denied> {
        self.refuse_sealed(path)?;
        self.inner.delete(path)
    }

    fn ls_seen(&self, path: &Rel, sight: &dyn Sight) -> Result<Capped<Listed>, Denied> {
        if self.is_sealed(path.as_str()) {
            return Ok(Capped::nothing());
        }
        self.inner
            .ls_seen(path, &Both(sight, &Walking::through(self)))
    }

    fn glob_seen(&self, query: &Glob, sight: &dyn Sight) -> Result<Capped<Rel>, Denied> {
        if self.is_sealed(query.start().as_str()) {
            return Ok(Capped::nothing());
        }
        self.inner
            .glob_seen(query, &Both(sight, &Walking::through(self)))
    }

    fn grep_seen(&self, query: &Grep, sight: &dyn Sight) -> Result<Capped<Hit>, Denied> {
        if self.is_sealed(query.start().as_str()) {
            return Ok(Capped::nothing());
        }
        self.inner
            .grep_seen(query, &Both(sight, &Walking::through(self)))
    }
}
