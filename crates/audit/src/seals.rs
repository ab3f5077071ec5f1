//! What gates have sealed, against the files as they are. It refuses to blame a run for what a later
//! one has sealed anew.

use crate::finding::{Finding, finding};
use checks::Place;
use flow::Flow;
use std::collections::{BTreeMap, BTreeSet};
use workspace::context::task_folder;
use workspace::error::EngineError;
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
        let project = &project.of_run(run);
        let (file, lines) = report::views::engine_lines(machine.workflow());
        let task = task_folder(project, started);
        let place = Place {
            repo: project.repo(),
            task: &task,
            views: checks::Views {
                file,
                lines: &lines,
            },
        };
        // A person may set other commands for the next run; and what is installed is in no commit.
        let files = machine.sealed().into_iter();
        let files = files.filter(|(item, _)| item.contains('/') && !item.ends_with('/'));
        let broken = files.filter_map(|(item, hash)| {
            let what = match checks::item_hash(place, &item) {
                Ok(now) if now == hash => return None,
                Ok(now)
                    if item.starts_with("repo/")
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
