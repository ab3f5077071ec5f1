//! The tasks with what follows from their dependencies, kept as it changes: nothing is ever
//! searched for.
//!
//! Each task counts its direct dependencies that are not met, and those that are bad (halted,
//! abandoned, or themselves blocked by such). A change is passed on only to the tasks whose counts
//! it changes, so that a ship costs its direct dependants and a halt what it really blocks. The
//! definition that this must equal is in rule F4.2; a property test holds the two together.

use super::declare::{self, Declared};
use super::status::TaskStatus;
use super::types::{EscalationId, ModuleRef, TaskId};
use kernel::{Refusal, Time};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A task of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    #[serde(flatten)]
    pub declared: Declared,
    /// Where it stands.
    pub status: TaskStatus,
    /// The module that completed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_ref: Option<ModuleRef>,
    /// Every module that it shipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleRef>,
    /// When it shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped_at: Option<Time>,
    /// Why it is halted or abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted_reason: Option<String>,
    /// The escalation that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation_ref: Option<EscalationId>,
    /// The tasks that stand in for it after a split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<TaskId>,
    /// Dead dependencies that a person took away, each with the number of snapshots before it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waived: BTreeMap<TaskId, u32>,
    /// How often it was dispatched or resumed; tells one round's escalation from the next's.
    #[serde(default)]
    pub rounds: u32,
    /// The version of the spec that does not have it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
}

impl Task {
    pub(super) fn new(declared: Declared) -> Self {
        Self {
            declared,
            status: TaskStatus::Pending,
            module_ref: None,
            modules: Vec::new(),
            shipped_at: None,
            halted_reason: None,
            escalation_ref: None,
            superseded_by: Vec::new(),
            waived: BTreeMap::new(),
            rounds: 0,
            gone: None,
        }
    }

    /// What it depends on now.
    pub fn depends_on(&self) -> impl Iterator<Item = &TaskId> {
        let all = self.declared.depends_on.iter();
        all.filter(|dependency| !self.waived.contains_key(*dependency))
    }

    /// What it depended on before so many snapshots.
    pub(super) fn depended_on_at(&self, serial: u32) -> impl Iterator<Item = &TaskId> {
        let all = self.declared.depends_on.iter();
        all.filter(move |one| self.waived.get(*one).is_none_or(|waived| *waived >= serial))
    }

    /// What a dependant of it has to wait for: itself, or what stands in for it.
    fn awaits(&self) -> Vec<&TaskId> {
        if self.superseded_by.is_empty() {
            self.depends_on().collect()
        } else {
            self.superseded_by.iter().collect()
        }
    }
}

/// What follows for one task from others. Never stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Links {
    pub(super) awaits: Vec<u32>,
    pub(super) dependants: Vec<u32>,
    pub(super) unmet: u32,
    pub(super) bad: u32,
}

/// All tasks. A task's index is its `declaration_order`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct TaskGraph {
    pub(super) tasks: Vec<Task>,
    pub(super) links: Vec<Links>,
    by_id: BTreeMap<TaskId, u32>,
    pub(super) ready: BTreeSet<u32>,
    halted: BTreeSet<u32>,
    in_progress: BTreeSet<u32>,
    counts: BTreeMap<TaskStatus, u32>,
    pub(super) snapshots: u32,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    tasks: Vec<Task>,
    snapshots: u32,
}

impl From<TaskGraph> for Stored {
    fn from(graph: TaskGraph) -> Self {
        Self {
            tasks: graph.tasks,
            snapshots: graph.snapshots,
        }
    }
}

impl From<Stored> for TaskGraph {
    fn from(stored: Stored) -> Self {
        let mut graph = TaskGraph::of(stored.tasks);
        graph.snapshots = stored.snapshots;
        graph
    }
}

/// What a task is to others.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Standing {
    met: bool,
    bad: bool,
}

impl TaskGraph {
    /// A project with all its tasks waiting, or the first fault of the list.
    pub fn declare(tasks: Vec<Declared>) -> Result<Self, Refusal> {
        declare::judge(&tasks)?;
        Ok(Self::of(tasks.into_iter().map(Task::new).collect()))
    }

