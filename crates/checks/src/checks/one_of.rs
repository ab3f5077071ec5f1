//! `one_of`: a place in a document holds one of a few words. It refuses to search the text for
//! them: the place must begin with its choice.

use crate::judge::{Judged, Judges};
use crate::readers::{choice, paths};
use crate::settings::Settings;
use crate::text::one_line;
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct OneOf;

pub(crate) struct Wanted<'a> {
    file: &'a str,
    section: Option<&'a str>,
    label: Option<&'a str>,
    words: Vec<&'a str>,
}

impl Judges for OneOf {
    const NAME: &'static str = "one_of";
    const ABOUT: &'static str = "a section, or a labelled line, begins with one of the given words";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("file", "`task/...` or `repo/...`"),
        Setting::optional("section", "the heading over the words"),
        Setting::optional("label", "the label of the line, as in `Verdict: READY`"),
        Setting::required("words", "the words that pass, in any case"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let (section, label) = (settings.text("section")?, settings.text("label")?);
        if section.is_none() && label.is_none() {
            return Err("`one_of` needs `section`, `label` or both".into());
        }
        Ok(Wanted {
            file: settings.placed("file")?.unwrap_or_default(),
            section,
            label,
            words: settings.list("words")?.unwrap_or_default(),
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let file = wanted.file;
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let line = choice::decisive(&text, wanted.section, wanted.label)
            .map_err(|why| format!("{file} {why}"))?;
        match choice::choose(&line, &wanted.words) {
            Some(word) => Ok(format!("`{word}`")),
            None => Err(format!(
                "{file} says `{}` and must say one of: {}",
                one_line(&line, 60),
                wanted.words.join(", ")
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
