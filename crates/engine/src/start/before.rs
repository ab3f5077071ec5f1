//! What was there before a run: a run of the same words that somebody has forgotten, and what earlier
//! tasks have learnt.

use flow::Workflow;
use kernel::Machine;
use kernel::event::RunStarted;
use kernel::machine::Activity;
use std::path::Path;
use workspace::error::EngineError;
use workspace::project::Project;

/// A run of the same words that is not over, for a person who has forgotten it.
pub(super) fn begun_before(project: &Project, started: &RunStarted) -> Option<String> {
    let (stem, number) = started.run.as_str().rsplit_once('-')?;
    number.parse::<u32>().ok()?;
    let earlier = report::look::peek_run(project, stem).ok()?;
    let same = earlier.machine.started()?;
    let open = !matches!(
        earlier.machine.status().activity,
        Activity::Done | Activity::Stopped
    );
    let alike = same.workflow == started.workflow && same.fields == started.fields;
    (open && alike).then(|| {
        format!("`{stem}` was begun with the same words and is not over: `proofhouse run {stem}` goes on with it, `proofhouse abandon {stem}` ends it")
    })
}

/// What earlier tasks have learnt, for a run that will be asked for its own lessons.
const LESSONS: &str = "LESSONS.md";
/// As many of the latest are read by somebody.
const MOST_LESSONS: usize = 40;

pub(super) fn lay_lessons(
    project: &Project,
    workflow: &Workflow,
    folder: &Path,
) -> Result<(), EngineError> {
    let mut gates = workflow.states.values().flat_map(|state| &state.gate);
    let path = folder.join(LESSONS);
    if !gates.any(|check| check.check == "lessons") || path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let lessons = report::due::lessons(project)?;
    if lessons.is_empty() {
        return Ok(());
    }
    let latest = lessons
        .iter()
        .skip(lessons.len().saturating_sub(MOST_LESSONS));
    let lines: String = latest
        .map(|one| {
            let shown = one.lesson.evidence.as_ref();
            let shown = shown.map_or_else(String::new, |shown| format!("; evidence: {shown}"));
            format!(
                "- {}: {}{shown} ({})\n",
                one.lesson.tag, one.lesson.text, one.run
            )
        })
        .collect();
    let text = format!("# What earlier tasks have learnt\n\n{lines}");
    Ok(store::write_atomic(&path, text.as_bytes())?)
}
