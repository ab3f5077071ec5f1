//! Which runner a repository uses, from the files in it. Where there are two, a person must choose.

use super::{Runner, Unknown};
use serde_json::Value;

/// The runner, or why there is none or more than one. `read` gives the text of a file at the
/// repository's root (or in a folder of it), if it is there.
pub fn detect(read: &dyn Fn(&str) -> Option<String>) -> Result<Runner, Unknown> {
    let mut found: Vec<(Runner, &str)> = Vec::new();
    if read("Cargo.toml").is_some() {
        found.push((Runner::Cargo, "Cargo.toml"));
    }
    if let Some(text) = read("package.json") {
        found.extend(of_package(&text)?.map(|runner| (runner, "package.json")));
    }
    if read("go.mod").is_some() || read("go.work").is_some() {
        found.push((Runner::Go, "go.mod"));
    }
    if let Some(file) = PYTHON
        .iter()
        .find(|(file, mark)| read(file).is_some_and(|text| mark.is_empty() || text.contains(mark)))
    {
        found.push((Runner::Pytest, file.0));
    }
    match found.as_slice() {
        [] => Err(
            "no test runner is recognised; set `runner`, or `command` with `runner = \"junit\"`"
                .into(),
        ),
        [(runner, _)] => Ok(*runner),
        several => {
            let named: Vec<String> = several
                .iter()
                .map(|(runner, file)| format!("{} ({file})", runner.name()))
                .collect();
            let named = named.join(", ");
            Err(format!(
                "more than one test runner is recognised: {named}; set `runner`, one check for each"
            )
            .into())
        }
    }
}

/// The line that runs the tests of a repository in Python which says nowhere how. `a_test` gives the text
/// of one test of a folder, `there` whether a file is there.
pub fn python_line(
    a_test: &dyn Fn(&str) -> Option<String>,
    there: &dyn Fn(&str) -> bool,
) -> Option<String> {
    ["tests", "test", "."].into_iter().find_map(|folder| {
        let unit = a_test(folder)?.contains("unittest");
        Some(match (unit, folder) {
            (true, ".") => "python3 -m unittest discover".to_owned(),
            // A folder that is no package cannot be imported from the top.
            (true, folder) if there(&format!("{folder}/__init__.py")) => {
                format!("python3 -m unittest discover -s {folder} -t .")
            }
            (true, folder) => format!("python3 -m unittest discover -s {folder}"),
            (false, _) => "python3 -m pytest".to_owned(),
        })
    })
}

/// Is this the name of a test in Python, as its runners find it?
pub fn is_python_test(name: &str) -> bool {
    name.starts_with("test") && name.ends_with(".py")
}

/// Files of a Python project, and what must stand in them.
const PYTHON: [(&str, &str); 8] = [
    ("pytest.ini", ""),
    ("conftest.py", ""),
    ("tests/conftest.py", ""),
    ("pyproject.toml", "pytest"),
    ("setup.cfg", "pytest"),
    ("tox.ini", "pytest"),
    ("requirements.txt", "pytest"),
    ("requirements-dev.txt", "pytest"),
];

/// Is it a project in Python that says nothing of a runner? Most of those have pytest.
pub fn is_plain_python(read: &dyn Fn(&str) -> Option<String>) -> bool {
    read("pyproject.toml").is_some_and(|text| text.contains("[project]"))
}

