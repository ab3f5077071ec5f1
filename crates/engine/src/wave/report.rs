//! A milestone as people and scripts want to see it: where every task stands, the two queues, the
//! warnings. Only a view; it reads and decides nothing.

use super::folder::MilestoneFolder;
use ::wave::board::{Board, Phase, Slot, Stage};
use ::wave::milestone::Milestone;
use ::wave::page::{self, CriterionReport};
use kernel::{Refusal, Time};
use serde::Serialize;
use workspace::error::EngineError;
use workspace::worktree;

/// The milestone, as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Its name.
    pub milestone: String,
    pub goal: String,
    /// The branch of what is merged.
    pub branch: String,
    /// The last commit that passed the integration gate.
    pub tip: Option<String>,
    /// The live wave.
    pub wave: Option<WaveReport>,
    /// Every task, in the order of merging.
    pub tasks: Vec<TaskReport>,
    /// Tasks that the next wave would take, or that nobody has in the live one.
    pub ready: Vec<String>,
    /// Runs that wait for a person; the first one first.
    pub review: Vec<Review>,
    /// Are all tasks merged?
    pub complete: bool,
    /// Do all criteria hold on the tip, by the engine's runs and by a person's word?
    pub goal_met: bool,
    /// Do all that name a command?
    pub proven: bool,
    /// Every criterion, in order, and what is known of it.
    pub criteria: Vec<CriterionReport>,
    /// Those that wait for a person's word now.
    pub unticked: Vec<String>,
    /// Who took on that the sandbox may not hold.
    pub sandbox_waived_by: Option<String>,
    /// Digests of the waves that ended.
    pub waves: Vec<String>,
    /// What a person should know, and what stops nothing.
    pub warnings: Vec<Warning>,
}

/// A live wave.
#[derive(Debug, Clone, Serialize)]
pub struct WaveReport {
    /// From 1.
    pub number: u32,
    /// `live` or `merging`.
    pub status: Phase,
    /// When.
    pub opened: Time,
    pub base: String,
    /// Tasks at once, as of now.
    pub jobs: u64,
    /// How many failed.
    pub failures: u32,
    /// What the engine decided on the way.
    pub decisions: Vec<String>,
}

/// One task.
#[derive(Debug, Clone, Serialize)]
pub struct TaskReport {
    /// Its name.
    pub task: String,
    /// In a word.
    pub stands: String,
    /// Tasks that must be merged first.
    pub depends_on: Vec<String>,
    /// Its run of the live wave.
    pub run: Option<String>,
    /// What git said of its fork.
    pub echo: Option<String>,
    /// Its stage in the live wave.
    pub stage: Option<Stage>,
    /// Why it failed the last time.
    pub failed: Option<String>,
}

/// A run that waits for a person.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    pub task: String,
    /// The run to decide on.
    pub run: String,
    /// A stable word.
    pub reason: String,
    /// A sentence.
    pub why: String,
}

/// Something that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A stable word.
    pub code: &'static str,
    /// A sentence.
    pub what: String,
}

/// What there is to say about a milestone.
pub fn report(folder: &MilestoneFolder, board: &Board) -> Report {
    let milestone = &folder.milestone;
    let slots = || board.wave.iter().flat_map(|wave| &wave.slots);
    let ready = if board.wave.is_some() {
        let free = slots().filter(|slot| slot.stage == Stage::Ready);
        free.map(|slot| slot.row.task.clone()).collect()
    } else {
        let tasks = board.ready(milestone).into_iter();
        tasks.map(|task| task.slug.clone()).collect()
    };
    let review = slots().filter_map(|slot| match &slot.stage {
        Stage::Waiting { reason, why } => Some(Review {
            task: slot.row.task.clone(),
            run: slot.row.run.clone(),
            reason: reason.clone(),
            why: why.clone(),
        }),
        _ => None,
    });
    Report {
        milestone: milestone.name.clone(),
        goal: milestone.goal.clone(),
        branch: folder.branch(),
        tip: board.tip.clone(),
        wave: board.wave.as_ref().map(|wave| WaveReport {
            number: wave.number,
            status: wave.phase(),
            opened: wave.opened,
            base: wave.base.clone(),
            jobs: if wave.sequential { 1 } else { wave.jobs },
            failures: wave.failures,
            decisions: wave.decisions.clone(),
        }),
        tasks: milestone
            .tasks
            .iter()
            .map(|task| of_task(milestone, board, &task.slug))
            .collect(),
        ready,
        review: review.collect(),
        complete: board.complete(milestone),
        goal_met: board.goal_met(),
        proven: board.proven(),
        criteria: page::criteria(milestone, board),
        unticked: board.unticked().into_iter().map(str::to_owned).collect(),
        sandbox_waived_by: board.waived.as_ref().map(|said| said.who.clone()),
        waves: board.digests.clone(),
        warnings: warnings(milestone, board),
    }
}

