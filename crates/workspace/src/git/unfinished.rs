//! Files that are in nobody's commit and must not be lost, kept on a ref of their own: what an attempt had
//! begun and never handed in, and what a person had in the place of what one changed. Nothing of it was
//! judged, so it is on no branch and in no checkpoint.

use super::{IDENTITY, Input, commits, failed, git, run_ref, set_ref, started, text};
use crate::error::Error;
use crate::lock;
use std::path::Path;

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// What an attempt had begun.
    Unfinished,
    /// A person's edits that an attempt wrote over.
    Replaced,
}

impl Keep {
    /// The ref that keeps it.
    pub fn at(self, run: &str, effect: &str) -> String {
        match self {
            Self::Unfinished => format!("refs/proofhouse/unfinished/{run}/{effect}"),
            Self::Replaced => format!("{REPLACED}{run}/{effect}"),
        }
    }

    fn message(self, run: &str, effect: &str) -> String {
        match self {
            Self::Unfinished => {
                format!("{run}: unfinished work of attempt {effect}; nothing of it was judged")
            }
            Self::Replaced => {
                format!("{run}: edits in no commit, as they were before attempt {effect}")
            }
        }
    }
}

/// Where edits are kept that attempts wrote over.
pub(crate) const REPLACED: &str = "refs/proofhouse/replaced/";

/// The files that are otherwise in the working tree than in its last commit, without what git ignores.
pub fn edited(repo: &Path) -> Result<Vec<String>, Error> {
    let [head] = commits(repo, ["HEAD"])?;
    let changed = ["diff", "--name-only", "-z", "--no-renames", "HEAD"];
    let changed = match head {
        Some(_) => git(repo, &changed, &[])?,
        None => git(repo, &["ls-files", "-z"], &[])?,
    };
    let others = ["ls-files", "-z", "--others", "--exclude-standard"];
    let listed = [changed, git(repo, &others, &[])?].concat();
    let names = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names
        .filter_map(|name| String::from_utf8(name.to_vec()).ok())
        .collect())
}

/// Commits files that lie in a folder of ours, under their paths in the repository, onto the run's last
/// checkpoint; a path that is not there was taken away. Touches neither branch nor index. Gives the diff.
pub fn keep(
    what: Keep,
    repo: &Path,
    run: &str,
    effect: &str,
    turns: &Path,
    laid: &Path,
    paths: &[String],
) -> Result<Vec<u8>, Error> {
    let turn = lock::turn(turns)?;
    let index = laid.with_extension("index").display().to_string();
    let git_dir = text(&git(repo, &["rev-parse", "--absolute-git-dir"], &[])?);
    let work_tree = laid.display().to_string();
    let mut env = vec![("GIT_INDEX_FILE", index.as_str())];
    env.extend(IDENTITY);
    let [head, own] = commits(repo, ["HEAD", &run_ref(run)])?;
    let parent = own.or(head);
    let from = parent.as_deref().unwrap_or("--empty");
    git(repo, &["read-tree", from], &env)?;
    let mut in_folder = env.clone();
    in_folder.extend([
        ("GIT_DIR", git_dir.as_str()),
        ("GIT_WORK_TREE", work_tree.as_str()),
    ]);
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(0);
    }
    let args = ["update-index", "--add", "--remove", "-z", "--stdin"];
    let ended = started(laid, &args, &in_folder, Input::Bytes(bytes))?;
    if !ended.exited_with(0) {
        return Err(failed(laid, &args, &ended));
    }
    let tree = text(&git(repo, &["write-tree"], &env)?);
    let message = what.message(run, effect);
    let mut args = vec!["commit-tree", "-m", message.as_str()];
    if let Some(parent) = &parent {
        args.extend(["-p", parent.as_str()]);
    }
    args.push(&tree);
    let commit = text(&git(repo, &args, &env)?);
    set_ref(repo, &turn, &[&what.at(run, effect), &commit])?;
    // Scratch of this one alone.
    let _ = std::fs::remove_file(laid.with_extension("index"));
    let shown = ["show", "--format=", "--no-color", "--no-ext-diff", &commit];
    git(repo, &shown, &[])
}
