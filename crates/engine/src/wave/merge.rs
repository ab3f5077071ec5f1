//! One merge: the work of a task onto the tip, and the integration gate on what comes of it. It moves
//! no branch and decides nothing: that follows from the journal.

use super::folder::TRAILER;
use super::performer::WavePerformer;
use ::wave::Merging;
use ::wave::want::MergeOrder;
use sandbox::Cancel;
use store::Head;
use workspace::error::EngineError;
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
    let tree = match worktree::merge(repo, &order.tip, &order.work)? {
        Merged::Tree(tree) => tree,
        Merged::Conflict(files) => return Ok(Merging::Conflict { files }),
    };
    let milestone = &folder.milestone;
    let message = format!(
        "wave {} of {}: merge {}\n\n{TRAILER}: {}@{}:{}\n",
        order.id.wave, milestone.name, row.task, milestone.name, head.seq, head.hash
    );
    let commit = worktree::commit(repo, &tree, &[&order.tip, &order.work], &message)?;
    let results = performer.run_on(&commit, &milestone.integration, cancel)?;
    if cancel.is_cancelled() {
        return Ok(Merging::Lost {
            reason: "it was interrupted".to_owned(),
        });
    }
    Ok(Merging::Gated {
        echo,
        commit,
        results,
    })
}
