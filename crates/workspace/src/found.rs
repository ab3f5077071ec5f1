//! What a repository is checked with, found in its files: one command for each kind of project that is
//! there, so that a repository with two suites is held to both. A person's own commands come before it.

mod below;
mod recipe;

use languages::recipes;
use languages::runners::{is_python_test, python_line};
use std::path::Path;

/// What was looked for, for people who are told that there is none.
pub const LOOKED_FOR: &str = "cargo (Cargo.toml), go (go.mod), npm, pnpm or yarn (package.json with a test script, vitest or jest), pytest or unittest (pyproject.toml, pytest.ini, setup.py, tox.ini, tests/test_*.py), make and just (a `test` target); the first four also in folders below the top, and there `tests/` of unittest too";

/// The commands, in the order of the files below: those of the top, and of each folder below it that is a
/// project of a kind which the top is not.
pub fn found(repo: &Path) -> Vec<String> {
    let mut commands = at_the_top(repo);
    commands.extend(below::found(repo));
    commands
}

fn at_the_top(repo: &Path) -> Vec<String> {
    let read = |file: &str| std::fs::read_to_string(repo.join(file)).ok();
    let mut commands: Vec<String> = KINDS.iter().filter_map(|kind| (kind.line)(repo)).collect();
    // Most often a wrapper around the above: where those are there, they are run themselves, and it is
    // run as well where it says more.
    for (file, tool) in recipes::FILES {
        let Some(text) = read(file) else {
            continue;
        };
        let Some(target) = recipes::testing(&text) else {
            continue;
        };
        let runner = tool.as_str();
        if commands.is_empty()
            || (recipe::says_more(&text, target, &commands, &read) && is_there(runner))
        {
            commands.push(format!("{runner} {target}"));
        }
        break;
    }
    let own = ENVIRONMENTS.map(|name| format!("{name}/bin/python"));
    if let Some(own) = own.iter().find(|own| repo.join(own).is_file()) {
        for command in &mut commands {
            *command = by(own, command);
        }
    }
    commands
}

/// Where a project has an interpreter of Python of its own.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];

/// The same line by another interpreter: what is installed there is there for it alone.
fn by(python: &str, line: &str) -> String {
    match line.strip_prefix("python3 ") {
        Some(rest) => format!("{python} {rest}"),
        None => line.to_owned(),
    }
}

/// A kind of project: the files that make a folder one, and how it is tested.
struct Kind {
    manifests: &'static [&'static str],
    line: fn(&Path) -> Option<String>,
}

const KINDS: [Kind; 4] = [
    Kind {
        manifests: &["Cargo.toml"],
        line: |folder| is_in(folder, "Cargo.toml").then(|| "cargo test".to_owned()),
    },
    Kind {
        manifests: &["go.mod", "go.work"],
        line: |folder| {
            let any = is_in(folder, "go.mod") || is_in(folder, "go.work");
            any.then(|| "go test ./...".to_owned())
        },
    },
    Kind {
        manifests: &["package.json"],
        line: |folder| {
            let package = std::fs::read_to_string(folder.join("package.json")).ok()?;
            of_package(&package, &|file| is_in(folder, file)).or_else(|| of_node(folder))
        },
    },
    Kind {
        manifests: &["pyproject.toml", "setup.py", "pytest.ini", "tox.ini"],
        line: |folder| {
            let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
            of_python(folder, &read, &|file| is_in(folder, file))
        },
    },
];

fn is_in(folder: &Path, file: &str) -> bool {
    folder.join(file).is_file()
}

/// Is this program on the search path?
fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

fn of_package(text: &str, there: &dyn Fn(&str) -> bool) -> Option<String> {
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    if !script.is_empty() && !script.contains("no test specified") {
        let manager = match (there("pnpm-lock.yaml"), there("yarn.lock")) {
            (true, _) => "pnpm",
            (false, true) => "yarn",
            (false, false) => "npm",
        };
        return Some(format!("{manager} test"));
    }
    let depends = |name: &str| {
        let lists = ["devDependencies", "dependencies"];
        lists.iter().any(|list| package[*list].get(name).is_some())
    };
    let known = [
        ("vitest", "npx --no-install vitest run"),
        ("jest", "npx --no-install jest"),
    ];
    let found = known.into_iter().find(|(name, _)| depends(name));
    found.map(|(_, command)| command.to_owned())
}

