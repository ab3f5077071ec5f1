//! What a run changed, as one patch: from its first checkpoint, which no agent had edited before, to
//! its last. It does not hold the task folder, which is the run's own.

use crate::history::History;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git;

pub(super) fn write(context: &Context, history: &History) -> Result<(), EngineError> {
    let task = context.workflow.task.as_ref();
    let Some(file) = task.and_then(|task| task.patch.as_ref()) else {
        return Ok(());
    };
    let commits = history.commits();
    let (Some(first), Some(last)) = (commits.first(), commits.last()) else {
        return Ok(());
    };
    let repo = context.project.repo();
    let own = context.task.strip_prefix(repo).ok();
    let patch = git::diff(repo, first, last, own)?;
    let path = context.task.join(file);
    if std::fs::read(&path).is_ok_and(|found| found == patch) {
        return Ok(());
    }
    Ok(store::write_atomic(&path, &patch)?)
}
