//! One merge: ask git again where the fork stands, merge the objects, run the gate on the result. The
//! tip itself is moved by nobody here: that follows from the journal.

use super::board::{Slot, Wave};
use super::decide::Merging;
use super::gate;
use super::shop::{Shop, TRAILER};
use sandbox::Cancel;
use store::Head;
use workspace::error::EngineError;
use workspace::worktree::{self, Merged};

/// What a merge needs to know.
pub(super) struct Order {
    pub(super) slot: Slot,
    pub(super) number: u32,
    pub(super) base: String,
    pub(super) work: String,
    pub(super) tip: String,
    pub(super) head: Head,
}

impl Order {
    pub(super) fn of(wave: &Wave, slot: &Slot, work: &str, tip: &str, head: &Head) -> Self {
        Self {
            slot: slot.clone(),
            number: wave.number,
            base: wave.base.clone(),
            work: work.to_owned(),
            tip: tip.to_owned(),
            head: head.clone(),
        }
    }
}

pub(super) fn merge(shop: &Shop, order: &Order, cancel: &Cancel) -> Result<Merging, EngineError> {
    let repo = shop.project.repo();
    let row = &order.slot.row;
    let echo = worktree::echo(&shop.project.worktree(&row.run))?;
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
    let milestone = &shop.milestone;
    let message = format!(
        "wave {} of {}: merge {}\n\n{TRAILER}: {}@{}:{}\n",
        order.number, milestone.name, row.task, milestone.name, order.head.seq, order.head.hash
    );
    let commit = worktree::commit(repo, &tree, &[&order.tip, &order.work], &message)?;
    let results = gate::run(shop, &commit, &milestone.integration, cancel)?;
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
