//! `frozen`: what an earlier gate froze is still the same, byte for byte, and where it is told so
//! nothing was put beside it. It refuses to pass where nothing was frozen.

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

/// What is there now under a closed name, and was not when it was frozen.
fn added(
    settings: &Settings<'_>,
    subject: &Subject<'_>,
    names: &[&str],
) -> Result<Vec<String>, String> {
    let Some(closed) = settings.list("closed")? else {
        return Ok(Vec::new());
    };
    let known = |item: &String| {
        let mut names = names.iter();
        names.any(|name| {
            subject
                .frozen
                .get(*name)
                .is_some_and(|items| items.contains_key(item))
        })
    };
    let mut now = items::named(subject, &closed)?;
    now.retain(|item| !known(item));
    Ok(now)
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
                    "closed",
                    "items as for `freeze`: what they name now must be among what was frozen",
                ),
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
        let closed = settings.list("closed")?.unwrap_or_default();
        closed.iter().try_for_each(|item| items::lint(item))?;
        settings.list("of").map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let opened = Settings::open(self, with).and_then(|settings| {
            let names = settings.list("of")?.unwrap_or_default();
            let added = added(&settings, subject, &names)?;
            Ok((names, copies(&settings, subject)?, added))
        });
        let (names, copies, added) = match opened {
            Ok(opened) => opened,
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
        let mut results: Vec<CheckResult> = names.into_iter().map(judge).collect();
        if !added.is_empty() {
            let why = format!("came after the freeze: {}", first_few(&added, 5));
            results.push(answer(self.name(), Verdict::Fail, &why));
        }
        results
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
            Example {
                repo: &[("tests/a.py", "one"), ("tests/conftest.py", "lax")],
                frozen: &[("tests", "repo/tests/a.py", "one")],
                ..Example::fails(
                    "something was put beside it",
                    json!({"of": ["tests"], "closed": ["test config"]}),
                    "came after the freeze: repo/tests/conftest.py",
                )
            },
            Example {
                repo: &[("tests/a.py", "one"), ("tests/b.py", "more")],
                frozen: &[("tests", "repo/tests/a.py", "one")],
                ..Example::passes(
                    "one more test is none of those",
                    json!({"of": ["tests"], "closed": ["test config"]}),
                    "1 items are the same",
                )
            },
            Example::cannot_run("nothing was frozen", with(), "tripwire_missing"),
        ]
    }
}
