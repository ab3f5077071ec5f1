//! What a run changed: its files, how much of each, and the hunks, as git knows them. It reads commits
//! that the journal names and nothing else; the task folder is a record of the work, and no work.

use crate::file_change::{FileChange, listing, parts};
use crate::history::{History, history};
use crate::look::peek_run;
use crate::stat::stat;
use crate::work::Work;
use flow::Flow;
use kernel::Machine;
use kernel::machine::Activity;
use languages::judges::is_source;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use workspace::git::{edits, git};
use workspace::{EngineError, Project};

/// What a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub run: String,
    /// The commit that it began with.
    pub base: String,
    /// The last commit of the run.
    pub commit: String,
    /// The paths of what changed.
    pub files: Vec<String>,
    /// How much of each, as git draws it.
    pub stat: String,
    /// The patch, where it was asked for.
    pub patch: Option<String>,
    /// Each file, with its hunks where the patch was asked for.
    pub changes: Vec<FileChange>,
    /// Some of it lies in the run's tree and has passed no gate yet.
    #[serde(skip_serializing_if = "is_false")]
    pub ungated: bool,
    /// Files of the run's tree that somebody edited after the gate had let the rest pass. They are no part
    /// of what changed, and do not land.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
}

/// Tells two looks of one process at a tree apart.
static LOOKS: AtomicU64 = AtomicU64::new(0);

fn is_false(it: &bool) -> bool {
    !it
}

/// How much is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Which files, and how much of each.
    Stat,
    /// The lines of what is text as well.
    Hunks,
    /// The whole patch, as `git apply` takes it.
    Patch,
}

/// Since which word of a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// They sent it back.
    Rejected,
    /// They approved it, and it has to be approved once more.
    Approved,
}

impl Work {
    /// What came after a person said so the last time.
    pub(crate) fn after(&self, project: &Project, history: &History, since: Since) -> Option<Self> {
        let decided_on = match since {
            Since::Rejected => history.rejected(),
            Since::Approved => history.approved(),
        };
        let base = decided_on.into_iter().find(|one| has(project, one))?;
        Some(Self {
            base,
            ..self.clone()
        })
    }

    /// What it changed.
    pub fn change(
        &self,
        project: &Project,
        run: &str,
        depth: Depth,
    ) -> Result<Change, EngineError> {
        let listed = self.diff(project, &["--raw", "--numstat", "-z"])?;
        let mut changes = listing(&listed);
        let read = |args: &[&str]| -> Result<String, EngineError> {
            Ok(String::from_utf8_lossy(&self.diff(project, args)?).into_owned())
        };
        // One byte of zero, and git takes code for no text: it is shown all the same.
        let hides = |one: &FileChange| one.added.is_none() && is_source(&one.path);
        if changes.iter().any(hides) {
            let all = read(&["--no-color", "--text"])?;
            let hidden = changes.iter_mut().zip(parts(&all));
            for (one, part) in hidden.filter(|(one, _)| hides(one)) {
                one.take(part);
                let lines = || one.hunks.iter().flat_map(|hunk| &hunk.lines);
                let count = |sign| lines().filter(|line| line.starts_with(sign)).count() as u64;
                (one.added, one.removed) = (Some(count('+')), Some(count('-')));
            }
        }
        let patch = match depth {
            Depth::Stat => None,
            Depth::Hunks => Some(read(&["--no-color"])?),
            Depth::Patch => Some(read(&["--no-color", "--binary"])?),
        };
        let each = patch.as_deref().map(parts).unwrap_or_default();
        for (change, part) in changes.iter_mut().zip(each) {
            if change.hunks.is_empty() {
                change.take(part);
            }
        }
        Ok(Change {
            run: run.to_owned(),
            base: self.base.clone(),
            commit: self.tip.clone(),
            files: changes.iter().map(|one| one.path.clone()).collect(),
            stat: stat(&changes, 100),
            patch: patch.filter(|_| depth == Depth::Patch),
            changes,
            ungated: false,
            edited: Vec::new(),
        })
    }
}