/// The runner of a `package.json`: what its test script calls, or else what it depends on. A
/// package without tests has none.
fn of_package(text: &str) -> Result<Option<Runner>, Unknown> {
    let package: Value =
        serde_json::from_str(text).map_err(|error| format!("package.json is no JSON: {error}"))?;
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    let known = [
        ("vitest", Runner::Vitest),
        ("jest", Runner::Jest),
        ("node --test", Runner::Node),
    ];
    if let Some((_, runner)) = known.iter().find(|(word, _)| script.contains(word)) {
        return Ok(Some(*runner));
    }
    let depends = |name: &str| {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|kind| package[*kind].get(name).is_some())
    };
    let depended: Vec<Runner> = known
        .iter()
        .filter(|(word, _)| depends(word))
        .map(|(_, runner)| *runner)
        .collect();
    match depended.as_slice() {
        [runner] => Ok(Some(*runner)),
        [] if script.is_empty() || script.contains("no test specified") => Ok(None),
        _ => Err(format!(
            "the test script `{script}` of package.json calls no runner that we know; set `runner`"
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Result<Runner, Unknown> {
        detect(&|path| {
            let found = files.iter().find(|(name, _)| *name == path)?;
            Some(found.1.to_owned())
        })
    }

    #[test]
    fn each_runner_is_seen() {
        let script = |line: &str| format!("{{\"scripts\": {{\"test\": \"{line}\"}}}}");
        for (line, runner) in [
            ("vitest run", Runner::Vitest),
            ("NODE_OPTIONS=x jest --ci", Runner::Jest),
            ("node --test test/", Runner::Node),
        ] {
            assert_eq!(of(&[("package.json", &script(line))]).unwrap(), runner);
        }
        let depends =
            "{\"scripts\": {\"test\": \"run-all\"}, \"devDependencies\": {\"jest\": \"1\"}}";
        assert_eq!(of(&[("package.json", depends)]).unwrap(), Runner::Jest);
        assert_eq!(of(&[("Cargo.toml", "")]).unwrap(), Runner::Cargo);
        assert_eq!(of(&[("go.mod", "module a")]).unwrap(), Runner::Go);
        // It says nothing of a runner: what a person runs, and what tests are written for, goes before it.
        let python = "[project]\nname = 'a'";
        assert!(of(&[("pyproject.toml", python)]).is_err());
        assert!(is_plain_python(&|_| Some(python.to_owned())));
        assert_eq!(
            of(&[("requirements.txt", "pytest==9")]).unwrap(),
            Runner::Pytest
        );
    }

    #[test]
    fn none_and_two_are_refused_with_a_mend() {
        assert!(of(&[]).unwrap_err().to_string().contains("set `runner`"));
        let why = of(&[("Cargo.toml", ""), ("go.mod", "")]).unwrap_err();
        assert!(
            why.to_string().contains("cargo (Cargo.toml), go (go.mod)"),
            "{why}"
        );
        let mocha = "{\"scripts\": {\"test\": \"mocha\"}}";
        let why = of(&[("package.json", mocha)]).unwrap_err();
        assert!(why.to_string().contains("`mocha`"), "{why}");
        // A web front end without tests does not hide the tests of the rest.
        let bare = [("package.json", "{}"), ("Cargo.toml", "")];
        assert_eq!(of(&bare).unwrap(), Runner::Cargo);
    }

    #[test]
    fn a_line_for_tests_in_python_is_found_by_what_they_are_written_for() {
        let line = |folder: &str, text: &str, files: &[&str]| {
            let a_test = |asked: &str| (asked == folder).then(|| text.to_owned());
            python_line(&a_test, &|path| files.contains(&path))
        };
        let unit = "import unittest\n";
        for (folder, text, files, wanted) in [
            ("tests", "def test_a(): ...", &[][..], "python3 -m pytest"),
            ("tests", unit, &[], "python3 -m unittest discover -s tests"),
            (
                "test",
                unit,
                &["test/__init__.py"],
                "python3 -m unittest discover -s test -t .",
            ),
            (".", unit, &[], "python3 -m unittest discover"),
        ] {
            assert_eq!(line(folder, text, files).as_deref(), Some(wanted));
        }
        // Tests elsewhere, and no test at all, say nothing.
        assert_eq!(line("spec", unit, &[]), None);
        assert!(is_python_test("test_a.py") && !is_python_test("a_test.rs"));
    }
}
