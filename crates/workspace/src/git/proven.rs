//! A tree as an earlier commit proved it, with chosen files as they are now. It touches no ref, no index of
//! the user's and no file of theirs: what is left out of the tree stays where it lies.

use super::{Input, failed, git, started, text};
use crate::error::Error;
use std::path::Path;

/// Every file of a tree that differs from a commit, and is not kept as it is, as it was there.
pub fn as_proven(
    repo: &Path,
    scratch: &Path,
    tree: &str,
    commit: &str,
    kept: &dyn Fn(&str) -> bool,
) -> Result<String, Error> {
    let args = [
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--no-abbrev",
        tree,
        commit,
    ];
    let told = git(repo, &args, &[])?;
    let mut parts = told.split(|byte| *byte == 0);
    let mut back = Vec::new();
    // `:OLDMODE NEWMODE OLD NEW STATUS`, then the path, which need be no text.
    while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
        let facts = String::from_utf8_lossy(facts);
        let facts: Vec<&str> = facts.split(' ').collect();
        let [_, mode, _, object, _] = facts.as_slice() else {
            continue;
        };
        if std::str::from_utf8(path).is_ok_and(kept) {
            continue;
        }
        // A file that was not there has the mode 0, which takes it out.
        back.extend_from_slice(format!("{mode} {object}\t").as_bytes());
        back.extend_from_slice(path);
        back.push(0);
    }
    if back.is_empty() {
        return Ok(tree.to_owned());
    }
    let index = scratch.display().to_string();
    let env = [("GIT_INDEX_FILE", index.as_str())];
    let made = git(repo, &["read-tree", tree], &env).and_then(|_| {
        let args = ["update-index", "-z", "--index-info"];
        let ended = started(repo, &args, &env, Input::Bytes(back))?;
        if !ended.exited_with(0) {
            return Err(failed(repo, &args, &ended));
        }
        git(repo, &["write-tree"], &env).map(|tree| text(&tree))
    });
    // Scratch of this one alone.
    let _ = std::fs::remove_file(scratch);
    made
}