    /// The tasks of a further version of the spec, which are judged already: what stays is as it was, what
    /// changes is made once more, and what is not in it any more is closed. Nothing changes its place, so that
    /// snapshots of before stay true.
    pub fn further(&self, declared: Vec<Declared>, stays: &[TaskId], version: &str) -> Self {
        let order: Vec<TaskId> = declared.iter().map(|one| one.id.clone()).collect();
        let named = declared.into_iter().map(|one| (one.id.clone(), one));
        let mut named: BTreeMap<TaskId, Declared> = named.collect();
        let parts = self.stand_in_for(stays);
        let mut tasks = self.tasks.clone();
        for task in &mut tasks {
            let id = task.declared.id.clone();
            match named.remove(&id) {
                Some(declared) if stays.contains(&id) => task.declared = declared,
                Some(declared) => {
                    let before = std::mem::replace(task, Task::new(declared));
                    task.module_ref = before.module_ref;
                    task.modules = before.modules;
                    task.rounds = before.rounds;
                }
                None if task.gone.is_some() || parts.contains(&id) => {}
                None => {
                    task.status = TaskStatus::Abandoned;
                    task.halted_reason = Some(format!("the spec {version} does not have it"));
                    task.escalation_ref = None;
                    task.superseded_by.clear();
                    task.gone = Some(version.to_owned());
                }
            }
        }
        let new = order.iter().filter_map(|id| named.remove(id));
        tasks.extend(new.map(Task::new));
        let mut graph = Self::of(tasks);
        graph.snapshots = self.snapshots;
        graph
    }

    /// The tasks that stand in for some of these, and for each other.
    pub fn stand_in_for(&self, tasks: &[TaskId]) -> BTreeSet<TaskId> {
        let (mut open, mut found) = (tasks.to_vec(), BTreeSet::new());
        while let Some(id) = open.pop() {
            let parts = self.get(&id).map_or(&[][..], |task| &task.superseded_by);
            open.extend(parts.iter().cloned());
            found.extend(parts.iter().cloned());
        }
        found
    }

    /// Builds every index anew. Expects what [`declare::judge`] or an earlier life has judged.
    fn of(tasks: Vec<Task>) -> Self {
        let mut graph = TaskGraph::default();
        for task in tasks {
            graph.insert(task);
        }
        for at in 0..graph.tasks.len() {
            graph.connect(at as u32);
        }
        // In order of dependence, so that each count is final when it is read.
        let mut open: Vec<u32> = graph.links.iter().map(|l| l.awaits.len() as u32).collect();
        let all = 0..graph.tasks.len() as u32;
        let mut free: Vec<u32> = all.filter(|at| open[*at as usize] == 0).collect();
        while let Some(at) = free.pop() {
            graph.recount(at);
            for next in &graph.links[at as usize].dependants {
                open[*next as usize] -= 1;
                if open[*next as usize] == 0 {
                    free.push(*next);
                }
            }
        }
        for at in 0..graph.tasks.len() as u32 {
            graph.list(at);
        }
        graph
    }

    pub(super) fn insert(&mut self, task: Task) -> u32 {
        let at = self.tasks.len() as u32;
        self.by_id.insert(task.declared.id.clone(), at);
        self.tasks.push(task);
        self.links.push(Links::default());
        at
    }

    /// Notes whom a task waits for, on both sides.
    pub(super) fn connect(&mut self, at: u32) {
        let awaited: BTreeSet<u32> = self.tasks[at as usize]
            .awaits()
            .into_iter()
            .filter_map(|id| self.by_id.get(id).copied())
            .collect();
        for of in &awaited {
            self.links[*of as usize].dependants.push(at);
        }
        self.links[at as usize].awaits = awaited.into_iter().collect();
    }

    pub(super) fn disconnect(&mut self, at: u32) {
        for of in std::mem::take(&mut self.links[at as usize].awaits) {
            self.links[of as usize].dependants.retain(|one| *one != at);
        }
    }

    pub(super) fn recount(&mut self, at: u32) {
        let awaited = self.links[at as usize].awaits.iter();
        let standings: Vec<Standing> = awaited.map(|of| self.standing(*of)).collect();
        let links = &mut self.links[at as usize];
        links.unmet = standings.iter().filter(|s| !s.met).count() as u32;
        links.bad = standings.iter().filter(|s| s.bad).count() as u32;
        self.derive(at);
    }

