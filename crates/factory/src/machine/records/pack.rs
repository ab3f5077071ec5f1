//! The context pack of an invocation (rules F5.3 and F6.3): written before the role works, dated by
//! the journal.

use super::super::state::{For, State};
use super::super::wanted::pack_of;
use super::{Record, pack_id};
use crate::context_pack::{ContextPack, Excluded, Included};
use crate::engineering::roles::Role;
use crate::halt::change::Change;
use crate::project::types::{ModuleRef, TaskId};
use kernel::Time;
use kernel::effect::EffectKind;
use kernel::event::EffectBegan;
use kernel::pack::Permission;
use serde_json::json;

/// The product loop works before there is any task; its packs need a name in a task's place.
pub(super) use crate::product::escalation::NO_TASK as PRODUCT;

pub(super) fn pack(state: &State, began: &EffectBegan, at: Time) -> Option<Record> {
    if began.kind != EffectKind::Attempt {
        return None;
    }
    let (task, given) = match state.orders.get(&began.effect)? {
        For::Task(task) => (task.clone(), pack_of(state, began.effect)?),
        For::Change(id) => {
            let change = state.changes.get(id)?;
            (change.task.clone(), of_change(change, &began.role))
        }
        For::Product => (TaskId::from(PRODUCT), of_product()),
        For::Release => return None,
    };
    let id = pack_id(state, began.effect);
    let mut pack = json!(given);
    pack["context_pack_id"] = json!(id);
    pack["created_for"] = json!({
        "role": began.role,
        "run_id": format!("{}/{}", state.run(), began.effect),
        "task_ref": task,
    });
    pack["created_at"] = json!(at);
    let path = format!("context_packs/{id}.json");
    Some(Record::of(path, "ContextPack", &pack))
}

/// Whoever debates a changed contract has the request, the candidate and what was said about it. The
/// Proposer, who makes the new version, has the source of both: they are versions of one module.
fn of_change(change: &Change, role: &str) -> ContextPack {
    let (from, to, id) = (&change.from, &change.to, &change.exception);
    let named = |what: &str, one: &ModuleRef| format!("{what}.{}@{}", one.module, one.version);
    let rows = [
        (format!("{id}@1.0.0"), "the request and its evidence"),
        (named("candidate_contract", to), "what is debated"),
        (named("debate_trail", to), "what was said about it"),
    ];
    let code = [
        (named("workspace", to), "the new version"),
        (named("source", from), "the version that it supersedes"),
    ];
    let makes = role == Role::Proposer.as_str();
    let given = rows
        .into_iter()
        .chain(code.clone().into_iter().filter(|_| makes));
    let kept = code.into_iter().filter(|_| !makes);
    ContextPack {
        included_refs: given
            .map(|(reference, what)| Included {
                reference,
                permission: Permission::Full,
                reason: format!("section 13.5: {what}"),
            })
            .collect(),
        excluded_refs: kept
            .map(|(reference, what)| Excluded {
                reference,
                reason: format!("section 9.7: {what}; this role never sees source"),
            })
            .collect(),
        default_permission: Permission::default(),
    }
}

/// Who drafts the spec has what the person wrote (rule F3.2).
fn of_product() -> ContextPack {
    ContextPack {
        included_refs: vec![Included {
            reference: "product_request@1.0.0".to_owned(),
            permission: Permission::Full,
            reason: "section 3.2: SPEC.md, the documents that the person named, and feedback"
                .to_owned(),
        }],
        excluded_refs: Vec::new(),
        default_permission: Permission::default(),
    }
}