fn of_task(milestone: &Milestone, board: &Board, slug: &str) -> TaskReport {
    let slot = board.wave.as_ref().and_then(|wave| wave.slot(slug));
    let task = milestone.task(slug);
    TaskReport {
        task: slug.to_owned(),
        stands: page::stands(milestone, board, slug),
        depends_on: task.map_or_else(Vec::new, |task| task.depends_on.clone()),
        run: slot.map(|slot| slot.row.run.clone()),
        echo: slot.and_then(|slot| slot.echo.clone()),
        stage: slot.map(|slot| slot.stage.clone()),
        failed: board
            .failed
            .get(slug)
            .map(|failed| format!("{}: {}", failed.code, failed.reason)),
    }
}

fn warnings(milestone: &Milestone, board: &Board) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let unproven = milestone.unproven();
    if !unproven.is_empty() {
        warnings.push(Warning {
            code: "goal_not_auto_ready",
            what: format!(
                "{} of {} criteria name no proof, `(verify: COMMAND)`: {}",
                unproven.len(),
                milestone.criteria.len(),
                unproven.join("; ")
            ),
        });
    }
    let pending: Vec<&str> = board
        .wave
        .iter()
        .flat_map(|wave| &wave.slots)
        .filter(|slot| slot.echo.is_none() && !ended(slot))
        .map(|slot| slot.row.task.as_str())
        .collect();
    if !pending.is_empty() {
        warnings.push(Warning {
            code: "fork_base_pending",
            what: format!("not forked yet: {}", pending.join(", ")),
        });
    }
    warnings
}

fn ended(slot: &Slot) -> bool {
    matches!(slot.stage, Stage::Merged { .. } | Stage::Failed { .. })
}

/// Asks git again where every fork of the live wave stands. Refuses the first that is wrong, a fork
/// that is not made although the wave is merging, and a ledger that somebody has edited.
pub fn verify(folder: &MilestoneFolder, board: &Board) -> Result<Vec<TaskReport>, EngineError> {
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
        } else if wave.phase() == Phase::Merging {
            return Err(Refusal::new(
                "unverified_fork_base",
                format!("nobody has seen where the fork of `{task}` stands"),
                "`proofhouse wave run` forks it and asks git",
            )
            .into());
        }
        rows.push(of_task(&folder.milestone, board, task));
    }
    Ok(rows)
}

/// Why a milestone is not done, if nobody has to be asked.
pub fn unmet(report: &Report) -> Option<EngineError> {
    let held = report.tasks.iter().find_map(|task| match &task.stage {
        Some(Stage::Finished {
            held: Some(why), ..
        }) => Some((task.task.clone(), why.clone())),
        _ => None,
    });
    if let Some((task, why)) = held {
        return Some(EngineError::user(
            "unverified_fork_base",
            format!("`{task}` is not merged: {why}"),
            "put its worktree back on the base, then `proofhouse wave run` again",
        ));
    }
    if !report.complete {
        let open = report.tasks.iter().filter(|task| task.stands != "merged");
        let open: Vec<String> = open
            .map(|task| format!("{} ({})", task.task, task.stands))
            .collect();
        return Some(EngineError::user(
            "milestone_incomplete",
            format!(
                "`{}` is not complete: {}",
                report.milestone,
                open.join(", ")
            ),
            "`proofhouse wave status` shows why; mend the task and raise `tries` in milestone.toml to try it again",
        ));
    }
    if !report.proven {
        return Some(EngineError::user(
            "milestone_goal_unmet",
            format!(
                "every task of `{}` is merged, and a criterion does not hold on {}",
                report.milestone,
                report.tip.as_deref().unwrap_or_default()
            ),
            "`proofhouse wave status` names it; add a task that mends it to milestone.toml",
        ));
    }
    None
}
