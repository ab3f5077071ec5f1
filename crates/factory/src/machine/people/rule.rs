//! What a person rules on an interface change exception (rule F13.5). A ruling that comes too
//! late, or on a change that does not fit the contract, is refused.

use super::payload;
use crate::halt::change;
use crate::halt::exception::{AfterRejection, ExceptionDecision, Ruling};
use crate::machine::facts::{Candidate, ExceptionDecided, Fact};
use crate::machine::state::State;
use crate::project::TaskStatus;
use crate::project::types::ExceptionId;
use kernel::{Decision, Refusal, Time};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnException {
    exception_id: ExceptionId,
    #[serde(default)]
    then: AfterRejection,
}

pub(super) fn ruled(
    state: &State,
    given: &Decision,
    ruling: Ruling,
    at: Time,
) -> Result<Fact, Refusal> {
    let on: OnException = payload(&given.with)?;
    let id = &on.exception_id;
    let Some(record) = state.exceptions.get(id) else {
        return Err(Refusal::new(
            "exception_unknown",
            format!("there is no exception `{id}`"),
            "name one of `state_store/exceptions/`",
        ));
    };
    let task = state.graph.get(&record.task);
    let open = task.is_some_and(|task| {
        let escalation = task
            .escalation_ref
            .as_ref()
            .and_then(|one| state.escalations.get(one));
        let this = escalation.is_some_and(|one| one.exception.as_ref() == Some(id));
        task.status == TaskStatus::Halted && this
    });
    if !open || state.changes.contains_key(id) {
        return Err(Refusal::new(
            "exception_not_open",
            format!("`{id}` does not wait for a ruling"),
            "look at the task that raised it",
        ));
    }
    if ruling == Ruling::RejectChange && given.because.trim().is_empty() {
        return Err(Refusal::new(
            "payload_member_empty",
            "a rejection needs a reason",
            "say why: the Proposer must find another way",
        ));
    }
    let mut candidate = None;
    if ruling == Ruling::ApproveChange {
        let exception = &record.raised.exception;
        let target = &exception.target_module;
        if !state.registry.is_shipped(target) {
            return Err(Refusal::new(
                "module_not_in_use",
                format!("{target} is superseded or deprecated by now"),
                "reject the change and requeue the task",
            ));
        }
        let contract = state.registry.get(target).map(|entry| &entry.contract);
        let contract = contract.cloned().unwrap_or_default();
        let delta = &exception.proposed_contract_delta;
        let contract = change::apply(&contract, delta).map_err(|faults| {
            Refusal::new(
                "delta_does_not_fit",
                faults.join("; "),
                "reject the change; it must be raised anew",
            )
        })?;
        let version = change::bump(target.version, exception.compatibility_expectation);
        candidate = Some(Candidate { version, contract });
    }
    Ok(Fact::ExceptionDecided(ExceptionDecided {
        decision: ExceptionDecision {
            exception_id: id.clone(),
            ruling,
            because: given.because.clone(),
            who: given.who.clone(),
            at,
            then: on.then,
        },
        candidate,
    }))
}
