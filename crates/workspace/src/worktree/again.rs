//! The worktree of a run, with its work in it.

use crate::error::Error;
use crate::git;
use crate::project::Project;
use kernel::event::OwnTree;

/// Makes the worktree of a run anew that is taken up again: it went when its work was landed. Without one the run
/// would work in the person's own tree.
pub fn stand_again(project: &Project, run: &str, own: &OwnTree, made: &str) -> Result<(), Error> {
    let project = project.at_top();
    let dir = project.worktree(run);
    if dir.join(".git").exists() {
        return Ok(());
    }
    project.prepare_worktrees()?;
    super::let_git_finish(&project)?;
    super::add(project.repo(), &dir, &own.base)?;
    lay_work(&project.of_run(run), own, made)
}

/// Makes the files of a fresh worktree what they were: it stands on what the other run began with, and what
/// was made since lies in it, as in the other run's.
pub fn lay_work(place: &Project, own: &OwnTree, made: &str) -> Result<(), Error> {
    let names = super::differing(place.repo(), &own.base, made)?;
    git::put_back(place.repo(), made, &names)
}
