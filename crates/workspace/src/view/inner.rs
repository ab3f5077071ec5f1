//! Repositories that an agent began inside of its view: `cargo new` and its like do, where they find
//! none around them. Git lists nothing of them, so that honest work would be lost without a word.
//!
//! What such a tool made becomes plain files, as if it had found the user's
//! repository around it, and what lies in the place of a submodule is another repository's.

use crate::error::{Error, Kind};
use crate::git;
use std::path::{Path, PathBuf};

/// Repositories inside of repositories are no deeper than this in earnest.
const DEEPEST: usize = 32;

/// The code of files that an agent left in the place of a submodule.
const OF_SUBMODULE: &str = "change_in_submodule";

/// The files of a view, after its repositories were made plain folders: it has none of its own.
pub(super) fn files(repo: &Path, view: &Path) -> Result<Vec<PathBuf>, Error> {
    for _ in 0..DEEPEST {
        let mut found = false;
        let listed = git::listed(repo, view)?;
        for folder in &listed.folders {
            let inner = view.join(folder).join(".git");
            if inner.symlink_metadata().is_ok() {
                store::remove_tree(&inner).map_err(Error::io("remove", &inner))?;
                found = true;
            }
        }
        if found {
            continue;
        }
        // Where a submodule was laid in to be read, its place stays, with nothing in it.
        let filled = |folder: &&PathBuf| {
            let mut inside = view.join(folder).read_dir().into_iter().flatten();
            inside.next().is_some()
        };
        return match listed.folders.iter().find(filled) {
            None => Ok(listed.files),
            Some(folder) => Err(Error::user(
                OF_SUBMODULE,
                format!(
                    "{} is a submodule: its files belong to another repository",
                    folder.display()
                ),
                "leave them out",
            )
            .of_kind(Kind::AgentsDoing)),
        };
    }
    Err(Error::user(
        OF_SUBMODULE,
        format!("more than {DEEPEST} repositories lie inside of each other"),
        "leave them out",
    )
    .of_kind(Kind::AgentsDoing))
}
