//! The Code Index's own documents (section 14): entries, questions, and the report that must come
//! before a new module. Storage and ranking are elsewhere; here is only what an entry may be.
//!
//! `index` has an entry and a question of its own, on purpose: neither crate may know the other, this
//! one judges a document whole and has its JSON Schema, that one reads keys into types and takes
//! shipped modules alone. A test in `engine/src/factory/indexed.rs` holds both to the same text.

use crate::deficiency::{Deficiency, Report};
use crate::findings::{all_said, id, module_ref, not_blank, said};
use crate::ids;
use crate::schema::Judged;
use crate::version::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shipped module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeIndexEntry {
    /// `MM-...`.
    pub module_id: String,
    /// Its version.
    pub version: Version,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// `contract.json`.
    pub contract_ref: String,
    /// `examples.md`.
    pub examples_ref: String,
    /// `ship.json`.
    pub ship_ref: String,
    /// The five dimensions in short.
    pub io_summary: IoSummary,
    /// `MM-...@range` each.
    pub dependencies: Vec<String>,
    /// Whether it should still be used.
    pub status: EntryStatus,
    /// What to use instead.
    #[serde(default)]
    pub superseded_by: Option<String>,
    /// Anything else, with notices of deprecation.
    #[serde(default)]
    pub notes: String,
}

/// The five dimensions in short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct IoSummary {
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub error_surfaces: Vec<String>,
    pub effects: Vec<String>,
    pub modes: Vec<String>,
}

/// Whether it should still be used. It only ever advances.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum EntryStatus {
    /// Yes.
    Shipped,
    /// No, and there may be no replacement.
    Deprecated,
    /// No: there is a newer one.
    Superseded,
}

impl EntryStatus {
    /// Section 19.5: forward, once.
    pub fn may_become(self, next: EntryStatus) -> bool {
        self == EntryStatus::Shipped && next != EntryStatus::Shipped
    }
}

impl CodeIndexEntry {
    /// The one text that its embedding is computed from (section 14.1).
    pub fn embedding_text(&self) -> String {
        let summary = serde_json::to_string(&self.io_summary).unwrap_or_default();
        format!("{}\n{}\n{summary}", self.purpose, self.tags.join(", "))
    }
}

impl Judged for CodeIndexEntry {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        id(&mut found, "$", "module_id", ids::MODULE, &self.module_id);
        for (field, text) in [
            ("name", &self.name),
            ("purpose", &self.purpose),
            ("contract_ref", &self.contract_ref),
            ("examples_ref", &self.examples_ref),
            ("ship_ref", &self.ship_ref),
        ] {
            said(&mut found, "$", field, text);
        }
        all_said(&mut found, "$", "tags", &self.tags);
        for (index, dependency) in self.dependencies.iter().enumerate() {
            if !ids::is_ranged_reference(dependency) {
                let field = format!("dependencies[{index}]");
                let message = "should be `MM-...@range`";
                found.push(Deficiency::error("bad_reference", "$", field, message));
            }
        }
        match (self.status, &self.superseded_by) {
            (EntryStatus::Superseded, None) => {
                let message = "a superseded module names its successor";
                found.push(Deficiency::error(
                    "no_successor",
                    "$",
                    "superseded_by",
                    message,
                ));
            }
            (EntryStatus::Shipped, Some(_)) => {
                let message = "a module with a successor is not SHIPPED any more";
                found.push(Deficiency::error(
                    "status_regressed",
                    "$",
                    "status",
                    message,
                ));
            }
            (_, successor) => {
                if let Some(successor) = successor {
                    module_ref(&mut found, "$", "superseded_by", successor);
                }
            }
        }
        found.into_iter().collect()
    }
}

/// What a role must show before it may make a new module (section 14.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReuseSearchReport {
    /// What was asked.
    pub query: String,
    /// What was found, and why not.
    pub candidates_considered: Vec<Candidate>,
    /// What follows.
    pub conclusion: ReuseConclusion,
    /// Why.
    pub justification: String,
}

/// A module that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// `MM-...@x.y.z`.
    pub module_ref: String,
    /// Why it does not do; empty for the one that is reused.
    #[serde(default)]
    pub why_rejected: String,
}

/// What follows from a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum ReuseConclusion {
    ReuseExisting,
    CreateNew,
}

impl Judged for ReuseSearchReport {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        not_blank(&mut found, "$", "query", &self.query);
        said(&mut found, "$", "justification", &self.justification);
        for (index, candidate) in self.candidates_considered.iter().enumerate() {
            let path = format!("$.candidates_considered[{index}]");
            module_ref(&mut found, &path, "module_ref", &candidate.module_ref);
            if self.conclusion == ReuseConclusion::CreateNew {
                said(&mut found, &path, "why_rejected", &candidate.why_rejected);
            }
        }
        if self.conclusion == ReuseConclusion::ReuseExisting
            && self.candidates_considered.is_empty()
        {
            let message = "to reuse something, name it";
            let field = "candidates_considered";
            found.push(Deficiency::error("too_few", "$", field, message));
        }
        found.into_iter().collect()
    }
}

/// A question to the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// In natural language.
    pub query: String,
    /// At least one of these, if any are given.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The same of input types.
    #[serde(default)]
    pub input_types: Vec<String>,
    /// The same of output types.
    #[serde(default)]
    pub output_types: Vec<String>,
    /// Also what should not be used any more.
    #[serde(default)]
    pub include_inactive: bool,
    /// How many answers.
    #[serde(default = "ten")]
    pub top_k: u32,
}

fn ten() -> u32 {
    10
}

impl Judged for SearchRequest {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        not_blank(&mut found, "$", "query", &self.query);
        if self.top_k == 0 {
            let message = "at least 1 answer must be wanted";
            found.push(Deficiency::error("bad_number", "$", "top_k", message));
        }
        found.into_iter().collect()
    }
}
