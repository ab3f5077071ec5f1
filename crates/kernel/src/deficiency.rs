//! What a validator says: every deficiency with its place, and no verdict beyond that. Errors block,
//! warnings are shown to the person at the gate.

use crate::form::{Fault, Form, Object, Size, TEXT, may, must};
use crate::words;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

words! {
    /// Whether it blocks.
    pub enum Severity {
        /// It blocks.
        Error = "ERROR",
        /// It is shown, and blocks nothing.
        Warning = "WARNING",
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deficiency {
    /// The object that it is in, from `$` down: `$.pillars[0].epics[1]`.
    pub path: String,
    /// The member of that object; empty if it is the object itself.
    pub field: String,
    /// Whether it blocks.
    pub severity: Severity,
    /// The number of the completeness rule (1 to 14), where one of them is broken.
    #[serde(default)]
    pub rule: Option<u8>,
    /// Stable, snake_case.
    pub code: Cow<'static, str>,
    /// What is wrong and how to mend it.
    pub message: String,
    /// The line in the file, from 1, where the file is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Deficiency {
    /// An error in a value that is no longer a text.
    pub fn error(
        code: &'static str,
        path: impl Into<String>,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            field: field.into(),
            severity: Severity::Error,
            rule: None,
            code: Cow::Borrowed(code),
            message: message.into(),
            line: None,
            column: None,
        }
    }

    /// The same, with its place in the file.
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// `path.field`, as one text.
    pub fn whole_path(&self) -> String {
        match self.field.as_str() {
            "" => self.path.clone(),
            field if field.starts_with('[') => format!("{}{field}", self.path),
            field => format!("{}.{field}", self.path),
        }
    }
}

impl From<Fault> for Deficiency {
    fn from(fault: Fault) -> Self {
        Self::error(fault.code, fault.path, fault.field, fault.what)
    }
}

/// Everything that a validator found, in the order of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What blocks.
    pub errors: Vec<Deficiency>,
    /// What a person should know.
    pub warnings: Vec<Deficiency>,
}

impl Report {
    /// Nothing blocks.
    pub fn passes(&self) -> bool {
        self.errors.is_empty()
    }

    /// Both kinds.
    pub fn all(&self) -> impl Iterator<Item = &Deficiency> {
        self.errors.iter().chain(&self.warnings)
    }
}

impl FromIterator<Deficiency> for Report {
    fn from_iter<I: IntoIterator<Item = Deficiency>>(found: I) -> Self {
        let (errors, warnings) = found
            .into_iter()
            .partition(|deficiency| deficiency.severity == Severity::Error);
        Self { errors, warnings }
    }
}

const DEFICIENCY: Form = Form::Object(&Object {
    name: "Deficiency",
    about: "One thing that is wrong.",
    members: &[
        must("path", "The object that it is in, from `$` down.", TEXT),
        must(
            "field",
            "The member; empty if it is the object itself.",
            TEXT,
        ),
        must(
            "severity",
            "ERROR blocks.",
            Form::Word(&["ERROR", "WARNING"]),
        ),
        may(
            "rule",
            "The completeness rule (1 to 14).",
            Form::Nullable(&Form::Count(1)),
        ),
        must("code", "Stable.", TEXT),
        must("message", "What is wrong and how to mend it.", TEXT),
        may("line", "From 1.", Form::Nullable(&Form::Count(1))),
        may("column", "From 1.", Form::Nullable(&Form::Count(1))),
    ],
});

/// The report as a document.
pub const REPORT: Object = Object {
    name: "ValidationReport",
    about: "Everything that a validator found.",
    members: &[
        must("errors", "What blocks.", Form::List(&DEFICIENCY, Size::ANY)),
        must(
            "warnings",
            "What a person should know.",
            Form::List(&DEFICIENCY, Size::ANY),
        ),
    ],
};
