//! `structure`: the repository is built as its design draws it. It refuses designed files that are
//! not there, and more files than some that nobody designed.

use crate::judge::{Judge, Judged, Trouble};
use crate::readers::drawing::Drawing;
use crate::readers::sources;
use crate::settings::{Globs, Number, Placed, Text};
use crate::text::first_few;
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The files that a design draws are there, and few sources that it does not draw.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Structure {
    /// The design; `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the drawing; Directory Structure.
    section: Option<Text>,
    /// Globs of sources that need no design.
    #[serde(default)]
    allow: Globs,
    /// How many sources of a hundred may be undesigned; 0.
    undesigned_percent: Option<Number<0, 100>>,
}

impl Judge for Structure {
    const NAME: &'static str = "structure";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let files = sources::files(subject).map_err(Trouble::cannot)?;
        let drawing = Drawing::of(&self.file, self.section.as_deref(), &self.allow);
        let designed = drawing.designed(subject, &files)?;
        let mut wrong = Vec::new();
        let missing: Vec<&str> = designed
            .iter()
            .filter(|one| !files.iter().any(|path| one.is(path)))
            .map(|one| one.path.as_str())
            .collect();
        if !missing.is_empty() {
            wrong.push(format!("missing: {}", first_few(&missing, 8)));
        }
        let sources = drawing.sources(&files);
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
        let allowed = self.undesigned_percent.map_or(0, Number::count);
        if strange.len() * 100 > allowed * sources.len() {
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
