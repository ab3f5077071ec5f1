//! The repository's own files, as git knows them, and which of them are sources or tests. What git
//! ignores is nobody's work.

use crate::Subject;
use crate::error::Error;
use crate::readers::paths;
pub(crate) use languages::judges::{is_source, is_test};
use languages::manifests::{self, Manifest};
use std::io::Read;

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
