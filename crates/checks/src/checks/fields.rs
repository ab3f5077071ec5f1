//! `fields`: the document's fields are filled in. It refuses placeholders, by the same rule as
//! `sections`.

use crate::judge::{Judged, Judges};
use crate::settings::Settings;
use crate::text::{first_few, is_placeholder, label};
use crate::{Example, Setting, Subject};
use serde_json::{Value, json};

/// The check.
pub(crate) struct Fields;

pub(crate) struct Wanted<'a> {
    required: Vec<&'a str>,
    one_of: Vec<(&'a str, Vec<&'a str>)>,
}

impl Judges for Fields {
    const NAME: &'static str = "fields";
    const ABOUT: &'static str =
        "the document's fields are filled in, and some hold one of a few values";
    const SETTINGS: &'static [Setting] = &[
        Setting::optional("required", "fields that need real content"),
        Setting::optional("one_of", "a table: field to the list of its values"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
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

    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
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
                "allowed keys: required",
            ),
        ]
    }
}
