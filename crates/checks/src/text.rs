//! Lines for people, short and on one line whatever an agent wrote.

use kernel::Word;
use kernel::outcome::{CheckResult, FORM, LEFT_OUT, Verdict};
pub(crate) use languages::one_line;
use std::fmt::Display;

/// Enough for two sentences; journals hold these for ever.
const REASON: usize = 300;
/// Enough for the names of all checks, where a workflow names none of them.
const REFUSAL: usize = 2_000;
/// How much of a command or a path is shown.
const LABEL: usize = 80;

/// A result with a capped, one-line reason. What is cut of it stands in the details.
pub(crate) fn answer(check: &str, verdict: Verdict, reason: impl Display) -> CheckResult {
    let (check, reason) = (one_line(check, LABEL + 20), reason.to_string());
    let mut result = CheckResult::new(check, verdict, one_line(&reason, REASON));
    if verdict != Verdict::Pass && reason.chars().count() > REASON {
        result.details = several_lines(&reason);
    }
    result
}

/// Says something else of a result, no longer than any reason.
pub(crate) fn reword(result: &mut CheckResult, reason: impl Display) {
    result.reason = one_line(&reason.to_string(), REASON);
}

/// A failure that lies in what was handed in, and that only who handed it in can mend.
pub(crate) fn in_form(mut result: CheckResult) -> CheckResult {
    result.shows.insert(Word::from(FORM));
    result
}

/// At most so much of what is wrong with one check is kept with its answer; the rest is evidence.
const DETAILS: usize = 12_000;

/// A text of several lines for whoever must mend something: without control characters, and the middle
/// of what is too long left out.
pub(crate) fn several_lines(text: &str) -> String {
    let plain = |char: &char| *char == '\n' || *char == '\t' || !char.is_control();
    let clean: Vec<char> = without_escapes(text).chars().filter(plain).collect();
    if clean.len() <= DETAILS {
        return clean.into_iter().collect();
    }
    let (head, tail) = (DETAILS / 3, DETAILS - DETAILS / 3);
    let head: String = clean[..head].iter().collect();
    let left_out = clean.len() - DETAILS;
    let tail: String = clean[clean.len() - tail..].iter().collect();
    format!("{head}\n[{left_out} {LEFT_OUT}\n{tail}")
}

/// Findings as a list, each whole.
pub(crate) fn listed(findings: &[String]) -> String {
    let lines: Vec<String> = findings.iter().map(|one| format!("- {one}")).collect();
    several_lines(&lines.join("\n"))
}

/// Colours and the like, as terminals read them.
fn without_escapes(text: &str) -> String {
    let mut kept = String::new();
    let mut parts = text.split("\u{1b}[");
    kept.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|char: char| char.is_ascii_alphabetic());
        kept.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    kept
}

/// Why a gate's entry is no check at all: our own words about the workflow file, said in full.
pub(crate) fn refusal(check: &str, reason: impl Display) -> CheckResult {
    let check = one_line(check, LABEL + 20);
    CheckResult::new(
        check,
        Verdict::CouldNotRun,
        one_line(&reason.to_string(), REFUSAL),
    )
}

/// A short form of a command for names.
pub(crate) fn label(text: &str) -> String {
    one_line(text, LABEL)
}

/// The first few, and how many more.
pub(crate) fn first_few<T: AsRef<str>>(items: &[T], few: usize) -> String {
    let shown: Vec<&str> = items.iter().take(few).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match items.len().saturating_sub(few) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::first_few;

    #[test]
    fn a_list_is_short() {
        assert_eq!(first_few(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(first_few(&["a"], 2), "a");
    }
}
