//! Where a run works: in a worktree of its own, or in the person's tree. It refuses to make a worktree
//! over anything that lies there already, and to begin at a commit that nobody has.

use kernel::event::OwnTree;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::worktree::{self, Found};

/// Whose tree a run works in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Place {
    /// The tree that the project stands in.
    #[default]
    Here,
    /// A worktree of the run's own, from this commit or branch; none: from HEAD.
    OwnTree(Option<String>),
    /// The same, from HEAD with the edits of the person's tree that are in no commit.
    WithEdits,
}

impl Place {
    /// The commit that it begins from; none where a run works in the tree as it is.
    pub fn base(&self, project: &Project) -> Result<Option<String>, EngineError> {
        let from = match self {
            Place::Here => return Ok(None),
            Place::OwnTree(from) => from.as_deref(),
            Place::WithEdits => None,
        };
        let base = worktree::resolve(project.top(), from.unwrap_or("HEAD"))?;
        let base = base.ok_or_else(|| match from {
            Some(from) => EngineError::user(
                "unknown_commit",
                format!("`--from {from}` names no commit of this repository"),
                "name a branch, a tag or a commit; `git log --oneline` shows some",
            ),
            None => EngineError::user(
                "no_commit",
                "this repository has no commit yet, so there is nothing to begin from",
                "make a first commit, or work in the tree as it is with `--here`",
            ),
        })?;
        Ok(Some(base))
    }

    /// What the journal says of it.
    pub(super) fn own_tree(&self, project: &Project) -> Result<Option<OwnTree>, EngineError> {
        let Some(base) = self.base(project)? else {
            return Ok(None);
        };
        let repo = project.top();
        let target = worktree::branch(repo)?;
        let base = match self {
            Place::WithEdits => git::edits_here(repo)?,
            Place::Here | Place::OwnTree(_) => base,
        };
        Ok(Some(OwnTree {
            base,
            target,
            settles: None,
            milestone: None,
        }))
    }
}

/// Makes the worktree of a run, and gives the project as the run sees it.
pub(crate) fn make(
    project: &Project,
    run: &str,
    own: &OwnTree,
    place: &Place,
) -> Result<Project, EngineError> {
    let project = project.at_top();
    let (repo, dir) = (project.repo(), project.worktree(run));
    if *place == Place::WithEdits {
        let kept = git::edits_ref(run);
        git::git(repo, &["update-ref", &kept, &own.base], &[])?;
    }
    project.prepare_worktrees()?;
    worktree::let_git_finish(&project)?;
    match worktree::look(&dir, &own.base)? {
        // One that a start before this made, and did not get further.
        Found::Fresh => {}
        Found::Absent => worktree::add(repo, &dir, &own.base)?,
        Found::Incomplete => {
            worktree::discard_incomplete(repo, &dir)?;
            worktree::add(repo, &dir, &own.base)?;
        }
        Found::Foreign(_) => {
            return Err(EngineError::user(
                "worktree_in_use",
                format!("{} is there already, with work in it", dir.display()),
                "choose another `--name`, or look whether `proofhouse gc` can remove it",
            ));
        }
    }
    Ok(project.of_run(run))
}
