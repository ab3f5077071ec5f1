//! What one task's loop may know of the others: what is shipped upstream, and which version is free.

use super::state::State;
use crate::delivery::registry::{Registry, fingerprint};
use crate::engineering::plan::PlanModule;
use crate::engineering::work::{Fate, Surroundings, Work};
use crate::project::types::{ModuleRef, TaskId, Version};
use serde_json::json;
use std::collections::BTreeSet;

/// The rest of the project, as one task sees it.
pub(crate) struct Around<'a> {
    pub(crate) state: &'a State,
    pub(crate) task: &'a TaskId,
}

/// The version in use: the one named, or what took its place.
fn current(registry: &Registry, named: &ModuleRef) -> ModuleRef {
    let mut reference = named.clone();
    // Each step leads to a newer version, so this ends.
    while let Some(new) = registry
        .get(&reference)
        .and_then(|entry| entry.superseded_by.clone())
        .filter(|new| *new > reference)
    {
        reference = new;
    }
    reference
}

/// What a module of a plan depends on, as it is shipped.
pub(crate) fn resolved(registry: &Registry, work: &Work, module: usize) -> Vec<ModuleRef> {
    let Some(plan) = &work.plan else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for one in &plan.modules[module].depends_on {
        let inside = plan
            .modules
            .iter()
            .position(|other| other.module_id == one.module);
        match inside.map(|at| &work.modules[at].fate) {
            Some(Fate::Shipped(reference)) => found.push(reference.clone()),
            Some(_) => {}
            None => found.push(current(registry, one)),
        }
    }
    found
}

impl Around<'_> {
    /// Modules of the tasks that this one depends on, through whatever stands in for them.
    pub(crate) fn of_tasks(&self) -> Vec<ModuleRef> {
        let graph = &self.state.graph;
        let mut open: Vec<&TaskId> = graph
            .get(self.task)
            .map(|task| task.depends_on().collect())
            .unwrap_or_default();
        let mut found = BTreeSet::new();
        while let Some(id) = open.pop() {
            if let Some(task) = graph.get(id) {
                open.extend(&task.superseded_by);
                found.extend(
                    task.modules
                        .iter()
                        .map(|one| current(&self.state.registry, one)),
                );
            }
        }
        found.into_iter().collect()
    }
}

impl Surroundings for Around<'_> {
    fn upstream(&self, work: &Work, module: usize) -> Vec<ModuleRef> {
        let mut all: BTreeSet<ModuleRef> = self.of_tasks().into_iter().collect();
        all.extend(resolved(&self.state.registry, work, module));
        all.retain(|one| self.state.registry.is_shipped(one));
        all.into_iter().collect()
    }

    fn next_version(&self, module: &PlanModule) -> Version {
        let id = &module.module_id;
        let reserved = self
            .state
            .reserved
            .iter()
            .filter(|(one, _)| one.module == *id);
        let mut highest: Option<Version> = None;
        for (reference, by) in reserved {
            if by == self.task {
                return reference.version;
            }
            highest = highest.max(Some(reference.version));
        }
        let newest = self.state.registry.newest(id);
        let Some(taken) = highest.max(newest.map(|entry| entry.reference.version)) else {
            return Version::FIRST;
        };
        let same = newest
            .is_some_and(|entry| entry.fingerprint == fingerprint(&json!(module.io_contract)));
        if same {
            Version {
                patch: taken.patch + 1,
                ..taken
            }
        } else {
            Version {
                major: taken.major + 1,
                minor: 0,
                patch: 0,
            }
        }
    }
}
