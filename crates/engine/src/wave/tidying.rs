//! Removing the worktrees of merged tasks, beside everything else that a wave does. It refuses to remove
//! one with anything in it that is in no commit; that is `workspace::worktree`'s.

use super::folder::MilestoneFolder;
use super::guarded::guarded;
use ::wave::board::{Board, Stage};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use workspace::git;
use workspace::worktree::{self, Removal};

/// What becomes of a worktree that stays.
const LATER: &str = "once that is settled, `proofhouse gc` removes it";

/// What is being removed.
#[derive(Default)]
pub(super) struct Tidying(Mutex<Vec<JoinHandle<Option<String>>>>);

impl Tidying {
    /// Removes what an earlier life has merged and not tidied away.
    pub(super) fn start_all(&self, folder: &MilestoneFolder, board: &Board) {
        for slot in board.wave.iter().flat_map(|wave| &wave.slots) {
            if folder.project.worktree(&slot.row.run).exists() {
                self.start(folder, board, &slot.row.task);
            }
        }
    }

    /// Removes the worktree of a merged task.
    pub(super) fn start(&self, folder: &MilestoneFolder, board: &Board, task: &str) {
        let slot = board.wave.as_ref().and_then(|wave| wave.slot(task));
        let Some((slot, Stage::Merged { .. })) = slot.map(|slot| (slot, &slot.stage)) else {
            return;
        };
        let (project, name) = (folder.project.clone(), slot.row.run.clone());
        let work = git::run_ref(&name);
        let thread = std::thread::spawn(move || {
            let dir = project.worktree(&name);
            match guarded(|| worktree::remove(project.repo(), &dir, &work)) {
                Ok(Removal::Removed) => None,
                Ok(Removal::Kept(why)) => {
                    Some(format!("the worktree {name} stays: {why}; {LATER}"))
                }
                Err(error) => Some(format!("the worktree {name} stays: {error}; {LATER}")),
            }
        });
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.push(thread);
    }

    /// Waits for all of them. Gives what a person should know.
    pub(super) fn finish(&self) -> Vec<String> {
        let threads = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.filter_map(|notice| notice.ok().flatten()).collect()
    }
}
