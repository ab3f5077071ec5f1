//! The worktree in which a landing is proven: it goes with the landing, whatever came of that.

use workspace::error::EngineError;
use workspace::project::Project;
use workspace::worktree;

/// How it is called, before the run's name.
pub const LANDING: &str = "_landing-";

/// Removes it: it stands on a commit of ours, and nothing else is in it but what the commands made. The caller
/// holds the run.
pub(super) fn clear_landing(project: &Project, run: &str) -> Result<(), EngineError> {
    let dir = project.worktree(&format!("{LANDING}{run}"));
    if dir.exists() {
        worktree::empty(&dir)?;
        worktree::clear(project.repo(), &dir)?;
    }
    Ok(())
}
