//! `fields`: the document's fields are filled in. It refuses placeholders, by the same rule as
//! `sections`.

use crate::judge::{Judge, Judged};
use crate::settings::{SettingsError, Texts, WordTable};
use crate::text::{first_few, is_placeholder, label};
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The document's fields are filled in, and some hold one of a few values.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Fields {
    /// Fields that need real content.
    #[serde(default)]
    required: Texts,
    /// A table: field to the list of its values.
    #[serde(default)]
    one_of: WordTable,
}

impl Judge for Fields {
    const NAME: &'static str = "fields";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.required.is_empty() && self.one_of.is_empty() {
            true => Self::refuse("needs `required` or `one_of`"),
            false => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let value = |field: &str| subject.fields.get(field).map_or("", |value| value.trim());
        let mut wrong = Vec::new();
        for field in self.required.iter() {
            if value(field).is_empty() {
                wrong.push(format!("`{field}` is empty"));
            } else if is_placeholder(value(field)) {
                wrong.push(format!("`{field}` holds a placeholder"));
            }
        }
        for (field, values) in self.one_of.iter() {
            if !values.iter().any(|known| known == value(field)) {
                wrong.push(format!(
                    "`{field}` is `{}`, not one of {}",
                    label(value(field)),
                    values.join(", ")
                ));
            }
        }
        if wrong.is_empty() {
            return Ok("all fields are filled in".to_owned());
        }
        Err(first_few(&wrong, wrong.len()).into())
    }

    fn examples() -> Vec<Example> {
        let two = || json!({"required": ["Objective", "Done gate"]});
        let done = || json!({"one_of": {"Candidate done": ["yes", "no"]}});
        vec![
            Example {
                fields: &[("Objective", "Parse dates"), ("Done gate", "cargo test")],
                ..Example::passes("both are filled in", two(), "all fields are filled in")
            },
            Example {
                fields: &[("Candidate done", " yes ")],
                ..Example::passes("one of the values", done(), "all fields are filled in")
            },
            Example {
                fields: &[("Objective", "  "), ("Other", "text")],
                ..Example::fails(
                    "every empty one is named",
                    two(),
                    "`Objective` is empty, `Done gate` is empty",
                )
            },
            Example {
                fields: &[("Objective", "<one sentence>"), ("Done gate", "TBD")],
                ..Example::fails(
                    "placeholders",
                    two(),
                    "`Objective` holds a placeholder, `Done gate` holds a placeholder",
                )
            },
            Example {
                fields: &[("Candidate done", "almost")],
                ..Example::fails("another value", done(), "is `almost`, not one of yes, no")
            },
            Example::fails("no value", done(), "`Candidate done` is ``"),
            Example::cannot_run("nothing is asked for", json!({}), "`required` or `one_of`"),
            Example::cannot_run(
                "a misspelt key",
                json!({"require": ["a"]}),
                "allowed keys: one_of, required",
            ),
        ]
    }
}
