//! Commits on branches that say they are a run's work, and whether they hold it. A trailer is a text that
//! anybody can write: what a commit is worth is what it makes of its parent.

use crate::look::run_name;
use crate::replay::run_at;
use crate::work::Work;
use kernel::Machine;
use kernel::machine::Activity;
use std::collections::BTreeSet;
use workspace::git::{git, text};
use workspace::survey::{Named, Within};
use workspace::worktree::{self, Merged};
use workspace::{EngineError, Project};

/// What the run had made, and what its evidence was worth, at the record that a commit names; none where it was
/// not done then, or has not gone on since.
pub fn then(
    project: &Project,
    run: &str,
    named: &Named,
) -> Result<Option<(Work, String)>, EngineError> {
    let seq = named.claim.split_once('@').map(|(_, rest)| rest);
    let seq = seq.and_then(|rest| rest.split_once(':')?.0.parse().ok());
    let Some(seq) = seq else {
        return Ok(None);
    };
    // A number that no record has is a finding of its own.
    let Ok((peek, _, last)) = run_at(project, &run_name(project, run)?, seq) else {
        return Ok(None);
    };
    let done = peek.machine.status().activity == Activity::Done;
    let started = peek.machine.started();
    let own = started.and_then(|started| Some((started, started.own_tree.as_ref()?)));
    let Some((started, own)) = own.filter(|_| done && seq < last) else {
        return Ok(None);
    };
    let work = Work::since(project, &peek, started, &own.base)?;
    Ok(Some((work, peek.machine.worth())))
}

/// The last commit of the run's work that was landed on a branch before it was taken up again.
pub fn earlier(
    project: &Project,
    run: &str,
    work: &Work,
    head: &str,
) -> Result<Option<String>, EngineError> {
    let commits = project.commits();
    for named in commits.named(run, Within::Commit(head), Some(&work.base))? {
        if let Some((then, _)) = then(project, run, &named)?
            && holds(project, run, &then, &named)?
        {
            return Ok(Some(then.tip));
        }
    }
    Ok(None)
}

/// Does the commit hold what the run made, put onto its parent, and nothing else?
pub fn holds(
    project: &Project,
    run: &str,
    work: &Work,
    named: &Named,
) -> Result<bool, EngineError> {
    let (repo, commits) = (project.top(), project.commits());
    // A commit without a parent holds more than any run's work.
    let Some(parent_commit) = commits.parent(&named.commit)? else {
        return Ok(false);
    };
    let (tree, parent) = (commits.tree(&named.commit)?, commits.tree(&parent_commit)?);
    // Mostly, and each start of git is felt.
    if work.task.is_none()
        && tree == commits.tree(&work.tip)?
        && parent == commits.tree(&work.base)?
    {
        return Ok(true);
    }
    let range = format!("{}..{}", work.base, work.tip);
    let own = text(&git(repo, &["rev-list", &range], &[])?);
    let own: BTreeSet<&str> = own.lines().collect();
    if own.contains(named.commit.as_str()) {
        return Ok(true);
    }
    let scratch = project.work(run);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let index = scratch.join("landed-index");
    let steps = |from: &str, to: &str| -> Result<bool, EngineError> {
        let (before, after) = (
            work.tree_of(project, from, &index)?,
            work.tree_of(project, to, &index)?,
        );
        if parent == before {
            return Ok(tree == after);
        }
        let merged = worktree::merge_trees(repo, &index, [&before, &parent, &after])?;
        Ok(merged == Merged::Tree(tree.clone()))
    };
    if steps(&work.base, &work.tip)? {
        return Ok(true);
    }
    // Of a run that was landed before, and taken up again.
    if let Some(since) = earlier(project, run, work, &parent_commit)?
        && steps(&since, &work.tip)?
    {
        return Ok(true);
    }
    // One of several that the run's own commits were replayed as.
    let replayed = commits.named(run, Within::Commit(&work.tip), Some(&work.base))?;
    for one in replayed.iter().filter(|one| one.claim == named.claim) {
        if steps(&format!("{}^", one.commit), &one.commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}
