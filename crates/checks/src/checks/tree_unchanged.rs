//! `tree_unchanged`: the attempt left the repository as it was, by hash. Two unknown trees are not
//! equal.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::text::first_few;
use schemars::JsonSchema;
use serde::Deserialize;

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
}
