//! The six resolutions of rule F17.2, on a task that halted, that is blocked by what was
//! abandoned, or that is stuck. A stuck task halts first, so that a person resolves an escalation with
//! all its fields and not a task in the middle of its work.

use super::made::{human_plan, parts};
use crate::halt::artifact::STUCK;
use crate::halt::payload::apart;
use crate::halt::resolution::{Action, Resolution, suits_blocked};
use crate::machine::facts::{Fact, TaskResolved};
use crate::machine::halting::halting;
use crate::machine::state::State;
use crate::project::{TaskId, TaskStatus};
use crate::spec::{amended_faults, changing};
use kernel::{Decision, Refusal};

pub(super) fn resolve(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    let (id, mut resolution) = Resolution::read(&decision.option, &decision.with)?;
    let action = resolution.action();
    let Some(task) = state.graph.get(&id) else {
        return Err(Refusal::new(
            "task_unknown",
            format!("there is no task `{id}`"),
            "name a task of `state_machine.json`",
        ));
    };
    match task.status {
        TaskStatus::Halted => {}
        TaskStatus::InProgress if state.is_stuck(&id) => {}
        TaskStatus::Blocked if suits_blocked(action) => {}
        TaskStatus::Shipped if action == Action::AmendSpec && state.may_reopen() == Some(&id) => {}
        // Nothing is made anew for a case: whoever tries the product next goes by it.
        TaskStatus::Pending | TaskStatus::Shipped
            if of_cases_alone(&resolution) && state.may_correct(&id) => {}
        TaskStatus::Blocked => {
            return Err(Refusal::new(
                "resolution_not_for_blocked",
                format!(
                    "`{id}` is BLOCKED; there is nothing of it to {}",
                    action.as_str()
                ),
                "give AMEND_SPEC, SPLIT_TASK or ABANDON_TASK, or resolve what blocks it",
            ));
        }
        other => {
            return Err(Refusal::new(
                "task_not_escalated",
                format!("`{id}` is {}", other.as_str()),
                "resolve a task that is HALTED, BLOCKED or stuck",
            ));
        }
    }
    if let Some(change) = state.changes.values().find(|change| change.task == id) {
        return Err(Refusal::new(
            "exception_in_debate",
            format!(
                "the change of {} for {} is being debated",
                change.from, change.exception
            ),
            "wait for the end of that debate",
        ));
    }
    let (mut tasks, mut plan) = (Vec::new(), None);
    match &resolution.clone() {
        Resolution::ApproveOverride { .. } => {
            let work = state.work.get(&id);
            if work.is_none_or(|work| work.shippable().is_empty()) {
                return Err(Refusal::new(
                    "nothing_to_ship",
                    format!("`{id}` halted before anything was proposed"),
                    "give another resolution",
                ));
            }
        }
        Resolution::ProvideFix { fix_artifacts, .. } => {
            let work = state.work.get(&id);
            let at = work.and_then(|work| work.reference(work.fixable()?));
            let Some(module) = at else {
                return Err(Refusal::new(
                    "no_module_to_fix",
                    format!("`{id}` has no module that failed"),
                    "give REVISE_PLAN first, or another resolution",
                ));
            };
            // It would stand on an earlier fix, and the two are written as one.
            if let Some(earlier) = state.standing_fix(&id, &module) {
                for name in fix_artifacts.keys() {
                    apart(name, earlier.files.keys())?;
                }
                for name in earlier.files.keys() {
                    apart(name, fix_artifacts.keys())?;
                }
            }
        }
        Resolution::AmendSpec { .. } => {
            resolution = amended(state, &id, resolution, task.status)?;
            if task.status == TaskStatus::Blocked {
                state.graph.dead_dependencies(&id)?;
            }
        }
        Resolution::SplitTask { new_tasks } => {
            tasks = parts(state, &id, new_tasks)?;
            match task.status {
                TaskStatus::InProgress => state.graph.parts_fit(&id, &tasks)?,
                _ => state.graph.may_split(&id, &tasks)?,
            }
        }
        Resolution::RevisePlan { revised_micro_plan } => {
            plan = Some(human_plan(state, &id, revised_micro_plan)?);
        }
        Resolution::AbandonTask { .. } => {}
    }
    // The decision stays as it is, and is carried out once the task has halted.
    if task.status == TaskStatus::InProgress {
        return Ok(Fact::TaskHalted(halting(state, task, STUCK, None)));
    }
    Ok(Fact::TaskResolved(Box::new(TaskResolved {
        task: id,
        resolution,
        who: decision.who.clone(),
        tasks,
        plan,
    })))
}

fn of_cases_alone(resolution: &Resolution) -> bool {
    matches!(resolution, Resolution::AmendSpec { amended_acceptance_criteria, amended_cases, .. }
        if amended_acceptance_criteria.is_empty() && !amended_cases.is_empty())
}

/// What an amendment changes, without what it only repeats.
fn amended(
    state: &State,
    id: &TaskId,
    resolution: Resolution,
    status: TaskStatus,
) -> Result<Resolution, Refusal> {
    let Resolution::AmendSpec {
        mut amended_acceptance_criteria,
        amended_cases,
        amendment_rationale,
    } = resolution
    else {
        return Ok(resolution);
    };
    let promised = state.promised.as_ref();
    let of_product = promised.filter(|one| one.entry.as_ref() == Some(id));
    let cases = of_product.map_or(&[][..], |one| one.product.cases.as_slice());
    if !amended_cases.is_empty() && cases.is_empty() {
        let entry = promised.and_then(|one| one.entry.as_ref());
        return Err(Refusal::new(
            "case_not_here",
            format!("`{id}` has no cases: they are the product's"),
            match entry.filter(|_| promised.is_some_and(|one| !one.product.cases.is_empty())) {
                Some(entry) => format!("give `amended_cases` for its assembly, {entry}"),
                None => "leave `amended_cases` out: this project has none".to_owned(),
            },
        ));
    }
    let wrong = of_product.map_or(Vec::new(), |one| {
        amended_faults(&one.product, &amended_cases)
    });
    if !wrong.is_empty() {
        return Err(Refusal::new(
            "case_unfit",
            wrong.join("; "),
            "without a payload `resolve` shows the cases with their numbers",
        ));
    }
    let amended_cases = changing(cases, &amended_cases);
    let same = amended_acceptance_criteria == state.shows(id);
    if same && !amended_cases.is_empty() {
        amended_acceptance_criteria.clear();
    }
    let rests = matches!(status, TaskStatus::Pending | TaskStatus::Shipped);
    if amended_cases.is_empty() && (amended_acceptance_criteria.is_empty() || (same && rests)) {
        return Err(Refusal::new(
            "nothing_amended",
            "what is given is what the spec says already",
            "change a case or a criterion of it",
        ));
    }
    Ok(Resolution::AmendSpec {
        amended_acceptance_criteria,
        amended_cases,
        amendment_rationale,
    })
}
