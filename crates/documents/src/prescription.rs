//! Does a text tell somebody what to change? Who only looks reports what is. It goes by the form of a sentence
//! alone: whoever says the same as an observation, says it here as they may.

use regex::Regex;
use std::sync::LazyLock;

/// What are verbs and nothing else: a command begins with one, and no observation does.
const VERBS: &str = "add|adjust|apply|correct|delete|extract|implement|inline|insert|introduce|make|modify|refactor|remove|replace|restore|rewrite|wrap|write";
/// What are nouns as well: only something to do it to makes a command of them.
const NOUNS: &str = "change|drop|edit|fix|move|patch|rename|set|split|swap|switch|update|use";
/// What no object begins with.
const NO_OBJECT: &str = "and|are|as|at|by|can|cannot|did|do|does|for|from|had|has|have|in|is|may|not|of|on|or|that|to|was|were|will|with|would";
/// What an object begins with.
const OBJECT: &str =
    r#"the|a|an|this|these|those|its?|all|each|every|both|any|one|line|lines|\u{1}|["'\d]"#;

/// What gives a prescription away, each with what it is called.
static SIGNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    const EDIT: &str = "an instruction to edit";
    // At the start of a sentence or of a list item.
    let begins =
        r"(?:^|[.;:!?]\s+)(?:\s*(?:[-*]|\d+[.)])\s+)?(?:(?:please|then|just|better)[ ,]\s*)*";
    let signs = [
        ("```|~~~".to_owned(), "a code fence"),
        (
            r"(?m)^(?:@@ |\+\+\+ |--- [ab]/|diff --git )".to_owned(),
            "a diff",
        ),
        (
            format!(r"(?im){begins}(?:{VERBS})\s+(?P<behind>[\w\u{{1}}]+)"),
            EDIT,
        ),
        (
            format!(r"(?im){begins}(?:{NOUNS})\s+(?:{OBJECT})(?:\W|$)"),
            EDIT,
        ),
        (
            format!(r"(?im){begins}(?:{NOUNS})\s+\w+\s+(?:to|with|by|into|for)\s"),
            EDIT,
        ),
        (
            format!(
                r"(?i)\b(?:should|must|needs? to|have to|has to|ought to|could be|let us|let's|i would|(?:you|we|one) (?:can|could|may|might))\s+(?:be\s+)?(?:just\s+|simply\s+)?(?:{VERBS}|{NOUNS})(?:e?d|ten|ped)?\b"
            ),
            EDIT,
        ),
    ];
    let signs = signs.into_iter();
    signs
        .filter_map(|(pattern, name)| Some((Regex::new(&pattern).ok()?, name)))
        .collect()
});

/// Code and paths, which hold dots and words of their own.
static NAMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"`[^`\n]*`|[\w-]*[./(][\w./()-]*\w[\w/()-]*").ok());
/// Who works on a copy changes nothing of the work.
static ASIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\bin an? (?:scratch |separate |clean )?(?:copy|clone)\b").ok()
});

/// The words that tell somebody what to change, and what they are; none where nothing does.
pub fn prescribed(text: &str) -> Option<(&'static str, String)> {
    // What a text shows is looked at as it is, and what it says without the names in it.
    let plain = NAMES.as_ref().map_or(text.into(), |names| {
        names.replace_all(text, |found: &regex::Captures<'_>| {
            let whole = &found[0];
            // The end of a sentence is no part of a name.
            let dot = if whole.ends_with('.') { "." } else { "" };
            format!("\u{1}{dot}")
        })
    });
    SIGNS.iter().enumerate().find_map(|(nth, (sign, name))| {
        let looked_at: &str = if nth < 2 { text } else { &plain };
        let mut found = sign.captures_iter(looked_at).filter(|found| {
            let behind = found.name("behind").map_or("", |behind| behind.as_str());
            let is_object = !NO_OBJECT
                .split('|')
                .any(|word| word.eq_ignore_ascii_case(behind));
            let whole = found.get(0).map_or(0..0, |whole| whole.range());
            is_object && (nth < 2 || !is_aside(sentence(looked_at, whole.end)))
        });
        let whole = found.next()?.get(0)?;
        let words = words(looked_at, whole.start());
        Some((*name, words))
    })
}

/// What follows up to the end of its sentence.
fn sentence(text: &str, from: usize) -> &str {
    let rest = &text[from..];
    let end = rest.find(['.', ';', '\n']).unwrap_or(rest.len());
    &rest[..end]
}

fn is_aside(sentence: &str) -> bool {
    ASIDE.as_ref().is_some_and(|aside| aside.is_match(sentence))
}

/// A few words from there on, as people know them.
fn words(text: &str, from: usize) -> String {
    let words =
        text[from..].trim_start_matches(|char: char| !char.is_alphanumeric() && char != '`');
    let few: Vec<&str> = words.split_whitespace().take(6).collect();
    few.join(" ").replace('\u{1}', "...")
}

#[cfg(test)]
mod tests {
    use super::prescribed;

    #[test]
    fn commands_and_advice_are_prescriptions() {
        for text in [
            "Change `a` in src/lib.rs so that it adds.",
            "The sum is wrong. Replace `-` with `+`.",
            "The function should be changed to add.",
            "- rename sum to add",
            "You must rewrite the parser.",
            "Add tests for empty input.",
            "please just remove line 3",
            "Fix the parser; it is slow",
            "it could be extracted into a function",
            "Better: use a set",
            "we can split it",
            "index.js is long. Split the first function.",
            "```js\na\n```",
        ] {
            assert!(prescribed(text).is_some(), "{text}");
        }
        let (what, words) = prescribed("All holds. Change `a.b` to three, and more of it").unwrap();
        assert_eq!(
            (what, words.as_str()),
            ("an instruction to edit", "Change ... to three, and more")
        );
    }

    #[test]
    fn what_is_so_may_be_said_with_the_same_words() {
        for text in [
            "change.patch touches no line of ms() itself (index.js:28 to 50 stand as before)",
            "No line of ms() is touched by change.patch (index.js has it as it was)",
            "F-0003 holds: one line of readme.md is all that change.patch has for it",
            "Fix and feature are in one commit",
            "A bundler may not carry package.json along; use in a browser would fail then",
            "Update of the version in package.json is followed by ms.version(), which reads the file",
            "No case where package.json cannot be read: remove or rename of it was not tried",
            "Patch releases of node below 18 were not tried",
            "Rename detection hides nothing here: two files changed",
            "Change the version in a copy of package.json and run node -p on it",
            "Replace package.json by an empty object in a scratch copy, and look what it gives",
            "Run `cargo test greet` and compare its output with F-0002.",
            "callers can change the list that they are given",
        ] {
            assert_eq!(prescribed(text), None, "{text}");
        }
    }
}
