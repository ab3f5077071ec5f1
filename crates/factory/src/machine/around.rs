//! What one task's loop may know of the others: what is shipped upstream, and which version is free.

use super::facts::Reopened;
use super::state::State;
use crate::contract::{from_plan, required_bump};
use crate::delivery::registry::{Entry, Registry, hash_of};
use crate::engineering::asked::Asked;
use crate::engineering::kind::{CONTINUES, Kind};
use crate::engineering::reuse::Offered;
use crate::engineering::work::{Fate, Surroundings, Work};
use crate::halt::candidate;
use crate::micro_plan::{IoContract, PlannedModule};
use crate::project::TaskStatus;
use crate::project::types::{ModuleId, ModuleRef, TaskId, Version};
use kernel::module::{Bump, ModuleStatus};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

/// The rest of the project, as one task sees it.
pub(crate) struct Around<'a> {
    pub(crate) state: &'a State,
    pub(crate) task: &'a TaskId,
}

/// What a module of a plan was built on: the versions that the plan names, whatever has taken their place since.
pub(crate) fn built_on(work: &Work, module: usize) -> Vec<ModuleRef> {
    let Some(plan) = &work.plan else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for one in &plan.modules[module].depends_on {
        let mut modules = plan.modules.iter();
        let inside = modules.position(|other| other.module_id == one.module);
        match inside.map(|at| &work.modules[at].fate) {
            Some(Fate::Shipped(reference)) => found.push(reference.clone()),
            Some(_) => {}
            None => found.push(one.clone()),
        }
    }
    found
}

/// The same, as it is in use now.
pub(crate) fn resolved(registry: &Registry, work: &Work, module: usize) -> Vec<ModuleRef> {
    let built_on = built_on(work, module).into_iter();
    built_on.map(|one| registry.current(&one)).collect()
}

/// Shipped tasks whose modules use what a further version has taken the place of, one use of each. Nobody who
/// works on one is disturbed: they are told when they ship.
pub(crate) fn outdated(state: &State) -> Vec<Reopened> {
    let tasks = state.graph.iter();
    let shipped = tasks.filter(|task| task.status == TaskStatus::Shipped);
    let found = shipped.filter_map(|task| {
        let modules = task.modules.iter();
        // A version that an exception made is the task's as well.
        let modules = modules.filter_map(|one| match state.briefs >= CONTINUES {
            true => state.registry.get(&state.registry.current(one)),
            false => state.registry.get(one),
        });
        let modules = modules.map(|entry| &entry.reference);
        let in_use = modules.filter(|one| state.registry.is_shipped(one));
        let mut uses = in_use.flat_map(|module| {
            let entry = state.registry.get(module);
            let used = entry.into_iter().flat_map(|entry| &entry.dependencies);
            used.map(move |(used, _)| (module, used))
        });
        uses.find_map(|(module, used)| {
            let entry = state.registry.get(used)?;
            let now = entry.superseded_by.as_ref()?;
            let further = entry.status == ModuleStatus::Superseded && now.module == used.module;
            further.then(|| Reopened {
                task: task.declared.id.clone(),
                module: module.clone(),
                uses: used.clone(),
                now: state.registry.current(used),
            })
        })
    });
    found.collect()
}

/// Modules in use that no task needs any more: their task went with an earlier version of the spec, or made
/// something else since, and nothing that stays uses them.
pub(crate) fn unneeded(state: &State) -> Vec<ModuleRef> {
    let registry = &state.registry;
    let live = state.graph.iter().filter(|task| task.gone.is_none());
    let made: BTreeSet<&ModuleId> = live
        .flat_map(|task| task.modules.iter().map(|one| &one.module))
        .collect();
    // What a task that a person gave up has shipped stays, as it ever did.
    let given_up = |entry: &Entry| {
        let task = entry.task.as_ref().and_then(|id| state.graph.get(id));
        task.is_some_and(|task| task.gone.is_none() && task.status != TaskStatus::Shipped)
    };
    let in_use = || {
        registry
            .iter()
            .filter(|one| one.status == ModuleStatus::Shipped)
    };
    let roots = in_use().filter(|one| made.contains(&one.reference.module) || given_up(one));
    let mut open: Vec<ModuleRef> = roots.map(|one| one.reference.clone()).collect();
    let mut needed = BTreeSet::new();
    while let Some(one) = open.pop() {
        let entry = registry.get(&one);
        if needed.insert(one) {
            let used = entry.into_iter().flat_map(|entry| &entry.dependencies);
            open.extend(used.map(|(used, _)| registry.current(used)));
        }
    }
    let all = in_use().map(|one| one.reference.clone());
    all.filter(|one| !needed.contains(one)).collect()
}

/// Which number rises from a shipped version to a planned one (rule F7). Contracts that a plan did
/// not make are not compared; what nobody can tell is taken for breaking.
fn bump(shipped: &Entry, planned: &PlannedModule) -> Bump {
    let new = json!(planned.io_contract);
    if shipped.fingerprint == hash_of(&new) {
        return Bump::Patch;
    }
    let old = IoContract::deserialize(&shipped.contract);
    match (old, &planned.io_contract) {
        (Ok(old), Some(new)) => {
            let (old, new) = (from_plan::surface(&old), from_plan::surface(new));
            required_bump(old.surface(), new.surface())
        }
        _ => Bump::Major,
    }
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
                        .map(|one| self.state.registry.current(one)),
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

    fn offered(&self, reference: &ModuleRef) -> Offered {
        let registry = &self.state.registry;
        let there = registry.get(reference);
        let shipped = registry.is_shipped(reference);
        if self.state.briefs >= CONTINUES && !shipped {
            if there.is_some() {
                let now = registry.current(reference);
                return Offered::Outdated(Some(now).filter(|one| registry.is_shipped(one)));
            }
            if self.namesake(&reference.module).is_none() {
                return Offered::Elsewhere;
            }
        }
        match there.filter(|_| shipped) {
            None => Offered::Nothing,
            Some(entry) if entry.contract.is_null() => Offered::Unlocked,
            Some(entry) => Offered::Module(candidate::short(&entry.contract)),
        }
    }

    fn kind(&self) -> Kind {
        self.state.kind(self.task)
    }

    fn briefs(&self) -> u32 {
        self.state.briefs
    }

    fn asked(&self) -> Vec<Asked> {
        self.state.asked(self.task)
    }

    fn namesake(&self, id: &ModuleId) -> Option<ModuleId> {
        // What the task itself has shipped is made once more, as a further version.
        let own = self.state.graph.get(self.task);
        if own.is_some_and(|own| own.modules.iter().any(|one| one.module == *id)) {
            return None;
        }
        let shipped = self.state.registry.namesake(id).cloned();
        shipped.or_else(|| self.state.in_the_making(self.task, id).cloned())
    }

    fn next_version(&self, module: &PlannedModule) -> Version {
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
        let bump = newest.map_or(Bump::Major, |entry| bump(entry, module));
        taken.bumped(bump)
    }
}
