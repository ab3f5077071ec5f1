//! One entry of the index, as rule F14.2 has it to the letter: the type and the table of its form. What search or a reader could not use is refused.

use crate::error::IndexError;
use kernel::document;
use kernel::form::{Cause, FILLED, Fault, Form, Formed, SAID, Size};
pub use kernel::module::ModuleStatus as Status;
use kernel::module::{DEPENDENCY, ModuleId, ModuleRef, Version};
use serde::Deserialize;
use serde_json::Value;

/// The largest entry, as JSON. An entry is a summary with pointers, not a place for the module.
const LARGEST: usize = 256 * 1024;

const TEXTS: Form = Form::List(&FILLED, Size::ANY);

document! {
    /// A shipped module.
    #[derive(Eq)]
    pub struct CodeIndexEntry {
        /// `MM-...`.
        module_id: ModuleId,
        /// `x.y.z`.
        version: Version,
        /// For people.
        name: String = SAID,
        /// What it is for, in natural language.
        purpose: String = SAID,
        /// For filters.
        tags: Vec<String> = TEXTS,
        /// Where the contract is.
        contract_ref: String = SAID,
        /// Where the examples are.
        examples_ref: String = SAID,
        /// Where the ship evidence is.
        ship_ref: String = SAID,
        /// The five dimensions of the contract, in short.
        io_summary: IoSummary,
        /// `MM-...@range` each.
        dependencies: Vec<String> = Form::List(&DEPENDENCY, Size::ANY),
        /// Always SHIPPED when it is added.
        status: Status,
        /// What stands in for it.
        #[serde(default)]
        superseded_by?: Option<ModuleRef>,
        /// Notes of its makers, and the notices of later changes of status.
        #[serde(default)]
        notes?: String,
    }
}

document! {
    /// The five dimensions of the contract, in short.
    #[derive(Default, Eq)]
    pub struct IoSummary {
        /// `type`, or `name: type`.
        inputs: Vec<String> = TEXTS,
        /// `type`, or `name: type`.
        outputs: Vec<String> = TEXTS,
        /// How it fails.
        error_surfaces: Vec<String> = TEXTS,
        /// What it changes.
        effects: Vec<String> = TEXTS,
        /// Sync, async.
        modes: Vec<String> = TEXTS,
    }
}

/// A status and a successor that do not go together.
pub(crate) fn successor(entry: &Value, found: &mut Vec<Fault>) {
    match (entry["status"].as_str(), &entry["superseded_by"]) {
        (Some("SUPERSEDED"), Value::Null) => {
            let what = "a superseded module names its successor";
            found.push(Fault::rule("no_successor", "$", "superseded_by", what));
        }
        (Some("SHIPPED"), Value::String(_)) => {
            let what = "a module with a successor is not SHIPPED any more";
            found.push(Fault::rule("status_regressed", "$", "status", what));
        }
        _ => {}
    }
}

fn wrong(entry: String, field: impl Into<String>, why: impl Into<String>) -> IndexError {
    IndexError::BadEntry {
        entry,
        field: field.into(),
        why: why.into(),
    }
}

impl CodeIndexEntry {
    /// Its key.
    pub fn reference(&self) -> ModuleRef {
        ModuleRef {
            module: self.module_id.clone(),
            version: self.version,
        }
    }

    /// The sole input to the embedding model (rule F14.1).
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
        let unread = |why: String| wrong("(unread)".to_owned(), "(json)", why);
        if json.len() > LARGEST {
            return Err(unread(format!("is larger than {LARGEST} bytes")));
        }
        let refused = |error: serde_json::Error| unread(format!("is not an entry: {error}"));
        let value: Value = serde_json::from_str(json).map_err(refused)?;
        formed(&value)?;
        Self::deserialize(&value).map_err(refused)
    }

    /// Reads an entry that was judged when it was added.
    pub(crate) fn stored(json: &str) -> Result<Self, IndexError> {
        let unread = |error: serde_json::Error| {
            wrong(
                "(unread)".to_owned(),
                "(json)",
                format!("is not an entry: {error}"),
            )
        };
        serde_json::from_str(json).map_err(unread)
    }

    /// The entry as JSON, if everything holds that the types cannot say.
    pub(crate) fn checked(&self) -> Result<String, IndexError> {
        let refuse =
            |field: &str, why: String| Err(wrong(self.reference().to_string(), field, why));
        let Ok(value) = serde_json::to_value(self) else {
            return refuse("(json)", "cannot be written".to_owned());
        };
        formed(&value)?;
        if self.status != Status::Shipped {
            let why = "is not SHIPPED: only shipped modules are added";
            return refuse("status", why.to_owned());
        }
        if self.superseded_by.is_some() {
            let why = "is set before the entry is in the index";
            return refuse("superseded_by", why.to_owned());
        }
        match serde_json::to_string(self) {
            Ok(body) if body.len() <= LARGEST => Ok(body),
            _ => refuse("(json)", format!("is larger than {LARGEST} bytes")),
        }
    }
}

/// Refuses what has not the form. Whether a text is a placeholder is for those who judge documents:
/// a module may well be about TODO items.
fn formed(value: &Value) -> Result<(), IndexError> {
    let found = CodeIndexEntry::FORM.faults(value);
    let Some(fault) = found.iter().find(|one| one.cause != Cause::Wording) else {
        return Ok(());
    };
    let part = |name: &str| value[name].as_str().unwrap_or("?").to_owned();
    let entry = format!("{}@{}", part("module_id"), part("version"));
    Err(wrong(entry, fault.place(), fault.what.clone()))
}

/// The forms under which an input or output can be asked for: as it stands, and its type alone.
pub(crate) fn type_forms(item: &str) -> impl Iterator<Item = &str> {
    let item = item.trim();
    let alone = item.split_once(':').map(|(_, kind)| kind.trim());
    std::iter::once(item).chain(alone.filter(|kind| !kind.is_empty()))
}
