//! Why controls that ended as they must show little all the same: nothing was mutated, or what was tested
//! is not what ships.

use super::plan::Plan;
use super::seen::{Fate, Tried};
use super::{Control, OF_NODE, OF_PYTHON, OF_RUST, Record};
use crate::text::first_few;
use languages::judges::is_source;
use languages::runners::Runner;
use languages::rust::{for_tests_alone, inline_tests};

fn mutated_endings(runner: Runner) -> Option<&'static [&'static str]> {
    match runner {
        Runner::Pytest | Runner::Unittest => Some(OF_PYTHON),
        Runner::Cargo => Some(OF_RUST),
        Runner::Node => Some(OF_NODE),
        Runner::Vitest | Runner::Jest | Runner::Go | Runner::Junit => None,
    }
}

/// Why there is no mutant of a source that can be read, and what helps.
fn none_of(runner: Runner) -> &'static str {
    match runner {
        Runner::Node => {
            "it exports no function that was changed and that tests can call by its name (values, methods, default exports and what it keeps to itself have none)"
        }
        Runner::Cargo => "no function of it was changed whose answers can be made from its type",
        _ => "no function of it was changed (values and what a module does by itself have none)",
    }
}

/// What helps where nothing can be mutated: whoever asks the product from outside needs no mutant.
const HELPS: &str = "an exam (--exam) shows more, or your own look";

/// Endings of sources, and what code says that asks how it is built or who runs it, or that names what judges
/// it, without blanks.
const ASKS: &[(&[&str], &[&str])] = &[
    (
        &["rs"],
        &[
            "cfg!(test",
            "cfg!(not(test",
            "cfg(not(test",
            "cfg_attr(not(test",
            "debug_assertions",
            "cfg!(feature",
            "cfg!(not(feature",
            "cfg(feature",
            "var(\"CARGO",
            "var_os(\"CARGO",
        ],
    ),
    (
        &["py"],
        &[
            "unittest",
            "pytest",
            "doctest",
            "PYTEST_",
            "sys.modules",
            "sys._getframe",
            "currentframe",
            "inspect.stack",
            "settrace",
            "setprofile",
        ],
    ),
    (
        &["js", "mjs", "cjs", "ts", "mts", "cts"],
        &[
            "node:test",
            "node:assert",
            "NODE_TEST",
            "vitest",
            "VITEST",
            "jest",
            "JEST",
            "require.cache",
            "captureStackTrace",
        ],
    ),
];

impl Control<'_> {
    /// Is all that was changed prose, which no code reads? Then there is nothing to tell right from wrong in.
    fn is_prose(&self) -> bool {
        let prose = |path: &str| {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            ["md", "rst", "adoc"].contains(&ending)
        };
        let known = || -> Option<bool> {
            let base = (self.base)().ok()?;
            let tree = self.subject.tree().ok()?;
            let gone = base.names().ok()?;
            let gone = gone.iter().any(|path| !tree.files.contains_key(path));
            let changed: Vec<&str> = self
                .files
                .code
                .iter()
                .map(|file| file.path.as_str())
                .collect();
            let read = |path: &&str| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let mut sources = tree.files.keys().filter(|other| is_source(other));
                sources.any(|other| base.text(other).is_some_and(|text| text.contains(name)))
            };
            let tests = self.files.tests.iter().any(|file| file.changed);
            let all = !changed.is_empty() && changed.iter().all(|path| prose(path));
            Some(all && !gone && !tests && !changed.iter().any(read))
        };
        known().unwrap_or(false)
    }

    /// A source whose code asks, more often than before, how it is built or who runs it, or names what judges
    /// it. What ships is not what was tested then.
    pub(super) fn asks_who_runs_it(&self) -> Option<&str> {
        let count = |asks: &[&str], text: &str| {
            let code = inline_tests::without_test_modules(text).replace([' ', '\n'], "");
            let each = asks.iter().map(|one| code.matches(one).count());
            each.sum::<usize>()
        };
        let panics = self.tests_ask_for_a_panic();
        let in_rust = |path: &str, text: &str| match path.ends_with(".rs") {
            // What a release leaves out, and a test takes for an answer.
            true => {
                let code = inline_tests::without_test_modules(text);
                let asserts = if panics {
                    code.matches("debug_assert").count()
                } else {
                    0
                };
                for_tests_alone(&code) + asserts
            }
            false => 0,
        };
        let mut code = self.files.code.iter();
        let asks = code.find(|file| {
            let ending = file.path.rsplit('.').next().unwrap_or_default();
            let of = |(endings, _): &&(&[&str], &[&str])| endings.contains(&ending);
            let before = file.before.as_deref().unwrap_or_default();
            in_rust(&file.path, &file.now) > in_rust(&file.path, before)
                || ASKS
                    .iter()
                    .find(of)
                    .is_some_and(|(_, asks)| count(asks, &file.now) > count(asks, before))
        });
        asks.filter(|_| self.controls.need_mutants())
            .map(|file| file.path.as_str())
    }

    /// Does a test of the change take a panic for an answer?
    fn tests_ask_for_a_panic(&self) -> bool {
        let asks = |text: &str| text.contains("should_panic") || text.contains("catch_unwind");
        let tests = self.files.tests.iter().map(|file| file.now.as_str());
        let inside = self.files.code.iter().map(|file| file.now.as_str());
        tests.chain(inside).any(asks)
    }

    /// Why nothing at all of the change was mutated, where that counts. Who said that canaries suffice
    /// has been given what they asked for.
    pub(super) fn unmutated(&self, plan: &Plan, record: &Record) -> Option<String> {
        let asked = self.controls.need_mutants() && self.subject.mutants != Some(0);
        let tried = |one: &Tried| matches!(one.fate, Fate::Noticed { .. } | Fate::Survived { .. });
        if !asked || record.mutants.iter().any(tried) {
            return None;
        }
        let runner = self.instrument.runner()?;
        let Some(endings) = mutated_endings(runner) else {
            let name = runner.name();
            return Some(format!(
                "there are no mutants for {name} yet, canaries alone"
            ));
        };
        let code = self.files.code.iter().map(|file| file.path.as_str());
        let code: Vec<&str> = code
            .filter(|path| endings.iter().any(|ending| path.ends_with(ending)))
            .collect();
        let untried = record.mutants.iter().find_map(|one| match &one.fate {
            Fate::Untried { why } => Some(why.as_str()),
            Fate::TooLong => Some("it did not end in time"),
            Fate::Noticed { .. } | Fate::Survived { .. } => None,
        });
        Some(match (code.is_empty(), untried) {
            (true, _) if self.is_prose() => return None,
            (true, _) => {
                let endings = endings.join(", ");
                format!("the change has no source ({endings}); {HELPS}")
            }
            (false, Some(why)) => format!("no mutant could be tried: {why}"),
            (false, None) if record.out_of_time > 0 && !plan.functions.is_empty() => {
                "there was no time for a mutant".to_owned()
            }
            (false, None) => {
                let why = match plan.faults.is_empty() {
                    true => none_of(runner).to_owned(),
                    false => first_few(&plan.faults, 2),
                };
                format!(
                    "no mutant can be made of {}: {why}; {HELPS}",
                    first_few(&code, 3)
                )
            }
        })
    }
}
