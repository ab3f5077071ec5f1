//! The commits that work lands as: one, one with a merge, the run's own, or those replayed one by one.
//! Objects alone; no branch moves here.

use super::merged;
use std::path::Path;
use workspace::error::{EngineError, Kind};
use workspace::git::{git, text};
use workspace::worktree;

/// Refuses where git has no name for the person whose name is to stand on a commit.
pub(super) fn has_a_name(repo: &Path) -> Result<(), EngineError> {
    for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        git(repo, &["var", who], &[]).map_err(|error| match error.kind {
            Kind::GitFailed => EngineError::user(
                "no_identity",
                "the commit is to have your name on it, and git does not know it; nothing was changed",
                "set `git config user.name` and `git config user.email` (with `--global` for every repository), and ask again",
            ),
            _ => error,
        })?;
    }
    Ok(())
}

/// How many commits, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// One commit of the work alone.
    #[default]
    One,
    /// One commit of the work alone on what the run began with, and a merge of it.
    Merge,
    /// One commit for each of the run's that changed the work, replayed on the branch.
    Rebase,
    /// The run's own commits as they are.
    KeepCommits,
}

/// What lands, and on what.
pub(super) struct Onto<'a> {
    pub(super) repo: &'a Path,
    /// Scratch for trees that are put together.
    pub(super) index: &'a Path,
    pub(super) run: &'a str,
    /// The branch's last commit.
    pub(super) head: &'a str,
    /// The commit that the run began with.
    pub(super) base: &'a str,
    /// The run's last commit.
    pub(super) tip: &'a str,
    /// The tree of the work alone.
    pub(super) made: &'a str,
    /// The tree of the work and the branch together.
    pub(super) tree: &'a str,
}

impl Onto<'_> {
    /// By the person, whose branch it is: their own name stands on it.
    fn commit(&self, tree: &str, parents: &[&str], message: &str) -> Result<String, EngineError> {
        let mut args = vec!["commit-tree", "-m", message];
        for parent in parents {
            args.extend(["-p", parent]);
        }
        args.push(tree);
        Ok(text(&git(self.repo, &args, &[])?))
    }

    pub(super) fn one(&self, message: &str) -> Result<String, EngineError> {
        self.commit(self.tree, &[self.head], message)
    }

    pub(super) fn merge(&self, message: &str) -> Result<String, EngineError> {
        self.shares_history()?;
        let work = self.commit(self.made, &[self.base], message)?;
        let merge = format!("Merge the work of {}\n\n{message}", self.run);
        self.commit(self.tree, &[self.head, &work], &merge)
    }

    pub(super) fn keep_commits(&self, message: &str) -> Result<String, EngineError> {
        self.shares_history()?;
        if self.head == self.base {
            return Ok(self.tip.to_owned());
        }
        let merge = format!("Merge the work of {}\n\n{message}", self.run);
        self.commit(self.tree, &[self.head, self.tip], &merge)
    }

    /// `work` gives the tree of a commit without what is no work.
    pub(super) fn rebase(
        &self,
        message: &str,
        work: &dyn Fn(&str) -> Result<String, EngineError>,
    ) -> Result<String, EngineError> {
        let range = format!("{}..{}", self.base, self.tip);
        let listed = text(&git(self.repo, &["rev-list", "--reverse", &range], &[])?);
        let (mut last, mut before) = (self.head.to_owned(), work(self.base)?);
        for commit in listed.lines() {
            let after = work(commit)?;
            if after == before {
                continue;
            }
            let tree = merged((self.repo, self.index), self.run, &last, &before, &after)?;
            let said = ["log", "-1", "--format=%B", commit];
            let said = text(&git(self.repo, &said, &[])?);
            last = self.commit(&tree, &[&last], &asked_first(message, &said))?;
            before = after;
        }
        match last == self.head {
            // Nothing but the sum of them changed anything.
            true => self.one(message),
            false => Ok(last),
        }
    }

    /// Refuses to bring a history in that the branch does not know: edits in no commit of the person's.
    fn shares_history(&self) -> Result<(), EngineError> {
        if worktree::is_ancestor(self.repo, self.base, self.head)? {
            return Ok(());
        }
        Err(EngineError::user(
            "base_not_on_branch",
            format!(
                "`{}` began with {}, which the branch does not have",
                self.run,
                &self.base[..12.min(self.base.len())]
            ),
            "land it as one commit, or with `--rebase`",
        ))
    }
}

/// The message of one of the run's commits, under what was asked for: whoever reads the log of their
/// branch knows the request, and not the states of a workflow.
fn asked_first(message: &str, said: &str) -> String {
    let asked = message.lines().next().unwrap_or_default();
    match asked.trim() {
        "" => said.to_owned(),
        asked => format!("{asked}\n\n{said}"),
    }
}
