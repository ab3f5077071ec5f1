//! The six resolutions of rule F17.2, on a task that halted, that is blocked by what was
//! abandoned, or that is stuck. A stuck task halts first, so that a person resolves an escalation with
//! all its fields and not a task in the middle of its work.

use super::made::{human_plan, parts};
use crate::halt::artifact::STUCK;
use crate::halt::resolution::{Action, Resolution, apart, suits_blocked};
use crate::machine::facts::{Fact, TaskResolved};
use crate::machine::halting::halting;
use crate::machine::state::State;
use crate::project::TaskStatus;
use kernel::{Decision, Refusal};

pub(super) fn resolve(state: &State, decision: &Decision) -> Result<Fact, Refusal> {
    let (id, resolution) = Resolution::read(&decision.option, &decision.with)?;
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
    match &resolution {
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
