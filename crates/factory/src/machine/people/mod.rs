//! What a person may decide, and the fact that follows. A decision that does not fit is refused and
//! changes nothing; the same function carries out what was accepted.

mod made;
mod release;
mod resolve;
mod rule;

pub(crate) use release::{everything, missing, release_id, unasked};

use super::facts::{BudgetExtended, Fact, RunStopped, TroubleMended};
use super::options::{DEPRECATE, EXTEND, RELEASE, RETRY, RULINGS};
use super::state::{Phase, State};
use crate::halt::resolution::{Action, suits_blocked};
use crate::project::TaskStatus;
use crate::project::types::TaskId;
use kernel::position::STOP;
use kernel::{Decision, Refusal, Time};
use serde_json::Value;

/// What follows from a decision.
pub(crate) fn carry(state: &State, decision: &Decision, at: Time) -> Result<Fact, Refusal> {
    let option = decision.option.as_str();
    if state.phase == Phase::Stopped {
        return Err(Refusal::new(
            "run_stopped",
            "the run was stopped",
            "start another",
        ));
    }
    if option == STOP {
        let who = decision.who.clone();
        return Ok(Fact::RunStopped(RunStopped { who }));
    }
    if let Some((_, ruling)) = RULINGS.iter().find(|(name, _)| *name == option) {
        return rule::ruled(state, decision, *ruling, at);
    }
    if let Some(carried) = super::product::carry(state, decision) {
        return carried;
    }
    match option {
        EXTEND => {
            let spent = state.ledger.budgets.first_spent().ok_or_else(|| {
                Refusal::new(
                    "no_budget_spent",
                    "no budget is used up",
                    "nothing is to be done",
                )
            })?;
            let budget = spent.to_string();
            Ok(Fact::BudgetExtended(BudgetExtended { budget }))
        }
        RETRY => {
            let all = state.work.iter();
            let stuck = all.filter(|(_, work)| work.stuck.is_some());
            let tasks: Vec<TaskId> = stuck.map(|(id, _)| id.clone()).collect();
            if tasks.is_empty() && !super::product::may_retry(state) {
                return Err(Refusal::new(
                    "nothing_is_stuck",
                    "no task is stuck",
                    "nothing is to be done",
                ));
            }
            Ok(Fact::TroubleMended(TroubleMended { tasks }))
        }
        RELEASE => release::release(state, &decision.with),
        DEPRECATE => release::deprecate(state, &decision.with, at),
        _ => resolve::resolve(state, decision),
    }
}

fn payload<T: serde::de::DeserializeOwned>(with: &Value) -> Result<T, Refusal> {
    T::deserialize(with).map_err(|error| {
        Refusal::new(
            "payload_malformed",
            error.to_string(),
            "give the members that this decision needs",
        )
    })
}

/// What may be answered now.
pub(crate) fn options(state: &State) -> Vec<String> {
    let mut all: Vec<&str> = super::product::options(state);
    if state.phase == Phase::Specifying && state.ledger.budgets.first_spent().is_some() {
        all.push(EXTEND);
    }
    if state.phase == Phase::Open {
        let stuck = state.work.values().any(|work| work.stuck.is_some());
        let halted = stuck || state.graph.count(TaskStatus::Halted) > 0;
        let blocked = state.graph.count(TaskStatus::Blocked) > 0;
        all.extend(
            Action::ALL
                .iter()
                .filter(|action| halted || (blocked && suits_blocked(**action)))
                .map(|action| action.as_str()),
        );
        let waits = state.graph.halted().any(|task| {
            let escalation = task.escalation_ref.as_ref();
            let escalation = escalation.and_then(|id| state.escalations.get(id));
            escalation.is_some_and(|one| one.exception.is_some())
        });
        let amend = Action::AmendSpec.as_str();
        if state.may_reopen().is_some() && !all.contains(&amend) {
            all.push(amend);
        }
        if waits {
            all.extend(RULINGS.iter().map(|(name, _)| *name));
        }
        if state.ledger.budgets.first_spent().is_some() {
            all.push(EXTEND);
        }
        if stuck {
            all.push(RETRY);
        }
        if state.registry.iter().next().is_some() {
            all.extend([RELEASE, DEPRECATE]);
        }
    }
    all.push(STOP);
    all.into_iter().map(str::to_owned).collect()
}
