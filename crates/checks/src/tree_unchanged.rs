//! `tree_unchanged`: the attempt left the repository as it was, by hash. It refuses to call two
//! unknown trees equal.

use crate::settings::Settings;
use crate::text::{answer, first_few};
use crate::{Check, Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};

/// The check.
pub(crate) struct TreeUnchanged;

impl Check for TreeUnchanged {
    fn name(&self) -> &'static str {
        "tree_unchanged"
    }

    fn about(&self) -> &'static str {
        "the repository's tree has the same hash before and after the attempt"
    }

    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    fn lint(&self, with: &Value) -> Result<(), String> {
        Settings::open(self, with).map(drop)
    }

    fn run(&self, _with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        let (verdict, reason) = if subject.tree_before.is_empty() || subject.tree_after.is_empty() {
            let reason = "the tree was not hashed before and after the attempt".to_string();
            (Verdict::CouldNotRun, reason)
        } else if subject.tree_before == subject.tree_after {
            (Verdict::Pass, "the tree is the same".to_string())
        } else {
            let paths: Vec<&String> = subject
                .changed
                .iter()
                .filter(|path| path.starts_with("repo/"))
                .collect();
            let named = if paths.is_empty() {
                "no path is known".to_string()
            } else {
                first_few(&paths, 10)
            };
            let reason = format!("the tree changed, in {} paths: {named}", paths.len());
            (Verdict::Fail, reason)
        };
        vec![answer(self.name(), verdict, &reason)]
    }

    fn examples(&self) -> Vec<Example> {
        vec![
            Example {
                changed: &["task/EVIDENCE.md"],
                ..Example::passes("only the task folder changed", json!({}), "the same")
            },
            Example {
                trees: ("a", "b"),
                changed: &["repo/src/lib.rs", "task/EVIDENCE.md"],
                ..Example::fails(
                    "a changed file is named",
                    json!({}),
                    "the tree changed, in 1 paths: repo/src/lib.rs",
                )
            },
            Example {
                trees: ("a", "b"),
                ..Example::fails(
                    "the hash decides, not the list",
                    json!({}),
                    "no path is known",
                )
            },
            Example {
                trees: ("a", "b"),
                changed: &[
                    "repo/1", "repo/2", "repo/3", "repo/4", "repo/5", "repo/6", "repo/7", "repo/8",
                    "repo/9", "repo/10", "repo/11", "repo/12",
                ],
                ..Example::fails("the first ten", json!({}), "repo/10 and 2 more")
            },
            Example {
                trees: ("", ""),
                ..Example::cannot_run("two unknown trees", json!({}), "was not hashed")
            },
        ]
    }
}
