//! `covers`: every id of one document is dealt with in another. It refuses a mere mention where
//! columns are asked for: each must hold something real for each id.

use crate::judge::{Judged, Judges};
use crate::readers::documents::{labelled, sections_of};
use crate::readers::idents::Pattern;
use crate::readers::markdown::Section;
use crate::settings::Settings;
use crate::text::{first_few, is_placeholder};
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct Covers;

pub(crate) struct Wanted<'a> {
    pattern: Pattern,
    from: &'a str,
    from_section: Option<&'a str>,
    file: &'a str,
    section: Option<&'a str>,
    columns: Vec<&'a str>,
}

impl Judges for Covers {
    const NAME: &'static str = "covers";
    const ABOUT: &'static str =
        "every id of one file is in another, with something in each named column";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("pattern", "expression for an id, such as `AC-\\d+`"),
        Setting::required("from", "the file with the ids; `task/...` or `repo/...`"),
        Setting::optional("from_section", "the heading over the ids; the whole file"),
        Setting::required("file", "the file that must cover them"),
        Setting::optional("section", "the heading in it; the whole file"),
        Setting::optional(
            "columns",
            "table columns, or labels as in `Test: ...`, that each id must fill",
        ),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        Ok(Wanted {
            pattern: Pattern::new(settings.text("pattern")?.unwrap_or_default())?,
            from: settings.placed("from")?.unwrap_or_default(),
            from_section: settings.text("from_section")?,
            file: settings.placed("file")?.unwrap_or_default(),
            section: settings.text("section")?,
            columns: settings.list("columns")?.unwrap_or_default(),
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let from = sections_of(subject, wanted.from, wanted.from_section)?;
        let ids: Vec<String> = from
            .iter()
            .flat_map(|section| wanted.pattern.set(&section.content))
            .collect();
        if ids.is_empty() {
            return Err(format!("{} has no id to cover", wanted.from).into());
        }
        let sections = sections_of(subject, wanted.file, wanted.section)?;
        let mut wrong = Vec::new();
        for id in &ids {
            let names = |said: &str| wanted.pattern.all(said).contains(id);
            if !sections.iter().any(|section| names(&section.content)) {
                wrong.push(format!("{id} is not there"));
                continue;
            }
            for column in &wanted.columns {
                if !sections.iter().any(|one| fills(one, &names, column)) {
                    wrong.push(format!("{id} has no `{column}`"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("all {} ids are covered", ids.len()));
        }
        Err(format!("{}: {}", wanted.file, first_few(&wrong, 8)).into())
    }

    fn examples() -> Vec<Example> {
        let with = || {
            json!({
                "pattern": "AC-\\d+", "from": "repo/scope.md", "from_section": "Acceptance Criteria",
                "file": "repo/readiness.md", "section": "Key Links",
                "columns": ["Test", "Runtime proof"]
            })
        };
        const SCOPE: (&str, &str) = (
            "scope.md",
            "# Acceptance Criteria\n- AC-1: a\n- AC-2: b\n# Deferred\n- AC-9\n",
        );
        vec![
            Example {
                repo: &[
                    SCOPE,
                    (
                        "readiness.md",
                        "# Key Links\n| Id | Test | Runtime proof |\n|---|---|---|\n| AC-1 | `t1` | curl |\n| AC-2 | t2 | a click |\n",
                    ),
                ],
                ..Example::passes("a table", with(), "all 2 ids are covered")
            },
            Example {
                repo: &[
                    SCOPE,
                    (
                        "readiness.md",
                        "# Key Links\n- AC-1: Test: t1; Runtime proof: curl\n- AC-2\n  - test: t2\n  - **Runtime proof**: a click\n",
                    ),
                ],
                ..Example::passes("a list with labels", with(), "all 2 ids are covered")
            },
            Example {
                repo: &[
                    SCOPE,
                    (
                        "readiness.md",
                        "# Key Links\n- AC-1: Test: t1; Runtime proof: curl\n# Build Order\n- AC-2\n",
                    ),
                ],
                ..Example::fails("an id is missing", with(), "AC-2 is not there")
            },
            Example {
                repo: &[
                    SCOPE,
                    (
                        "readiness.md",
                        "# Key Links\n| Id | Test | Runtime proof |\n|---|---|---|\n| AC-1 | t1 | TBD |\n| AC-2 | | x |\n",
                    ),
                ],
                ..Example::fails(
                    "cells without content",
                    with(),
                    "AC-1 has no `Runtime proof`, AC-2 has no `Test`",
                )
            },
            Example {
                repo: &[
                    ("scope.md", "# Acceptance Criteria\nnone\n"),
                    ("readiness.md", ""),
                ],
                ..Example::fails("no ids to cover", with(), "repo/scope.md has no id")
            },
            Example {
                repo: &[SCOPE],
                ..Example::fails("no such file", with(), "repo/readiness.md is missing")
            },
            Example::cannot_run(
                "half the settings",
                json!({"pattern": "AC-\\d+", "from": "repo/scope.md"}),
                "needs the setting `file`",
            ),
        ]
    }
}

/// Does a row or a list item that names the id have this column or label, with content?
fn fills(section: &Section, names: &dyn Fn(&str) -> bool, column: &str) -> bool {
    let in_row = section.rows.iter().any(|row| {
        names(&row.cells.join(" | ")) && row.cell(column).is_some_and(|cell| !is_placeholder(cell))
    });
    in_row
        || section.points.iter().any(|point| {
            names(point) && labelled(point, column).is_some_and(|said| !is_placeholder(&said))
        })
}
