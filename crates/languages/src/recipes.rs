//! What a line such as `npm test` or `make check` comes to: the recipes of a repository (scripts of a
//! package, targets of a Makefile, recipes of a justfile) and the programs of its tree that they start.
//! One reader for all who ask: what is frozen, what is held like a test, what counts beside a runner.
//!
//! It reads as people write, not as a shell does: what it cannot follow, it leaves out.

mod shadows;
mod shell;
mod started;

pub use shadows::{Shadow, shadows};
pub use shell::commands;
pub use started::{Program, Started, started};

use Tool::{Just, Make};
use serde_json::Value;

/// What runs the recipes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    Make,
    Just,
}

impl Tool {
    /// The program.
    pub fn as_str(self) -> &'static str {
        match self {
            Make => "make",
            Just => "just",
        }
    }
}

/// Files with recipes by their names, those first that a tool takes first.
pub const FILES: [(&str, Tool); 6] = [
    ("GNUmakefile", Make),
    ("makefile", Make),
    ("Makefile", Make),
    ("justfile", Just),
    ("Justfile", Just),
    (".justfile", Just),
];
/// Where a package keeps its scripts.
pub const PACKAGE: &str = "package.json";
const NPM: &str = ".npmrc";
/// Those of npm's settings that decide with what a script is run, and which are.
const OF_SCRIPTS: [&str; 5] = [
    "node-options",
    "script-shell",
    "shell",
    "ignore-scripts",
    "if-present",
];
/// Targets that test.
const TARGETS: [&str; 2] = ["test", "check"];

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Is it a file with recipes, or npm's settings?
pub fn is_one(path: &str) -> bool {
    let name = name_of(path);
    name == NPM || FILES.iter().any(|(known, _)| *known == name)
}

/// The target that tests, if there is one.
pub fn testing(text: &str) -> Option<&'static str> {
    let has = |target: &&str| blocks(text, target).next().is_some();
    TARGETS.into_iter().find(has)
}

/// What of a Makefile, a justfile or npm's settings decides how tests run; empty if nothing does.
pub fn of_tests(path: &str, text: &str) -> String {
    if name_of(path) == NPM {
        let set = text.lines().filter_map(|line| line.split_once('='));
        let set = set.map(|(key, value)| (key.trim().replace('_', "-"), value.trim()));
        let set = set.filter(|(key, _)| OF_SCRIPTS.contains(&key.as_str()));
        return set.map(|(key, value)| format!("{key}={value}\n")).collect();
    }
    let mut wanted: Vec<String> = TARGETS.map(str::to_owned).to_vec();
    let mut found = String::new();
    let mut at = 0;
    while let Some(target) = wanted.get(at).cloned() {
        at += 1;
        let Some(block) = blocks(text, &target).next() else {
            continue;
        };
        found.push_str(&block.text());
        // What it needs first is a part of it.
        for need in block.needs() {
            if !wanted.iter().any(|known| known == need) {
                wanted.push(need.to_owned());
            }
        }
    }
    found
}

/// A recipe as it can be held against a later one: its text, with what stands for the programs that it
/// starts; none where the file has no such recipe.
pub fn text_of(path: &str, text: &str, name: &str) -> Option<String> {
    if name_of(path) == PACKAGE {
        return script_of(text, name);
    }
    let blocks = blocks(text, name).map(|block| {
        let lines = block.commands().into_iter();
        let lines = lines.map(|line| format!("\t{}\n", with_program(text, line)));
        format!("{}\n{}", block.head, lines.collect::<String>())
    });
    let all: String = blocks.collect();
    (!all.is_empty()).then_some(all)
}

/// A script of a package.
fn script_of(package: &str, name: &str) -> Option<String> {
    let package: Value = serde_json::from_str(package).ok()?;
    let script = package["scripts"][name].as_str()?.trim();
    (!script.is_empty()).then(|| script.to_owned())
}

/// The commands of a target, each on a line; none where there is no such target.
pub fn lines_of<'t>(text: &'t str, target: &str) -> Vec<&'t str> {
    blocks(text, target)
        .flat_map(|block| block.commands())
        .collect()
}

/// The line that begins a target, and what is below it.
struct Block<'t> {
    head: &'t str,
    lines: Vec<&'t str>,
}

impl<'t> Block<'t> {
    fn text(&self) -> String {
        let lines = self.lines.iter();
        let lines: String = lines.map(|line| format!("\t{}\n", line.trim())).collect();
        format!("{}\n{lines}", self.head)
    }

    /// What it needs first.
    fn needs(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let needs = self.head.split_once(':').map_or("", |(_, needs)| needs);
        let needs = needs.split(';').next().unwrap_or_default();
        needs
            .split_whitespace()
            .map(|need| need.trim_matches(['(', ')']))
            .filter(|need| !need.is_empty() && !need.contains('='))
    }

