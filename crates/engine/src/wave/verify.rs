//! Asks git again where the forks of a live wave stand.

use super::folder::MilestoneFolder;
use ::wave::board::{Board, Phase};
use kernel::Refusal;
use report::wave::{Verified, ended, gate, of_task, report};
use workspace::error::EngineError;
use workspace::worktree;

/// Asks git again where every fork of the live wave stands. Refuses the first that is wrong, a fork
/// that is not made although the wave is merging, and a ledger that somebody has edited.
pub fn verify(folder: &MilestoneFolder, board: &Board) -> Result<Verified, EngineError> {
    let Some(wave) = &board.wave else {
        return Err(EngineError::user(
            "wave_not_found",
            format!("no wave is live in `{}`", folder.milestone.name),
            "open one with `proofhouse wave open` or `proofhouse wave run`",
        ));
    };
    folder.check_ledger(board)?;
    let mut rows = Vec::new();
    for slot in wave.slots.iter().filter(|slot| !ended(slot)) {
        let task = &slot.row.task;
        if slot.echo.is_some() {
            let now = worktree::echo(&folder.project.worktree(&slot.row.run))?;
            board.verified(task, &now)?;
        } else if wave.phase() != Phase::Live {
            return Err(Refusal::new(
                "unverified_fork_base",
                format!("nobody has seen where the fork of `{task}` stands"),
                "`proofhouse wave run` forks it and asks git",
            )
            .into());
        }
        rows.push(of_task(&folder.project, &folder.milestone, board, task));
    }
    Ok(Verified {
        forks: rows,
        warnings: reported(folder, board).warnings,
    })
}

/// What there is to say about the milestone of a folder.
pub fn reported(folder: &MilestoneFolder, board: &Board) -> report::wave::Report {
    let mut report = report(&folder.project, &folder.milestone, &folder.branch(), board);
    let runs = folder.runs().unwrap_or_default();
    for task in &mut report.tasks {
        let last = runs.iter().rev().find(|(of, _)| *of == task.task);
        task.gate = last.and_then(|(_, run)| gate(&folder.project, run));
    }
    report
}
