//! The product specification of section 3.2: its shape as types, and the judgement of a text that
//! claims to be one. Typed values are made only of texts that were judged without errors.

mod graph;
mod prose;
mod render;
mod shape;
mod validate;
mod words;

pub(crate) use graph::circles;
pub(crate) use prose::placeholder;
pub use render::{render, spec_md};
pub use validate::{validate, validate_document};

use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole product: themes, capabilities, behaviours and the tasks that make them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProductSpec {
    /// `SPEC-NNN`.
    #[schemars(extend("pattern" = r"^SPEC-\d{3,}$"))]
    pub spec_id: String,
    /// Three whole numbers.
    pub spec_version: Version,
    /// The product's title.
    #[schemars(length(min = 1))]
    pub title: String,
    /// What it is, from far above.
    #[schemars(length(min = 1))]
    pub description: String,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
    /// At least one.
    #[schemars(length(min = 1))]
    pub pillars: Vec<Pillar>,
}

/// A strategic theme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pillar {
    /// `PIL-NNN`.
    #[schemars(extend("pattern" = r"^PIL-\d{3,}$"))]
    pub pillar_id: String,
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The theme that it addresses.
    #[schemars(length(min = 1))]
    pub description: String,
    /// Why it exists and what gap it fills.
    #[schemars(length(min = 1))]
    pub rationale: String,
    /// At least one.
    #[schemars(length(min = 1))]
    pub epics: Vec<Epic>,
}

/// A major capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Epic {
    /// `EPC-NNN`.
    #[schemars(extend("pattern" = r"^EPC-\d{3,}$"))]
    pub epic_id: String,
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The capability that it delivers.
    #[schemars(length(min = 1))]
    pub description: String,
    /// Measurable outcomes, at least one.
    #[schemars(length(min = 1))]
    pub success_criteria: Vec<String>,
    /// At least one.
    #[schemars(length(min = 1))]
    pub stories: Vec<Story>,
}

/// A behaviour that users meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Story {
    /// `STR-NNN`.
    #[schemars(extend("pattern" = r"^STR-\d{3,}$"))]
    pub story_id: String,
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is about.
    #[schemars(length(min = 1))]
    pub description: String,
    /// What can be observed, as the user sees it.
    #[schemars(length(min = 1))]
    pub user_facing_behavior: String,
    /// At least one, and at most 999.
    #[schemars(length(min = 1))]
    pub tasks: Vec<Task>,
}

/// A unit that can be implemented.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// `TSK-NNN`, once in the whole spec.
    #[schemars(extend("pattern" = r"^TSK-\d{3,}$"))]
    pub task_id: String,
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it implements.
    #[schemars(length(min = 1))]
    pub description: String,
    /// At least two.
    #[schemars(length(min = 2))]
    pub subtasks: Vec<String>,
    /// Testable conditions, at least two.
    #[schemars(length(min = 2))]
    pub acceptance_criteria: Vec<String>,
    /// Other tasks of this spec that must be shipped before.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// The five dimensions, in prose.
    pub io_contract_sketch: IoContractSketch,
}

/// What goes in and out, in prose; the engineering loop makes a contract of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoContractSketch {
    /// Types and constraints.
    #[schemars(length(min = 1))]
    pub inputs: String,
    /// Types and invariants.
    #[schemars(length(min = 1))]
    pub outputs: String,
    /// Conditions and ways to fail.
    #[schemars(length(min = 1))]
    pub error_surfaces: String,
    /// Writes, calls, mutations.
    #[schemars(length(min = 1))]
    pub effects: String,
    /// Sync, async or both, and why.
    #[schemars(length(min = 1))]
    pub modes: String,
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

/// Judges a text and, if nothing blocks, makes the value of it.
pub fn read(bytes: &[u8]) -> Result<(ProductSpec, crate::Report), crate::Report> {
    let report = validate(bytes);
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
