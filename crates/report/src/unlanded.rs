//! Work that is finished and nobody has taken: neither landed nor set aside. It says so with the commands
//! that end that, and whether the branch contradicts it by now.

use crate::fate::Fate;
use crate::look::{self, Looked};
use crate::work::{Work, task_inside};
use flow::Flow;
use kernel::Machine;
use kernel::machine::Activity;
use serde::Serialize;
use workspace::worktree::Merged;
use workspace::{EngineError, Project};

/// What is to be done with work that is finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unlanded {
    /// The branch that it was made for; none where none was checked out.
    pub branch: Option<String>,
    /// The files in which that branch says something else by now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicted: Vec<String>,
    /// Is all of it on that branch, by a commit that does not name the run (a squashed pull request, say)?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub there: bool,
    /// What ends it: to take the work, and to leave it.
    pub commands: Vec<String>,
}

impl Unlanded {
    /// Of a run that is done and had a tree of its own, by what became of it; none where nothing is to be
    /// done, and where another run brings it together with its branch.
    pub fn of(project: &Project, run: &str, machine: &Flow, fate: Option<&Fate>) -> Option<Self> {
        let taken = matches!(fate, Some(Fate::Landed { .. } | Fate::SetAside { .. }));
        if taken || machine.status().activity != Activity::Done {
            return None;
        }
        let started = machine.started()?;
        // A wave merges what its tasks made.
        let own = started.own_tree.as_ref();
        let own = own.filter(|own| own.milestone.is_none())?;
        if settling(project, run).is_some() {
            return None;
        }
        let work = Work {
            base: own.base.clone(),
            tip: machine.last_commit().unwrap_or(&own.base).to_owned(),
            task: task_inside(started),
        };
        // What git cannot tell, `land` says.
        let head = own.target.as_ref().and_then(|branch| {
            let head = format!("refs/heads/{branch}");
            project.commits().resolve(&head).ok()?
        });
        let moved = head.filter(|head| *head != own.base);
        let merged = moved.and_then(|head| Some((work.merged(project, run, &head).ok()?, head)));
        let there = merged.as_ref().is_some_and(|(merged, head)| {
            let tree = project.commits().tree(head).ok();
            matches!(merged, Merged::Tree(merged) if Some(merged) == tree.as_ref())
        });
        let contradicted = match merged {
            Some((Merged::Conflict { files, .. }, _)) => files,
            Some((Merged::Tree(_), _)) | None => Vec::new(),
        };
        let settle = match contradicted.is_empty() {
            true => "",
            false => " --settle",
        };
        let trees = work.trees(project, run);
        let changed = trees.is_ok_and(|(began, made)| began != made) && !there;
        let land = changed.then(|| format!("proofhouse land {run}{settle}"));
        let commands = land.into_iter();
        Some(Self {
            branch: own.target.clone(),
            contradicted,
            there,
            commands: commands
                .chain([format!("proofhouse discard {run}")])
                .collect(),
        })
    }

    /// Is there nothing to say of it but that?
    pub fn is_plain(&self) -> bool {
        self.contradicted.is_empty() && self.commands.len() > 1
    }

    /// In a sentence.
    pub fn words(&self, run: &str) -> String {
        let contradicted = self.contradicted.join(", ");
        if let (true, Some(branch)) = (self.there, &self.branch) {
            return format!("what `{run}` changed is on `{branch}` already, to the letter");
        }
        if self.commands.len() == 1 {
            return format!("`{run}` is finished, and changed nothing");
        }
        match (&self.branch, self.contradicted.is_empty()) {
            (Some(branch), false) => format!(
                "`{run}` is finished and not landed; `{branch}` contradicts it by now in {contradicted}"
            ),
            _ => format!("`{run}` is finished and not landed"),
        }
    }
}

/// The run that brings a run's work together with its branch, if nobody gave it up.
pub fn settling(project: &Project, run: &str) -> Option<String> {
    let by = project.settled_by(run).into_iter();
    let mut by = by.filter(|by| {
        look::peek_run(project, by).is_ok_and(|peek| {
            let aside = Fate::of(project, by, &peek.machine);
            let aside = matches!(aside, Some(Fate::SetAside { .. }));
            peek.machine.status().activity != Activity::Stopped && !aside
        })
    });
    by.next()
}

/// All of a repository, each with its run.
pub fn all(project: &Project) -> Result<Vec<(String, Unlanded)>, EngineError> {
    let mut found = Vec::new();
    let all = look::all(project)?;
    let project = &project.surveyed(all.len())?;
    for (run, looked) in all {
        let Ok(Looked::Run(peek)) = looked else {
            continue;
        };
        let fate = Fate::of(project, &run, &peek.machine);
        if let Some(one) = Unlanded::of(project, &run, &peek.machine, fate.as_ref()) {
            found.push((run, one));
        }
    }
    Ok(found)
}