    /// Waiting is one status with two names; which one follows from the counts.
    fn derive(&mut self, at: u32) {
        let task = &mut self.tasks[at as usize];
        if matches!(task.status, TaskStatus::Pending | TaskStatus::Blocked) {
            task.status = if self.links[at as usize].bad > 0 {
                TaskStatus::Blocked
            } else {
                TaskStatus::Pending
            };
        }
    }

    fn standing(&self, at: u32) -> Standing {
        let (task, links) = (&self.tasks[at as usize], &self.links[at as usize]);
        let split = !task.superseded_by.is_empty();
        let itself =
            task.status == TaskStatus::Halted || (task.status == TaskStatus::Abandoned && !split);
        Standing {
            met: task.status == TaskStatus::Shipped || (split && links.unmet == 0),
            bad: itself || links.bad > 0,
        }
    }

    fn unlist(&mut self, at: u32) {
        let status = self.tasks[at as usize].status;
        if let Some(count) = self.counts.get_mut(&status) {
            *count -= 1;
        }
        match status {
            TaskStatus::Pending => self.ready.remove(&at),
            TaskStatus::Halted => self.halted.remove(&at),
            TaskStatus::InProgress => self.in_progress.remove(&at),
            TaskStatus::Shipped | TaskStatus::Blocked | TaskStatus::Abandoned => false,
        };
    }

    pub(super) fn list(&mut self, at: u32) {
        let status = self.tasks[at as usize].status;
        *self.counts.entry(status).or_insert(0) += 1;
        match status {
            TaskStatus::Pending if self.links[at as usize].unmet == 0 => self.ready.insert(at),
            TaskStatus::Halted => self.halted.insert(at),
            TaskStatus::InProgress => self.in_progress.insert(at),
            _ => false,
        };
    }

    /// Changes one task and passes on what that changes for others, and no further.
    pub(super) fn change(&mut self, at: u32, change: impl FnOnce(&mut Self)) {
        let before = self.standing(at);
        self.unlist(at);
        change(self);
        self.derive(at);
        self.list(at);
        let mut news = vec![(at, before, self.standing(at))];
        while let Some((of, was, is)) = news.pop() {
            if was == is {
                continue;
            }
            for index in 0..self.links[of as usize].dependants.len() {
                let next = self.links[of as usize].dependants[index];
                let before = self.standing(next);
                self.unlist(next);
                let links = &mut self.links[next as usize];
                links.unmet = links.unmet + u32::from(was.met) - u32::from(is.met);
                links.bad = links.bad + u32::from(is.bad) - u32::from(was.bad);
                self.derive(next);
                self.list(next);
                news.push((next, before, self.standing(next)));
            }
        }
    }

    /// The index of a task.
    pub(super) fn index(&self, id: &TaskId) -> Result<u32, Refusal> {
        self.by_id.get(id).copied().ok_or_else(|| {
            Refusal::new(
                "task_unknown",
                format!("there is no task `{id}`"),
                "name a task of `state_machine.json`",
            )
        })
    }

    /// A task by its id.
    pub fn get(&self, id: &TaskId) -> Option<&Task> {
        self.by_id.get(id).map(|at| &self.tasks[*at as usize])
    }

    /// All tasks in their order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter()
    }

    /// How many tasks have this status.
    pub fn count(&self, status: TaskStatus) -> u32 {
        self.counts.get(&status).copied().unwrap_or(0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The task to dispatch: the earliest that waits for nothing. None while any task is halted:
    /// the project stops for a person (rule F17).
    pub fn next(&self) -> Option<&Task> {
        self.halted.is_empty().then_some(())?;
        self.ready.first().map(|at| &self.tasks[*at as usize])
    }

    /// Tasks that the engineering loop has.
    pub fn in_progress(&self) -> impl Iterator<Item = &Task> {
        self.in_progress.iter().map(|at| &self.tasks[*at as usize])
    }

    /// Tasks that wait for a person.
    pub fn halted(&self) -> impl Iterator<Item = &Task> {
        self.halted.iter().map(|at| &self.tasks[*at as usize])
    }

    /// No task is left that work or a person could still move, and something was shipped.
    pub fn is_complete(&self) -> bool {
        use TaskStatus::{Blocked, Halted, InProgress, Pending, Shipped};
        let open = [Pending, InProgress, Blocked, Halted];
        open.into_iter().all(|status| self.count(status) == 0) && self.count(Shipped) > 0
    }
}
