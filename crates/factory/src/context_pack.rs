//! A context pack (sections 5.3 and 6.3): exactly what a role was shown, at which depth, and what
//! was kept from it and why. The engine writes packs; agents never do.

use crate::deficiency::{Deficiency, Report};
use crate::findings::{any_ref, id, said, when};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How much of a reference is shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Permission {
    /// Name, version and status.
    MetadataOnly,
    /// A summary.
    SummaryOnly,
    /// `contract.json`, `examples.md` and `ship.json`.
    ContractOnly,
    /// Everything: the module that is being implemented, and nothing else.
    Full,
}

/// The manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextPack {
    /// `CP-` and 8 hex digits.
    pub context_pack_id: String,
    /// The invocation that it was made for.
    pub created_for: CreatedFor,
    /// What is shown.
    pub included_refs: Vec<IncludedRef>,
    /// What is not.
    pub excluded_refs: Vec<ExcludedRef>,
    /// Always `CONTRACT_ONLY`.
    pub default_permission: Permission,
    /// ISO 8601.
    pub created_at: String,
}

/// One invocation of a role on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatedFor {
    /// `proposer`, `challenger`, `arbiter` and so on.
    pub role: String,
    /// The invocation.
    pub run_id: String,
    /// `T-...`.
    pub task_ref: String,
}

/// Something that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IncludedRef {
    /// `id@version`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How much of it.
    pub permission: Permission,
    /// Why, and why so much.
    pub reason: String,
}

/// Something that is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExcludedRef {
    /// `id@version`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Why.
    pub reason: String,
}

impl Judged for ContextPack {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let own = &self.context_pack_id;
        id(&mut found, "$", "context_pack_id", ids::CONTEXT_PACK, own);
        let for_ = &self.created_for;
        said(&mut found, "$.created_for", "role", &for_.role);
        said(&mut found, "$.created_for", "run_id", &for_.run_id);
        id(
            &mut found,
            "$.created_for",
            "task_ref",
            ids::TASK,
            &for_.task_ref,
        );
        when(&mut found, "$", "created_at", &self.created_at);
        if self.default_permission != Permission::ContractOnly {
            let message = "the default of every pack is CONTRACT_ONLY";
            found.push(Deficiency::error(
                "wrong_default",
                "$",
                "default_permission",
                message,
            ));
        }
        let mut seen = BTreeSet::new();
        let included = self
            .included_refs
            .iter()
            .map(|r| ("included_refs", &r.reference, &r.reason));
        let excluded = self
            .excluded_refs
            .iter()
            .map(|r| ("excluded_refs", &r.reference, &r.reason));
        for (list, group) in [included.collect::<Vec<_>>(), excluded.collect()]
            .into_iter()
            .enumerate()
        {
            for (index, (name, reference, reason)) in group.into_iter().enumerate() {
                let path = format!("$.{name}[{index}]");
                any_ref(&mut found, &path, "ref", reference);
                said(&mut found, &path, "reason", reason);
                if !seen.insert(reference) {
                    let message = if list == 0 {
                        "it is included twice"
                    } else {
                        "it is listed before; a reference is included or excluded, once"
                    };
                    found.push(Deficiency::error("listed_twice", &path, "ref", message));
                }
            }
        }
        found.into_iter().collect()
    }
}

impl ContextPack {
    /// References to modules that are shown in full and are not the one that is being implemented
    /// (section 6.3): there must be none.
    pub fn wrongly_full(&self, current_module: Option<&str>) -> Vec<&IncludedRef> {
        let own = |reference: &str| {
            let id = reference.split('@').next();
            id.is_some() && id == current_module
        };
        self.included_refs
            .iter()
            .filter(|included| {
                included.permission == Permission::Full
                    && included.reference.starts_with("MM-")
                    && !own(&included.reference)
            })
            .collect()
    }
}
