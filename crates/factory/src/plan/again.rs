//! Task files after people's answers (rule F17.2): those of a split, with every part of the
//! template, and those whose acceptance criteria were amended, with the earlier ones on record. The
//! same spec and answers give the same texts. It does not write: the texts are returned.

use super::task_file::Told;
use super::{Known, Located, NoPlan, Siblings, TaskFile, planned, slug, task_file};
use crate::spec::{AmendedCase, Case, IoContractSketch, ProductSpec, Task, amend};
use documents::written::{block, line};
use kernel::Time;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A task that a person made of another one.
#[derive(Debug, Clone)]
pub struct Part {
    /// The task that it stands in for, with others.
    pub of: String,
    pub task_id: String,
    pub name: String,
    /// What it does.
    pub description: String,
    /// When it is done.
    pub acceptance_criteria: Vec<String>,
    /// Task ids.
    pub depends_on: Vec<String>,
    /// What goes in and out of it; none: as in the task that it stands in for.
    pub sketch: Option<IoContractSketch>,
}

/// Other acceptance criteria for a task, or other cases of the product whose front it makes.
#[derive(Debug, Clone)]
pub struct Amendment {
    pub task_id: String,
    /// The new ones; empty: they stay.
    pub criteria: Vec<String>,
    /// What is changed of the cases.
    pub cases: Vec<AmendedCase>,
    /// Why.
    pub rationale: String,
    pub who: String,
    /// When.
    pub at: Time,
}

/// A task as it stands in the files: its own words, and where it belongs.
struct Standing<'s> {
    place: usize,
    folder: String,
    task: Task,
    upstream: Vec<(String, &'s IoContractSketch)>,
}

/// The files of every part and of every amended task. Parts come in the order of their making.
pub fn files(
    spec: &ProductSpec,
    briefs: u32,
    known: &Known,
    parts: &[Part],
    amendments: &[Amendment],
) -> Result<Vec<TaskFile>, NoPlan> {
    let (plan, places) = planned(spec, known)?;
    let told = Told::of(spec, briefs);
    let mut known: BTreeMap<String, Standing<'_>> = BTreeMap::new();
    let sketch_of = |places: &[Located<'_>], at: usize| places[at].task.io_contract_sketch.clone();
    let mut siblings: BTreeMap<String, Siblings> = BTreeMap::new();
    for (at, task) in plan.tasks.iter().enumerate() {
        let (story, own) = task.folder.rsplit_once('/').unwrap_or(("", &task.folder));
        let siblings = siblings.entry(story.to_owned()).or_default();
        siblings.name(own.to_owned());
        let on = task.depends_on.iter().filter_map(|id| {
            let at = plan.tasks.iter().position(|one| one.task_id == *id)?;
            Some((id.clone(), &places[at].task.io_contract_sketch))
        });
        known.insert(
            task.task_id.clone(),
            Standing {
                place: at,
                folder: task.folder.clone(),
                task: places[at].task.clone(),
                upstream: on.collect(),
            },
        );
    }
    let mut wanted: Vec<String> = Vec::new();
    for part in parts {
        let Some(of) = known.get(&part.of) else {
            continue;
        };
        let (place, folder) = (of.place, of.folder.clone());
        let (story, _) = folder.rsplit_once('/').unwrap_or(("", ""));
        let own = siblings.entry(story.to_owned()).or_default();
        let folder = format!("{story}/{}", own.name(slug(&part.name)));
        let on = part.depends_on.iter().filter_map(|id| {
            let at = known.get(id)?.place;
            Some((id.clone(), &places[at].task.io_contract_sketch))
        });
        let standing = Standing {
            place,
            folder,
            upstream: on.collect(),
            task: Task {
                task_id: places[place].task.task_id.clone(),
                name: part.name.clone(),
                description: part.description.clone(),
                // A person's part comes without steps: each criterion is one.
                subtasks: part.acceptance_criteria.clone(),
                acceptance_criteria: part.acceptance_criteria.clone(),
                depends_on: part.depends_on.clone(),
                io_contract_sketch: part
                    .sketch
                    .clone()
                    .unwrap_or_else(|| sketch_of(&places, place)),
            },
        };
        known.insert(part.task_id.clone(), standing);
        wanted.push(part.task_id.clone());
    }
    let mut history: BTreeMap<&str, Vec<Earlier<'_>>> = BTreeMap::new();
    let product = spec.product.as_ref();
    let mut cases = product.map_or_else(Vec::new, |one| one.cases.clone());
    for amendment in amendments {
        if let Some(standing) = known.get_mut(&amendment.task_id) {
            let criteria = match amendment.criteria.as_slice() {
                [] => Vec::new(),
                now => std::mem::replace(&mut standing.task.acceptance_criteria, now.to_vec()),
            };
            let numbers = amendment.cases.iter().map(|one| one.case);
            let earlier = numbers.filter_map(|number| {
                let case = cases.get(number.checked_sub(1)?)?;
                Some((number, case.clone()))
            });
            let earlier = earlier.collect();
            amend(&mut cases, &amendment.cases);
            let all = history.entry(&amendment.task_id).or_default();
            all.push(Earlier {
                amendment,
                criteria,
                cases: earlier,
            });
            wanted.push(amendment.task_id.clone());
        }
    }
    wanted.sort();
    wanted.dedup();
    let file = |id: &String| {
        let standing = known.get(id)?;
        let place = &places[standing.place];
        let located = Located {
            pillar: place.pillar,
            epic: place.epic,
            story: place.story,
            task: &standing.task,
            slugs: place.slugs.clone(),
        };
        let upstream = standing.upstream.iter();
        let upstream = upstream.map(|(id, sketch)| (id.as_str(), *sketch));
        let mut text = task_file::text(id, &located, told, upstream);
        if let Some(history) = history.get(id.as_str()) {
            // Writing to a string cannot fail; the result is dropped for that reason.
            let _ = amended(&mut text, history);
        }
        Some(TaskFile {
            path: format!("{}/{id}.md", standing.folder),
            text,
        })
    };
    Ok(wanted.iter().filter_map(file).collect())
}

/// What stood there before an amendment.
struct Earlier<'a> {
    amendment: &'a Amendment,
    /// Empty: they stayed.
    criteria: Vec<String>,
    /// By their numbers.
    cases: Vec<(usize, Case)>,
}

fn amended(text: &mut String, history: &[Earlier<'_>]) -> std::fmt::Result {
    writeln!(text, "\n## Amendment History")?;
    for one in history {
        let (at, who) = (one.amendment.at, line(&one.amendment.who));
        let why = block(&one.amendment.rationale);
        writeln!(text, "\n{at}, {who}: {why}\n")?;
        if !one.criteria.is_empty() {
            writeln!(text, "The acceptance criteria before:")?;
        }
        for criterion in &one.criteria {
            writeln!(text, "- {}", line(criterion))?;
        }
        if !one.cases.is_empty() {
            writeln!(text, "The cases of the product before:")?;
        }
        for (number, case) in &one.cases {
            writeln!(text, "- case {number}: {case}")?;
        }
    }
    Ok(())
}
