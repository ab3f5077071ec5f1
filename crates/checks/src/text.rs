//! Lines for people, short and on one line whatever an agent wrote; and the one rule for what is no
//! content.

use kernel::Word;
use kernel::outcome::{CheckResult, FORM, Verdict};
pub(crate) use languages::one_line;
use std::fmt::Display;

/// Enough for two sentences; journals hold these for ever.
const REASON: usize = 300;
/// Enough for the names of all checks, where a workflow names none of them.
const REFUSAL: usize = 2_000;
/// How much of a command or a path is shown.
const LABEL: usize = 80;

/// Words that stand for content which is yet to come.
const WORDS: [&str; 8] = [
    "tbd",
    "todo",
    "tba",
    "fixme",
    "xxx",
    "to be done",
    "to be determined",
    "placeholder",
];

/// A result with a capped, one-line reason. What is cut of it stands in the details.
pub(crate) fn answer(check: &str, verdict: Verdict, reason: impl Display) -> CheckResult {
    let (check, reason) = (one_line(check, LABEL + 20), reason.to_string());
    let mut result = CheckResult::new(check, verdict, one_line(&reason, REASON));
    if verdict != Verdict::Pass && reason.chars().count() > REASON {
        result.details = several_lines(&reason);
    }
    result
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
    format!("{head}\n[{left_out} characters left out]\n{tail}")
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

/// Is there nothing real in this text? True for empty text, for HTML comments alone, and if each
/// line is a stand-in such as `TBD`, `TODO: later`, `...` or `<what goes here>`.
pub fn is_placeholder(text: &str) -> bool {
    without_comments(text).lines().all(is_placeholder_line)
}

pub(crate) fn is_placeholder_line(line: &str) -> bool {
    let line = line.trim();
    // List markers, boxes, quotes and emphasis around a placeholder do not make it content.
    let bare = line
        .trim_start_matches(|char: char| char.is_whitespace() || "-*+>#_`[]()\"'".contains(char));
    let bare =
        bare.trim_end_matches(|char: char| char.is_whitespace() || "*_`])\"'.!".contains(char));
    if !bare.chars().any(char::is_alphanumeric) {
        return true;
    }
    // `<what goes here>` is a form to fill in; `<https://...>` is a link.
    if let Some(inner) = bare
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    {
        return !inner.contains(['<', '>', '@']) && !inner.contains("://");
    }
    let lower = bare.to_lowercase();
    WORDS.iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

pub(crate) fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        // An unclosed comment hides everything after it in a rendered page, too.
        rest = after.split_once("-->").map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::{first_few, is_placeholder};

    #[test]
    fn placeholders() {
        for text in [
            "",
            " \n ",
            "TBD",
            "todo",
            "TODO.",
            "TODO: write this",
            "- TBD",
            "**TBD**",
            "...",
            "…",
            "`...`",
            "<...>",
            "<what you ran>",
            "<!-- say what you ran -->",
            "- [ ] TODO",
            "---",
            "<!-- a -->\nTBD\n<!-- b",
            "1",
            "?",
        ] {
            assert_eq!(is_placeholder(text), text != "1", "{text:?}");
        }
    }

    #[test]
    fn content() {
        for text in [
            "cargo test",
            "none",
            "n/a",
            "TODO list now renders",
            "<https://example.org>",
            "見た",
            "TBD\nbut this is known",
            "<!-- a --> real",
            "a <b> c",
            "0",
        ] {
            assert!(!is_placeholder(text), "{text:?}");
        }
    }

    #[test]
    fn a_list_is_short() {
        assert_eq!(first_few(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(first_few(&["a"], 2), "a");
    }
}
