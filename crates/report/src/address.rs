//! Where things are found: the address of a run's evidence page, of a file, and a path in an address.

use flow::{Flow, Workflow};
use std::path::Path;
use workspace::context::task_folder;
use workspace::{EngineError, Project};

/// Where the evidence page of a run is found.
pub fn link(project: &Project, machine: &Flow) -> Result<String, EngineError> {
    match machine.started() {
        Some(started) => {
            let task = task_folder(project, started);
            link_of(project, machine.workflow(), &task)
        }
        None => Ok(String::new()),
    }
}

/// A file's address, as browsers and terminals take it: a blank would end it.
pub fn address(path: &Path) -> String {
    format!("file://{}", encoded(&path.to_string_lossy()))
}

pub(crate) fn link_of(
    project: &Project,
    workflow: &Workflow,
    task: &Path,
) -> Result<String, EngineError> {
    let Some(page) = workflow
        .task
        .as_ref()
        .and_then(|task| task.evidence_page.as_ref())
    else {
        return Ok(String::new());
    };
    let path = task.join(page);
    let config = project.config()?;
    Ok(
        match (config.base_url(), path.strip_prefix(project.repo())) {
            (Some(base), Ok(inside)) => {
                let inside = encoded(&inside.to_string_lossy());
                format!("{}/{inside}", base.trim_end_matches('/'))
            }
            _ => address(&path),
        },
    )
}

/// A path as it stands in an address.
pub(crate) fn encoded(path: &str) -> String {
    let mut safe = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                safe.push(char::from(byte));
            }
            _ => safe.push_str(&format!("%{byte:02X}")),
        }
    }
    safe
}
