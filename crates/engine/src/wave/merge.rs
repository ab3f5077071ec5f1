//! One merge: the work of a task onto the tip, and the integration gate on what comes of it. It moves
//! no branch and decides nothing: that follows from the journal.

use super::folder::TRAILER;
use super::performer::WavePerformer;
use crate::land;
use ::wave::Merging;
use ::wave::want::MergeOrder;
use kernel::outcome::Verdict;
use sandbox::Cancel;
use std::path::Path;
use store::Head;
use workspace::error::EngineError;
use workspace::git;
use workspace::worktree::{self, Merged};

pub(super) fn merge(
    performer: &WavePerformer,
    order: &MergeOrder,
    head: &Head,
    cancel: &Cancel,
) -> Result<Merging, EngineError> {
    let folder = &performer.folder;
    let (repo, row) = (folder.project.repo(), &order.row);
    let echo = worktree::echo(&folder.project.worktree(&row.run))?;
    if echo != order.base {
        return Ok(Merging::Unverified { echo });
    }
    if !worktree::is_ancestor(repo, &order.base, &order.work)? {
        // Work that does not come from the base, whatever the worktree says by now.
        return Ok(Merging::Unverified {
            echo: order.work.clone(),
        });
    }
    let (tree, met) = match worktree::merge(repo, &order.tip, &order.work)? {
        Merged::Tree(tree) => (tree, Vec::new()),
        Merged::Conflict { files, .. } => match added(&folder.scratch(), repo, order)? {
            Some(tree) => (tree, files),
            None => return Ok(Merging::Conflict { files }),
        },
    };
    let milestone = &folder.milestone;
    let asks = milestone
        .task(&row.task)
        .and_then(|task| task.asks.as_deref());
    let asks = asks.map(str::trim).filter(|asks| !asks.is_empty());
    let said = asks.map_or_else(|| row.task.to_string(), land::titled);
    let mut message = format!(
        "{said}\n\nTask `{}` of milestone `{}`, wave {}.\n\n{TRAILER}: {}@{}:{}\n",
        row.task, milestone.name, order.id.wave, milestone.name, head.seq, head.hash
    );
    if !met.is_empty() {
        let met = met.join(", ");
        let stands = format!("Others had added lines where it did, in {met}: theirs stand first.");
        message = message.replacen("\n\n", &format!("\n\n{stands}\n\n"), 1);
    }
    for claim in claimed(repo, &order.work)?.lines() {
        message.push_str(&format!("{}: {claim}\n", git::TRAILER));
    }
    // One commit for the task: what the run committed on its way stays on the run's own ref.
    let commit = worktree::commit(repo, &tree, &[&order.tip], &message)?;
    let results = performer.run_merged(&commit, order, cancel)?;
    if cancel.is_cancelled() {
        return Ok(Merging::Lost {
            reason: "it was interrupted".to_owned(),
        });
    }
    // What both have added holds together, or it contradicts each other after all.
    if !met.is_empty() && results.iter().any(|one| one.verdict == Verdict::Fail) {
        return Ok(Merging::Conflict { files: met });
    }
    Ok(Merging::Gated {
        echo,
        commit,
        results,
    })
}

/// The tree of both where each has only added lines at one place.
fn added(scratch: &Path, repo: &Path, order: &MergeOrder) -> Result<Option<String>, EngineError> {
    std::fs::create_dir_all(scratch).map_err(EngineError::io("create", scratch))?;
    let index = scratch.join("added-index");
    let merged = worktree::both_added(repo, &index, &order.tip, &order.work)?;
    Ok(match merged {
        Merged::Tree(tree) => Some(tree),
        Merged::Conflict { .. } => None,
    })
}

/// What the work's own commit says of the run's journal.
fn claimed(repo: &Path, work: &str) -> Result<String, EngineError> {
    let format = format!("--format=%(trailers:key={},valueonly)", git::TRAILER);
    Ok(git::text(&git::git(
        repo,
        &["log", "-1", &format, work],
        &[],
    )?))
}
