//! `frozen`: what an earlier gate froze is still the same, byte for byte. It refuses to pass where
//! nothing was frozen.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject, items};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What of a freeze is not the same now, each with what happened to it.
pub(crate) fn changed(subject: &Subject<'_>, frozen: &BTreeMap<String, String>) -> Vec<String> {
    let mut changed = Vec::new();
    for (item, hash) in frozen {
        match items::now(subject, item) {
            Ok(bytes) if items::hash(&bytes) == *hash => {}
            Ok(_) => changed.push(format!("{item} was changed")),
            Err(why) => changed.push(format!("{item} {why}")),
        }
    }
    changed
}

/// The check.
pub(crate) struct Frozen;

impl Check for Frozen {
    fn name(&self) -> &'static str {
        "frozen"
    }

    fn about(&self) -> &'static str {
        "what an earlier gate froze under a name is the same, byte for byte"
    }

    fn settings(&self) -> &'static [Setting] {
        const { &[Setting::required("of", "the names, as given to `freeze`")] }
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        Settings::open(self, with)?.list("of").map(drop)
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let names = Settings::open(self, with).and_then(|settings| settings.list("of"));
        let names = match names {
            Ok(names) => names.unwrap_or_default(),
            Err(why) => return vec![answer(self.name(), Verdict::CouldNotRun, &why)],
        };
        let judge = |name: &str| {
            let Some(items) = subject.frozen.get(name) else {
                let why = format!("nothing was frozen as `{name}` (tripwire_missing)");
                return answer(self.name(), Verdict::CouldNotRun, &why);
            };
            let changed = changed(subject, items);
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
            Example::cannot_run("nothing was frozen", with(), "tripwire_missing"),
        ]
    }
}
