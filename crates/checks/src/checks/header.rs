//! `header`: a number in a file's header is below a limit. A line that is missing or is no number
//! does not pass.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::paths;
use crate::settings::{Number, Placed, Text};
use schemars::JsonSchema;
use serde::Deserialize;

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
}
