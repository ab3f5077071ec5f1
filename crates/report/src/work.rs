//! What a run has made, as git knows it: the commit that it began with, and its last. It reads commits that
//! the journal names; the task folder is a record of the work, and no work.

use crate::history::{History, history};
use crate::look::{Peek, peek_run};
use flow::Flow;
use kernel::Body;
use kernel::event::RunStarted;
use std::path::Path;
use workspace::git::{git, run_ref, text};
use workspace::worktree::{self, Merged};
use workspace::{EngineError, Project};

/// What a run has made, as git knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The commit that it began with.
    pub base: String,
    /// The last commit of the run.
    pub tip: String,
    /// The task folder, if it is part of the tree.
    pub task: Option<String>,
}

impl Work {
    /// What a run has made so far.
    pub fn of(project: &Project, run: &str) -> Result<Self, EngineError> {
        let peek = peek_run(project, run)?;
        let Some(started) = peek.machine.started() else {
            return Err(works_here(run));
        };
        if let Some(own) = &started.own_tree {
            return Self::since(project, &peek, started, &own.base);
        }
        Self::here(project, started, &history(project, run)?)?.ok_or_else(|| works_here(run))
    }

    /// The same for a run whose history is known; nothing before its first commit.
    pub(crate) fn in_history(
        project: &Project,
        started: &RunStarted,
        history: &History,
    ) -> Result<Option<Self>, EngineError> {
        match &started.own_tree {
            Some(own) => Ok(Some(Self {
                base: own.base.clone(),
                tip: history.commits().pop().unwrap_or_else(|| own.base.clone()),
                task: task_inside(started),
            })),
            None => Self::here(project, started, history),
        }
    }

    /// What a run with a tree of its own has made since this commit.
    pub fn since(
        project: &Project,
        peek: &Peek<Flow>,
        started: &RunStarted,
        base: &str,
    ) -> Result<Self, EngineError> {
        let run = started.run.as_str();
        let last = peek.machine.last_commit().map(str::to_owned);
        let tip = match (last, &started.own_tree) {
            (Some(last), _) => last,
            // A workflow may make no checkpoint: what its wave took is the last commit of its ref.
            (None, Some(own)) if own.milestone.is_some() => {
                let own_ref = project.commits().resolve(&run_ref(run))?;
                own_ref.unwrap_or_else(|| base.to_owned())
            }
            (None, _) => base.to_owned(),
        };
        if project.commits().resolve(&tip)?.is_none() {
            return Err(EngineError::environment(
                "commit_missing",
                format!(
                    "the journal of `{run}` names the commit {tip}, and this repository has none such"
                ),
                "fetch the run's ref from where it was made",
            ));
        }
        Ok(Self {
            base: base.to_owned(),
            tip,
            task: task_inside(started),
        })
    }

    /// In the person's own tree only checkpoints tell: from the first, if nobody had edited before it,
    /// else from what it was made on.
    fn here(
        project: &Project,
        started: &RunStarted,
        history: &History,
    ) -> Result<Option<Self>, EngineError> {
        let commits = history.commits();
        let (Some(first), Some(last)) = (commits.first(), commits.last()) else {
            return Ok(None);
        };
        let edited = edited_before_the_first_commit(history);
        let before = match edited {
            true => project.commits().parent(first)?,
            false => None,
        };
        Ok(Some(Self {
            base: before.unwrap_or_else(|| first.clone()),
            tip: last.clone(),
            task: task_inside(started),
        }))
    }

    /// What it changed, as git shows it with these further arguments.
    pub fn diff(&self, project: &Project, args: &[&str]) -> Result<Vec<u8>, EngineError> {
        // As long as nothing is committed; each start of git is felt.
        if self.base == self.tip {
            return Ok(Vec::new());
        }
        let mut all = vec![
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
            "--find-renames",
        ];
        all.extend(args);
        all.extend([self.base.as_str(), self.tip.as_str(), "--", "."]);
        let without = self.without();
        all.extend(without.as_deref());
        git(project.top(), &all, &[])
    }

    /// The tree of a commit without the task folder.
    pub fn tree_of(
        &self,
        project: &Project,
        commit: &str,
        index: &Path,
    ) -> Result<String, EngineError> {
        let Some(task) = &self.task else {
            return project.commits().tree(commit);
        };
        let repo = project.top();
        let index = index.display().to_string();
        let env = [("GIT_INDEX_FILE", index.as_str())];
        git(repo, &["read-tree", commit], &env)?;
        let remove = [
            "--literal-pathspecs",
            "rm",
            "-r",
            "--quiet",
            "--cached",
            "--ignore-unmatch",
        ];
        git(repo, &[&remove[..], &["--", task]].concat(), &env)?;
        let tree = git(repo, &["write-tree"], &env).map(|tree| text(&tree));
        // Scratch of this one alone.
        let _ = std::fs::remove_file(&index);
        tree
    }

    /// What it made of where it began, as two trees without the task folder.
    pub fn trees(&self, project: &Project, run: &str) -> Result<(String, String), EngineError> {
        let scratch = project.work(run);
        if self.task.is_some() {
            std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        }
        let index = scratch.join("trees-index");
        let began = self.tree_of(project, &self.base, &index)?;
        Ok((began, self.tree_of(project, &self.tip, &index)?))
    }

    /// The work and a commit, brought together as far as that goes without anybody.
    pub fn merged(&self, project: &Project, run: &str, head: &str) -> Result<Merged, EngineError> {
        let (began, made) = self.trees(project, run)?;
        let head = format!("{head}^{{tree}}");
        let scratch = project.work(run);
        std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        let index = scratch.join("merge-index");
        worktree::merge_trees(project.top(), &index, [&began, &head, &made])
    }

    /// The task folder as git is told to leave it out.
    pub fn without(&self) -> Option<String> {
        let task = self.task.as_ref()?;
        Some(format!(":(exclude,top,literal){task}"))
    }
}

/// The refusal of a run whose work is nowhere but in the person's own tree.
pub fn works_here(run: &str) -> EngineError {
    EngineError::user(
        "works_here",
        format!("`{run}` works in your own tree: what it made is there, and `git diff` shows it"),
        "commit it yourself, or put it back with `git restore`; runs that are begun without `--here` have a tree of their own",
    )
}

/// The task folder of a run that keeps it in the tree.
pub fn task_inside(started: &RunStarted) -> Option<String> {
    let task = Path::new(&started.task);
    let inside = task.is_relative() && !task.starts_with(".proofhouse");
    inside.then(|| started.task.clone())
}

fn edited_before_the_first_commit(history: &History) -> bool {
    for event in history.events() {
        match &event.body {
            Body::CheckpointEnded(ended) if ended.commit.is_some() => return false,
            Body::AttemptEnded(ended) => {
                let mut changed = ended.outcome.changed.iter();
                if changed.any(|path| path.starts_with("repo/")) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
