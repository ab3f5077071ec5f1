//! From an approved spec to a project: task ids, folders and task files (rules F3.3 and F4.1). The
//! same spec gives the same plan for ever. Three passes come before any text is made, and a plan
//! with one problem is no plan. It does not write: the texts are returned.

pub mod again;
pub mod further;
mod known;
mod task_file;

pub use documents::slug::{Siblings, slug};
pub use known::Known;

use crate::spec::{Epic, Pillar, ProductSpec, Story, Task};
use kernel::{Refusal, document};
use std::collections::{BTreeMap, BTreeSet};
use task_file::Told;

/// The most characters of a task id (rule F4.1).
pub const LONGEST_TASK_ID: usize = 128;
/// The most tasks of a story: its numbers have three digits.
pub const MOST_TASKS: usize = 999;

document! {
    /// A task with its place in the project.
    #[derive(Eq)]
    pub struct PlannedTask {
        /// `T-{pillar}-{epic}-{story}-{seq}`.
        task_id: String,
        /// The id in the spec, `TSK-NNN`.
        source_id: String,
        /// `project/{pillar}/{epic}/{story}/{task}`.
        folder: String,
        /// The place in the depth-first order of the spec, from 0.
        declaration_order: u32,
        /// Task ids that must be shipped before.
        depends_on: Vec<String>,
    }
}

impl PlannedTask {
    /// Where its task file belongs.
    pub fn file(&self) -> String {
        format!("{}/{}.md", self.folder, self.task_id)
    }
}

document! {
    /// All tasks, in the order of declaration.
    #[derive(Eq)]
    pub struct Plan {
        /// In the order of declaration.
        tasks: Vec<PlannedTask>,
    }
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// Relative to the project's root, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Every reason why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} problem(s), the first: {}", .0.len(), .0.first().map_or("", |first| &first.what))]
pub struct NoPlan(pub Vec<Refusal>);

/// Plans a spec. It must have been judged without errors; what the judgement does not cover is
/// judged here. A task that has an id already keeps it.
pub fn plan(spec: &ProductSpec, known: &Known) -> Result<Plan, NoPlan> {
    planned(spec, known).map(|(plan, _)| plan)
}

/// The plan and the text of every task file, in the form of briefs that the project began with.
pub fn task_files(
    spec: &ProductSpec,
    briefs: u32,
    known: &Known,
) -> Result<(Plan, Vec<TaskFile>), NoPlan> {
    let (plan, places) = planned(spec, known)?;
    let told = Told::of(spec, briefs);
    let by_source = by_source(&places);
    let files = plan
        .tasks
        .iter()
        .zip(&places)
        .map(|(planned, place)| {
            let upstream = upstream(place.task, &by_source).map(|index: usize| {
                (
                    plan.tasks[index].task_id.as_str(),
                    &places[index].task.io_contract_sketch,
                )
            });
            TaskFile {
                path: planned.file(),
                text: task_file::text(&planned.task_id, place, told, upstream),
            }
        })
        .collect();
    Ok((plan, files))
}

/// A task and where it stands in the spec.
pub(crate) struct Located<'s> {
    pub(crate) pillar: &'s Pillar,
    pub(crate) epic: &'s Epic,
    pub(crate) story: &'s Story,
    pub(crate) task: &'s Task,
    /// Slugs of pillar, epic, story and task, with their suffixes.
    slugs: [String; 4],
}

fn planned<'s>(spec: &'s ProductSpec, known: &Known) -> Result<(Plan, Vec<Located<'s>>), NoPlan> {
    let mut problems = Vec::new();
    let places = located(spec, &mut problems);
    let ids = identified(&places, known, &mut problems);
    fields_are_there(&places, &ids, &mut problems);
    let by_source = by_source(&places);
    references_resolve(&places, &by_source, &mut problems);
    if !problems.is_empty() {
        return Err(NoPlan(problems));
    }
    let tasks = places
        .iter()
        .enumerate()
        .map(|(order, place)| PlannedTask {
            task_id: ids[order].clone(),
            source_id: place.task.task_id.clone(),
            folder: format!("project/{}", place.slugs.join("/")),
            declaration_order: order as u32,
            depends_on: upstream(place.task, &by_source)
                .map(|index| ids[index].clone())
                .collect(),
        })
        .collect();
    Ok((Plan { tasks }, places))
}

