//! `one_of`: a place in a document holds one of a few words. The text is not searched for them: the
//! place must begin with its choice.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::settings::{Placed, SettingsError, Text, Texts};
use crate::text::one_line;
use documents::choice;
use schemars::JsonSchema;
use serde::Deserialize;

/// A section, or a labelled line, begins with one of the given words.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct OneOf {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the words.
    section: Option<Text>,
    /// The label of the line, as in `Verdict: READY`.
    label: Option<Text>,
    /// The words that pass, in any case.
    words: Texts,
}

impl Judge for OneOf {
    const NAME: &'static str = "one_of";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.section.is_none() && self.label.is_none() {
            true => Self::refuse("needs `section`, `label` or both"),
            false => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let file = &*self.file;
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let line = choice::decisive(&text, self.section.as_deref(), self.label.as_deref())
            .map_err(|why| format!("{file} {why}"))?;
        match choice::choose(&line, &self.words) {
            Some(word) => Ok(format!("`{word}`")),
            None => Err(format!(
                "{file} says `{}` and must say one of: {}",
                one_line(&line, 60),
                self.words.join(", ")
            )
            .into()),
        }
    }
}
