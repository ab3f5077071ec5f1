//! The project as people see it.

use super::decide::advance;
use super::people::{options, unasked};
use super::questions::{failed_release, lacking};
use super::state::{Phase, State};
use super::wanted::wanted;
use crate::project::TaskStatus;
use kernel::machine::{Activity, Gauge, InFlight, Waiting};
use kernel::table::Kind;
use kernel::{Autonomy, Mode, RunId, StateName, Status};
use std::collections::BTreeMap;

/// Whom the project waits for, if nothing is to be done: a stable word and a sentence.
fn reason(state: &State) -> Option<(&'static str, String)> {
    if state.phase == Phase::Declaring && state.product.is_none() {
        return Some((
            "declaring",
            "the project's tasks are not declared yet".to_owned(),
        ));
    }
    if let Some(reason) = super::product::reason(state) {
        return Some(reason);
    }
    if let Some(spent) = state.ledger.budgets.first_spent() {
        return Some(("budget", format!("the budget `{spent}` is used up")));
    }
    if let Some((task, why)) = state
        .work
        .iter()
        .find_map(|(id, work)| Some((id, work.stuck.as_ref()?)))
    {
        return Some(("trouble", format!("`{task}` is stuck: {why}")));
    }
    if let Some(task) = state.graph.halted().next() {
        let escalation = task.escalation_ref.as_ref();
        let escalation = escalation.and_then(|id| state.escalations.get(id));
        let what = escalation.map_or_else(String::new, |one| {
            let exception = one.exception.as_ref();
            let exception = exception.map_or_else(String::new, |id| format!(", {id}"));
            let decision = &one.minimal_decision_required;
            format!("; {decision} ({}{exception})", one.escalation_id)
        });
        return Some((
            "escalation",
            format!("`{}` is HALTED{what}", task.declared.id),
        ));
    }
    let mut blocked = state
        .graph
        .iter()
        .filter(|task| task.status == TaskStatus::Blocked);
    if state.graph.count(TaskStatus::Blocked) > 0
        && let Some(task) = blocked.next()
    {
        let why = format!("`{}` is BLOCKED by what was abandoned", task.declared.id);
        return Some(("blocked", why));
    }
    let given_up = unasked(state);
    if !given_up.is_empty() {
        let why = format!(
            "nothing is released until a person says so: of the spec is missing {}",
            lacking(&given_up)
        );
        return Some(("release", why));
    }
    let last = failed_release(state)?;
    Some(("release", format!("the release {} failed", last.release_id)))
}

/// The budgets as they are shown.
pub(crate) fn gauges(state: &State) -> BTreeMap<String, Gauge> {
    let all = state.ledger.budgets.iter();
    all.map(|(name, budget)| {
        let (used, cap) = (budget.used, budget.cap);
        (name.to_string(), Gauge { used, cap })
    })
    .collect()
}

pub(crate) fn status(state: &State) -> Status {
    let busy = !wanted(state).is_empty() || advance(state, state.updated).is_some();
    let reason = reason(state);
    let activity = match (state.phase, busy, &reason) {
        (Phase::Stopped, _, _) => Activity::Stopped,
        (_, true, _) => Activity::Working,
        (_, false, Some(_)) => Activity::Waiting,
        (_, false, None) if state.releases.is_empty() => Activity::Resting,
        (_, false, None) => Activity::Done,
    };
    let (name, kind) = match activity {
        Activity::Stopped => ("stopped", Kind::End),
        Activity::Working if state.phase == Phase::Specifying => ("specifying", Kind::Work),
        Activity::Working if state.releasing.is_some() => ("releasing", Kind::Gate),
        Activity::Working => ("building", Kind::Work),
        Activity::Waiting => (reason.as_ref().map_or("waiting", |one| one.0), Kind::Wait),
        Activity::Resting => ("closed", Kind::End),
        Activity::Done => ("released", Kind::End),
    };
    let tasks = TaskStatus::ALL.into_iter();
    let counts = tasks.map(|status| {
        let count = state.graph.count(status).to_string();
        (format!("tasks_{}", status.as_str().to_lowercase()), count)
    });
    let started = state.started.as_ref();
    Status {
        run: started.map_or_else(|| RunId::from(""), |started| started.run.clone()),
        workflow: started.map_or_else(String::new, |started| started.workflow.clone()),
        state: StateName::from(name),
        kind,
        activity,
        waiting_for: reason
            .filter(|_| activity == Activity::Waiting)
            .map(|(word, why)| Waiting {
                who: "human",
                reason: word.to_owned(),
                why,
                options: options(state),
                means: BTreeMap::new(),
            }),
        return_to: None,
        autonomy: started.map_or(Autonomy::Manual, |started| started.autonomy),
        mode: started.map_or_else(Mode::default, |started| started.mode),
        budgets: gauges(state),
        attempts: state.ledger.attempts.clone(),
        in_flight: InFlight::of(&state.ledger),
        last_refusal: state.last_refusal.clone(),
        refusal_stands: state.last_refusal.is_some(),
        fields: counts.collect(),
    }
}
