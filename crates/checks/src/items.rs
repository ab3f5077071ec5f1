//! What can be frozen: whole files (`repo/src/a.rs`, `task/X.md`) and sections of Markdown files
//! (`task/X.md#3 Contract`), by the hash of their bytes. It refuses to follow links, so that a
//! frozen name always means the same place.

use crate::paths;
use crate::{Place, Subject};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use sha2::{Digest, Sha256};
use std::path::Path;

/// More than this in a task folder is no task; nothing of ours should walk it for ever.
const MOST_FILES: usize = 20_000;

/// SHA-256 in hex.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of an item now; or in a few words why there are none.
pub(crate) fn bytes(place: Place<'_>, item: &str) -> Result<Vec<u8>, String> {
    let Some((file, heading)) = item.split_once('#') else {
        return paths::bytes(place, item);
    };
    let text = paths::read(place, file)?;
    let found = section(&text, heading);
    found.map(str::as_bytes).map(<[u8]>::to_vec)
}

/// A section's source: from behind its heading to the next heading of the same or a higher level.
/// Headings in code fences are no headings.
pub(crate) fn section<'t>(text: &'t str, heading: &str) -> Result<&'t str, String> {
    let wanted = heading.trim().to_lowercase();
    let (mut fence, mut open, mut at) = (None, None, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(inside), Some(mark)) if inside == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || !bare.starts_with('#') {
            continue;
        }
        let level = bare.bytes().take_while(|byte| *byte == b'#').count();
        let title = bare[level..].trim().to_lowercase();
        match open {
            Some((from, depth)) if level <= depth => return Ok(&text[from..start]),
            None if title == wanted => open = Some((at, level)),
            _ => {}
        }
    }
    match open {
        Some((from, _)) => Ok(&text[from..]),
        None => Err(format!("has no section `{heading}`")),
    }
}

/// Refuses what is no glob of `repo/` or `task/`, or no section of a Markdown file.
pub(crate) fn lint(pattern: &str) -> Result<(), String> {
    let (file, heading) = pattern.split_once('#').unwrap_or((pattern, "x"));
    if heading.trim().is_empty() {
        return Err(format!("`{pattern}` names no section behind the `#`"));
    }
    match file.split_once('/') {
        Some(("repo" | "task", rest)) if !rest.is_empty() && !rest.contains("..") => {}
        _ => {
            return Err(format!(
                "`{pattern}` must begin with `repo/` or `task/` and stay there"
            ));
        }
    }
    globs(&[pattern]).map(drop)
}

fn globs(patterns: &[&str]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.contains('#')) {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| error.to_string())?);
    }
    set.build().map_err(|error| error.to_string())
}

/// Every item that the patterns name now: files that match, sections as they are.
pub(crate) fn named(subject: &Subject<'_>, patterns: &[&str]) -> Result<Vec<String>, String> {
    let globs = globs(patterns)?;
    let mut names: Vec<String> = Vec::new();
    if patterns.iter().any(|pattern| pattern.starts_with("repo/")) {
        let tree = (subject.tree)()?;
        names.extend(tree.files.keys().map(|path| format!("repo/{path}")));
    }
    if patterns.iter().any(|pattern| pattern.starts_with("task/")) {
        walk(subject.place.task, "task", &mut names)?;
    }
    names.retain(|name| globs.is_match(name));
    let sections = patterns.iter().filter(|pattern| pattern.contains('#'));
    names.extend(sections.map(|section| (*section).to_owned()));
    names.sort();
    names.dedup();
    Ok(names)
}

fn walk(folder: &Path, name: &str, names: &mut Vec<String>) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("{name} cannot be read ({error})");
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let kind = entry.file_type().map_err(cannot)?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            walk(&entry.path(), &name, names)?;
        } else {
            names.push(name);
        }
        if names.len() > MOST_FILES {
            return Err(format!("more than {MOST_FILES} files"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_its_source_up_to_the_next_heading_of_its_level() {
        let text = "# T\n## 3 Contract\na\n```\n## no heading\n```\n### deeper\nb\n## 4 Tests\nc\n";
        let found = section(text, "3 contract").unwrap();
        assert_eq!(found, "a\n```\n## no heading\n```\n### deeper\nb\n");
        assert_eq!(section(text, "4 Tests").unwrap(), "c\n");
        assert!(section(text, "5").is_err());
    }

    #[test]
    fn only_places_that_stay_inside() {
        for bad in ["src/a", "repo/", "task/../x", "/etc", "task/a#", "repo/[a"] {
            assert!(lint(bad).is_err(), "{bad}");
        }
        for good in ["repo/**/*.rs", "task/T.md#3 Contract", "task/*.md"] {
            assert_eq!(lint(good), Ok(()), "{good}");
        }
    }
}
