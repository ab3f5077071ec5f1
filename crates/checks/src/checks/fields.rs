//! `fields`: the document's fields are filled in; placeholders do not count, by the same rule as in
//! `sections`.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::{SettingsError, Texts, WordTable};
use crate::text::{first_few, is_placeholder, label};
use schemars::JsonSchema;
use serde::Deserialize;

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
}
