//! What a person is asked to accept as it is: the files of the task folder that a freeze holds, and what whoever
//! delivers has written, to be read where the question is asked.

use flow::Flow;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use workspace::Project;
use workspace::context::task_folder;

/// Nobody reads more in an inbox; the path leads to all of it.
const MOST_BYTES: u64 = 200_000;

/// A file that a person reads before they answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paper {
    pub path: String,
    /// The sections of it that are decided on; none: all of it.
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
        let sections = items.iter().filter(|(of, _)| *of == file);
        let sections = sections.filter_map(|(_, section)| section.map(str::to_owned));
        paper(&folder.join(file), sections.collect())
    };
    files.into_iter().filter_map(paper).collect()
}

/// What whoever delivers has written, for the person who approves.
pub(crate) fn record(project: &Project, run: &str, machine: &Flow) -> Option<Paper> {
    let file = machine.workflow().task.as_ref()?.record.as_ref()?;
    let folder = task_folder(&project.of_run(run), machine.started()?);
    paper(&folder.join(file), Vec::new())
}

fn paper(path: &Path, sections: Vec<String>) -> Option<Paper> {
    let mut text = Vec::new();
    let opened = std::fs::File::open(path).ok()?;
    opened.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    Some(Paper {
        path: path.display().to_string(),
        text: read(&text, &sections),
        sections,
    })
}

/// What a person reads of it: the sections that are to be frozen, or all of it, without comments.
fn read(text: &str, sections: &[String]) -> String {
    let plain = documents::without_comments(text);
    let mut shown = String::new();
    // What stands above the first section, the header, is decided on with them.
    let mut inside = true;
    let mut blank = true;
    for line in plain.lines() {
        if let Some(heading) = line.strip_prefix("## ")
            && !sections.is_empty()
        {
            inside = sections.iter().any(|section| section == heading.trim());
        }
        let empty = line.trim().is_empty();
        // A field that somebody has filled, such as the scope, holds wherever it stands.
        let field = line.split_once(": ").is_some_and(|(name, value)| {
            name.starts_with(char::is_alphabetic) && !value.trim().is_empty()
        });
        if (inside || field) && !(empty && blank) {
            shown.push_str(line.trim_end());
            shown.push('\n');
            blank = empty;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_to_be_frozen_is_read_whole_and_without_comments() {
        let text = "slug: a\n\n## 0 Ground\nanchors\n\n## 1 Spec\n<!-- how\nto -->\n\nMust\n\n## 5 Build\nlater\nScope: src\n";
        assert_eq!(
            read(text, &["1 Spec".to_owned()]),
            "slug: a\n\n## 1 Spec\n\nMust\n\nScope: src\n"
        );
        assert!(read(text, &[]).starts_with("slug: a\n\n## 0 Ground"));
    }
}