impl Change {
    /// What is to be known of it besides its files: a sentence each, without its end.
    pub fn remarks(&self) -> Vec<String> {
        let ungated = self
            .ungated
            .then(|| "some of it has passed no gate yet".to_owned());
        let edited = (!self.edited.is_empty()).then(|| {
            let files = self.edited.join(", ");
            format!("edited since, judged by nobody and no part of it: {files}")
        });
        ungated.into_iter().chain(edited).collect()
    }

    /// What a run has changed so far, with what lies in its tree and no gate has passed yet.
    pub fn of(project: &Project, run: &str, depth: Depth) -> Result<Self, EngineError> {
        let peek = peek_run(project, run)?;
        let work = Work::of(project, run)?;
        Self::between(project, run, &peek.machine, &work, depth)
    }

    fn between(
        project: &Project,
        run: &str,
        machine: &Flow,
        work: &Work,
        depth: Depth,
    ) -> Result<Self, EngineError> {
        match Self::as_it_stands(project, machine, work, depth)? {
            Some(change) => Ok(change),
            None => work.change(project, run, depth),
        }
    }

    /// What a run has changed since a person last sent its work back, or approved it; none where nobody has,
    /// or nobody has worked since.
    pub fn since(
        project: &Project,
        run: &str,
        since: Since,
        depth: Depth,
    ) -> Result<Option<Self>, EngineError> {
        let peek = peek_run(project, run)?;
        let history = history(project, run)?;
        let Some(work) = Work::of(project, run)?.after(project, &history, since) else {
            return Ok(None);
        };
        Self::between(project, run, &peek.machine, &work, depth).map(Some)
    }

    /// What a run with a tree of its own has changed, if some of it has passed no gate; none if all has.
    pub(crate) fn as_it_stands(
        project: &Project,
        machine: &Flow,
        work: &Work,
        depth: Depth,
    ) -> Result<Option<Self>, EngineError> {
        let over = matches!(
            machine.status().activity,
            Activity::Done | Activity::Stopped
        );
        let started = machine
            .started()
            .filter(|started| started.own_tree.is_some());
        let Some(started) = started else {
            return Ok(None);
        };
        let run = started.run.as_str();
        let tree = project.worktree(run);
        if !tree.join(".git").exists() {
            return Ok(None);
        }
        let look = LOOKS.fetch_add(1, Ordering::Relaxed);
        let scratch = project.work(&format!("_diff-{}-{look}", std::process::id()));
        std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        let now = edits(&tree, &scratch.join("index"));
        let _ = store::remove_tree(&scratch);
        let now = Work {
            tip: now?,
            ..work.clone()
        };
        // What a gate let pass is what an answer is about, whatever lies there by now.
        let judged = match over {
            true => Some(work.tip.as_str()),
            false => machine.passed_tree().filter(|tree| has(project, tree)),
        };
        let (shown, edited) = match judged {
            None => (now, Vec::new()),
            Some(tree) => {
                let judged = Work {
                    tip: tree.to_owned(),
                    ..now.clone()
                };
                let since = Work {
                    base: tree.to_owned(),
                    ..now
                };
                let edited = since.diff(project, &["--raw", "--numstat", "-z"])?;
                let edited = listing(&edited).into_iter().map(|one| one.path);
                (judged, edited.collect())
            }
        };
        let since = Work {
            base: work.tip.clone(),
            ..shown.clone()
        };
        if edited.is_empty() && since.diff(project, &["--name-only"])?.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            // What it is called after: no ref keeps the commit of a moment.
            commit: work.tip.clone(),
            ungated: judged.is_none(),
            edited,
            ..shown.change(project, run, depth)?
        }))
    }
}

/// Does git have the tree? No ref keeps it.
fn has(project: &Project, tree: &str) -> bool {
    git(project.top(), &["cat-file", "-e", tree], &[]).is_ok()
}
