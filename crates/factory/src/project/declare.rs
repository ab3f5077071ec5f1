//! What a project is told at its start, and what is wrong with it: ids twice, dependencies on
//! nothing, cycles. All of it is judged before anything is taken in.

use super::types::TaskId;
use crate::spec::IoContractSketch;
use kernel::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A task as the approved spec declares it. Its place in the list is its `declaration_order`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    pub id: TaskId,
    /// The pillar's name.
    #[serde(default)]
    pub pillar: String,
    /// The epic's name.
    #[serde(default)]
    pub epic: String,
    /// The story's name.
    #[serde(default)]
    pub story: String,
    /// The task's own name.
    #[serde(default)]
    pub task: String,
    /// What must be shipped before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    /// What it must show; empty in a project of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// What goes in and out, in prose; none in a project of before, and in a part of a task for which a person gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<IoContractSketch>,
}

/// Judges a whole list; the first fault is the answer.
pub fn judge(tasks: &[Declared]) -> Result<(), Refusal> {
    let mut index = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        if let Some(other) = index.insert(&task.id, at) {
            return Err(Refusal::new(
                "task_id_twice",
                format!(
                    "`{}` and `{}` both have the id `{}`",
                    tasks[other].task, task.task, task.id
                ),
                "give each task an id of its own",
            ));
        }
    }
    let mut unmet = Vec::with_capacity(tasks.len());
    let mut dependants = vec![Vec::new(); tasks.len()];
    for (at, task) in tasks.iter().enumerate() {
        for dependency in &task.depends_on {
            let Some(of) = index.get(dependency) else {
                return Err(Refusal::new(
                    "task_dependency_unknown",
                    format!("`{}` depends on `{dependency}`, which is no task", task.id),
                    "name a task of this project",
                ));
            };
            dependants[*of].push(at);
        }
        unmet.push(task.depends_on.len());
    }
    let mut free: Vec<usize> = (0..tasks.len()).filter(|at| unmet[*at] == 0).collect();
    let mut seen = 0;
    while let Some(at) = free.pop() {
        seen += 1;
        for next in &dependants[at] {
            unmet[*next] -= 1;
            if unmet[*next] == 0 {
                free.push(*next);
            }
        }
    }
    if seen == tasks.len() {
        return Ok(());
    }
    let stuck = (0..tasks.len()).filter(|at| unmet[*at] > 0);
    let names: Vec<&str> = stuck.take(5).map(|at| tasks[at].id.as_str()).collect();
    Err(Refusal::new(
        "task_dependency_cycle",
        format!("these tasks wait for each other: {}", names.join(", ")),
        "take one of the dependencies out",
    ))
}
