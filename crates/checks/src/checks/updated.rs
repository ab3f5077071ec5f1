//! `updated`: the attempt has written what its phase must write. A file that an earlier attempt filled
//! in says nothing of this one.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::{SettingsError, Texts};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;

/// The attempt changed each of these files and fields.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Updated {
    /// Files, as `task/...` or `repo/...`.
    #[serde(default)]
    files: Texts,
    /// Fields of the state file.
    #[serde(default)]
    fields: Texts,
}

impl Judge for Updated {
    const NAME: &'static str = "updated";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match self.files.is_empty() && self.fields.is_empty() {
            true => Self::refuse("needs `files` or `fields`"),
            false => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        // Nobody has worked: what is there was asked to be judged as it is.
        if subject.result.is_none() && subject.tree_before.is_empty() && subject.changed.is_empty()
        {
            return Ok("no attempt is judged".to_owned());
        }
        let files = self.files.iter();
        let files = files.filter(|file| !subject.changed.contains(file));
        let value = |of: &std::collections::BTreeMap<String, String>, field: &str| {
            of.get(field)
                .map_or(String::new(), |value| value.trim().to_owned())
        };
        let same =
            |field: &&String| value(subject.fields, field) == value(subject.fields_before, field);
        let fields = self.fields.iter().filter(same);
        let stale: Vec<String> = files
            .cloned()
            .chain(fields.map(|field| format!("`{field}`")))
            .collect();
        if stale.is_empty() {
            return Ok("what this phase must write was written".to_owned());
        }
        Err(format!("this attempt did not write {}", first_few(&stale, 8)).into())
    }
}
