//! `frozen`: what an earlier gate froze is still the same, byte for byte. It refuses to pass where
//! nothing was frozen.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject, items, seal};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What of a freeze is not the same now, each with what happened to it.
pub(crate) fn changed(subject: &Subject<'_>, frozen: &BTreeMap<String, String>) -> Vec<String> {
    let mut changed = Vec::new();
    for (item, hash) in frozen {
        match seal::now(subject, item) {
            Ok(sealed) if sealed.hash == *hash => {}
            Ok(_) => changed.push(format!("{item} was changed")),
            Err(why) => changed.push(format!("{item} {why}")),
        }
    }
    changed
}

/// The check.
pub(crate) struct Frozen;

/// Hashes of the files that may hold what was changed, as it was.
fn copies(settings: &Settings<'_>, subject: &Subject<'_>) -> Result<BTreeSet<String>, String> {
    let Some(glob) = settings.text("kept_as")? else {
        return Ok(BTreeSet::new());
    };
    let named = items::named(subject, &[glob])?;
    let hashes = named
        .iter()
        .filter_map(|item| seal::hash(subject.place, item).ok());
    Ok(hashes.collect())
}

impl Check for Frozen {
    fn name(&self) -> &'static str {
        "frozen"
    }

    fn about(&self) -> &'static str {
        "what an earlier gate froze under a name is the same, byte for byte"
    }

    fn settings(&self) -> &'static [Setting] {
        const {
            &[
                Setting::required("of", "the names, as given to `freeze`"),
                Setting::optional(
                    "kept_as",
                    "a glob of copies: what was changed must stand in one of them as it was",
                ),
            ]
        }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        let settings = Settings::open(self, with)?;
        settings.text("kept_as")?.map_or(Ok(()), items::lint)?;
        settings.list("of").map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let opened = Settings::open(self, with)
            .and_then(|settings| Ok((settings.list("of")?, copies(&settings, subject)?)));
        let (names, copies) = match opened {
            Ok((names, copies)) => (names.unwrap_or_default(), copies),
            Err(why) => return vec![answer(self.name(), Verdict::CouldNotRun, &why)],
        };
        let judge = |name: &str| {
            let Some(items) = subject.frozen.get(name) else {
                let why = format!("nothing was frozen as `{name}` (tripwire_missing)");
                return answer(self.name(), Verdict::CouldNotRun, &why);
            };
            let mut kept = items.clone();
            kept.retain(|_, hash| !copies.contains(hash));
            let changed = changed(subject, &kept);
            match changed.is_empty() {
                true => {
                    let why = format!("`{name}`: {} items are the same", items.len());
                    answer(self.name(), Verdict::Pass, &why)
                }
                false => {
                    let why = format!("`{name}`: {}", first_few(&changed, 5));
                    answer(self.name(), Verdict::Fail, &why)
                }
            }
        };
        names.into_iter().map(judge).collect()
    }

    fn examples(&self) -> Vec<Example> {
        let with = || json!({"of": ["tests"]});
        vec![
            Example {
                repo: &[("tests/a.rs", "one")],
                frozen: &[("tests", "repo/tests/a.rs", "one")],
                ..Example::passes("the same", with(), "1 items are the same")
            },
            Example {
                repo: &[("tests/a.rs", "two")],
                frozen: &[("tests", "repo/tests/a.rs", "one")],
                ..Example::fails("edited", with(), "repo/tests/a.rs was changed")
            },
            Example {
                frozen: &[("tests", "repo/tests/a.rs", "one")],
                ..Example::fails("deleted", with(), "repo/tests/a.rs is missing")
            },
            Example {
                task: &[("T.md", "## 3 Contract\nother\n## 4\n")],
                frozen: &[("tests", "task/T.md#3 Contract", "shape\n")],
                ..Example::fails("a section", with(), "task/T.md#3 Contract was changed")
            },
            Example {
                task: &[("scope.md", "two"), ("scope-v1.md", "one")],
                frozen: &[("scope", "task/scope.md", "one")],
                ..Example::passes(
                    "changed, and kept as it was",
                    json!({"of": ["scope"], "kept_as": "task/scope-v*.md"}),
                    "1 items are the same",
                )
            },
            Example {
                task: &[("scope.md", "two"), ("scope-v1.md", "a summary")],
                frozen: &[("scope", "task/scope.md", "one")],
                ..Example::fails(
                    "changed, and not kept",
                    json!({"of": ["scope"], "kept_as": "task/scope-v*.md"}),
                    "task/scope.md was changed",
                )
            },
            Example::cannot_run("nothing was frozen", with(), "tripwire_missing"),
        ]
    }
}
