//! The one rule for what is no content: a placeholder, a form that nobody filled in, `none`.

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

/// How a document says that there is nothing to list.
const NONE: [&str; 4] = ["none", "n/a", "no", "nothing"];

/// Is there nothing real in this text? True for empty text, for HTML comments alone, and if each
/// line is a stand-in such as `TBD`, `TODO: later`, `...` or `<what goes here>`.
pub fn is_placeholder(text: &str) -> bool {
    without_comments(text).lines().all(is_placeholder_line)
}

/// The same of one line.
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

/// A text without what a rendered page does not show.
pub fn without_comments(text: &str) -> String {
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

/// Does a document say here that there is nothing to list?
pub fn says_none(text: &str) -> bool {
    let bare = text
        .trim()
        .trim_matches(|char: char| !char.is_alphanumeric());
    let first = bare
        .split(['.', ',', ':', ';', '\n', '\u{2014}'])
        .next()
        .unwrap_or_default();
    NONE.contains(&first.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

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
}
