//! What may happen to a task, one function each. Whatever is not in the table of transitions is
//! refused and changes nothing.

use super::declare::Declared;
use super::graph::{Task, TaskGraph};
use super::status::{TRANSITIONS, TaskStatus};
use super::types::{EscalationId, ModuleRef, TaskId};
use kernel::{Refusal, Time};
use std::collections::BTreeSet;

impl TaskGraph {
    fn legal(&self, id: &TaskId, to: TaskStatus) -> Result<u32, Refusal> {
        let at = self.index(id)?;
        let from = self.tasks[at as usize].status;
        if TRANSITIONS.contains(&(from, to)) {
            return Ok(at);
        }
        let ways: Vec<&str> = TRANSITIONS
            .iter()
            .filter(|(start, _)| *start == from)
            .map(|(_, end)| end.as_str())
            .collect();
        Err(Refusal::new(
            "task_transition_illegal",
            format!(
                "`{id}` is {} and cannot become {}",
                from.as_str(),
                to.as_str()
            ),
            if ways.is_empty() {
                "this status is final; declare a new task".to_owned()
            } else {
                format!("from here a task may become: {}", ways.join(", "))
            },
        ))
    }

    fn set(&mut self, at: u32, status: TaskStatus, more: impl FnOnce(&mut Task)) {
        self.change(at, |graph| {
            let task = &mut graph.tasks[at as usize];
            task.status = status;
            if !matches!(status, TaskStatus::Halted | TaskStatus::Abandoned) {
                task.halted_reason = None;
                task.escalation_ref = None;
            }
            more(task);
        });
    }

    /// To the engineering loop: only what waits for nothing.
    pub fn dispatch(&mut self, id: &TaskId) -> Result<(), Refusal> {
        let at = self.legal(id, TaskStatus::InProgress)?;
        let fresh = self.tasks[at as usize].status == TaskStatus::Pending;
        if fresh && !self.ready.contains(&at) {
            return Err(Refusal::new(
                "task_not_ready",
                format!("`{id}` depends on tasks that are not shipped"),
                "ship them first",
            ));
        }
        self.set(at, TaskStatus::InProgress, |task| task.rounds += 1);
        Ok(())
    }

    /// A halted task goes back to the engineering loop, past the queue.
    pub fn resume(&mut self, id: &TaskId) -> Result<(), Refusal> {
        self.dispatch(id)
    }

    /// Everything of it is shipped.
    pub fn ship(&mut self, id: &TaskId, modules: &[ModuleRef], at: Time) -> Result<(), Refusal> {
        let index = self.legal(id, TaskStatus::Shipped)?;
        self.set(index, TaskStatus::Shipped, |task| {
            task.module_ref = modules.last().cloned();
            task.modules = modules.to_vec();
            task.shipped_at = Some(at);
        });
        Ok(())
    }

    /// It needs a person; what depends on it is blocked.
    pub fn halt(
        &mut self,
        id: &TaskId,
        reason: &str,
        escalation: &EscalationId,
    ) -> Result<(), Refusal> {
        let at = self.legal(id, TaskStatus::Halted)?;
        self.set(at, TaskStatus::Halted, |task| {
            task.halted_reason = Some(reason.to_owned());
            task.escalation_ref = Some(escalation.clone());
        });
        Ok(())
    }

    /// A halted task waits for its turn again.
    pub fn requeue(&mut self, id: &TaskId) -> Result<(), Refusal> {
        let at = self.legal(id, TaskStatus::Pending)?;
        self.set(at, TaskStatus::Pending, |_| {});
        Ok(())
    }

    /// A shipped task is made once more, as a further version of what it shipped. What depends on it and is
    /// not begun waits for that.
    pub fn reopen(&mut self, id: &TaskId) -> Result<(), Refusal> {
        let at = self.index(id)?;
        if self.tasks[at as usize].status != TaskStatus::Shipped {
            return self.requeue(id);
        }
        self.set(at, TaskStatus::Pending, |_| {});
        Ok(())
    }

    /// Closed for good. What depends on it stays blocked.
    pub fn abandon(&mut self, id: &TaskId, reason: &str) -> Result<(), Refusal> {
        let at = self.legal(id, TaskStatus::Abandoned)?;
        self.set(at, TaskStatus::Abandoned, |task| {
            task.halted_reason = Some(reason.to_owned());
        });
        Ok(())
    }

