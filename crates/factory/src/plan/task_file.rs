//! The text of `{task_id}.md`, the only thing that the engineering loop gets of a task. Every part
//! of the template is there, filled from the spec; none of the spec's texts can add a part.

use super::Located;
use crate::engineering::kind::TELLS;
use crate::spec::{IoContractSketch, Product, ProductForm, ProductSpec};
use documents::written::{block, item, line};
use std::fmt::Write;

/// What a task file says of the product.
#[derive(Clone, Copy)]
pub(super) enum Told<'s> {
    /// Nothing, as in projects that began before the form 3 of briefs.
    Nothing,
    /// What its story and epic promise.
    Promises(Option<&'s Product>),
    /// The same; and criteria and sketch keep their blanks and lines, since the form 7.
    ToTheLetter(Option<&'s Product>),
}

impl<'s> Told<'s> {
    pub(super) fn of(spec: &'s ProductSpec, briefs: u32) -> Self {
        match briefs {
            ..3 => Told::Nothing,
            3..TELLS => Told::Promises(spec.product.as_ref()),
            _ => Told::ToTheLetter(spec.product.as_ref()),
        }
    }

    /// A criterion, or a dimension of a sketch.
    fn words(self, text: &str) -> String {
        match self {
            Told::Nothing | Told::Promises(_) => line(text),
            Told::ToTheLetter(_) => item(text),
        }
    }
}

/// Template fields that the spec leaves empty.
pub(super) fn missing(place: &Located<'_>) -> Vec<&'static str> {
    let task = place.task;
    let sketch = &task.io_contract_sketch;
    let mut missing: Vec<&'static str> = [
        ("pillar_name", &place.pillar.name),
        ("pillar_description", &place.pillar.description),
        ("epic_name", &place.epic.name),
        ("epic_description", &place.epic.description),
        ("story_name", &place.story.name),
        ("story_description", &place.story.description),
        ("task_name", &task.name),
        ("task_description", &task.description),
        ("inputs", &sketch.inputs),
        ("outputs", &sketch.outputs),
        ("error_surfaces", &sketch.error_surfaces),
        ("effects", &sketch.effects),
        ("modes", &sketch.modes),
    ]
    .into_iter()
    .filter(|(_, text)| line(text).is_empty())
    .map(|(name, _)| name)
    .collect();
    for (name, texts) in [
        ("subtasks", &task.subtasks),
        ("acceptance_criteria", &task.acceptance_criteria),
    ] {
        if texts.is_empty() || texts.iter().any(|text| line(text).is_empty()) {
            missing.push(name);
        }
    }
    if error_cases(&sketch.error_surfaces, line).is_empty() {
        missing.push("error_cases");
    }
    missing
}

/// The sketch names error surfaces in prose; its lines and clauses are the cases.
fn error_cases(surfaces: &str, words: impl Fn(&str) -> String) -> Vec<String> {
    surfaces
        .split([';', '\n'])
        .map(|case| words(case.trim_start().trim_start_matches(['-', '*', ' '])))
        .filter(|case| !case.is_empty())
        .collect()
}

/// What a story and its epic promise of the product, and which cases of it show that.
fn promises(place: &Located<'_>, product: Option<&Product>) -> Vec<(String, String)> {
    let (epic, story) = (place.epic, place.story);
    let mut all = vec![(story.story_id.clone(), line(&story.user_facing_behavior))];
    for (at, criterion) in epic.success_criteria.iter().enumerate() {
        all.push((format!("{}/{}", epic.epic_id, at + 1), line(criterion)));
    }
    let Some(product) = product.filter(|one| one.form != ProductForm::None) else {
        return all;
    };
    for (id, text) in &mut all {
        let cases = product.cases.iter().enumerate();
        let shows = cases.filter(|(_, case)| case.shows.contains(id));
        let numbers: Vec<String> = shows.map(|(at, _)| (at + 1).to_string()).collect();
        text.push_str(&match numbers.is_empty() {
            true => " (no case of the product shows it)".to_owned(),
            false => format!(" (shown by case {} of the product)", numbers.join(", ")),
        });
    }
    all
}

/// The whole file.
pub(super) fn text<'s>(
    task_id: &str,
    place: &Located<'_>,
    told: Told<'_>,
    upstream: impl Iterator<Item = (&'s str, &'s IoContractSketch)>,
) -> String {
    let mut out = String::with_capacity(2_048);
    // Writing to a string cannot fail; the result is dropped for that reason.
    let _ = write(task_id, place, told, upstream, &mut out);
    out
}

fn write<'s>(
    task_id: &str,
    place: &Located<'_>,
    told: Told<'_>,
    upstream: impl Iterator<Item = (&'s str, &'s IoContractSketch)>,
    out: &mut String,
) -> std::fmt::Result {
    let (pillar, epic, story, task) = (place.pillar, place.epic, place.story, place.task);
    writeln!(out, "# Task: {}", line(&task.name))?;
    writeln!(out, "## Task ID: {task_id}\n")?;
    writeln!(out, "## Context")?;
    for (level, name, description) in [
        ("Pillar", &pillar.name, &pillar.description),
        ("Epic", &epic.name, &epic.description),
        ("Story", &story.name, &story.description),
    ] {
        writeln!(out, "- **{level}:** {} — {}", line(name), line(description))?;
    }
    if let Told::Promises(product) | Told::ToTheLetter(product) = told {
        for (id, text) in promises(place, product) {
            let what = match id == story.story_id {
                true => "What users see",
                false => "Success criterion",
            };
            writeln!(out, "- **{what} ({id}):** {text}")?;
        }
    }
    writeln!(out, "\n## Description\n{}", block(&task.description))?;
    writeln!(out, "\n## Subtasks")?;
    for (index, subtask) in task.subtasks.iter().enumerate() {
        writeln!(out, "{}. {}", index + 1, line(subtask))?;
    }
    writeln!(out, "\n## Acceptance Criteria")?;
    for criterion in &task.acceptance_criteria {
        writeln!(out, "- {}", told.words(criterion))?;
    }
    let sketch = &task.io_contract_sketch;
    writeln!(out, "\n## Micro Module Contract")?;
    for (name, text) in dimensions(sketch) {
        writeln!(out, "- **{name}:** {}", told.words(text))?;
    }
    writeln!(out, "\n## Dependency Contracts")?;
    writeln!(
        out,
        "References to upstream modules (CONTRACT_ONLY — no source code):"
    )?;
    let mut none = true;
    for (id, sketch) in upstream {
        none = false;
        let summary: Vec<String> = dimensions(sketch)
            .map(|(name, text)| format!("{name}: {}", line(text)))
            .to_vec();
        writeln!(out, "- {id}: {}", summary.join(". "))?;
    }
    if none {
        writeln!(out, "- None")?;
    }
    writeln!(out, "\n## Error Cases")?;
    for case in error_cases(&sketch.error_surfaces, |case| told.words(case)) {
        writeln!(out, "- {case}")?;
    }
    Ok(())
}

fn dimensions(sketch: &IoContractSketch) -> [(&'static str, &str); 5] {
    [
        ("Inputs", &sketch.inputs),
        ("Outputs", &sketch.outputs),
        ("Error surfaces", &sketch.error_surfaces),
        ("Effects", &sketch.effects),
        ("Modes", &sketch.modes),
    ]
}
