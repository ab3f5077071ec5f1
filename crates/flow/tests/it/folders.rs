//! The folders of the workflows that come with the binary, and the table of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All files below a folder, relative to it.
fn below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let path = path.strip_prefix(folder).unwrap();
                    found.insert(path.to_str().unwrap().to_owned());
                }
            }
        }
    }
    found
}

/// A file that is not listed would be missing in every run, and only a brief is missed by the loader.
#[test]
fn every_file_of_every_folder_is_in_the_binary() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("workflows");
    let mut folders = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            // What several of them have in common.
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = flow::built_in(&name).unwrap_or_else(|| panic!("`{name}` is not listed"));
        let mut listed: BTreeSet<String> = source.files.into_keys().collect();
        // The exam's own brief is put in.
        listed.remove("briefs/examine.md");
        assert_eq!(listed, below(&path), "{name}");
        folders.insert(name);
    }
    let listed = flow::built_in_names().map(str::to_owned).collect();
    assert_eq!(folders, listed);
}
