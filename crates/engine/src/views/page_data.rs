//! From the run to what the evidence page shows.

use super::history::History;
use crate::context::Context;
use crate::error::EngineError;
use crate::project::Project;
use flow::{Flow, Workflow};
use std::path::Path;

pub(super) fn link(context: &Context) -> Result<String, EngineError> {
    link_of(&context.project, &context.workflow, &context.task)
}

pub(super) fn link_of(
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
    let base = project.config()?.evidence.base_url;
    Ok(match (base, path.strip_prefix(project.repo())) {
        (Some(base), Ok(inside)) => format!("{}/{}", base.trim_end_matches('/'), inside.display()),
        _ => format!("file://{}", path.display()),
    })
}

pub(super) fn write(
    _context: &Context,
    _machine: &Flow,
    _history: &History,
    _head: &store::Head,
) -> Result<(), EngineError> {
    Ok(())
}