    /// Its lines without what only says how they are told.
    fn commands(&self) -> Vec<&'t str> {
        let inline = self.head.split_once(':').and_then(|(_, behind)| {
            let (_, command) = behind.split_once(';')?;
            Some(command)
        });
        let lines = inline.into_iter().chain(self.lines.iter().copied());
        lines
            .map(|line| line.trim().trim_start_matches(['@', '-', '+']).trim())
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect()
    }
}

/// Every place where a target is begun.
fn blocks<'t>(text: &'t str, target: &str) -> impl Iterator<Item = Block<'t>> {
    let below = |line: &&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let lines: Vec<&'t str> = text.lines().collect();
    let heads = lines.iter().enumerate();
    let heads = heads.filter(|(_, line)| begins(line, target));
    let found: Vec<Block<'t>> = heads
        .map(|(at, head)| {
            let recipe = lines[at + 1..].iter().copied().take_while(below);
            Block {
                head,
                lines: recipe.filter(|line| !line.trim().is_empty()).collect(),
            }
        })
        .collect();
    found.into_iter()
}

/// Does this line begin a target of this name? `a := b` and `.PHONY: a` do not.
fn begins(line: &str, target: &str) -> bool {
    let Some((names, behind)) = line.split_once(':') else {
        return false;
    };
    let names = names.strip_prefix('@').unwrap_or(names);
    // `a = b: c`, and not `a filter='':`.
    let mut words = names.split_whitespace();
    let assigns = behind.starts_with('=')
        || behind.starts_with(":=")
        || words.next().is_none_or(|word| word.contains('='))
        || words
            .next()
            .is_some_and(|word| matches!(word, "=" | "?=" | "+="));
    !line.starts_with([' ', '\t', '#'])
        && !assigns
        && names.split_whitespace().any(|name| name == target)
}

/// A line in which the program stands for itself where it was named by a variable: `LINT = true` is
/// another recipe for `$(LINT) src`. What else is in a variable (a list of sources) may change.
fn with_program(text: &str, line: &str) -> String {
    let mut line = line.to_owned();
    for _ in 0..5 {
        let opened = [("$(", ")"), ("${", "}"), ("{{", "}}")];
        let named = opened.iter().find_map(|(open, close)| {
            let (name, rest) = line.strip_prefix(open)?.split_once(close)?;
            Some((name.trim().to_owned(), rest.to_owned()))
        });
        let Some((value, rest)) =
            named.and_then(|(name, rest)| Some((variable(text, &name)?, rest)))
        else {
            return line;
        };
        line = format!("{value}{rest}");
    }
    line
}

/// What the file says a variable is.
fn variable<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        let rest = rest.trim_start_matches([':', '?', '+']);
        let value = rest.strip_prefix('=')?.trim();
        Some(value.trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_is_told_from_the_rest() {
        let text = "CC := gcc\n\nbuild:\n\tcc a.c\n\ntest: build\n\t./run.sh\n\nclean:\n\trm x\n";
        let found = of_tests("Makefile", text);
        assert_eq!(found, "test: build\n\t./run.sh\nbuild:\n\tcc a.c\n");
        let other = text.replace("rm x", "rm y").replace("gcc", "clang");
        assert_eq!(of_tests("Makefile", &other), found);
        assert_ne!(
            of_tests("Makefile", &text.replace("./run.sh", "true")),
            found
        );
        assert_eq!(of_tests("Makefile", "all:\n\tcc\n"), "");
        assert_eq!(of_tests(".npmrc", "save-exact=true\n"), "");
        assert_eq!(
            of_tests("a/.npmrc", "node_options = --require ./x.js\n"),
            "node-options=--require ./x.js\n"
        );
        assert!(is_one("web/justfile") && !is_one("Makefile.md"));
        assert_eq!(testing("tests-are := x\n"), None);
        assert_eq!(testing(".PHONY: test\nlint check: a\n"), Some("check"));
    }

    #[test]
    fn a_recipe_is_its_lines_and_the_programs_that_variables_stand_for() {
        let text =
            "LINT = node lint.mjs\nSRC = a b\nlint: SRC\n\t@$(LINT) $(SRC)\nother:\n\ttrue\n";
        let lint = text_of("Makefile", text, "lint").unwrap();
        assert_eq!(lint, "lint: SRC\n\tnode lint.mjs $(SRC)\n");
        let sources = text.replace("a b", "a b c");
        assert_eq!(text_of("Makefile", &sources, "lint").unwrap(), lint);
        let emptied = text.replace("node lint.mjs", "true");
        assert_ne!(text_of("Makefile", &emptied, "lint").unwrap(), lint);
        let package = r#"{"scripts": {"lint": "node lint.mjs", "empty": " "}}"#;
        assert_eq!(
            text_of("a/package.json", package, "lint").as_deref(),
            Some("node lint.mjs")
        );
        for none in ["empty", "other"] {
            assert_eq!(text_of("package.json", package, none), None);
        }
    }
}
