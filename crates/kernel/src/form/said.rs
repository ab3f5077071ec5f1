//! Texts that say something: not blank, and no placeholder. Word lists are cheap and explain themselves;
//! they refuse to know whether a sentence is true.

use super::{Cause, Form, Rule, Wrong};

/// A text that says something.
pub const SAID: Form = Form::Text(Rule {
    pattern: r"\S",
    most: 0,
    judge: |text| {
        if text.trim().is_empty() {
            return Wrong::content("empty_field", "it is empty");
        }
        placeholder(text).map(|placeholder| Wrong {
            code: "placeholder",
            what: format!("`{placeholder}` is a placeholder"),
            cause: Cause::Wording,
        })
    },
});

/// Placeholders that are one wherever they stand, and in any case.
const ANYWHERE: [&str; 5] = ["tbd", "tba", "n/a", "fixme", "???"];
/// Those that are one only if they are all of the text.
const ALONE: [&str; 14] = [
    "todo",
    "to do",
    "na",
    "not applicable",
    "to be determined",
    "to be defined",
    "to be decided",
    "placeholder",
    "unknown",
    "xxx",
    "...",
    "…",
    "-",
    "?",
];

/// The longest of them, with room for brackets and blanks around it.
const LONGEST_ALONE: usize = 32;

/// Text that only keeps the place. `TODO` counts anywhere as the marker it is when it is
/// in capitals; a to-do list's own words do not.
pub fn placeholder(text: &str) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '<' | '>');
    let whole = text.trim_matches(ends);
    if whole.len() <= LONGEST_ALONE {
        let bare = whole.trim_end_matches(['.', '!', ':']);
        let same = |mark: &&str| mark.eq_ignore_ascii_case(bare) || *mark == whole;
        if ALONE.iter().any(same) {
            return Some(whole.to_owned());
        }
    }
    if whole
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("todo:"))
    {
        return Some("todo:".to_owned());
    }
    marker(text.as_bytes()).map(str::to_owned)
}

/// A marker that stands as a word of its own.
fn marker(text: &[u8]) -> Option<&'static str> {
    let ends = |byte: u8| {
        matches!(
            byte,
            b' ' | b'\t'
                | b'\n'
                | b'\r'
                | b','
                | b';'
                | b':'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'<'
                | b'>'
                | b'.'
                | b'!'
                | b'"'
                | b'\''
                | b'`'
        )
    };
    let mut from = 0;
    while from < text.len() {
        let word = &text[from..];
        // Most words begin with no marker's letter, and are passed over without being compared.
        if matches!(word[0], b't' | b'T' | b'n' | b'N' | b'f' | b'F' | b'?') {
            let whole = |mark: &&str| word.get(mark.len()).is_none_or(|byte| ends(*byte));
            let small = ANYWHERE.iter().find(|mark| {
                let start = word.get(..mark.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
            });
            if let Some(mark) = small.filter(|mark| whole(mark)) {
                return Some(mark);
            }
            if word.starts_with(b"TODO") && whole(&"TODO") {
                return Some("TODO");
            }
        }
        from += word
            .iter()
            .position(|byte| ends(*byte))
            .map_or(word.len(), |at| at + 1);
    }
    None
}
