//! `header`: a number in a file's header is below a limit. It refuses to pass where the line is
//! missing or is no number.

use crate::judge::{Judged, Judges};
use crate::readers::paths;
use crate::settings::Settings;
use crate::{Example, Setting, Subject};
use serde_json::json;

/// The check.
pub(crate) struct Header;

impl Judges for Header {
    const NAME: &'static str = "header";
    const ABOUT: &'static str = "the number behind a name in a file's header is below a limit";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("file", "`task/...` or `repo/...`"),
        Setting::required("line", "the name before the colon"),
        Setting::required("below", "the limit"),
    ];
    type Wanted<'a> = (&'a str, &'a str, i64);
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<(&'a str, &'a str, i64), String> {
        Ok((
            settings.placed("file")?.unwrap_or_default(),
            settings.text("line")?.unwrap_or_default(),
            settings.number("below", 0, 1_000_000)?.unwrap_or(0),
        ))
    }

    fn judge(&(file, line, below): &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged {
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
