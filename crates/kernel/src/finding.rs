//! What a role has found: its kind, how grave it is, where, and the sentence. What follows from a
//! finding follows from its kind and its severity; no word of the sentence decides anything.

use crate::form::{FILLED, Form};
use crate::{document, words};
use serde::Deserialize;
use serde_json::{Value, json};

words! {
    /// What a finding is about.
    pub enum FindingKind {
        /// Somebody could be harmed through it.
        Security = "security",
        /// It does not do what was asked for.
        Correctness = "correctness",
        /// More than was asked for, or less.
        Scope = "scope",
        /// The proof was gamed: overfitted code, an assertion that says nothing, logic stubbed away.
        Cheat = "cheat",
        /// A risk of timing that tests cannot exercise.
        Concurrency = "concurrency",
        /// A risk of layering that tests cannot exercise.
        Architecture = "architecture",
        /// How it is written.
        Style = "style",
    }
}

words! {
    /// How grave a finding is.
    pub enum Severity {
        /// It must not go on.
        Critical = "critical",
        /// It must be mended.
        Required = "required",
        /// It could be better.
        Optional = "optional",
        /// A remark.
        Note = "note",
    }
}

impl Severity {
    /// Does a finding of this severity hold its gate?
    pub fn blocks(self) -> bool {
        match self {
            Severity::Critical | Severity::Required => true,
            Severity::Optional | Severity::Note => false,
        }
    }
}

document! {
    /// One thing that is wrong.
    #[derive(Eq)]
    pub struct Finding {
        /// What it is about.
        kind: FindingKind,
        /// How grave it is.
        severity: Severity,
        /// `FILE`, `FILE:LINE`, or what else it is found in.
        place: String = FILLED,
        /// What is wrong, and what would be right.
        what: String = FILLED,
    }
}

document! {
    /// What became of a finding that is open.
    #[derive(Eq)]
    pub struct Settled {
        /// Its id in the brief, such as `F1`.
        finding: String = FILLED,
        /// How it was mended, or why it is none.
        how: String = FILLED,
    }
}

/// Where findings stand in a role's result.
pub const FINDINGS: &str = "findings";
/// Where that which became of open ones does.
pub const SETTLED: &str = "settled";

impl Finding {
    /// Does it hold its gate, and stay until it is settled? Security does, however grave it is.
    pub fn holds(&self) -> bool {
        self.severity.blocks() || self.kind == FindingKind::Security
    }

    /// The findings of a result that say their kind and severity.
    pub fn typed(result: &Value) -> Vec<Self> {
        listed(&result[FINDINGS]).filter_map(Self::of).collect()
    }

    /// One that says its kind and its severity.
    pub fn of(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }

    /// What a finding calls itself, also in the form of older results: a text that begins with its
    /// kind and a colon.
    pub fn kind_of(value: &Value) -> Option<FindingKind> {
        let word = match value {
            Value::String(text) => text.split_once(':')?.0,
            other => other["kind"].as_str()?,
        };
        FindingKind::of(word.trim().to_lowercase().as_str())
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, severity) = (self.kind.as_str(), self.severity.as_str());
        write!(f, "[{kind}, {severity}] {}: {}", self.place, self.what)
    }
}

impl Settled {
    /// What a result says of open findings.
    pub fn all(result: &Value) -> Vec<Self> {
        let read = |value| Self::deserialize(value).ok();
        listed(&result[SETTLED]).filter_map(read).collect()
    }
}

fn listed(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The JSON Schemas of both lists. More than the members that are read may stand in an item.
pub fn schemas() -> [(&'static str, Value); 2] {
    let list = |form: Form, about: &str| {
        let mut item = form.schema();
        if let Some(item) = item.as_object_mut() {
            item.remove("additionalProperties");
        }
        json!({ "type": "array", "description": about, "items": item })
    };
    [
        (
            FINDINGS,
            list(Form::Object(&Finding::OBJECT), "What is wrong."),
        ),
        (
            SETTLED,
            list(
                Form::Object(&Settled::OBJECT),
                "What became of findings that are open.",
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_its_kind_is_of_a_kind() {
        let kind = |value: Value| Finding::kind_of(&value).map(FindingKind::as_str);
        assert_eq!(kind(json!({"kind": "security"})), Some("security"));
        assert_eq!(
            kind(json!("Security: the path is not checked")),
            Some("security")
        );
        assert_eq!(kind(json!("no security problem was found")), None);
        assert_eq!(
            kind(json!({"what": "security", "kind": "style"})),
            Some("style")
        );
    }

    #[test]
    fn a_finding_without_its_members_is_none() {
        let whole =
            json!({"kind": "scope", "severity": "note", "place": "a.rs:3", "what": "w", "more": 1});
        let result = json!({"findings": ["a text", {"kind": "scope"}, whole]});
        let read = Finding::typed(&result);
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].to_string(), "[scope, note] a.rs:3: w");
    }
}
