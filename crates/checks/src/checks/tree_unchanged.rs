//! `tree_unchanged`: the attempt left the repository as it was, by hash. It refuses to call two
//! unknown trees equal.

use crate::judge::{Judge, Judged, Trouble};
use crate::text::first_few;
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The repository's tree has the same hash before and after the attempt.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct TreeUnchanged {}

impl Judge for TreeUnchanged {
    const NAME: &'static str = "tree_unchanged";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        if subject.tree_before.is_empty() || subject.tree_after.is_empty() {
            let why = "the tree was not hashed before and after the attempt";
            return Err(Trouble::CouldNotRun(why.to_owned()));
        }
        if subject.tree_before == subject.tree_after {
            return Ok("the tree is the same".to_owned());
        }
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
        Err(format!("the tree changed, in {} paths: {named}", paths.len()).into())
    }

    fn examples() -> Vec<Example> {
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
