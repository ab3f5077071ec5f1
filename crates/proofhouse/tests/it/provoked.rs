//! A code is a promise, so a test names it. Those that no test names yet are in `tests/data/unprovoked.txt`,
//! and that list only gets shorter.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIST: &str = "unprovoked.txt";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |each: char| each.is_ascii_alphanumeric() || each == '_';
    text.split(move |each| !part(each))
}

/// The codes of the page: what stands in backticks in the first column of its tables.
fn codes() -> BTreeSet<String> {
    let page = std::fs::read_to_string(root().join("docs/codes.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let firsts = rows.filter_map(|row| row.split('|').nth(1));
    let quoted = firsts.flat_map(|first| first.split('`').skip(1).step_by(2));
    quoted.map(str::to_owned).collect()
}

/// Every word of every test: of the folders `tests`, and of the tests that stand in sources.
fn tested() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let crates = root().join("crates");
    let mut folders = vec![crates.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with(LIST) {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let own = path.strip_prefix(&crates).unwrap();
            // `tests` is a check's name, too.
            let of_tests = own.iter().any(|part| part == "tests" || part == "tests.rs")
                && !own.starts_with("checks/src/checks");
            let text = match of_tests {
                true => text.as_str(),
                false => text.split_once("#[cfg(test)]").map_or("", |(_, own)| own),
            };
            found.extend(words(text).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_code_is_named_by_a_test_or_on_the_list() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(LIST);
    let list = std::fs::read_to_string(list).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let known: BTreeSet<String> = lines.map(str::to_owned).collect();
    let tested = tested();
    let unprovoked: BTreeSet<String> = codes().difference(&tested).cloned().collect();
    let new: Vec<&String> = unprovoked.difference(&known).collect();
    assert!(new.is_empty(), "provoke them in a test: {new:#?}");
    let old: Vec<&String> = known.difference(&unprovoked).collect();
    assert!(old.is_empty(), "take them out of {LIST}: {old:#?}");
}
