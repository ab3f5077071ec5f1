//! `references`: what a text or a field refers to is there, and is of the work. It refuses a section that
//! refers to nothing or says nothing of it, a link that leads nowhere, a place for evidence that holds
//! none, and what would be there without the work as well: an empty file, a blank line, a file as the run
//! found it of which nothing is quoted. Whether what is there shows anything, it cannot tell.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::readers::references::{There, look_up};
use crate::settings::{Choice, Paths, Placed, SettingsError, Text, Texts, Words};
use crate::text::{first_few, label};
use documents::is_placeholder;
use documents::markdown;
use documents::references::{self, Named};
use documents::substance::spoken;
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

/// Fewer words than this beside what is pointed to say nothing of it.
const OF_A_SENTENCE: usize = 3;

/// A text, and what it names.
struct Said {
    what: String,
    said: String,
    named: Vec<Named>,
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
        for Said { what, said, named } in self.texts(subject)? {
            let (mut there, mut faults) = (0, Vec::new());
            let (mut ours, mut shows_nothing) = (Vec::new(), Vec::new());
            for one in &named {
                let path = label(&one.path);
                match (look_up(one, subject, &self.except, &said), &self.folders) {
                    (There::Something, _) | (There::EmptyFolder | There::Untouched, Some(_)) => {
                        there += 1
                    }
                    (There::EmptyFolder, None) => faults.push(format!("`{path}` holds nothing")),
                    (There::NoLine(why), _) => faults.push(format!("{what} {why}")),
                    (There::Blank(why), _) => shows_nothing.push(why),
                    (There::Untouched, None) => {
                        shows_nothing.push(format!("`{path}` is as the run found it"));
                    }
                    (There::Nothing, _) if one.is_sure() => {
                        faults.push(format!("`{path}` is not there"));
                    }
                    (There::Nothing, _) => {}
                    (There::Ours, _) => ours.push(path),
                }
            }
            if there == 0 && faults.is_empty() {
                faults.push(match (shows_nothing.first(), ours.first()) {
                    (Some(why), _) => format!(
                        "{what} refers to nothing that shows the work: {why}; name what the run has changed or left below `task/artifacts/`, or quote in backticks the line that shows it"
                    ),
                    (None, Some(ours)) => format!(
                        "{what} refers to nothing but `{ours}`, which is no evidence of anything; name a file of the repository, or one below `task/artifacts/`"
                    ),
                    (None, None) => format!("{what} refers to nothing that is there"),
                });
            }
            if self.file.is_some() && spoken(&said) < OF_A_SENTENCE {
                faults.push(format!(
                    "{what} does not say what is seen there; write it in a sentence"
                ));
            }
            count += there;
            wrong.extend(faults);
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
    fn texts(&self, subject: &Subject<'_>) -> Judged<Vec<Said>> {
        let Some(file) = self.file.as_deref() else {
            let field = self.field.as_deref().unwrap_or_default();
            let value = subject.fields.get(field).map_or("", |value| value.trim());
            if is_placeholder(value) {
                return Err(format!("the field `{field}` is empty").into());
            }
            return Ok(vec![Said {
                what: format!("`{field}`"),
                said: value.to_owned(),
                named: references::in_text(value),
            }]);
        };
        let text = paths::read(subject.place, file).map_err(Error::of(file))?;
        let mut texts = Vec::new();
        for heading in self.headings.iter() {
            if markdown::sections(&text, heading).is_empty() {
                return Err(format!("{file} has no heading `{heading}`").into());
            }
            let said = markdown::source(&text, heading).unwrap_or(&text);
            texts.push(Said {
                what: format!("`{heading}`"),
                said: said.to_owned(),
                named: references::under(&text, heading),
            });
        }
        Ok(texts)
    }
}
