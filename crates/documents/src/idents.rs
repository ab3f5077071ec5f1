//! Stable ids such as `AC-7`: finding them in documents and in the names of tests. Only whole ids
//! count: `AC-1` is not in `AC-12`, and not in `MAC-1`.

use crate::error::Error;
use regex::Regex;
use std::collections::BTreeSet;

/// What ids look like.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Refuses what is no expression, and one that finds nothing at all in any id.
    pub fn new(text: &str) -> Result<Self, Error> {
        let found = Regex::new(text).map_err(|source| Error::Expression {
            text: text.to_owned(),
            source,
        })?;
        if found.is_match("") {
            return Err(format!("`{text}` also matches where nothing stands").into());
        }
        Ok(Self(found))
    }

    /// All ids in the text, in order, with repetitions.
    pub fn all(&self, text: &str) -> Vec<String> {
        let whole = |found: &regex::Match<'_>| {
            let before = text[..found.start()].chars().next_back();
            let after = text[found.end()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        };
        let found = self.0.find_iter(text).filter(whole);
        found.map(|found| found.as_str().to_owned()).collect()
    }

    /// The ids in the text, each once, sorted.
    pub fn set(&self, text: &str) -> BTreeSet<String> {
        self.all(text).into_iter().collect()
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn is_joint(char: char) -> bool {
    matches!(char, '-' | '_' | ' ' | '.')
}

/// Does the name of a test name this id? `AC-1` is in `ac_1_total`, `TestAC1Total` and
/// `basket > AC-1 total`; case and joints do not count, for few languages allow `-` in names.
pub fn names(name: &str, id: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    (0..name.len()).any(|at| {
        let free = match at.checked_sub(1).map(|before| name[before]) {
            None => true,
            Some(before) if !before.is_alphanumeric() => true,
            // The hump of a camel.
            Some(before) => before.is_lowercase() && name[at].is_uppercase(),
        };
        free && begins(&name[at..], id)
    })
}

fn begins(name: &[char], id: &str) -> bool {
    let mut at = 0;
    let mut last = ' ';
    for wanted in id.chars() {
        if is_joint(wanted) {
            at += usize::from(name.get(at).copied().is_some_and(is_joint));
            continue;
        }
        let same = |found: &char| found.to_lowercase().eq(wanted.to_lowercase());
        if !name.get(at).is_some_and(same) {
            return false;
        }
        at += 1;
        last = wanted;
    }
    match name.get(at) {
        None => true,
        Some(next) if last.is_ascii_digit() => !next.is_ascii_digit(),
        Some(next) => !next.is_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_whole_words() {
        let pattern = Pattern::new(r"AC-\d+").unwrap();
        assert_eq!(
            pattern.all("AC-1, (AC-12) MAC-3 AC-4b `AC-1`"),
            ["AC-1", "AC-12", "AC-1"]
        );
        assert_eq!(pattern.set("AC-1 AC-1").len(), 1);
        assert!(Pattern::new("AC-(").is_err());
        assert!(Pattern::new("x*").is_err());
    }

    #[test]
    fn tests_name_ids_in_the_way_of_their_language() {
        for name in [
            "basket::ac_1_total",
            "TestAC1Total",
            "TestAC_1",
            "AC-1 total",
            "x AC 1",
            "test_ac1",
            "shop.test.js > basket AC-1: total",
        ] {
            assert!(names(name, "AC-1"), "{name}");
        }
        for name in ["ac_12", "mac_1", "ac_one", "", "AC-", "TestMAC1", "ac__1"] {
            assert!(!names(name, "AC-1"), "{name}");
        }
        assert!(names("req_login", "REQ-LOGIN") && !names("req_logins", "REQ-LOGIN"));
    }
}
