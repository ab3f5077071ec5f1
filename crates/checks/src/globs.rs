//! `globs`: fields list files of the repository, and not all of it. It refuses an open scope: what
//! may touch everything is bounded by nothing.

use crate::judges::{Judged, Judges};
use crate::settings::Settings;
use crate::text::first_few;
use crate::{Example, Setting, Subject};
use globset::Glob;
use kernel::pattern::{globs_in, stays_inside};
use serde_json::json;

/// The check.
pub(crate) struct Globs;

/// Files that no scope names one by one. A glob that matches all of them matches everything.
const ANYTHING: [&str; 3] = ["a", "b/c.d", ".e/f/g"];

impl Judges for Globs {
    const NAME: &'static str = "globs";
    const ABOUT: &'static str =
        "fields list globs of files in the repository, and none that matches everything";
    const SETTINGS: &'static [Setting] =
        &[Setting::required("fields", "the fields, each with globs")];
    type Wanted<'a> = Vec<&'a str>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Vec<&'a str>, String> {
        Ok(settings.list("fields")?.unwrap_or_default())
    }

    fn judge(fields: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let mut wrong = Vec::new();
        let mut count = 0;
        for field in fields {
            let value = subject.fields.get(*field).map_or("", String::as_str);
            let globs = globs_in(value);
            if globs.is_empty() {
                wrong.push(format!("`{field}` lists nothing"));
            }
            for glob in globs {
                count += 1;
                let at = format!("`{glob}` in `{field}`");
                if !stays_inside(glob) {
                    wrong.push(format!("{at} leads out of the repository"));
                    continue;
                }
                match Glob::new(glob) {
                    Err(error) => wrong.push(format!("{at} is no glob: {}", error.kind())),
                    Ok(glob) => {
                        let glob = glob.compile_matcher();
                        if ANYTHING.iter().all(|path| glob.is_match(path)) {
                            wrong.push(format!("{at} matches everything"));
                        }
                    }
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("{count} globs"));
        }
        Err(first_few(&wrong, 5).into())
    }

    fn examples() -> Vec<Example> {
        let with = || json!({"fields": ["Scope", "Test files"]});
        vec![
            Example {
                fields: &[
                    ("Scope", "src/**, `README.md`"),
                    ("Test files", "tests/*.rs"),
                ],
                ..Example::passes("listed", with(), "3 globs")
            },
            Example {
                fields: &[("Scope", "**"), ("Test files", "tests/*.rs")],
                ..Example::fails(
                    "an open scope",
                    with(),
                    "`**` in `Scope` matches everything",
                )
            },
            Example {
                fields: &[("Scope", "../other"), ("Test files", "tests/[")],
                ..Example::fails("no globs", with(), "`../other` in `Scope` leads out")
            },
            Example {
                fields: &[("Scope", "src/**")],
                ..Example::fails("an empty field", with(), "`Test files` lists nothing")
            },
        ]
    }
}
