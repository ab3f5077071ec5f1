//! `one_of`: a place in a document holds one of a few words. It refuses to search the text for
//! them: the place must begin with its choice.

use crate::judge::{Judge, Judged};
use crate::readers::{choice, paths};
use crate::settings::{Placed, SettingsError, Text, Texts};
use crate::text::one_line;
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

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

    fn examples() -> Vec<Example> {
        let tier = || {
            json!({
                "file": "repo/scope.md", "section": "Quality Tier",
                "words": ["shed", "house", "skyscraper"]
            })
        };
        let ready = || json!({"file": "repo/scope.md", "section": "Verdict", "words": ["READY"]});
        vec![
            Example {
                repo: &[(
                    "scope.md",
                    "# Quality Tier\n**House**. A shed would lose data.\n",
                )],
                ..Example::passes("the first word counts", tier(), "`house`")
            },
            Example {
                repo: &[("scope.md", "Tier: shed\n")],
                ..Example::passes(
                    "a labelled line",
                    json!({"file": "repo/scope.md", "label": "tier", "words": ["shed"]}),
                    "`shed`",
                )
            },
            Example {
                repo: &[("scope.md", "# Verdict\nNOT READY\n")],
                ..Example::fails("NOT READY is not READY", ready(), "says `NOT READY`")
            },
            Example {
                repo: &[("scope.md", "# Quality Tier\nTBD: shed or house\n")],
                ..Example::fails("nothing is chosen", tier(), "has nothing there")
            },
            Example {
                repo: &[("scope.md", "# Other\n")],
                ..Example::fails("no such section", tier(), "has no heading `Quality Tier`")
            },
            Example::fails("no such file", tier(), "repo/scope.md is missing"),
            Example::cannot_run(
                "neither section nor label",
                json!({"file": "repo/a.md", "words": ["a"]}),
                "needs `section`, `label` or both",
            ),
        ]
    }
}
