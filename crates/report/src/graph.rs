//! A project's tasks as people look at them: where each stands, what it waits for, and what is done for it
//! right now, in an order in which everything comes after what it needs.

use factory::engineering::debate::At;
use factory::engineering::work::Work;
use factory::machine::Factory;
use factory::project::graph::Task;
use factory::project::{ModuleRef, TaskId, TaskStatus};
use std::collections::BTreeMap;

/// All tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    pub tasks: Vec<Node>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub id: String,
    pub name: String,
    pub stands: TaskStatus,
    /// The places of those that must be shipped before it.
    pub after: Vec<usize>,
    /// What it shipped.
    pub modules: Vec<ModuleRef>,
    /// What is done for it, or why nothing is; may be empty.
    pub note: String,
}

impl Graph {
    /// Of a project as it stands.
    pub fn of(machine: &Factory) -> Self {
        let tasks: Vec<&Task> = machine.tasks().iter().collect();
        let at: BTreeMap<&TaskId, usize> = tasks
            .iter()
            .enumerate()
            .map(|(at, task)| (&task.declared.id, at))
            .collect();
        let needs: Vec<Vec<usize>> = tasks
            .iter()
            .map(|task| {
                let on = task.depends_on().filter_map(|on| at.get(on).copied());
                let on = on.flat_map(|on| stand_in(&tasks, &at, on));
                let mut on: Vec<usize> = on.collect();
                on.sort_unstable();
                on.dedup();
                on
            })
            .collect();
        let order = order(&needs);
        let place: BTreeMap<usize, usize> = order
            .iter()
            .enumerate()
            .map(|(row, task)| (*task, row))
            .collect();
        let node = |task: &usize| {
            let one = tasks[*task];
            let after = needs[*task].iter().map(|on| place[on]);
            Node {
                id: one.declared.id.to_string(),
                name: one.declared.task.clone(),
                stands: one.status,
                after: after.collect(),
                modules: one.modules.clone(),
                note: note(machine, one, &needs[*task], &tasks),
            }
        };
        Self {
            tasks: order.iter().map(node).collect(),
        }
    }
}

/// The tasks that a dependant waits for: the one that is named, or what it was split into.
fn stand_in(tasks: &[&Task], at: &BTreeMap<&TaskId, usize>, on: usize) -> Vec<usize> {
    match tasks[on].superseded_by.as_slice() {
        [] => vec![on],
        parts => parts.iter().filter_map(|id| at.get(id).copied()).collect(),
    }
}

/// Everything after what it needs, and otherwise as the spec has it.
fn order(needs: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut placed = vec![false; needs.len()];
    while order.len() < needs.len() {
        let ready = |task: &usize| !placed[*task] && needs[*task].iter().all(|on| placed[*on]);
        // A circle cannot be declared; if there were one, its first task would stand first.
        let next = (0..needs.len()).find(ready);
        let Some(next) = next.or_else(|| placed.iter().position(|placed| !placed)) else {
            break;
        };
        placed[next] = true;
        order.push(next);
    }
    order
}

fn note(machine: &Factory, task: &Task, needs: &[usize], tasks: &[&Task]) -> String {
    let waits = || {
        let open = needs.iter().map(|on| tasks[*on]);
        let open = open.filter(|on| on.status != TaskStatus::Shipped);
        let names: Vec<&str> = open.map(|on| on.declared.task.as_str()).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("after {}", names.join(", ")),
        }
    };
    match task.status {
        TaskStatus::Shipped => {
            let modules: Vec<String> = task.modules.iter().map(ToString::to_string).collect();
            modules.join(", ")
        }
        TaskStatus::InProgress => machine
            .work(&task.declared.id)
            .map_or_else(String::new, turn),
        TaskStatus::Halted | TaskStatus::Abandoned => {
            // Codes are words that people read here.
            let reason = task.halted_reason.as_deref().unwrap_or_default();
            reason.replace('_', " ")
        }
        TaskStatus::Pending | TaskStatus::Blocked => waits(),
    }
}

/// Whose turn it is in a task.
fn turn(work: &Work) -> String {
    if work.stuck.is_some() {
        return "it could not go on here".to_owned();
    }
    let Some(at) = work.active() else {
        return match work.plan {
            None => "it is being planned".to_owned(),
            Some(_) => String::new(),
        };
    };
    let module = work.reference(at);
    let module = module.map_or_else(String::new, |one| format!("{one}: "));
    let turn = match work.modules[at].debate.at {
        At::Propose => "the Proposer makes it",
        At::Revise => "the Proposer revises it",
        At::Amend => "the Proposer amends it",
        At::Examine => "the examiner writes questions to it",
        At::Seal => "the engine tries the exam",
        At::Sit => "the engine asks the proposal",
        At::Try => "the engine tries the proposal",
        At::Challenge => "the Challenger tries to break it",
        At::Adjudicate => "the Arbiter rules",
        At::Ship(_) => "the engine ships it",
    };
    format!("{module}{turn}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_after_what_it_needs_and_otherwise_as_it_was_declared() {
        assert_eq!(order(&[vec![2], vec![], vec![], vec![0, 1]]), [1, 2, 0, 3]);
        assert_eq!(order(&[vec![], vec![], vec![]]), [0, 1, 2]);
        assert_eq!(order(&[vec![1], vec![0], vec![]]), [2, 0, 1], "a circle");
    }
}
