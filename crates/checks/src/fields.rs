//! `fields`: the document's fields are filled in. It refuses placeholders, by the same rule as
//! `sections`.

use crate::settings::Settings;
use crate::text::{answer, first_few, label};
use crate::{Check, Example, Setting, Subject, is_placeholder};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct Fields;

struct Wanted<'a> {
    required: Vec<&'a str>,
    one_of: Vec<(&'a str, Vec<&'a str>)>,
}

impl Check for Fields {
    fn name(&self) -> &'static str {
        "fields"
    }

    fn about(&self) -> &'static str {
        "the document's fields are filled in, and some hold one of a few values"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[
                Setting::optional("required", "fields that need real content"),
                Setting::optional("one_of", "a table: field to the list of its values"),
            ]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        self.read(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let wanted = match self.read(with) {
            Ok(wanted) => wanted,
            Err(reason) => return vec![answer(self.name(), Verdict::CouldNotRun, &reason)],
        };
        let value = |field: &str| subject.fields.get(field).map_or("", |value| value.trim());
        let mut wrong = Vec::new();
        for field in &wanted.required {
            if value(field).is_empty() {
                wrong.push(format!("`{field}` is empty"));
            } else if is_placeholder(value(field)) {
                wrong.push(format!("`{field}` holds a placeholder"));
            }
        }
        for (field, values) in &wanted.one_of {
            if !values.contains(&value(field)) {
                wrong.push(format!(
                    "`{field}` is `{}`, not one of {}",
                    label(value(field)),
                    values.join(", ")
                ));
            }
        }
        let (verdict, reason) = if wrong.is_empty() {
            (Verdict::Pass, "all fields are filled in".to_string())
        } else {
            (Verdict::Fail, first_few(&wrong, wrong.len()))
        };
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
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
                "allowed keys: required",
            ),
        ]
    }
}

impl Fields {
    fn read<'a>(&self, with: &'a Value) -> Result<Wanted<'a>, String> {
        let settings = Settings::open(self, with)?;
        let required = settings.list("required")?;
        let one_of = match settings.get("one_of") {
            None => None,
            Some(Value::Object(table)) if !table.is_empty() => Some(
                table
                    .iter()
                    .map(|(field, values)| Ok((field.as_str(), settings.texts("one_of", values)?)))
                    .collect::<Result<Vec<_>, String>>()?,
            ),
            Some(_) => {
                return settings.refuse("one_of", "a table: field to the list of its values");
            }
        };
        if required.is_none() && one_of.is_none() {
            return Err("`fields` needs `required` or `one_of`".into());
        }
        Ok(Wanted {
            required: required.unwrap_or_default(),
            one_of: one_of.unwrap_or_default(),
        })
    }
}
