//! One entry of the index, as section 14.2 has it to the letter: unknown members are refused, and
//! so is everything that search or a reader could not use.

use crate::error::IndexError;
use crate::module::{ModuleId, ModuleRef, Version};
use crate::range::Dependency;
use crate::status::Status;
use serde::{Deserialize, Serialize};

/// The largest entry, as JSON. An entry is a summary with pointers, not a place for the module.
const LARGEST: usize = 256 * 1024;

/// A shipped module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeIndexEntry {
    /// `MM-...`.
    pub module_id: ModuleId,
    /// `x.y.z`.
    pub version: Version,
    /// For people.
    pub name: String,
    /// What it is for, in natural language.
    pub purpose: String,
    /// For filters.
    pub tags: Vec<String>,
    /// Where the contract is.
    pub contract_ref: String,
    /// Where the examples are.
    pub examples_ref: String,
    /// Where the ship evidence is.
    pub ship_ref: String,
    /// The five dimensions of the contract, in short.
    pub io_summary: IoSummary,
    /// `MM-...@range` each.
    pub dependencies: Vec<String>,
    /// Always SHIPPED when it is added.
    pub status: Status,
    /// What stands in for it.
    #[serde(default)]
    pub superseded_by: Option<ModuleRef>,
    /// Notes of its makers, and the notices of later changes of status.
    #[serde(default)]
    pub notes: String,
}

/// The five dimensions of the contract, in short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoSummary {
    /// `type`, or `name: type`.
    pub inputs: Vec<String>,
    /// `type`, or `name: type`.
    pub outputs: Vec<String>,
    /// How it fails.
    pub error_surfaces: Vec<String>,
    /// What it changes.
    pub effects: Vec<String>,
    /// Sync, async.
    pub modes: Vec<String>,
}

impl CodeIndexEntry {
    /// Its key.
    pub fn reference(&self) -> ModuleRef {
        ModuleRef {
            module_id: self.module_id.clone(),
            version: self.version,
        }
    }

    /// The sole input to the embedding model (section 14.1).
    pub fn embedding_input(&self) -> String {
        let summary = serde_json::to_string(&self.io_summary)
            .expect("lists of texts can always be written as JSON");
        format!("{}\n{}\n{summary}", self.purpose, self.tags.join(", "))
    }

    /// What words are searched in: all that describes it, its name too.
    pub(crate) fn words(&self) -> String {
        let io = &self.io_summary;
        let lists = [
            &self.tags,
            &io.inputs,
            &io.outputs,
            &io.error_surfaces,
            &io.effects,
            &io.modes,
        ];
        let mut text = format!("{} {} {}", self.module_id, self.name, self.purpose);
        for item in lists.into_iter().flatten() {
            text.push(' ');
            text.push_str(item);
        }
        text
    }

    /// Reads an entry from JSON.
    pub fn parse(json: &str) -> Result<Self, IndexError> {
        let wrong = |why: String| IndexError::BadEntry {
            entry: "(unread)".to_owned(),
            field: "(json)",
            why,
        };
        if json.len() > LARGEST {
            return Err(wrong(format!("is larger than {LARGEST} bytes")));
        }
        serde_json::from_str(json).map_err(|error| wrong(format!("is not an entry: {error}")))
    }

    /// The entry as JSON, if everything holds that the types cannot say.
    pub(crate) fn checked(&self) -> Result<String, IndexError> {
        let wrong = |field: &'static str, why: &str| {
            Err(IndexError::BadEntry {
                entry: self.reference().to_string(),
                field,
                why: why.to_owned(),
            })
        };
        for (field, text) in [
            ("name", &self.name),
            ("purpose", &self.purpose),
            ("contract_ref", &self.contract_ref),
            ("examples_ref", &self.examples_ref),
            ("ship_ref", &self.ship_ref),
        ] {
            if text.trim().is_empty() {
                return wrong(field, "is empty");
            }
        }
        let io = &self.io_summary;
        for (field, list) in [
            ("tags", &self.tags),
            ("io_summary.inputs", &io.inputs),
            ("io_summary.outputs", &io.outputs),
            ("io_summary.error_surfaces", &io.error_surfaces),
            ("io_summary.effects", &io.effects),
            ("io_summary.modes", &io.modes),
        ] {
            if list.iter().any(|item| item.trim().is_empty()) {
                return wrong(field, "has an empty item");
            }
        }
        for dependency in &self.dependencies {
            if let Err(error) = Dependency::parse(dependency) {
                return wrong("dependencies", &format!("has {error}"));
            }
        }
        if self.status != Status::Shipped {
            return wrong("status", "is not SHIPPED: only shipped modules are added");
        }
        if self.superseded_by.is_some() {
            return wrong("superseded_by", "is set before the entry is in the index");
        }
        match serde_json::to_string(self) {
            Ok(body) if body.len() <= LARGEST => Ok(body),
            _ => wrong("(json)", &format!("is larger than {LARGEST} bytes")),
        }
    }
}

/// The forms under which an input or output can be asked for: as it stands, and its type alone.
pub(crate) fn type_forms(item: &str) -> impl Iterator<Item = &str> {
    let item = item.trim();
    let alone = item.split_once(':').map(|(_, kind)| kind.trim());
    std::iter::once(item).chain(alone.filter(|kind| !kind.is_empty()))
}