    /// Dependencies of a blocked task that can never be met, if those are all that blocks it.
    pub fn dead_dependencies(&self, id: &TaskId) -> Result<Vec<TaskId>, Refusal> {
        let at = self.legal(id, TaskStatus::Pending)?;
        let task = &self.tasks[at as usize];
        let (mut dead, mut alive) = (Vec::new(), Vec::new());
        for dependency in task.depends_on() {
            let Some(of) = self.get(dependency) else {
                continue;
            };
            let split = !of.superseded_by.is_empty();
            match of.status {
                TaskStatus::Abandoned if !split => dead.push(dependency.clone()),
                TaskStatus::Halted | TaskStatus::Blocked => alive.push(dependency.as_str()),
                TaskStatus::Abandoned if self.links[self.index(dependency)? as usize].bad > 0 => {
                    alive.push(dependency.as_str());
                }
                _ => {}
            }
        }
        if alive.is_empty() {
            return Ok(dead);
        }
        Err(Refusal::new(
            "task_still_blocked",
            format!("`{id}` would stay BLOCKED by {}", alive.join(", ")),
            "resolve those first; this task follows or can be amended then",
        ))
    }

    /// A blocked task no longer needs what was abandoned.
    pub fn waive(&mut self, id: &TaskId) -> Result<(), Refusal> {
        let dead = self.dead_dependencies(id)?;
        let at = self.index(id)?;
        let snapshots = self.snapshots;
        self.change(at, |graph| {
            graph.disconnect(at);
            let task = &mut graph.tasks[at as usize];
            task.waived
                .extend(dead.into_iter().map(|one| (one, snapshots)));
            graph.connect(at);
            graph.recount(at);
        });
        Ok(())
    }

    /// May these tasks stand in for that one?
    pub fn may_split(&self, id: &TaskId, new: &[Declared]) -> Result<(), Refusal> {
        self.legal(id, TaskStatus::Abandoned)?;
        self.parts_fit(id, new)
    }

    /// Would they fit, whatever its status is now?
    pub fn parts_fit(&self, id: &TaskId, new: &[Declared]) -> Result<(), Refusal> {
        let at = self.index(id)?;
        let mut known: BTreeSet<&TaskId> = BTreeSet::new();
        for task in new {
            if self.get(&task.id).is_some() || !known.insert(&task.id) {
                return Err(Refusal::new(
                    "task_id_twice",
                    format!("the id `{}` is taken", task.id),
                    "give each new task a name of its own",
                ));
            }
        }
        for task in new {
            for dependency in &task.depends_on {
                if known.contains(dependency) {
                    continue;
                }
                let of = self.index(dependency).map_err(|_| {
                    Refusal::new(
                        "split_dependency_unknown",
                        format!("`{}` depends on `{dependency}`, which is no task", task.id),
                        "name a task of this project, or a sibling by its name",
                    )
                })?;
                if self.reaches(of, at) {
                    return Err(Refusal::new(
                        "split_makes_a_cycle",
                        format!("`{dependency}` waits for `{id}` itself"),
                        "let the new tasks depend on what the old one depended on, or on siblings",
                    ));
                }
            }
        }
        let siblings: Vec<Declared> = new
            .iter()
            .map(|task| {
                let mut task = task.clone();
                task.depends_on.retain(|one| known.contains(one));
                task
            })
            .collect();
        super::declare::judge(&siblings)
    }

    fn reaches(&self, from: u32, to: u32) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                open.extend(&self.links[at as usize].awaits);
            }
        }
        false
    }

    /// The new tasks stand in for the old one, which is closed.
    pub fn split(&mut self, id: &TaskId, reason: &str, new: &[Declared]) -> Result<(), Refusal> {
        self.may_split(id, new)?;
        let at = self.index(id)?;
        let mut added = Vec::new();
        for task in new {
            added.push(self.insert(Task::new(task.clone())));
        }
        for one in &added {
            self.connect(*one);
        }
        // A sibling may come before what it depends on; counting twice settles both.
        for _ in 0..added.len() {
            added.iter().for_each(|one| self.recount(*one));
        }
        added.iter().for_each(|one| self.list(*one));
        self.change(at, |graph| {
            graph.disconnect(at);
            let task = &mut graph.tasks[at as usize];
            task.status = TaskStatus::Abandoned;
            task.halted_reason = Some(reason.to_owned());
            task.superseded_by = new.iter().map(|task| task.id.clone()).collect();
            graph.connect(at);
            graph.recount(at);
        });
        Ok(())
    }
}
