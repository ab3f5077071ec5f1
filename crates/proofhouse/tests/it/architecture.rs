//! ARCHITECTURE.md against the tree: a page that names what is gone sends a newcomer to the wrong room.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace folder")
}

/// The paragraphs about each crate, with its name.
fn about() -> Vec<(String, String)> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let page = page.split_once("\n## Where is what\n").expect("its part").1;
    let page = page
        .split_once("\n## Words of the code\n")
        .expect("its end")
        .0;
    let mut found: Vec<(String, String)> = Vec::new();
    for line in page.lines() {
        let begun = line
            .strip_prefix("**")
            .and_then(|rest| rest.split_once(".**"));
        match (begun, found.last_mut()) {
            (Some((name, text)), _) => found.push((name.to_owned(), text.to_owned())),
            (None, Some((_, text))) => {
                text.push('\n');
                text.push_str(line);
            }
            (None, None) => {}
        }
    }
    assert!(found.len() > 15, "the paragraphs were not found");
    found
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Every file and folder below `folder`, as text behind it.
fn below(folder: &Path, before: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            below(&entry.path(), &format!("{name}/"), found);
            found.insert(format!("{name}/"));
        } else {
            found.insert(name);
        }
    }
}

#[test]
fn what_the_page_names_is_there() {
    let mut everything = BTreeSet::new();
    below(&root().join("crates"), "", &mut everything);
    for (name, text) in about() {
        for file in quoted(&text).filter(|word| word.ends_with(".rs") && !word.contains('*')) {
            let own = format!("{name}/src/");
            let there = everything.iter().any(|path| match path.strip_prefix(&own) {
                Some(path) => path == file || path.ends_with(&format!("/{file}")),
                // Another crate's is named with the crate.
                None => path == file,
            });
            assert!(there, "{name}: `{file}` is gone");
        }
    }
}