/// The first pass: slugs, and suffixes for siblings that share one.
fn located<'s>(spec: &'s ProductSpec, problems: &mut Vec<Refusal>) -> Vec<Located<'s>> {
    let mut places = Vec::new();
    let mut pillars = Siblings::default();
    for pillar in &spec.pillars {
        let pillar_slug = slugged(&mut pillars, &pillar.pillar_id, &pillar.name, problems);
        let mut epics = Siblings::default();
        for epic in &pillar.epics {
            let epic_slug = slugged(&mut epics, &epic.epic_id, &epic.name, problems);
            let mut stories = Siblings::default();
            for story in &epic.stories {
                let story_slug = slugged(&mut stories, &story.story_id, &story.name, problems);
                if story.tasks.len() > MOST_TASKS {
                    problems.push(Refusal::new(
                        "story_too_large",
                        format!(
                            "story {} ({:?}) has {} tasks; {MOST_TASKS} is the most",
                            story.story_id,
                            story.name,
                            story.tasks.len()
                        ),
                        "split the story",
                    ));
                }
                let mut tasks = Siblings::default();
                for task in &story.tasks {
                    let task_slug = slugged(&mut tasks, &task.task_id, &task.name, problems);
                    places.push(Located {
                        pillar,
                        epic,
                        story,
                        task,
                        slugs: [
                            pillar_slug.clone(),
                            epic_slug.clone(),
                            story_slug.clone(),
                            task_slug,
                        ],
                    });
                }
            }
        }
    }
    places
}

fn slugged(siblings: &mut Siblings, id: &str, name: &str, problems: &mut Vec<Refusal>) -> String {
    let own = slug(name);
    if own.is_empty() {
        problems.push(Refusal::new(
            "empty_slug",
            format!("the name of {id}, {name:?}, leaves nothing for a folder name"),
            "give it a name with at least one of a-z and 0-9",
        ));
    }
    siblings.name(own)
}

/// The second pass: task ids, no longer than allowed, each once.
fn identified(places: &[Located<'_>], known: &Known, problems: &mut Vec<Refusal>) -> Vec<String> {
    let ids = known.ids(places);
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        if id.len() > LONGEST_TASK_ID {
            problems.push(Refusal::new(
                "task_id_too_long",
                format!(
                    "the id of {} would have {} characters, and {LONGEST_TASK_ID} is the most: {id}",
                    shown(&places[index]),
                    id.len()
                ),
                "shorten the names of its pillar, epic or story",
            ));
        }
        if let Some(earlier) = first.get(id.as_str()) {
            problems.push(Refusal::new(
                "task_id_taken",
                format!(
                    "{} and {} would both have the id {id}",
                    shown(&places[*earlier]),
                    shown(&places[index])
                ),
                "rename a pillar, an epic or a story of one of them",
            ));
        } else {
            first.insert(id, index);
        }
    }
    ids
}

fn shown(place: &Located<'_>) -> String {
    format!(
        "{} ({:?} in {:?} of {:?} of {:?})",
        place.task.task_id, place.task.name, place.story.name, place.epic.name, place.pillar.name
    )
}

/// The third pass: every field of every task file can be filled.
fn fields_are_there(places: &[Located<'_>], ids: &[String], problems: &mut Vec<Refusal>) {
    for (place, id) in places.iter().zip(ids) {
        let missing = task_file::missing(place);
        if !missing.is_empty() {
            problems.push(Refusal::new(
                "task_file_incomplete",
                format!(
                    "the task file of {id} ({}) lacks: {}",
                    place.task.name,
                    missing.join(", ")
                ),
                "fill these in in the spec; `proofhouse factory validate` lists every gap",
            ));
        }
    }
}

fn by_source<'s>(places: &[Located<'s>]) -> BTreeMap<&'s str, usize> {
    let mut map = BTreeMap::new();
    for (index, place) in places.iter().enumerate() {
        map.entry(place.task.task_id.as_str()).or_insert(index);
    }
    map
}

/// What a task waits for, each once, in the order of the spec's list.
fn upstream(task: &Task, by_source: &BTreeMap<&str, usize>) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    let known = task
        .depends_on
        .iter()
        .filter_map(|reference| by_source.get(reference.as_str()).copied());
    known
        .filter(|index| seen.insert(*index))
        .collect::<Vec<usize>>()
        .into_iter()
}

/// A spec that was never judged must not pass for one that was: references and circles again.
fn references_resolve(
    places: &[Located<'_>],
    by_source: &BTreeMap<&str, usize>,
    problems: &mut Vec<Refusal>,
) {
    let mut edges = Vec::with_capacity(places.len());
    for place in places {
        for reference in &place.task.depends_on {
            if !by_source.contains_key(reference.as_str()) {
                problems.push(Refusal::new(
                    "unknown_reference",
                    format!(
                        "{} depends on `{reference}`, which is not there",
                        shown(place)
                    ),
                    "name a task of this spec",
                ));
            }
        }
        edges.push(
            upstream(place.task, by_source)
                .map(|index| index as u32)
                .collect(),
        );
    }
    for circle in crate::spec::circles(&edges) {
        let mut names: Vec<&str> = circle
            .iter()
            .map(|index| places[*index as usize].task.task_id.as_str())
            .collect();
        names.push(names[0]);
        problems.push(Refusal::new(
            "cycle",
            format!("tasks wait for each other: {}", names.join(" -> ")),
            "remove one of these dependencies",
        ));
    }
}
