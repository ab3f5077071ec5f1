//! `fields`: the document's fields are filled in, and say something; `documents/src/substance.rs` knows what
//! does not.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::substance::hollow;
use crate::settings::{SettingsError, Texts, WordTable};
use crate::text::{first_few, label};
use documents::substance::{alike, none_alone};
use schemars::JsonSchema;
use serde::Deserialize;

/// The document's fields are filled in, and some hold one of a few values.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Fields {
    /// Fields that need real content.
    #[serde(default)]
    required: Texts,
    /// Those of `required` that may say `none` alone; all of them.
    #[serde(default)]
    may_be_none: Texts,
    /// A table: field to the list of its values.
    #[serde(default)]
    one_of: WordTable,
}

impl Judge for Fields {
    const NAME: &'static str = "fields";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        let required = |field: &String| self.required.contains(field);
        if self.required.is_empty() && self.one_of.is_empty() {
            return Self::refuse("needs `required` or `one_of`");
        }
        match self.may_be_none.iter().all(required) {
            true => Ok(()),
            false => Self::refuse("has a field in `may_be_none` that is not in `required`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let value = |field: &str| subject.fields.get(field).map_or("", |value| value.trim());
        let mut wrong = Vec::new();
        for field in self.required.iter() {
            let listed = self.may_be_none.is_empty() || self.may_be_none.contains(field);
            let bare = (!listed).then(|| none_alone(value(field))).flatten();
            if let Some(why) = hollow(subject, value(field), field).or(bare) {
                wrong.push(format!("`{field}` {why}"));
            }
        }
        let words = self
            .required
            .iter()
            .map(|field| (field.as_str(), value(field)));
        // Numbers are the same by chance.
        wrong.extend(alike(
            words.filter(|(_, said)| said.parse::<f64>().is_err()),
        ));
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
