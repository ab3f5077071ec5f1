//! The repository's own files, as git knows them, and which of them are sources or tests. What git
//! ignores is nobody's work.

use crate::Subject;
use crate::error::Error;
use crate::readers::paths;
pub(crate) use languages::judges::is_source;
use languages::manifests::{self, Manifest};
use std::io::Read;

/// Folders that hold tests.
const TEST_FOLDERS: [&str; 8] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "fixtures",
    "testdata",
];
/// Larger files are no sources.
const LARGEST: u64 = 16 << 20;

/// The paths of all files in the repository.
pub(crate) fn files(subject: &Subject<'_>) -> Result<Vec<String>, Error> {
    let tree = subject.tree()?;
    // A link is not its target's content, and a folder of another repository is not ours.
    let own = |content: &String| !content.starts_with("-> ") && content != "folder";
    let files = tree.files.into_iter().filter(|(_, content)| own(content));
    Ok(files.map(|(path, _)| path).collect())
}

/// All manifests among the files. One that cannot be read is an error: what is not known to be empty is not
/// empty.
pub(crate) fn manifests(subject: &Subject<'_>, files: &[String]) -> Result<Vec<Manifest>, Error> {
    let mut found = Vec::new();
    for path in files.iter().filter(|path| manifests::is_manifest(path)) {
        let text = paths::read(subject.place, &format!("repo/{path}"))?;
        found.extend(Manifest::read(path, &text).map_err(Error::of(path))?);
    }
    Ok(found)
}

/// Is it a test, or something for tests?
pub(crate) fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|one| TEST_FOLDERS.contains(&one)) {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (starts, ends) = (
        ["test_"],
        ["_test", ".test", ".spec", "_spec", "Test", "Tests"],
    );
    name == "conftest.py"
        || starts.iter().any(|start| stem.starts_with(start))
        || ends.iter().any(|end| stem.ends_with(end))
}

/// The text of a file of the repository; none if it is no text.
pub(crate) fn text(subject: &Subject<'_>, path: &str) -> Result<Option<String>, Error> {
    let full = paths::regular(subject.place.repo, path).map_err(Error::of(path))?;
    let mut bytes = Vec::new();
    std::fs::File::open(full)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(Error::of(path))?;
    if bytes.len() as u64 > LARGEST {
        let why = "is larger than 16 MiB; name it in `allow`";
        return Err(Error::of(path)(why));
    }
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::{is_source, is_test};

    #[test]
    fn sources_and_tests() {
        for path in ["src/main.rs", "a.py", "web/app.tsx"] {
            assert!(is_source(path) && !is_test(path), "{path}");
        }
        for path in [
            "tests/a.rs",
            "pkg/shop_test.go",
            "src/a.test.ts",
            "test_a.py",
            "src/__tests__/b.js",
            "src/UserTest.java",
        ] {
            assert!(is_source(path) && is_test(path), "{path}");
        }
        for path in ["README.md", "Makefile", "rs", "a.json"] {
            assert!(!is_source(path), "{path}");
        }
        assert!(!is_test("src/latest.rs") && !is_test("contest.py"));
    }
}
