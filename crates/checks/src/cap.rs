//! `cap`: a field draws a line in one sentence, with its globs in backticks. It refuses a cap that
//! caps nothing.

use crate::judges::{Judged, Judges};
use crate::settings::Settings;
use crate::{Example, Setting, Subject};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::json;

/// The check.
pub(crate) struct Cap;

/// Globs that leave nothing out.
const EVERYTHING: [&str; 5] = ["*", "**", "**/*", "./**", "/**"];

/// A cap's globs, compiled as a view compiles them.
pub(crate) struct Line {
    inside: GlobSet,
    outside: GlobSet,
}

impl Line {
    pub(crate) fn of(sentence: &str) -> Result<Self, String> {
        let cap = kernel::effect::Cap::of(sentence);
        Ok(Self {
            inside: compile(&cap.inside)?,
            outside: compile(&cap.outside)?,
        })
    }

    pub(crate) fn holds(&self, path: &str) -> bool {
        self.inside.is_match(path) && !self.outside.is_match(path)
    }
}

fn compile(globs: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(|error| format!("`{glob}` is no glob: {error}"))?);
    }
    set.build().map_err(|error| error.to_string())
}

impl Judges for Cap {
    const NAME: &'static str = "cap";
    const ABOUT: &'static str = "a field caps what may be seen: a sentence with globs in backticks";
    const SETTINGS: &'static [Setting] =
        &[Setting::required("field", "the field that holds the cap")];
    type Wanted<'a> = &'a str;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<&'a str, String> {
        Ok(settings.text("field")?.unwrap_or_default())
    }

    fn judge(&field: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let sentence = subject.fields.get(field).map_or("", |text| text.trim());
        if sentence.is_empty() {
            return Err(format!("`{field}` is empty").into());
        }
        let cap = kernel::effect::Cap::of(sentence);
        if cap.inside.is_empty() {
            return Err(format!("`{field}` names no glob in backticks, such as `src/**`").into());
        }
        if let Some(all) = cap
            .inside
            .iter()
            .find(|glob| EVERYTHING.contains(&glob.as_str()))
        {
            return Err(format!("`{field}` caps nothing: `{all}` is everything").into());
        }
        Line::of(sentence)?;
        let (inside, outside) = (cap.inside.len(), cap.outside.len());
        Ok(format!("{inside} globs inside, {outside} outside"))
    }

    fn examples() -> Vec<Example> {
        let with = || json!({"field": "Scope cap"});
        let bad = |name, fields, reason| Example {
            fields,
            ..Example::fails(name, with(), reason)
        };
        vec![
            Example {
                fields: &[(
                    "Scope cap",
                    "Only `src/**` and `tests/**`, not `!src/old/**`.",
                )],
                ..Example::passes("globs", with(), "2 globs inside, 1 outside")
            },
            bad("no globs", &[("Scope cap", "the parser")], "names no glob"),
            bad("left out", &[], "is empty"),
            bad(
                "no cap at all",
                &[("Scope cap", "all: `**`")],
                "caps nothing",
            ),
            bad("no glob", &[("Scope cap", "`src/[`")], "is no glob"),
        ]
    }
}
