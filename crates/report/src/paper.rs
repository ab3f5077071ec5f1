//! What a person is asked to accept as it is: the files of the task folder that a freeze holds, to be read
//! where the question is asked.

use flow::Flow;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Read;
use workspace::Project;
use workspace::context::task_folder;

/// Nobody reads more in an inbox; the path leads to all of it.
const MOST_BYTES: u64 = 200_000;

/// A file that is to be frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paper {
    pub path: String,
    /// The sections of it that are to be frozen; none: all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    pub text: String,
}

/// What is to be frozen where a run waits for that.
pub(crate) fn papers(project: &Project, run: &str, machine: &Flow) -> Vec<Paper> {
    let workflow = machine.workflow();
    let state = &workflow.states[&machine.position().state];
    let (false, Some(started)) = (state.checklist.is_empty(), machine.started()) else {
        return Vec::new();
    };
    let items = machine.frozen().values().flat_map(|items| items.keys());
    let items: Vec<(&str, Option<&str>)> = items
        .filter_map(|item| item.strip_prefix("task/"))
        .map(|item| match item.split_once('#') {
            Some((file, section)) => (file, Some(section)),
            None => (item, None),
        })
        .collect();
    let files: BTreeSet<&str> = items.iter().map(|(file, _)| *file).collect();
    let folder = task_folder(&project.of_run(run), started);
    let paper = |file: &str| {
        let path = folder.join(file);
        let mut text = Vec::new();
        let opened = std::fs::File::open(&path).ok()?;
        opened.take(MOST_BYTES).read_to_end(&mut text).ok()?;
        let sections = items.iter().filter(|(of, _)| *of == file);
        let sections = sections.filter_map(|(_, section)| section.map(str::to_owned));
        Some(Paper {
            path: path.display().to_string(),
            sections: sections.collect(),
            text: String::from_utf8_lossy(&text).into_owned(),
        })
    };
    files.into_iter().filter_map(paper).collect()
}
