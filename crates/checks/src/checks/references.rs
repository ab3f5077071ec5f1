//! `references`: what a text or a field refers to is there. It refuses a section that refers to
//! nothing, a link that leads nowhere, and a place for evidence that holds none. Whether what is there
//! shows anything, it cannot tell.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::references::{self, Named, There};
use crate::readers::{markdown, paths};
use crate::settings::{Choice, Paths, Placed, SettingsError, Text, Texts, Words};
use crate::text::{first_few, is_placeholder, label};
use schemars::JsonSchema;
use serde::Deserialize;

/// What is referred to is there, in the task folder or in the repository.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct References {
    /// `task/...` or `repo/...`; or else `field`.
    file: Option<Placed>,
    /// Headings of the file: something that is there is referred to under each of them.
    #[serde(default)]
    headings: Texts,
    /// A field that says where something lies.
    field: Option<Text>,
    /// Paths in the task folder that prove nothing: what the engine writes, and the text itself.
    #[serde(default)]
    except: Paths,
    /// A folder that is named may be `empty`; else a file must lie in it.
    folders: Option<Choice<MayBeEmpty>>,
}

/// A folder will do.
#[derive(Clone, Copy)]
struct MayBeEmpty;

impl Words for MayBeEmpty {
    const WORDS: &'static [(&'static str, Self)] = &[("empty", Self)];
}

impl Judge for References {
    const NAME: &'static str = "references";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match (&self.file, self.headings.is_empty(), &self.field) {
            (Some(_), false, None) | (None, true, Some(_)) => Ok(()),
            _ => Self::refuse("needs either `file` and `headings`, or `field`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut wrong = Vec::new();
        let mut count = 0;
        for (what, named) in self.texts(subject)? {
            let mut there = 0;
            let mut ours = Vec::new();
            for one in &named {
                match (one.look_up(subject.place, &self.except), &self.folders) {
                    (There::Something, _) | (There::EmptyFolder, Some(_)) => there += 1,
                    (There::EmptyFolder, None) => {
                        wrong.push(format!("`{}` holds nothing", label(&one.path)));
                    }
                    (There::Nothing, _) if one.is_sure() => {
                        wrong.push(format!("`{}` is not there", label(&one.path)));
                    }
                    (There::Nothing, _) => {}
                    (There::Ours, _) => ours.push(label(&one.path)),
                }
            }
            if there == 0 && wrong.is_empty() {
                wrong.push(match ours.first() {
                    Some(ours) => format!(
                        "{what} refers to nothing but `{ours}`, which is no evidence of anything; name a file of the repository, or one below `task/artifacts/`"
                    ),
                    None => format!("{what} refers to nothing that is there"),
                });
            }
            count += there;
        }
        match (wrong.is_empty(), count) {
            (true, 1) => Ok("what is referred to is there".to_owned()),
            (true, count) => Ok(format!("all {count} that are referred to are there")),
            (false, _) => Err(first_few(&wrong, 5).into()),
        }
    }
}

impl References {
    /// Each text, and what it names.
    fn texts(&self, subject: &Subject<'_>) -> Judged<Vec<(String, Vec<Named>)>> {
        let Some(file) = self.file.as_deref() else {
            let field = self.field.as_deref().unwrap_or_default();
            let value = subject.fields.get(field).map_or("", |value| value.trim());
            if is_placeholder(value) {
                return Err(format!("the field `{field}` is empty").into());
            }
            return Ok(vec![(format!("`{field}`"), references::in_text(value))]);
        };
        let text = paths::read(subject.place, file).map_err(Error::of(file))?;
        let mut texts = Vec::new();
        for heading in self.headings.iter() {
            if markdown::sections(&text, heading).is_empty() {
                return Err(format!("{file} has no heading `{heading}`").into());
            }
            texts.push((format!("`{heading}`"), references::under(&text, heading)));
        }
        Ok(texts)
    }
}
