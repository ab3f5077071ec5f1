//! What gates have sealed, against the run's own commits: what people do to the same files afterwards is
//! ordinary work. A run that goes on, or whose commits nobody has, is held against the files as they are;
//! then no run is blamed for what a later one has sealed anew.

use crate::finding::{Finding, finding};
use checks::Place;
use flow::Flow;
use kernel::Machine;
use kernel::event::RunStarted;
use kernel::machine::Activity;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use workspace::context::task_folder;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;

/// The seals of every run that can be read.
pub(crate) struct Seals {
    runs: BTreeMap<String, Flow>,
    /// Every sealed file of the repository, with each content that some run has sealed.
    known: BTreeSet<(String, String)>,
}

impl Seals {
    pub(crate) fn of(project: &Project) -> Result<Self, EngineError> {
        let mut runs = BTreeMap::new();
        for name in store::list(&project.journals())? {
            // One that cannot be read has its finding elsewhere.
            if let Ok(peek) = report::look::peek_run(project, name.as_str()) {
                runs.insert(name.to_string(), peek.machine);
            }
        }
        let known = runs.values().flat_map(Flow::sealed).collect();
        Ok(Self { runs, known })
    }

    /// The seals of a run that are broken.
    pub(crate) fn broken(&self, project: &Project, run: &str) -> Vec<Finding> {
        let Some(machine) = self.runs.get(run).filter(|run| !run.position().stopped) else {
            return Vec::new();
        };
        let Some(started) = machine.started() else {
            return Vec::new();
        };
        // Of this audit alone; what cannot be laid out is looked for in the tree.
        let scratch = project.work(run).join("audit");
        let own = committed(project, machine, &scratch).unwrap_or(false);
        let broken = self.against(project, run, machine, started, own.then_some(&scratch));
        let _ = store::remove_tree(&scratch);
        broken
    }

    fn against(
        &self,
        project: &Project,
        run: &str,
        machine: &Flow,
        started: &RunStarted,
        commit: Option<&PathBuf>,
    ) -> Vec<Finding> {
        // A run that goes on elsewhere has its files there: what lies here is another's work.
        let elsewhere = commit.is_none()
            && started.own_tree.is_some()
            && !project.worktree(run).join(".git").exists();
        let project = &project.of_run(run);
        let (file, lines) = report::views::engine_lines(machine.workflow());
        let task = task_folder(project, started);
        let place = Place {
            repo: commit.map_or(project.repo(), PathBuf::as_path),
            installed: project.top(),
            task: &task,
            views: checks::Views {
                file,
                lines: &lines,
            },
        };
        // A person may set other commands for the next run; and what is installed is in no commit.
        let files = machine.sealed().into_iter();
        let files = files.filter(|(item, _)| item.contains('/') && !item.ends_with('/'));
        let files = files.filter(|(item, _)| !elsewhere || !item.starts_with("repo/"));
        let broken = files.filter_map(|(item, hash)| {
            let what = match checks::item_hash(place, &item) {
                Ok(now) if now == hash => return None,
                Ok(now)
                    if commit.is_none()
                        && item.starts_with("repo/")
                        && self.known.contains(&(item.clone(), now.clone())) =>
                {
                    return None;
                }
                Ok(_) => format!("{item} is not what the gate froze"),
                Err(why) => format!("{item}, which the gate froze, {why}"),
            };
            Some(finding("frozen_changed", 0, what))
        });
        broken.collect()
    }
}

/// Lays out the sealed files of a run that is done as its last commit has them; not if it goes on, has no
/// commit, or nobody has that here.
fn committed(project: &Project, machine: &Flow, into: &Path) -> Result<bool, EngineError> {
    let Some(commit) = machine.last_commit() else {
        return Ok(false);
    };
    let repo = project.top();
    let sealed = machine.sealed();
    let paths: BTreeSet<&str> = sealed
        .keys()
        .filter_map(|item| item.strip_prefix("repo/"))
        .map(|path| path.split_once('#').map_or(path, |(path, _)| path))
        .collect();
    let done = machine.status().activity == Activity::Done;
    if !done || paths.is_empty() || project.commits().resolve(commit)?.is_none() {
        return Ok(false);
    }
    std::fs::create_dir_all(into).map_err(EngineError::io("create", into))?;
    let paths: Vec<&str> = paths.into_iter().collect();
    let index = into.with_extension("index");
    git::check_out_some(repo, commit, &paths, &index, into)?;
    Ok(true)
}