/// Tests that node finds by itself, in a package that says nothing of them.
fn of_node(repo: &Path) -> Option<String> {
    let ends = |name: &str, endings: &[&str]| endings.iter().any(|one| name.ends_with(one));
    let any = |folder: &str, endings: &[&str]| {
        let entries = std::fs::read_dir(repo.join(folder)).into_iter().flatten();
        let mut names = entries.flatten().map(|one| one.file_name());
        names.any(|name| name.to_str().is_some_and(|name| ends(name, endings)))
    };
    let named = [".test.js", ".test.mjs", ".test.cjs"];
    let found = any("test", &[".js", ".mjs", ".cjs"])
        || ["", "tests", "src", "lib"]
            .iter()
            .any(|dir| any(dir, &named));
    found.then(|| "node --test".to_owned())
}

fn of_python(
    repo: &Path,
    read: &dyn Fn(&str) -> Option<String>,
    there: &dyn Fn(&str) -> bool,
) -> Option<String> {
    const PYTEST: &str = "python3 -m pytest";
    let says = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
    ];
    let marked = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    let says_so = |file: &&str| read(file).is_some_and(|text| text.contains("pytest"));
    if marked.iter().any(|file| there(file)) || says.iter().any(says_so) {
        return Some(PYTEST.to_owned());
    }
    let line = python_line(&|folder| a_test(&repo.join(folder)), there);
    if line.is_some() {
        return line;
    }
    ["pyproject.toml", "setup.py"]
        .iter()
        .any(|file| there(file))
        .then(|| PYTEST.to_owned())
}

/// The text of one Python test in this folder.
fn a_test(folder: &Path) -> Option<String> {
    let files = std::fs::read_dir(folder).ok()?.flatten();
    let mut names: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| is_python_test(name))
        .collect();
    names.sort();
    std::fs::read_to_string(folder.join(names.first()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let repo = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = repo.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        found(repo.path())
    }

    #[test]
    fn the_interpreter_is_that_of_the_projects_own_environment() {
        let files = [
            ("pyproject.toml", "[tool.pytest.ini_options]"),
            ("package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ];
        assert_eq!(of(&files), ["npm test", "python3 -m pytest"]);
        for folder in [".venv", "venv"] {
            let python = format!("{folder}/bin/python");
            let mut files = files.to_vec();
            files.push((&python, ""));
            assert_eq!(of(&files), ["npm test", &format!("{python} -m pytest")]);
        }
    }

    #[test]
    fn each_kind_of_project_has_its_command_and_several_have_several() {
        assert_eq!(of(&[("Cargo.toml", "")]), ["cargo test"]);
        assert_eq!(of(&[("go.mod", "")]), ["go test ./..."]);
        let script = r#"{"scripts": {"test": "vitest run"}}"#;
        assert_eq!(of(&[("package.json", script)]), ["npm test"]);
        let pnpm = [("package.json", script), ("pnpm-lock.yaml", "")];
        assert_eq!(of(&pnpm), ["pnpm test"]);
        let jest = r#"{"devDependencies": {"jest": "1"}}"#;
        assert_eq!(of(&[("package.json", jest)]), ["npx --no-install jest"]);
        assert!(of(&[("package.json", "{}")]).is_empty());
        for test in ["a.test.js", "src/a.test.mjs", "test/a.js"] {
            assert_eq!(of(&[("package.json", "{}"), (test, "")]), ["node --test"]);
        }
        assert_eq!(
            of(&[("pyproject.toml", "[project]")]),
            ["python3 -m pytest"]
        );
        let unit = [("tests/test_a.py", "import unittest\n"), ("setup.py", "")];
        assert_eq!(of(&unit), ["python3 -m unittest discover -s tests"]);
        let package = [unit[0], unit[1], ("tests/__init__.py", "")];
        let top = ["python3 -m unittest discover -s tests -t ."];
        assert_eq!(of(&package), top);
        assert_eq!(
            of(&[("test_a.py", "def test_a(): pass\n")]),
            ["python3 -m pytest"]
        );
        let both = [
            ("Cargo.toml", ""),
            ("package.json", script),
            ("Makefile", "test:\n"),
        ];
        assert_eq!(of(&both), ["cargo test", "npm test"]);
        assert_eq!(
            of(&[("Makefile", "all:\n\ntest: all\n\techo\n")]),
            ["make test"]
        );
        assert_eq!(of(&[("justfile", "check:\n    true\n")]), ["just check"]);
        let more = [
            ("Cargo.toml", ""),
            ("Makefile", "test:\n\tcargo test --features extra\n"),
        ];
        match is_there("make") {
            true => assert_eq!(of(&more), ["cargo test", "make test"]),
            false => eprintln!("LEFT OUT, for want of make: a recipe that says more"),
        }
        assert!(of(&[("Makefile", "tests-are := x\n")]).is_empty());
        assert!(of(&[("README.md", "")]).is_empty());
    }
}
