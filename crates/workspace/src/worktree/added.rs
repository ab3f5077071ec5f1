//! Two sides of a merge that only add lines, each at the same place of a file: git calls that a conflict,
//! and nobody's words are lost where both stay. Whether what comes of it holds is for the gate behind it.

use super::Merged;
use crate::error::Error;
use crate::git::{self, git, text};
use std::path::Path;

/// The tree of both sides, with what each has added where they meet, the first one's before the other's; a
/// conflict as before if one of them did anything else there, or the file is no text that both knew.
pub fn both_added(repo: &Path, scratch: &Path, ours: &str, theirs: &str) -> Result<Merged, Error> {
    let merged = super::merge(repo, ours, theirs)?;
    let Merged::Conflict { files, marked, .. } = &merged else {
        return Ok(merged);
    };
    let bases = text(&git(repo, &["merge-base", "--all", ours, theirs], &[])?);
    // More than one has no place that both began with.
    if bases.lines().count() != 1 {
        return Ok(merged);
    }
    let mut entries = Vec::new();
    for file in files {
        let of = |commit: &str| held(repo, commit, file);
        let (Some(base), Some(our), Some(their)) = (of(&bases)?, of(ours)?, of(theirs)?) else {
            return Ok(merged);
        };
        let kept = base.mode == our.mode && base.mode == their.mode;
        let Some(joined) = joined(&base.bytes, &our.bytes, &their.bytes).filter(|_| kept) else {
            return Ok(merged);
        };
        let blob = git::with_input(repo, &["hash-object", "-w", "--stdin"], joined)?;
        entries.push(format!("{},{},{file}", base.mode, text(&blob)));
    }
    let index = scratch.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    git(repo, &["read-tree", marked], &env)?;
    for entry in &entries {
        git(repo, &["update-index", "--add", "--cacheinfo", entry], &env)?;
    }
    let tree = git(repo, &["write-tree"], &env);
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    Ok(Merged::Tree(text(&tree?)))
}

/// Merges what two trees made of a third. Where both only added lines at one place, both additions stay.
pub fn merge_trees(
    repo: &Path,
    index: &Path,
    [base, ours, theirs]: [&str; 3],
) -> Result<Merged, Error> {
    // Commits for the merge alone: both begin where their common history ends.
    let base = super::commit(repo, base, &[], "base")?;
    let ours = super::commit(repo, ours, &[&base], "ours")?;
    let theirs = super::commit(repo, theirs, &[&base], "theirs")?;
    both_added(repo, index, &ours, &theirs)
}

struct Held {
    mode: String,
    bytes: Vec<u8>,
}

/// A file as a commit has it; none if it is there no plain one.
fn held(repo: &Path, commit: &str, file: &str) -> Result<Option<Held>, Error> {
    let args = ["ls-tree", "-z", "--full-tree", commit, "--", file];
    let listed = git(repo, &args, &[])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let Some((kind, _)) = listed.split_once('\t') else {
        return Ok(None);
    };
    let [mode, "blob", blob] = kind.split(' ').collect::<Vec<&str>>()[..] else {
        return Ok(None);
    };
    // A link has one line, which is no text of its own.
    if mode == "120000" {
        return Ok(None);
    }
    let bytes = git(repo, &["cat-file", "blob", blob], &[])?;
    let mode = mode.to_owned();
    Ok(Some(Held { mode, bytes }))
}

/// Both additions at the one place where each was made; none if that is not all that either did.
fn joined(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    if [base, ours, theirs].iter().any(|bytes| bytes.contains(&0)) {
        return None;
    }
    let [base, ours, theirs] = [base, ours, theirs].map(lines);
    let at =
        (0..=base.len()).find(|at| is_added(&base, &ours, *at) && is_added(&base, &theirs, *at))?;
    let added = |side: &[&[u8]]| side[at..side.len() - (base.len() - at)].concat();
    let (before, after) = base.split_at(at);
    Some(
        [
            before.concat(),
            added(&ours),
            added(&theirs),
            after.concat(),
        ]
        .concat(),
    )
}

/// Has this side only added lines before the line of this number?
fn is_added(base: &[&[u8]], side: &[&[u8]], at: usize) -> bool {
    let (before, after) = base.split_at(at);
    side.len() > base.len() && side.starts_with(before) && side.ends_with(after)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::joined;

    fn of(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let joined = joined(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())?;
        String::from_utf8(joined).ok()
    }

    #[test]
    fn what_both_add_at_one_place_stays() {
        let both = |base, ours, theirs, joined: &str| {
            assert_eq!(of(base, ours, theirs).as_deref(), Some(joined));
        };
        both("one\n", "one\ntwo\n", "one\nthree\n", "one\ntwo\nthree\n");
        both("z\n", "a\nz\n", "b\nc\nz\n", "a\nb\nc\nz\n");
        both("a\nz\n", "a\nb\nz\n", "a\nc\nz\n", "a\nb\nc\nz\n");
        both("", "a\n", "b\n", "a\nb\n");
    }

    #[test]
    fn whoever_takes_something_away_has_not_only_added() {
        for (base, ours, theirs) in [
            ("one\n", "two\n", "one\nthree\n"),
            ("one\n", "one\ntwo\n", "three\n"),
            // An edited line is one that was taken away.
            ("one", "one\ntwo\n", "one\nthree\n"),
            // Not at one place.
            ("a\nz\n", "a\nb\nz\n", "a\nz\nc\n"),
            ("a\0\n", "a\0\nb\n", "a\0\nc\n"),
            ("one\n", "one\n", "one\ntwo\n"),
        ] {
            assert_eq!(of(base, ours, theirs), None, "{base:?} {ours:?} {theirs:?}");
        }
    }
}
