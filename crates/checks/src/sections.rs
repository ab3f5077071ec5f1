//! `sections`: a Markdown file has the named headings with something real under each. It refuses
//! placeholders, comments and headings inside code.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject, is_placeholder, markdown, paths};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct Sections;

struct Wanted<'a> {
    file: &'a str,
    headings: Vec<&'a str>,
}

impl Check for Sections {
    fn name(&self) -> &'static str {
        "sections"
    }

    fn about(&self) -> &'static str {
        "a Markdown file has the named headings, each with real content"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[
                Setting::required("file", "`task/...` or `repo/...`"),
                Setting::required("headings", "headings of any level, in any case"),
            ]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        self.read(with).map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let wanted = match self.read(with) {
            Ok(wanted) => wanted,
            Err(reason) => return vec![answer(self.name(), Verdict::CouldNotRun, &reason)],
        };
        let name = format!("{}: {}", self.name(), wanted.file);
        let text = match paths::read(subject.place, wanted.file) {
            Ok(text) => text,
            Err(why) => {
                let reason = format!("{} {why}", wanted.file);
                return vec![answer(&name, Verdict::Fail, &reason)];
            }
        };
        let mut wrong = Vec::new();
        for heading in &wanted.headings {
            let found = markdown::sections(&text, heading);
            if found.is_empty() {
                wrong.push(format!("`{heading}` is missing"));
            } else if found.iter().all(|section| is_placeholder(&section.content)) {
                wrong.push(format!("`{heading}` has no real content"));
            }
        }
        let (verdict, reason) = if wrong.is_empty() {
            let count = wanted.headings.len();
            (
                Verdict::Pass,
                if count == 1 {
                    "the section has content".to_owned()
                } else {
                    format!("all {count} sections have content")
                },
            )
        } else {
            (Verdict::Fail, first_few(&wrong, wrong.len()))
        };
        vec![answer(&name, verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
        let two = || json!({"file": "task/EVIDENCE.md", "headings": ["Commands", "Risks"]});
        let one = || json!({"file": "task/EVIDENCE.md", "headings": ["Commands"]});
        vec![
            Example {
                task: &[(
                    "EVIDENCE.md",
                    "# Evidence\n## commands\n```\ncargo test\n```\n### RISKS\nNone known.\n",
                )],
                ..Example::passes("any level, any case", two(), "all 2 sections have content")
            },
            Example {
                task: &[("EVIDENCE.md", "# Commands\n## First\ncargo test\n")],
                ..Example::passes(
                    "content below a lower heading",
                    one(),
                    "the section has content",
                )
            },
            Example {
                task: &[(
                    "EVIDENCE.md",
                    "# Commands\n```\n<!-- printed\n```\ncargo test\n",
                )],
                ..Example::passes(
                    "a comment sign inside code hides nothing",
                    one(),
                    "the section has content",
                )
            },
            Example::fails("no such file", two(), "task/EVIDENCE.md is missing"),
            Example {
                task: &[("EVIDENCE.md", "# Commands\ncargo test\n")],
                ..Example::fails("a missing heading", two(), "`Risks` is missing")
            },
            Example {
                task: &[("EVIDENCE.md", "```\n# Commands\ncargo test\n```\n")],
                ..Example::fails(
                    "a heading inside a code fence",
                    one(),
                    "`Commands` is missing",
                )
            },
            Example {
                task: &[(
                    "EVIDENCE.md",
                    "# Commands\n<!-- what you ran -->\n- TBD\n\n<fill in>\n\n...\n# Risks\nNone.\n",
                )],
                ..Example::fails(
                    "placeholders alone",
                    two(),
                    "`Commands` has no real content",
                )
            },
            Example {
                task: &[("EVIDENCE.md", "# Commands\n## Commands\n# Risks\ntext\n")],
                ..Example::fails("headings alone", one(), "`Commands` has no real content")
            },
            Example::cannot_run(
                "a path without a folder",
                json!({"file": "EVIDENCE.md", "headings": ["Commands"]}),
                "must begin with `repo/` or `task/`",
            ),
        ]
    }
}

impl Sections {
    fn read<'a>(&self, with: &'a Value) -> Result<Wanted<'a>, String> {
        let settings = Settings::open(self, with)?;
        let file = settings.text("file")?.unwrap_or_default();
        paths::lint_placed(file)?;
        let headings = settings.list("headings")?.unwrap_or_default();
        Ok(Wanted { file, headings })
    }
}
