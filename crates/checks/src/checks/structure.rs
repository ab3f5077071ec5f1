//! `structure`: the repository is built as its design draws it. It refuses designed files that are
//! not there, and more files than some that nobody designed.

use crate::judge::{Judged, Judges, Trouble};
use crate::readers::drawing::Drawing;
use crate::readers::sources;
use crate::settings::Settings;
use crate::text::first_few;
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct Structure;

pub(crate) struct Wanted<'a> {
    drawing: Drawing<'a>,
    percent: usize,
}

impl Judges for Structure {
    const NAME: &'static str = "structure";
    const ABOUT: &'static str =
        "the files that a design draws are there, and few sources that it does not draw";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("file", "the design; `task/...` or `repo/...`"),
        Setting::optional(
            "section",
            "the heading over the drawing; Directory Structure",
        ),
        Setting::optional("allow", "globs of sources that need no design"),
        Setting::optional(
            "undesigned_percent",
            "how many sources of a hundred may be undesigned; 0",
        ),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        Ok(Wanted {
            drawing: Drawing::read(settings)?,
            percent: settings.count("undesigned_percent", 0, 100)?.unwrap_or(0),
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let files = sources::files(subject).map_err(Trouble::CouldNotRun)?;
        let designed = wanted.drawing.designed(subject, &files)?;
        let mut wrong = Vec::new();
        let missing: Vec<&str> = designed
            .iter()
            .filter(|one| !files.iter().any(|path| one.is(path)))
            .map(|one| one.path.as_str())
            .collect();
        if !missing.is_empty() {
            wrong.push(format!("missing: {}", first_few(&missing, 8)));
        }
        let sources = wanted.drawing.sources(&files);
        let strange: Vec<&&String> = sources
            .iter()
            .filter(|path| !designed.iter().any(|one| one.is(path)))
            .collect();
        let shown: Vec<&str> = strange.iter().map(|path| path.as_str()).collect();
        let said = format!(
            "{} of {} sources are not designed",
            strange.len(),
            sources.len()
        );
        if strange.len() * 100 > wanted.percent * sources.len() {
            wrong.push(format!("{said}: {}", first_few(&shown, 8)));
        }
        if wrong.is_empty() {
            return Ok(format!(
                "all {} designed files are there; {said}",
                designed.len()
            ));
        }
        Err(wrong.join("; ").into())
    }

    fn examples() -> Vec<Example> {
        let with = || json!({"file": "repo/design.md", "allow": ["build.rs"]});
        const DESIGN: (&str, &str) = (
            "design.md",
            "# Directory Structure\n```text\nshop/\n├── src/\n│   ├── main.rs\n│   └── tax.rs\n└── README.md\n```\n",
        );
        vec![
            Example {
                repo: &[
                    DESIGN,
                    ("src/main.rs", ""),
                    ("src/tax.rs", ""),
                    ("README.md", ""),
                    ("notes.txt", ""),
                    ("build.rs", ""),
                ],
                ..Example::passes("as designed", with(), "3 designed")
            },
            Example {
                repo: &[DESIGN, ("src/main.rs", ""), ("README.md", "")],
                ..Example::fails("a file is missing", with(), "missing: src/tax.rs")
            },
            Example {
                repo: &[
                    DESIGN,
                    ("src/main.rs", ""),
                    ("src/tax.rs", ""),
                    ("README.md", ""),
                    ("src/more.rs", ""),
                ],
                ..Example::fails(
                    "a source that nobody designed",
                    with(),
                    "1 of 3 sources are not designed: src/more.rs",
                )
            },
            Example {
                repo: &[
                    DESIGN,
                    ("src/main.rs", ""),
                    ("src/tax.rs", ""),
                    ("README.md", ""),
                    ("src/more.rs", ""),
                ],
                ..Example::passes(
                    "some may be undesigned",
                    json!({"file": "repo/design.md", "undesigned_percent": 34}),
                    "1 of 3 sources are not designed",
                )
            },
            Example {
                repo: &[("design.md", "# Directory Structure\nAs usual.\n")],
                ..Example::fails("nothing is drawn", with(), "has no fenced block")
            },
            Example::fails("no design", with(), "repo/design.md is missing"),
            Example::cannot_run(
                "more than all",
                json!({"file": "repo/a.md", "undesigned_percent": 101}),
                "from 0 to 100",
            ),
        ]
    }
}
