//! From references to places: where the state store keeps what a pack names (rule F7).

use super::{Backend, Code, Denied, Pack, Reference, Rel, Units, Unlisted, View};
use std::collections::BTreeMap;

impl View {
    /// Lays `pack` over a state store that stands at `base` in `store`. References that are not
    /// kept in the store (tasks, the workspace) must be placed in `elsewhere`.
    pub fn of(
        pack: &Pack,
        store: &dyn Backend,
        base: &Rel,
        elsewhere: &BTreeMap<Reference, Rel>,
        unlisted: Unlisted,
    ) -> Result<View, Denied> {
        let mut view = View::empty();
        view.modules = Some(Units {
            base: base.join("modules")?,
            depth: 2,
        });
        view.unlisted = (unlisted == Unlisted::AtDefault).then_some(pack.default_permission);
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
}

/// The file of a record that rule F7 keeps by its id.
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
