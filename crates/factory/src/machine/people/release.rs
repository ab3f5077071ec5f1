//! What a person releases, and what is deprecated (rules F15 and F16). Nothing that is not shipped
//! is released, and nothing is deprecated without a reason.

use super::payload;
use crate::delivery::manifest::Scope;
use crate::machine::facts::{Fact, ModuleDeprecated, ReleaseBegan};
use crate::machine::state::State;
use crate::project::TaskStatus;
use crate::project::graph::Task;
use crate::project::types::{ModuleRef, mint};
use kernel::{Refusal, Time};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct OnRelease {
    modules: Vec<String>,
    /// Why the product is not put together.
    waive_product: Option<String>,
}

/// Everything that is shipped and in use.
pub(crate) fn everything(state: &State) -> Vec<ModuleRef> {
    let all = state.registry.iter();
    let all = all.map(|entry| entry.reference.clone());
    all.filter(|one| state.registry.is_shipped(one)).collect()
}

/// Tasks that were given up, of a project that promised a product: what it will lack of its spec.
/// Nothing of it is released until a person says so.
pub(crate) fn missing(state: &State) -> Vec<&Task> {
    let tasks = state.graph.iter();
    let given_up = |one: &&Task| {
        one.status == TaskStatus::Abandoned && one.superseded_by.is_empty() && one.gone.is_none()
    };
    match &state.promised {
        Some(_) => tasks.filter(given_up).collect(),
        None => Vec::new(),
    }
}

/// What a person must be asked about before anything is released: everything is closed, and part of
/// the spec was given up. Empty: nothing, or it was answered.
pub(crate) fn unasked(state: &State) -> Vec<&Task> {
    let released = state
        .of_this_version()
        .iter()
        .any(|one| one.scope == Scope::Full);
    if released || state.releasing.is_some() || !state.graph.is_complete() {
        return Vec::new();
    }
    missing(state)
}

/// The next release's id follows from how many there were.
pub(crate) fn release_id(state: &State) -> String {
    mint("REL", state.run(), &state.releases.len().to_string())
}

pub(super) fn release(state: &State, with: &Value) -> Result<Fact, Refusal> {
    let on: OnRelease = if with.is_null() {
        OnRelease::default()
    } else {
        payload(with)?
    };
    if state.releasing.is_some() {
        return Err(Refusal::new(
            "release_under_way",
            "a release is being judged",
            "wait for its result",
        ));
    }
    if let Some(why) = &on.waive_product {
        let full = on.modules.is_empty() && state.building(None).is_some();
        let (what, mend) = match full {
            true => (
                "`waive_product` is empty",
                "say why the product is not needed now",
            ),
            false => (
                "this release has no product to do without",
                "leave `waive_product` out",
            ),
        };
        if !full || why.trim().is_empty() {
            return Err(Refusal::new("no_product_to_waive", what, mend));
        }
    }
    let (scope, modules) = if on.modules.is_empty() {
        if !state.graph.is_complete() {
            return Err(Refusal::new(
                "project_not_complete",
                "not every task is closed, so there is no full release",
                "name the modules of a partial release",
            ));
        }
        (Scope::Full, everything(state))
    } else {
        let mut modules = Vec::new();
        for name in &on.modules {
            let reference = ModuleRef::parse(name)
                .ok()
                .filter(|one| state.registry.is_shipped(one));
            modules.push(reference.ok_or_else(|| {
                Refusal::new(
                    "module_not_shipped",
                    format!("`{name}` is not a shipped module"),
                    "name shipped modules, each MM-...@x.y.z",
                )
            })?);
        }
        (Scope::Partial, modules)
    };
    Ok(Fact::ReleaseBegan(ReleaseBegan {
        release_id: release_id(state),
        product: match scope {
            Scope::Full => state.building(on.waive_product.as_deref()),
            Scope::Partial => None,
        },
        scope,
        modules,
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDeprecate {
    module: ModuleRef,
    reason: String,
    #[serde(default)]
    superseded_by: Option<ModuleRef>,
    #[serde(default)]
    migration: String,
}

pub(super) fn deprecate(state: &State, with: &Value, at: Time) -> Result<Fact, Refusal> {
    let on: OnDeprecate = payload(with)?;
    let new = on.superseded_by.as_ref();
    state.registry.may_deprecate(&on.module, new)?;
    let needed = [
        ("reason", on.reason.trim().is_empty()),
        ("migration", new.is_some() && on.migration.trim().is_empty()),
    ];
    if let Some((name, _)) = needed.iter().find(|(_, missing)| *missing) {
        return Err(Refusal::new(
            "payload_member_empty",
            format!("`{name}` is empty"),
            format!("say something in `{name}`: it goes into the Code Index"),
        ));
    }
    let mut note = format!("deprecated at {at}: {}", on.reason);
    if !on.migration.is_empty() {
        note = format!("{note}; migration: {}", on.migration);
    }
    Ok(Fact::ModuleDeprecated(ModuleDeprecated {
        users: state.registry.users(&on.module),
        module: on.module,
        superseded_by: on.superseded_by,
        note,
    }))
}
