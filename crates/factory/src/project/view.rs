//! `state_store/project/state_machine.json` in the document's shape, now and as it was at a halt.
//!
//! A snapshot is one letter for each task and what can change again; a hundred thousand tasks are
//! a hundred thousand bytes, and the rest is found where it lies.

use super::graph::TaskGraph;
use super::project_state::{ProjectState, TaskState};
use super::status::TaskStatus;
use super::types::{EscalationId, Head};
use kernel::Time;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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

    /// The view as it is now. It lends what it shows: a hundred thousand tasks are written without
    /// being copied first.
    pub fn view(&self, head: &Head, updated_at: Time) -> ProjectState<'_> {
        let tasks = self.tasks.iter().enumerate();
        let tasks = tasks.map(|(order, task)| {
            let id = Cow::Borrowed(task.declared.id.as_str());
            (id, TaskState::of(order, task))
        });
        ProjectState::of(head, updated_at, tasks.collect())
    }

    /// The view as it was.
    pub fn view_at(&self, head: &Head, snapshot: &Snapshot) -> ProjectState<'_> {
        let then = snapshot.letters.chars().zip(&self.tasks).enumerate();
        let tasks = then.map(|(order, (letter, task))| {
            let mut was = TaskState::of(order, task);
            was.status = TaskStatus::of_letter(letter).unwrap_or(task.status);
            let depends_on = task.depended_on_at(snapshot.serial);
            was.depends_on = depends_on.map(|on| Cow::Borrowed(on.as_str())).collect();
            if was.status != TaskStatus::Abandoned {
                (was.halted_reason, was.escalation_ref) = (None, None);
                was.superseded_by = Vec::new();
            }
            if was.status != TaskStatus::Shipped {
                (was.module_ref, was.shipped_at) = (None, None);
            }
            let halted = &snapshot.halted;
            if let Ok(found) = halted.binary_search_by_key(&(order as u32), |one| one.0) {
                was.halted_reason = Some(Cow::Owned(halted[found].1.clone()));
                was.escalation_ref = Some(Cow::Owned(halted[found].2.to_string()));
            }
            (Cow::Borrowed(task.declared.id.as_str()), was)
        });
        ProjectState::of(head, snapshot.at, tasks.collect())
    }
}
