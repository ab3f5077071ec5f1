//! A further version of a spec whose project is released: which tasks stay, change, come and go. The
//! same two specs and the same project give the same answer, which a person sees before they approve.
//!
//! A task is the same one as long as it stands where it stood, by the names of its pillar, epic, story
//! and its own. It changes if its own words, its story's or what it depends on do; the one that makes
//! the front changes with the product's promise.

use super::known::{Place, Places};
use super::{Known, NoPlan, Plan, plan};
use crate::deficiency::Deficiency;
use crate::project::types::TaskId;
use crate::project::{TaskGraph, TaskStatus};
use crate::spec::{Case, Product, ProductSpec, Story, Task};
use kernel::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of every task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Further {
    /// Shipped as the new spec wants it: neither planned nor debated again.
    pub stays: Vec<TaskId>,
    /// Made once more, as a further version of what it shipped.
    pub changes: Vec<Changed>,
    /// New.
    pub comes: Vec<TaskId>,
    /// Not in the new spec: what only it needs is deprecated before the release.
    pub goes: Vec<TaskId>,
}

/// A task that the new spec wants otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub task: TaskId,
    /// What of it is another, in words.
    pub what: Vec<String>,
}

/// A released project: its spec by the hash, and what people have amended of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    pub spec: String,
    /// The ids of all its tasks.
    pub known: Known,
    /// Acceptance criteria as they were amended.
    pub criteria: BTreeMap<TaskId, Vec<String>>,
    /// Cases of the product, as they are now.
    pub cases: Vec<Case>,
}

impl Released {
    /// The spec as people left it.
    pub fn amended(&self, mut spec: ProductSpec) -> Result<ProductSpec, NoPlan> {
        let ids = plan(&spec, &self.known)?.tasks;
        let stories = spec.pillars.iter_mut().flat_map(|one| &mut one.epics);
        let stories = stories.flat_map(|one| &mut one.stories);
        let tasks = stories.flat_map(|one| &mut one.tasks);
        for (task, planned) in tasks.zip(ids) {
            if let Some(now) = self.criteria.get(&TaskId::new(planned.task_id)) {
                task.acceptance_criteria.clone_from(now);
            }
        }
        if let Some(product) = &mut spec.product {
            product.cases.clone_from(&self.cases);
        }
        Ok(spec)
    }
}

/// What a spec must keep to be a further version of another.
pub fn judge(released: &ProductSpec, new: &ProductSpec) -> Vec<Deficiency> {
    let mut wrong = Vec::new();
    let mut other = |path: &str, message: String| {
        wrong.push(Deficiency::error(
            "not_a_further_version",
            path,
            "",
            message,
        ));
    };
    if new.spec_id != released.spec_id {
        let is = &released.spec_id;
        other(
            "$.spec_id",
            format!("the released spec is {is}, and keeps that id"),
        );
    }
    if new.spec_version <= released.spec_version {
        let is = released.spec_version;
        other(
            "$.spec_version",
            format!("{is} is released; a further version has a higher number"),
        );
    }
    if let (Some(old), Some(now)) = (&released.product, &new.product) {
        if old.name != now.name {
            let is = &old.name;
            other(
                "$.product.name",
                format!("the product is called `{is}`, and keeps that name"),
            );
        }
        if old.language.is_some() && old.language != now.language {
            let why = "the modules that stay are written in the language of the released product";
            other("$.product.language", why.to_owned());
        }
    }
    wrong
}

/// A task where it stands.
struct Standing<'s> {
    story: &'s Story,
    task: &'s Task,
    /// Where those stand that it depends on.
    on: BTreeSet<Place>,
}

fn standing(spec: &ProductSpec) -> Vec<(Place, Standing<'_>)> {
    let mut places = Places::default();
    let all: Vec<_> = spec
        .tasks()
        .map(|(pillar, epic, story, task)| {
            let names = [&pillar.name, &epic.name, &story.name, &task.name];
            (places.next(names), story, task)
        })
        .collect();
    let by_id: BTreeMap<&str, &Place> = all
        .iter()
        .map(|(place, _, task)| (task.task_id.as_str(), place))
        .collect();
    let found = all.iter().map(|(place, story, task)| {
        let on = task.depends_on.iter();
        let on = on.filter_map(|id| by_id.get(id.as_str()).copied().cloned());
        let on = on.collect();
        (place.clone(), Standing { story, task, on })
    });
    found.collect()
}

