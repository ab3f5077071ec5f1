//! `header`: a number in a file's header is below a limit. It refuses to pass where the line is
//! missing or is no number.

use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::settings::{Number, Placed, Text};
use crate::{Example, Subject};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The number behind a name in a file's header is below a limit.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Header {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// The name before the colon.
    line: Text,
    /// The limit.
    below: Number<0, 1_000_000>,
}

impl Judge for Header {
    const NAME: &'static str = "header";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let (file, line, below) = (&*self.file, &*self.line, *self.below);
        let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
        let header = text.lines().take_while(|line| !line.trim().is_empty());
        let start = format!("{line}:");
        let value = header.filter_map(|one| one.strip_prefix(&start)).next();
        let Some(value) = value.map(str::trim) else {
            return Err(format!("the header of {file} has no line `{line}`").into());
        };
        match value.parse::<i64>() {
            Ok(number) if number < below => Ok(format!("`{line}` is {number}, below {below}")),
            Ok(number) => Err(format!("`{line}` is {number}, not below {below}").into()),
            Err(_) => Err(format!("`{line}: {value}` is no number").into()),
        }
    }

    fn examples() -> Vec<Example> {
        let with =
            || json!({"file": "task/context.md", "line": "Exit FAILs (this Slice ID)", "below": 3});
        let of = |example: Example, task| Example { task, ..example };
        vec![
            of(
                Example::passes("below", with(), "2, below 3"),
                &[(
                    "context.md",
                    "Iteration: 0004\nExit FAILs (this Slice ID): 2\n\n# A\n",
                )],
            ),
            of(
                Example::fails("at the limit", with(), "3, not below 3"),
                &[("context.md", "Exit FAILs (this Slice ID): 3\n")],
            ),
            of(
                Example::fails("only the header counts", with(), "has no line"),
                &[(
                    "context.md",
                    "Iteration: 1\n\nExit FAILs (this Slice ID): 0\n",
                )],
            ),
            of(
                Example::fails("no number", with(), "is no number"),
                &[("context.md", "Exit FAILs (this Slice ID): few\n")],
            ),
            Example::fails("no file", with(), "is missing"),
        ]
    }
}
