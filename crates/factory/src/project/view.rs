//! `state_store/project/state_machine.json` in the document's shape, now and as it was at a halt.
//!
//! A snapshot is one letter for each task and what can change again; a hundred thousand tasks are
//! a hundred thousand bytes, and the rest is found where it lies.

use super::graph::{Task, TaskGraph};
use super::status::TaskStatus;
use super::types::EscalationId;
use kernel::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Where the view lies in a project.
pub const STATE_MACHINE: &str = "state_store/project/state_machine.json";

/// What a view says about the project as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// The project's id.
    pub project_id: String,
    /// The version of the spec that drives it.
    pub spec_version: String,
}

/// All statuses at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When.
    pub at: Time,
    /// Which one it is, from one.
    pub serial: u32,
    /// One letter for each task.
    pub letters: String,
    /// What was halted then: index, reason, escalation.
    pub halted: Vec<(u32, String, EscalationId)>,
}

impl TaskGraph {
    /// Takes a snapshot.
    pub fn take_snapshot(&mut self, at: Time) -> Snapshot {
        self.snapshots += 1;
        let halted = self.tasks.iter().enumerate().filter_map(|(index, task)| {
            (task.status == TaskStatus::Halted).then_some(())?;
            let (reason, escalation) = (task.halted_reason.clone()?, task.escalation_ref.clone()?);
            Some((index as u32, reason, escalation))
        });
        Snapshot {
            at,
            serial: self.snapshots,
            letters: self.tasks.iter().map(|task| task.status.letter()).collect(),
            halted: halted.collect(),
        }
    }

    /// The view as it is now.
    pub fn view(&self, head: &Head, updated_at: Time) -> Value {
        let tasks = self.tasks.iter().enumerate();
        let tasks = tasks.map(|(order, task)| (task.declared.id.to_string(), entry(order, task)));
        wrap(head, updated_at, tasks.collect())
    }

    /// The view as it was.
    pub fn view_at(&self, head: &Head, snapshot: &Snapshot) -> Value {
        let then = snapshot.letters.chars().zip(&self.tasks).enumerate();
        let tasks = then.map(|(order, (letter, task))| {
            let mut was = task.clone();
            was.status = TaskStatus::of_letter(letter).unwrap_or(task.status);
            was.waived.retain(|_, waived| *waived < snapshot.serial);
            if was.status != TaskStatus::Abandoned {
                (was.halted_reason, was.escalation_ref) = (None, None);
                was.superseded_by = Vec::new();
            }
            if was.status != TaskStatus::Shipped {
                (was.module_ref, was.shipped_at) = (None, None);
            }
            let halted = &snapshot.halted;
            if let Ok(found) = halted.binary_search_by_key(&(order as u32), |one| one.0) {
                was.halted_reason = Some(halted[found].1.clone());
                was.escalation_ref = Some(halted[found].2.clone());
            }
            (task.declared.id.to_string(), entry(order, &was))
        });
        wrap(head, snapshot.at, tasks.collect())
    }
}

fn wrap(head: &Head, updated_at: Time, tasks: Map<String, Value>) -> Value {
    json!({
        "project_id": head.project_id,
        "spec_version": head.spec_version,
        "updated_at": updated_at,
        "tasks": tasks,
    })
}

fn entry(order: usize, task: &Task) -> Value {
    let mut entry = json!({
        "pillar": task.declared.pillar,
        "epic": task.declared.epic,
        "story": task.declared.story,
        "task": task.declared.task,
        "status": task.status,
        "depends_on": task.depends_on().collect::<Vec<_>>(),
        "module_ref": task.module_ref,
        "shipped_at": task.shipped_at,
        "halted_reason": task.halted_reason,
        "escalation_ref": task.escalation_ref,
        "declaration_order": order,
    });
    // Section 17.2 adds it, and only a split task has it.
    if !task.superseded_by.is_empty() {
        entry["superseded_by"] = json!(task.superseded_by);
    }
    entry
}
