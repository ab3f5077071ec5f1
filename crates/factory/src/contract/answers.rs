//! Does a test look at what the module answers? Which constant answers it has to notice follows from
//! what its name says that it shows (rule F5.4): a test of an error that passes where nothing is
//! ever refused shows no error, and a test of an output that passes where there never is one shows no
//! output.
//!
//! It does not ask for more: a test may well pass for an answer that happens to be right.

use super::SurfaceRef;
use super::coverage::{self, Category};
use languages::Language;
use std::collections::{BTreeMap, BTreeSet};

/// A module that gives the same answer to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constant {
    /// Rust: an empty value, and never an error.
    Gives,
    /// Rust: its first error, always.
    Refuses,
    /// Python and JavaScript: `None`, `undefined`.
    Nothing,
    /// Python and JavaScript: an object that is like no other.
    Anything,
}

impl Constant {
    /// Those of a language.
    pub fn of(language: Language) -> [Self; 2] {
        match language {
            Language::Rust => [Constant::Gives, Constant::Refuses],
            Language::Python | Language::JavaScript => [Constant::Nothing, Constant::Anything],
        }
    }

    /// As code is told.
    pub fn as_str(self) -> &'static str {
        match self {
            Constant::Gives => "gives",
            Constant::Refuses => "refuses",
            Constant::Nothing => "nothing",
            Constant::Anything => "anything",
        }
    }

    fn in_words(self, language: Language) -> &'static str {
        match self {
            Constant::Nothing if language == Language::JavaScript => "always returns undefined",
            Constant::Anything if language == Language::JavaScript => "always returns a new object",
            Constant::Gives => "always succeeds with an empty value",
            Constant::Refuses => "always refuses with its first error",
            Constant::Nothing => "always returns None",
            Constant::Anything => "always returns a new object()",
        }
    }
}

/// Of these at least one must make such a test fail; if there are none, nothing is asked.
fn noticed(category: Category, language: Language) -> &'static [Constant] {
    use Category::{ErrorSurface, HappyPath, InputConstraint, OutputInvariant};
    match (language, category) {
        (Language::Rust, ErrorSurface) => &[Constant::Gives],
        (Language::Rust, HappyPath | OutputInvariant) => &[Constant::Refuses],
        (Language::Rust, InputConstraint) => &[Constant::Gives, Constant::Refuses],
        (Language::Python | Language::JavaScript, ErrorSurface) => &[Constant::Nothing],
        (Language::Python | Language::JavaScript, HappyPath | OutputInvariant) => {
            &[Constant::Nothing, Constant::Anything]
        }
        // That a call raises nothing is all that an accepted input has to show, and no assertion.
        (Language::Python | Language::JavaScript, InputConstraint) => &[],
    }
}

/// The tests that do not notice what they should, with what that is. `passed` has the names of tests
/// that pass with each constant.
pub fn blind(
    surface: SurfaceRef<'_>,
    language: Language,
    passed: &BTreeMap<Constant, BTreeSet<String>>,
) -> Vec<String> {
    let names: BTreeSet<&String> = passed.values().flatten().collect();
    let mut found = Vec::new();
    for name in names {
        let Some(category) = coverage::category(surface, name) else {
            continue;
        };
        let noticed = noticed(category, language);
        let passes = |one: &Constant| passed.get(one).is_some_and(|names| names.contains(name));
        if !noticed.is_empty() && noticed.iter().all(passes) {
            let words: Vec<&str> = noticed.iter().map(|one| one.in_words(language)).collect();
            found.push(format!("{name} (the module {})", words.join(", or ")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::from_plan;
    use crate::micro_plan::IoContract;

    #[test]
    fn s5_4_a_test_must_notice_what_its_name_is_about() {
        let list = |line: &str| vec![line.to_owned()];
        let contract = from_plan::surface(&IoContract {
            inputs: list("line: string; not empty"),
            outputs: list("parts: string; not empty"),
            error_surfaces: list("Malformed: no blank"),
            effects: list("none"),
            modes: list("sync"),
        });
        let names = [
            "happy_path",
            "input__line__1",
            "output__parts__1",
            "error__malformed",
            "other",
        ];
        let judge = |language, first: &[&str], second: &[&str]| {
            let [one, other] = Constant::of(language);
            let set = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
            let passed = BTreeMap::from([(one, set(first)), (other, set(second))]);
            let blind = blind(contract.surface(), language, &passed);
            let name = |one: &String| one.split(' ').next().unwrap_or_default().to_owned();
            blind.iter().map(name).collect::<Vec<String>>()
        };
        for (language, first, second, wanted) in [
            (
                Language::Rust,
                &names[..],
                &[][..],
                &["error__malformed"][..],
            ),
            (
                Language::Rust,
                &[],
                &names,
                &["happy_path", "output__parts__1"],
            ),
            (
                Language::Rust,
                &["input__line__1"],
                &["input__line__1"],
                &["input__line__1"],
            ),
            (Language::Python, &names, &[], &["error__malformed"]),
            (Language::Python, &[], &names, &[]),
            (
                Language::Python,
                &names,
                &names,
                &["error__malformed", "happy_path", "output__parts__1"],
            ),
        ] {
            assert_eq!(
                judge(language, first, second),
                wanted,
                "{language:?} {first:?}"
            );
        }
    }
}
