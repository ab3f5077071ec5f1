//! `citations`: every finding in the agent's result stands where it says, inside the cap. It refuses
//! a snippet that the file does not have at that line, however plausible.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged};
use crate::readers::globs::Line;
use crate::readers::paths;
use crate::readers::substance::hollow;
use crate::settings::{Number, Text};
use crate::text::{first_few, one_line};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Each finding of the result's `evidence` has path, line and snippet, and the snippet stands
/// there.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Citations {
    /// The field whose cap every path must be inside of.
    within: Option<Text>,
    /// How many there must be; 1.
    min: Option<Number<0, 1_000>>,
}

/// A snippet is to be minimal.
const MOST_LINES: usize = 40;

impl Judge for Citations {
    const NAME: &'static str = "citations";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let min = self.min.map_or(1, Number::count);
        let cap = match self.within.as_deref() {
            None => None,
            Some(field) => {
                let sentence = subject.fields.get(field).map_or("", String::as_str);
                Some((field, Line::of(sentence)?))
            }
        };
        // Whoever looks into one of several unknowns has a part of the cap.
        let own = subject.known.get("own scope").and_then(|one| one.first());
        let own = own.map(|scope| Line::of(scope)).transpose()?;
        let findings = subject.result.map(|result| &result["evidence"]);
        let findings = findings.and_then(Value::as_array);
        let findings = findings.map_or(&[][..], Vec::as_slice);
        if findings.len() < min {
            let count = findings.len();
            return Err(format!("{count} findings in `evidence`, fewer than {min}").into());
        }
        let mut wrong = Vec::new();
        for (index, finding) in findings.iter().enumerate() {
            let path = finding["path"].as_str().filter(|text| !text.is_empty());
            let snippet = finding["snippet"]
                .as_str()
                .filter(|text| !text.trim().is_empty());
            let line = finding["line"].as_u64().filter(|line| *line > 0);
            let (Some(path), Some(line), Some(snippet)) = (path, line, snippet) else {
                wrong.push(format!("finding {} lacks path, line or snippet", index + 1));
                continue;
            };
            let place = format!("{}:{line}", one_line(path, 80));
            let note = finding["note"].as_str().unwrap_or_default();
            let empty = hollow(subject, note, "").filter(|why| !why.is_blank());
            if let Some(why) = empty {
                wrong.push(format!("the note on {place} {why}"));
            }
            let outside = cap.as_ref().filter(|(_, cap)| !cap.holds(path));
            match (outside, stands(subject, path, line, snippet)) {
                // A path that leads out is told as such, whatever the cap's globs make of it.
                (_, Err(why @ Error::LeadsOut(_))) => wrong.push(why.to_string()),
                (Some((field, _)), _) => wrong.push(format!("{place} is outside of `{field}`")),
                (None, _) if own.as_ref().is_some_and(|own| !own.holds(path)) => {
                    wrong.push(format!("{place} is outside of the question's own scope"));
                }
                (None, Err(why)) => wrong.push(format!("{place} {why}")),
                (None, Ok(Stands::There)) => {}
                (None, Ok(Stands::Elsewhere(at))) => {
                    let snippet = one_line(snippet.trim(), 60);
                    wrong.push(format!(
                        "{place}: `{snippet}` does not stand there, but at line {at}"
                    ));
                }
                (None, Ok(Stands::Nowhere)) => {
                    let snippet = one_line(snippet.trim(), 60);
                    wrong.push(format!("{place}: `{snippet}` does not stand there"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("{} findings stand where they say", findings.len()));
        }
        Err(first_few(&wrong, 3).into())
    }
}

/// Do the snippet's lines stand anywhere in the file, one after the other?
pub(super) fn found(subject: &Subject<'_>, path: &str, snippet: &str) -> bool {
    let Ok(text) = paths::read(subject.place, &format!("repo/{path}")) else {
        return false;
    };
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_matches('\n').lines();
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let (wanted, there) = (lines(snippet), lines(&text));
    there
        .windows(wanted.len().max(1))
        .any(|part| part == wanted)
}

/// Where the lines of a snippet are.
enum Stands {
    There,
    /// From this line on.
    Elsewhere(usize),
    Nowhere,
}

/// Do the snippet's lines stand in the file from that line on? White space at the ends is nothing: neither
/// of a line nor of the whole, where an empty first line may be the file's own.
fn stands(subject: &Subject<'_>, path: &str, line: u64, snippet: &str) -> Result<Stands, Error> {
    let text = paths::read(subject.place, &format!("repo/{path}"))?;
    let there: Vec<&str> = text.lines().map(str::trim).collect();
    let whole: Vec<&str> = snippet.trim_end().lines().map(str::trim).collect();
    let wanted: Vec<&str> = snippet.trim().lines().map(str::trim).collect();
    if wanted.len() > MOST_LINES {
        return Err(format!("has a snippet of more than {MOST_LINES} lines").into());
    }
    let from = usize::try_from(line - 1).unwrap_or(usize::MAX);
    let here = there.get(from..).unwrap_or_default();
    if here.starts_with(&wanted) || here.starts_with(&whole) {
        return Ok(Stands::There);
    }
    let elsewhere = there.windows(wanted.len()).position(|part| part == wanted);
    Ok(elsewhere.map_or(Stands::Nowhere, |at| Stands::Elsewhere(at + 1)))
}
