//! `entries`: each entry of a section says what it must. It refuses a section that is left empty:
//! one that has nothing to list says `none`.

use crate::judge::{Judge, Judged};
use crate::readers::documents::{labelled, says_none};
use crate::readers::{markdown, paths};
use crate::settings::{Number, Placed, SettingsError, Text, Texts};
use crate::text::{first_few, is_placeholder, label};
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Each entry of a section mentions what it must, and there are as many as there must be.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Entries {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The heading over the entries.
    section: Text,
    /// How many there must be; without it, `none` will do.
    min: Option<Number<1, 10_000>>,
    /// How many there may be.
    max: Option<Number<0, 10_000>>,
    /// Words of which each entry has one; behind one that ends with `:` stands more.
    #[serde(default)]
    mention: Texts,
    /// Labels that each entry has, as in `Failure: ...`.
    #[serde(default)]
    labels: Texts,
    /// Headings under which no entry may stand, too.
    #[serde(default)]
    apart_from: Texts,
}

impl Judge for Entries {
    const NAME: &'static str = "entries";
    type Answer = Judged;

    fn lint(&self) -> Result<(), SettingsError> {
        match (self.min, self.max) {
            (Some(min), Some(max)) if *min > *max => {
                Self::refuse("is set so that `min` is more than `max`")
            }
            _ => Ok(()),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (file, section) = (&*self.file, &*self.section);
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let sections = markdown::sections(&text, section);
        if sections.is_empty() {
            return Err(format!("{file} has no heading `{section}`").into());
        }
        let found = entries(&text, section);
        let count = found.len();
        let mut wrong = Vec::new();
        let min = self.min.map_or(0, Number::count);
        if count < min {
            wrong.push(format!("{count} entries, fewer than {min}"));
        } else if count == 0 {
            if sections.iter().any(|section| says_none(&section.content)) {
                return Ok(format!("`{section}`: none"));
            }
            wrong.push("it has no entry, and does not say `none`".to_owned());
        }
        if let Some(max) = self.max.map(Number::count).filter(|max| count > *max) {
            wrong.push(format!("{count} entries, more than {max}"));
        }
        for entry in &found {
            let shown = label(entry);
            let lower = entry.to_lowercase();
            let mentions = |word: &String| match word.strip_suffix(':') {
                Some(name) => labelled(entry, name).is_some_and(|said| !is_placeholder(&said)),
                None => lower.contains(&word.to_lowercase()),
            };
            if !self.mention.is_empty() && !self.mention.iter().any(mentions) {
                wrong.push(format!(
                    "`{shown}` has none of: {}",
                    self.mention.join(", ")
                ));
            }
            for name in self.labels.iter() {
                if labelled(entry, name).is_none_or(|said| is_placeholder(&said)) {
                    wrong.push(format!("`{shown}` has no `{name}`"));
                }
            }
            for heading in self.apart_from.iter() {
                let others = entries(&text, heading);
                if others.iter().any(|other| plain(other) == plain(entry)) {
                    wrong.push(format!("`{shown}` also stands under `{heading}`"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("`{section}` has {count} entries"));
        }
        Err(format!("{file}, `{section}`: {}", first_few(&wrong, 3)).into())
    }

    fn examples() -> Vec<Example> {
        let failure = || {
            json!({
                "file": "repo/design.md", "section": "External Integrations",
                "mention": ["fail", "retry", "timeout", "fallback"]
            })
        };
        let questions = || {
            json!({
                "file": "repo/design.md", "section": "Open Questions",
                "mention": ["resolved:", "deferred:"]
            })
        };
        let scenarios = || {
            json!({
                "file": "repo/design.md", "section": "Traced Scenarios", "min": 2, "max": 3,
                "when": {"file": "repo/scope.md", "section": "Quality Tier", "is": ["house", "skyscraper"]}
            })
        };
        let truths = || {
            json!({
                "file": "repo/readiness.md", "section": "Truths", "min": 1,
                "apart_from": ["Clarifications Needed"]
            })
        };
        const HOUSE: (&str, &str) = ("scope.md", "# Quality Tier\nhouse\n");
        vec![
            Example {
                repo: &[(
                    "design.md",
                    "# External Integrations\n## Stripe\nPays.\n- On failure: retry thrice.\n## Mail\n- Timeout after 2 s.\n",
                )],
                ..Example::passes("each subsection", failure(), "2 entries")
            },
            Example {
                repo: &[(
                    "design.md",
                    "# External Integrations\n- Stripe\n  - falls back to invoices (fallback)\n- Mail: sends\n",
                )],
                ..Example::fails(
                    "one has no failure handling",
                    failure(),
                    "`Mail: sends` has none of",
                )
            },
            Example {
                repo: &[("design.md", "# External Integrations\nNone.\n")],
                ..Example::passes("nothing to list", failure(), "none")
            },
            Example {
                repo: &[("design.md", "# External Integrations\n\n")],
                ..Example::fails("left empty", failure(), "has no entry")
            },
            Example {
                repo: &[(
                    "design.md",
                    "# Open Questions\n- Which bank? Resolved: the one we have.\n- Colours? deferred: no user asked.\n",
                )],
                ..Example::passes("resolved or deferred", questions(), "2 entries")
            },
            Example {
                repo: &[(
                    "design.md",
                    "# Open Questions\n- Which bank? deferred: TBD\n",
                )],
                ..Example::fails("deferred without a reason", questions(), "has none of")
            },
            Example {
                repo: &[
                    HOUSE,
                    ("design.md", "# Traced Scenarios\n1. Buy\n2. Return\n"),
                ],
                ..Example::passes("as many as there must be", scenarios(), "2 entries")
            },
            Example {
                repo: &[HOUSE, ("design.md", "# Traced Scenarios\nNone.\n")],
                ..Example::fails("too few", scenarios(), "0 entries, fewer than 2")
            },
            Example {
                repo: &[("scope.md", "# Quality Tier\nshed\n")],
                ..Example::passes(
                    "a condition that does not hold",
                    scenarios(),
                    "it does not apply: `Quality Tier` is `shed`, not house or skyscraper",
                )
            },
            Example {
                repo: &[("scope.md", "# Quality Tier\nTBD\n")],
                ..Example::fails(
                    "a condition in doubt spares nothing",
                    scenarios(),
                    "repo/design.md is missing",
                )
            },
            Example {
                repo: &[(
                    "readiness.md",
                    "# Truths\n- Totals are in cents.\n# Clarifications Needed\n- totals are in cents\n",
                )],
                ..Example::fails(
                    "a truth that is in question",
                    truths(),
                    "also stands under `Clarifications Needed`",
                )
            },
            Example {
                repo: &[("design.md", "# A\n- x: Owner: Ada\n- y: Owner:\n")],
                ..Example::fails(
                    "a label without content",
                    json!({"file": "repo/design.md", "section": "A", "labels": ["Owner"]}),
                    "`y: Owner:` has no `Owner`",
                )
            },
            Example::cannot_run(
                "more than at most",
                json!({"file": "repo/a.md", "section": "A", "min": 3, "max": 2}),
                "`min` is more than `max`",
            ),
        ]
    }
}

/// The entries of a section: what lies one heading below; else its list items; else its rows.
fn entries(text: &str, heading: &str) -> Vec<String> {
    let below = markdown::below(text, heading).into_iter();
    let below: Vec<String> = below
        .map(|section| format!("{}\n{}", section.title, section.content))
        .collect();
    if !below.is_empty() {
        return below;
    }
    let sections = markdown::sections(text, heading);
    let points = sections.iter().flat_map(|section| section.points.clone());
    let rows = sections.iter().flat_map(|section| &section.rows);
    let entries: Vec<String> = points
        .chain(rows.map(|row| row.cells.join(" | ")))
        .collect();
    let real = |entry: &String| !is_placeholder(entry) && !says_none(entry);
    entries.into_iter().filter(real).collect()
}

fn plain(text: &str) -> String {
    let words = text.split(|char: char| !char.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
