//! Projects below the top of a repository: `web/package.json` beside `api/pyproject.toml`. What the top is
//! itself (a workspace of packages, most often) tests what lies below it, and is not asked about again.

use super::{ENVIRONMENTS, KINDS, Kind, by};
use crate::git::git;
use std::collections::BTreeMap;
use std::path::Path;

/// Folders of what is no project of its own: examples, test data, other people's code.
const OTHERS: [&str; 13] = [
    "bench",
    "benches",
    "build",
    "dist",
    "docs",
    "examples",
    "fixtures",
    "node_modules",
    "target",
    "test",
    "testdata",
    "tests",
    "vendor",
];

/// Folders with whose tests in Python a folder is a project that has no manifest.
const UNSAID: [&str; 2] = ["tests", "test"];

/// One line for each of them, by folder.
pub(super) fn found(repo: &Path) -> Vec<String> {
    let kinds: Vec<&Kind> = KINDS
        .iter()
        .filter(|kind| (kind.line)(repo).is_none())
        .collect();
    let mut lines: BTreeMap<(String, usize), String> = BTreeMap::new();
    for path in manifests(repo, &kinds) {
        let Some((folder, file)) = path.rsplit_once('/') else {
            continue;
        };
        let by_tests = UNSAID
            .iter()
            .find_map(|tests| folder.strip_suffix(tests)?.strip_suffix('/'));
        let folder = by_tests.unwrap_or(folder);
        let kind = kinds.iter().position(|kind| match by_tests {
            Some(_) => kind.manifests.contains(&"pyproject.toml"),
            None => kind.manifests.contains(&file),
        });
        let Some(kind) = kind.filter(|_| is_a_project(folder)) else {
            continue;
        };
        // Inside of another of its kind it is a part of that.
        let within = |other: &str| {
            folder
                .strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        if lines.keys().any(|(other, of)| *of == kind && within(other)) {
            continue;
        }
        let line = (kinds[kind].line)(&repo.join(folder));
        // What needs more than Python itself would be said somewhere.
        let line = line.filter(|line| by_tests.is_none() || line.contains(" -m unittest "));
        if let Some(line) = line {
            let line = match python(repo, folder) {
                Some(python) => by(&python, &line),
                None => line,
            };
            lines.insert((folder.to_owned(), kind), format!("cd {folder} && {line}"));
        }
    }
    lines.into_values().collect()
}

/// The manifests that git knows, one or two folders below the top, the outer ones first.
fn manifests(repo: &Path, kinds: &[&Kind]) -> Vec<String> {
    let files = kinds.iter().flat_map(|kind| kind.manifests);
    let python = kinds
        .iter()
        .any(|kind| kind.manifests.contains(&"pyproject.toml"));
    let unsaid = UNSAID.iter().filter(|_| python);
    let unsaid = unsaid.map(|tests| format!("{tests}/test*.py"));
    let patterns: Vec<String> = files
        .map(|file| (*file).to_owned())
        .chain(unsaid)
        .flat_map(|file| [format!(":(glob)*/{file}"), format!(":(glob)*/*/{file}")])
        .collect();
    let mut args = vec!["ls-files", "-z", "--"];
    args.extend(patterns.iter().map(String::as_str));
    let listed = match patterns.is_empty() {
        true => Vec::new(),
        // A folder that is no repository has nothing that anybody keeps.
        false => git(repo, &args, &[]).unwrap_or_default(),
    };
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut paths: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    paths
}

/// Whose name needs no quoting, and is not that of a folder for something else.
fn is_a_project(folder: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    folder.chars().all(plain)
        && folder
            .split('/')
            .all(|name| !name.starts_with(['.', '-']) && !OTHERS.contains(&name))
}

/// The interpreter of its own environment, or of the top's, as it is called from there.
fn python(repo: &Path, folder: &str) -> Option<String> {
    let up = "../".repeat(folder.split('/').count());
    let own = ENVIRONMENTS.map(|name| format!("{name}/bin/python"));
    let own_one = own.iter().find(|own| repo.join(folder).join(own).is_file());
    let top = || own.iter().find(|own| repo.join(own).is_file());
    own_one
        .cloned()
        .or_else(|| top().map(|own| format!("{up}{own}")))
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use crate::git;

    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let repo = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = repo.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        git::first_commit(repo.path(), "first").unwrap();
        found(repo.path())
    }

    const TESTED: &str = r#"{"scripts": {"test": "vitest run"}}"#;
    const PYTEST: &str = "[tool.pytest.ini_options]";

    #[test]
    fn a_folder_that_is_a_project_is_tested_where_it_is() {
        let web = ("web/package.json", TESTED);
        let api = ("services/api/pyproject.toml", PYTEST);
        let both = ["cd services/api && python3 -m pytest", "cd web && npm test"];
        assert_eq!(of(&[web, api]), both);
        assert_eq!(
            of(&[("Cargo.toml", ""), ("crates/a/Cargo.toml", ""), web]),
            ["cargo test", "cd web && npm test"]
        );
        let own = [api, ("services/api/.venv/bin/python", "")];
        assert_eq!(of(&own), ["cd services/api && .venv/bin/python -m pytest"]);
        let top = [api, ("venv/bin/python", "")];
        assert_eq!(
            of(&top),
            ["cd services/api && ../../venv/bin/python -m pytest"]
        );
    }

    #[test]
    fn a_folder_with_plain_tests_in_python_needs_no_manifest() {
        let code = ("api/total.py", "");
        let tests = ("api/tests/test_total.py", "import unittest\n");
        let line = "cd api && python3 -m unittest discover -s tests";
        assert_eq!(of(&[code, tests]), [line]);
        let package = [code, tests, ("api/tests/__init__.py", "")];
        assert_eq!(of(&package), [format!("{line} -t .")]);
        // Nobody says that pytest is there, and what the top tests is tested.
        assert!(of(&[code, ("api/tests/test_total.py", "def test_a(): pass\n")]).is_empty());
        let top = [tests, ("pyproject.toml", PYTEST)];
        assert_eq!(of(&top), ["python3 -m pytest"]);
        // With a manifest it is found once.
        let said = [tests, ("api/setup.py", "")];
        assert_eq!(of(&said), [line]);
    }

    #[test]
    fn what_the_top_tests_and_what_is_nobodys_project_is_left_out() {
        let part = ("packages/a/package.json", TESTED);
        assert_eq!(of(&[("package.json", TESTED), part]), ["npm test"]);
        let inner = [
            ("web/package.json", TESTED),
            ("web/inner/package.json", TESTED),
        ];
        assert_eq!(of(&inner), ["cd web && npm test"]);
        for other in [
            "tests/data/package.json",
            "examples/a/package.json",
            "vendor/a/package.json",
            ".github/package.json",
            "a b/package.json",
            "a/b/c/package.json",
        ] {
            assert!(
                of(&[(other, TESTED), ("README.md", "")]).is_empty(),
                "{other}"
            );
        }
        assert!(of(&[("web/package.json", "{}")]).is_empty());
    }
}
