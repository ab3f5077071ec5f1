//! A context pack (rules F5.3 and F6.3): exactly what a role was shown, at which depth, and what was
//! kept from it and why. The engine writes packs; agents never do.

use crate::ids::{self, MOMENT};
use kernel::document;
use kernel::form::{Fault, Form, Object, SAID, must};
use kernel::pack::Permission;
use serde_json::Value;
use std::collections::BTreeSet;

document! {
    /// What a role was shown, and what not.
    #[derive(Eq)]
    pub struct ContextPack {
        @given {
            /// `CP-` and 8 hex digits.
            context_pack_id = Form::Id(ids::CONTEXT_PACK),
            /// The invocation that it was made for.
            created_for = Form::Object(&CREATED_FOR),
            /// ISO 8601.
            created_at = MOMENT,
        }
        /// What is shown.
        included_refs: Vec<Included>,
        /// What is not.
        excluded_refs: Vec<Excluded>,
        /// Always `CONTRACT_ONLY`.
        default_permission: Permission,
    }
}

const CREATED_FOR: Object = Object {
    name: "CreatedFor",
    about: "One invocation of a role on a task.",
    members: &[
        must(
            "role",
            "`proposer`, `challenger`, `arbiter` and so on.",
            SAID,
        ),
        must("run_id", "The invocation.", SAID),
        must("task_ref", "`T-...`.", Form::Id(ids::TASK)),
    ],
};

document! {
    /// Something that is shown.
    #[derive(Eq)]
    pub struct Included {
        /// `id@version`.
        reference as "ref": String = Form::Versioned(None),
        /// How much of it.
        permission: Permission,
        /// Why, and why so much.
        reason: String = SAID,
    }
}

document! {
    /// Something that is not shown.
    #[derive(Eq)]
    pub struct Excluded {
        /// `id@version`.
        reference as "ref": String = Form::Versioned(None),
        /// Why.
        reason: String = SAID,
    }
}

/// The one default, and each reference once.
pub(crate) fn rules(pack: &Value, found: &mut Vec<Fault>) {
    if pack["default_permission"] != "CONTRACT_ONLY" {
        let what = "the default of every pack is CONTRACT_ONLY";
        found.push(Fault::rule(
            "wrong_default",
            "$",
            "default_permission",
            what,
        ));
    }
    let mut seen = BTreeSet::new();
    for list in ["included_refs", "excluded_refs"] {
        for (index, one) in pack[list].as_array().into_iter().flatten().enumerate() {
            if !seen.insert(one["ref"].as_str()) {
                let what = "it is listed before; a reference is included or excluded, once";
                let path = format!("$.{list}[{index}]");
                found.push(Fault::rule("listed_twice", path, "ref", what));
            }
        }
    }
}