/// What of a task is another.
fn differs(old: &Standing<'_>, new: &Standing<'_>) -> Vec<String> {
    let of_story = |one: &Standing<'_>| {
        let story = one.story;
        (
            story.description.clone(),
            story.user_facing_behavior.clone(),
        )
    };
    let (was, is) = (old.task, new.task);
    let all = [
        ("its description", was.description != is.description),
        ("its steps", was.subtasks != is.subtasks),
        (
            "its acceptance criteria",
            was.acceptance_criteria != is.acceptance_criteria,
        ),
        (
            "its sketch of what goes in and out",
            was.io_contract_sketch != is.io_contract_sketch,
        ),
        ("what it depends on", old.on != new.on),
        ("its story", of_story(old) != of_story(new)),
    ];
    let all = all.into_iter().filter(|(_, differs)| *differs);
    all.map(|(what, _)| what.to_owned()).collect()
}

/// Does the product promise the same? Whose task its entry is does not count: that task depends on others.
fn same_promise(old: Option<&Product>, new: Option<&Product>) -> bool {
    let but_entry = |one: Option<&Product>| {
        let mut one = one?.clone();
        one.entry = None;
        Some(one)
    };
    but_entry(old) == but_entry(new)
}

/// Compares a spec with the released one; `plan` is its own.
pub fn further(
    graph: &TaskGraph,
    released: &ProductSpec,
    new: &ProductSpec,
    plan: &Plan,
) -> Further {
    let old: BTreeMap<Place, Standing<'_>> = standing(released).into_iter().collect();
    let entry = new.product.as_ref().and_then(|one| one.entry.as_deref());
    let promises = same_promise(released.product.as_ref(), new.product.as_ref());
    let mut further = Further::default();
    for ((place, now), planned) in standing(new).iter().zip(&plan.tasks) {
        let task = TaskId::new(&planned.task_id);
        let Some(there) = graph.get(&task) else {
            further.comes.push(task);
            continue;
        };
        let mut what = match old.get(place) {
            Some(was) => differs(was, now),
            None => vec!["it was no task of the released spec".to_owned()],
        };
        if entry == Some(now.task.task_id.as_str()) && !promises {
            what.push("the product that it makes the front of".to_owned());
        }
        let made = there.status == TaskStatus::Shipped || !there.superseded_by.is_empty();
        if !made {
            what.push("it was given up".to_owned());
        }
        match what.is_empty() {
            true => further.stays.push(task),
            false => further.changes.push(Changed { task, what }),
        }
    }
    let kept: BTreeSet<&str> = plan.tasks.iter().map(|one| one.task_id.as_str()).collect();
    let parts = graph.stand_in_for(&further.stays);
    let gone = graph.iter().filter(|one| {
        let id = &one.declared.id;
        one.gone.is_none() && !kept.contains(id.as_str()) && !parts.contains(id)
    });
    further.goes = gone.map(|one| one.declared.id.clone()).collect();
    further
}

impl Further {
    /// Why it cannot be what becomes of these tasks; the audit says whether it is.
    pub(crate) fn fits(&self, graph: &TaskGraph, tasks: &[TaskId]) -> Result<(), Refusal> {
        let changes = self.changes.iter().map(|one| &one.task);
        let known = self.stays.iter().chain(changes);
        let stranger = known.clone().find(|one| graph.get(one).is_none());
        let said: BTreeSet<&TaskId> = known.chain(&self.comes).collect();
        let all: BTreeSet<&TaskId> = tasks.iter().collect();
        let recurs = self.comes.iter().find(|one| graph.get(one).is_some());
        if said == all && stranger.is_none() && recurs.is_none() {
            return Ok(());
        }
        Err(Refusal::new(
            "payload_malformed",
            "what stays, changes and comes is not the tasks of the spec",
            "decide with `proofhouse factory approve`",
        ))
    }
}
