//! A spec as a person reads it before they decide.

use factory::Deficiency;
use factory::product::At;
use factory::project::{ModuleRef, TaskId};
use serde::Serialize;
use serde_json::Value;

/// What a further version of a spec does to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Becomes {
    /// It is kept as it is shipped.
    Stays,
    /// It is made once more.
    Changes,
    /// It is new.
    Comes,
    /// What only it needs is deprecated.
    Goes,
}

/// What becomes of a task, if the spec is approved.
#[derive(Debug, Clone, Serialize)]
pub struct Fate {
    pub becomes: Becomes,
    pub task: TaskId,
    /// What it is called.
    pub name: String,
    /// What the spec wants otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what: Vec<String>,
    /// What is shipped of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleRef>,
}

impl Fate {
    /// In one line, after the word for what it becomes.
    pub fn line(&self) -> String {
        let modules: Vec<String> = self.modules.iter().map(ToString::to_string).collect();
        let modules = match modules.is_empty() {
            true => String::new(),
            false => format!(" ({})", modules.join(", ")),
        };
        let what = match self.what.is_empty() {
            true => String::new(),
            false => format!(": {}", self.what.join(", ")),
        };
        format!("{} \"{}\"{modules}{what}", self.task, self.name)
    }
}

/// Everything about a spec that a person may want to see.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    pub project: String,
    /// `drafting`, `judging`, `shown`, `spent` or `approved`.
    pub at: At,
    /// The hash of what waits for a decision, or was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The spec itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Value>,
    /// The spec as people read it, with warnings and sources.
    pub page: String,
    /// What a person should know.
    pub warnings: Vec<Deficiency>,
    /// What is wrong with a draft that is not complete.
    pub deficiencies: Vec<String>,
    /// What was looked up.
    pub sources: Vec<String>,
    /// AMENDs in a row.
    pub amends: usize,
    /// The advice of rule F3.2.4, once it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Of a further version: what becomes of each task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Fate>,
    /// What may be decided now.
    pub options: Vec<String>,
}
