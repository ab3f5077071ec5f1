//! The context pack of an invocation (sections 5.3 and 6.3): written before the role works, dated by
//! the journal.

use super::super::state::{For, State};
use super::super::wanted::pack_of;
use super::{Record, pack_id};
use crate::context_pack::{ContextPack, CreatedFor, ExcludedRef, IncludedRef, Permission};
use crate::engineering::context::{Excluded, Included, Pack};
use crate::project::types::TaskId;
use kernel::Time;
use kernel::effect::EffectKind;
use kernel::event::EffectBegan;

pub(super) fn pack(state: &State, began: &EffectBegan, at: Time) -> Option<Record> {
    if began.kind != EffectKind::Attempt {
        return None;
    }
    let (task, given) = match state.orders.get(&began.effect)? {
        For::Task(task) => (task.clone(), pack_of(state, began.effect)?),
        For::Change(id) => {
            let change = state.changes.get(id)?;
            (change.task.clone(), of_change(change))
        }
        For::Release => return None,
    };
    let pack = compiled(state, began, &task, given, at);
    let path = format!("context_packs/{}.json", pack.context_pack_id);
    Some(Record::of(path, "ContextPack", &pack))
}

fn compiled(
    state: &State,
    began: &EffectBegan,
    task: &TaskId,
    given: Pack,
    at: Time,
) -> ContextPack {
    let permission = |name: &str| match name {
        "FULL" => Permission::Full,
        "SUMMARY_ONLY" => Permission::SummaryOnly,
        "METADATA_ONLY" => Permission::MetadataOnly,
        _ => Permission::ContractOnly,
    };
    let included = given.included_refs.into_iter().map(|one| IncludedRef {
        permission: permission(&one.permission),
        reference: one.reference,
        reason: one.reason,
    });
    let excluded = given.excluded_refs.into_iter().map(|one| ExcludedRef {
        reference: one.reference,
        reason: one.reason,
    });
    ContextPack {
        context_pack_id: pack_id(state, began.effect),
        created_for: CreatedFor {
            role: began.role.clone(),
            run_id: format!("{}/{}", state.run(), began.effect),
            task_ref: task.to_string(),
        },
        included_refs: included.collect(),
        excluded_refs: excluded.collect(),
        default_permission: Permission::ContractOnly,
        created_at: at.to_string(),
    }
}

/// Whoever debates a changed contract has the request, the candidate and what was said about it.
fn of_change(change: &crate::halt::change::Change) -> Pack {
    let (to, id) = (&change.to, &change.exception);
    let give = |reference: String, reason: &str| Included {
        reference,
        permission: "FULL".to_owned(),
        reason: reason.to_owned(),
    };
    Pack {
        included_refs: vec![
            give(
                format!("{id}@1.0.0"),
                "section 13.5: the request and its evidence",
            ),
            give(
                format!("candidate_contract.{}@{}", to.module, to.version),
                "section 13.5: what is debated",
            ),
            give(
                format!("debate_trail.{}@{}", to.module, to.version),
                "section 13.5: what was said about it",
            ),
        ],
        excluded_refs: vec![Excluded {
            reference: format!("source.{}@{}", change.from.module, change.from.version),
            reason: "sections 5.8 and 12: shipped code is closed".to_owned(),
        }],
        default_permission: "CONTRACT_ONLY".to_owned(),
    }
}
