//! The product specification of rule F3.2: its shape as types, and the judgement of a text that
//! claims to be one. Typed values are made only of texts that were judged without errors.

mod amended;
mod called;
mod graph;
mod product;
mod render;
mod texts;
mod validate;

pub use amended::{AmendedCase, amend};
pub(crate) use amended::{changing, faults as amended_faults};
pub(crate) use called::names as called_names;
pub(crate) use graph::circles;
pub use product::{Case, Form as ProductForm, Product, Tongue};
pub use render::{render, spec_md};
pub use validate::{validate, validate_document};

use crate::engineering::kind::{ASKS, ASSEMBLES, HOLDS};
use crate::ids::{self, MOMENT};
use kernel::document;
use kernel::form::{FILLED, Form, Formed, Size};
use kernel::module::Version;

const fn at_least(least: usize) -> Size {
    Size {
        least,
        ..Size::SOME
    }
}

document! {
    /// A whole product: themes, capabilities, behaviours and the tasks that make them.
    #[derive(Eq)]
    pub struct ProductSpec {
        /// `SPEC-NNN`.
        spec_id: String = Form::Id(ids::SPEC),
        /// Three whole numbers.
        spec_version: Version,
        /// The product's title.
        title: String = FILLED,
        /// What it is, from far above.
        description: String = FILLED,
        /// ISO 8601.
        created_at: String = MOMENT,
        /// ISO 8601.
        updated_at: String = MOMENT,
        /// At least one.
        pillars: Vec<Pillar> = Form::List(&Pillar::FORM, Size::SOME),
        /// What people hold in hand at the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        product?: Option<Product> = Product::FORM,
    }
}

document! {
    /// A strategic theme.
    #[derive(Eq)]
    pub struct Pillar {
        /// `PIL-NNN`.
        pillar_id: String = Form::Id(ids::PILLAR),
        /// Its name.
        name: String = FILLED,
        /// The theme that it addresses.
        description: String = FILLED,
        /// Why it exists and what gap it fills.
        rationale: String = FILLED,
        /// At least one.
        epics: Vec<Epic> = Form::List(&Epic::FORM, Size::SOME),
    }
}

document! {
    /// A major capability.
    #[derive(Eq)]
    pub struct Epic {
        /// `EPC-NNN`.
        epic_id: String = Form::Id(ids::EPIC),
        /// Its name.
        name: String = FILLED,
        /// The capability that it delivers.
        description: String = FILLED,
        /// Measurable outcomes, at least one.
        success_criteria: Vec<String> = Form::List(&FILLED, at_least(1)),
        /// At least one.
        stories: Vec<Story> = Form::List(&Story::FORM, Size::SOME),
    }
}

document! {
    /// A behaviour that users meet.
    #[derive(Eq)]
    pub struct Story {
        /// `STR-NNN`.
        story_id: String = Form::Id(ids::STORY),
        /// Its name.
        name: String = FILLED,
        /// What it is about.
        description: String = FILLED,
        /// What can be observed, as the user sees it.
        user_facing_behavior: String = FILLED,
        /// At least one, and at most 999.
        tasks: Vec<Task> = Form::List(&Task::FORM, Size::SOME),
    }
}

document! {
    /// A unit that can be implemented.
    #[derive(Eq)]
    pub struct Task {
        /// `TSK-NNN`, once in the whole spec.
        task_id: String = Form::Id(ids::SPEC_TASK),
        /// Its name.
        name: String = FILLED,
        /// What it implements.
        description: String = FILLED,
        /// At least two.
        subtasks: Vec<String> = Form::List(&FILLED, at_least(2)),
        /// Testable conditions, at least two.
        acceptance_criteria: Vec<String> = Form::List(&FILLED, at_least(2)),
        /// Other tasks of this spec that must be shipped before.
        #[serde(default)]
        depends_on?: Vec<String>,
        /// The five dimensions, in prose.
        io_contract_sketch: IoContractSketch,
    }
}

document! {
    /// What goes in and out, in prose; the engineering loop makes a contract of it.
    #[derive(Eq)]
    pub struct IoContractSketch {
        /// Types and constraints.
        inputs: String = FILLED,
        /// Types and invariants.
        outputs: String = FILLED,
        /// Conditions and ways to fail.
        error_surfaces: String = FILLED,
        /// Writes, calls, mutations.
        effects: String = FILLED,
        /// Sync, async or both, and why.
        modes: String = FILLED,
    }
}

impl ProductSpec {
    /// Every task with its parents, depth first: the order of declaration.
    pub fn tasks(&self) -> impl Iterator<Item = (&Pillar, &Epic, &Story, &Task)> {
        self.pillars.iter().flat_map(|pillar| {
            pillar.epics.iter().flat_map(move |epic| {
                epic.stories.iter().flat_map(move |story| {
                    story
                        .tasks
                        .iter()
                        .map(move |task| (pillar, epic, story, task))
                })
            })
        })
    }
}

/// Judges a text that a project is to begin with: also by what was not asked of those before it.
pub fn validate_new(bytes: &[u8]) -> crate::Report {
    let Ok(document) = kernel::json::Document::parse(bytes) else {
        return validate(bytes);
    };
    let mut report = validate_document(&document);
    report.errors.extend(texts::judge(&document).errors);
    report
}

/// Judges a text that a project is to begin with, by the rules of the form that it begins with.
pub fn read_new(bytes: &[u8], briefs: u32) -> Result<(ProductSpec, crate::Report), crate::Report> {
    let report = match briefs >= HOLDS {
        true => validate_new(bytes),
        false => validate(bytes),
    };
    let (spec, mut report) = made(bytes, report)?;
    let mut ending = match briefs >= ASSEMBLES {
        true => product::ending(&spec),
        false => Vec::new(),
    };
    if briefs >= ASKS {
        ending.extend(product::shows_all(&spec));
    }
    if ending.is_empty() {
        return Ok((spec, report));
    }
    report.errors.extend(ending);
    Err(report)
}

/// Judges a text and, if nothing blocks, makes the value of it.
pub fn read(bytes: &[u8]) -> Result<(ProductSpec, crate::Report), crate::Report> {
    made(bytes, validate(bytes))
}

fn made(
    bytes: &[u8],
    report: crate::Report,
) -> Result<(ProductSpec, crate::Report), crate::Report> {
    if !report.passes() {
        return Err(report);
    }
    match serde_json::from_slice(bytes) {
        Ok(spec) => Ok((spec, report)),
        // The judgement lets nothing through that the type refuses; a test holds them together.
        Err(error) => {
            let mut report = report;
            let mut found = crate::Deficiency::error("invalid_json", "$", "", error.to_string());
            found.line = u32::try_from(error.line()).ok();
            found.column = u32::try_from(error.column()).ok();
            report.errors.push(found);
            Err(report)
        }
    }
}
