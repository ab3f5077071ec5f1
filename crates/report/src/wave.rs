//! A milestone as people and scripts want to see it: where every task stands, what it cost, the two
//! queues, the warnings.

use crate::due;
use crate::look;
use crate::spend::{self, Spend};
use ::wave::board::{Board, Phase, Slot, Stage, waits_in_its_run};
use ::wave::milestone::{Milestone, run_name};
use ::wave::page::{self, CriterionReport};
use flow::{Fact, Leaving, Owner};
use kernel::machine::Activity;
use kernel::{Machine, Time};
use serde::Serialize;
use workspace::{EngineError, Project};

/// Where a milestone's own work lies, beside that of runs: no run has such a name.
pub const OF_MILESTONE: &str = "_wave-";

/// A criterion names no command that proves it.
const NOT_READY: &str = "goal_not_auto_ready";

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
    /// What the runs of the live wave have cost so far.
    pub spend: Spend,
}

/// A live wave.
#[derive(Debug, Clone, Serialize)]
pub struct WaveReport {
    /// From 1.
    pub number: u32,
    /// `live`, `waiting` or `merging`.
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
    /// How the gate of its last run ended, what that is worth, and risks that were accepted there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Why it failed the last time.
    pub failed: Option<String>,
    /// What its run of the live wave has cost so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
}

/// Where the forks of a live wave stand, after git was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Verified {
    pub forks: Vec<TaskReport>,
    /// What a person should know, and what stops nothing.
    pub warnings: Vec<Warning>,
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

/// What there is to say about a milestone whose merged work is on this branch.
pub fn report(project: &Project, milestone: &Milestone, branch: &str, board: &Board) -> Report {
    let slots = || board.wave.iter().flat_map(|wave| &wave.slots);
    let ready = if board.wave.is_some() {
        let free = slots().filter(|slot| slot.stage == Stage::Ready);
        free.map(|slot| slot.row.task.clone()).collect()
    } else {
        let tasks = board.ready(milestone).into_iter();
        tasks.map(|task| task.slug.clone()).collect()
    };
    let review = slots().filter_map(|slot| match &slot.stage {
        stage if waits_in_its_run(stage) && answered(project, &slot.row.run) => None,
        Stage::Waiting { reason, why } => Some(Review {
            task: slot.row.task.clone(),
            run: slot.row.run.clone(),
            reason: reason.clone(),
            why: why.clone(),
        }),
        _ => None,
    });
    let tasks = milestone.tasks.iter();
    let tasks: Vec<TaskReport> = tasks
        .map(|task| of_task(project, milestone, board, &task.slug))
        .collect();
    let mut spend = Spend::default();
    tasks
        .iter()
        .filter_map(|task| task.spend.as_ref())
        .for_each(|one| spend.plus(one));
    Report {
        milestone: milestone.name.clone(),
        goal: milestone.goal.clone(),
        branch: branch.to_owned(),
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
        tasks,
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
        spend,
    }
}

/// What there is to say about one task.
pub fn of_task(project: &Project, milestone: &Milestone, board: &Board, slug: &str) -> TaskReport {
    let slot = board.wave.as_ref().and_then(|wave| wave.slot(slug));
    let task = milestone.task(slug);
    // A wave that has ended holds no runs; their journals stay.
    let run = slot.map(|slot| slot.row.run.clone());
    let run = run.or_else(|| last_run(project, milestone, slug));
    TaskReport {
        task: slug.to_owned(),
        stands: stands(project, milestone, board, slug),
        depends_on: task.map_or_else(Vec::new, |task| task.depends_on.clone()),
        spend: run.as_ref().and_then(|run| spent(project, run)),
        run,
        echo: slot.and_then(|slot| slot.echo.clone()),
        stage: slot.map(|slot| slot.stage.clone()),
        failed: board
            .failed
            .get(slug)
            .map(|failed| format!("{}: {}", failed.code, failed.reason)),
        gate: None,
    }
}

/// Where a task stands, with what its own run says that the wave has not heard yet.
fn stands(project: &Project, milestone: &Milestone, board: &Board, slug: &str) -> String {
    let slot = board.wave.as_ref().and_then(|wave| wave.slot(slug));
    let at_work = || look::is_driven(project, &format!("{OF_MILESTONE}{}", milestone.name));
    match slot.map(|slot| (&slot.stage, &slot.row.run)) {
        Some((stage, run)) if waits_in_its_run(stage) && answered(project, run) => {
            match at_work() {
                true => "answered".to_owned(),
                false => format!("answered; {}", goes_on(milestone)),
            }
        }
        Some((Stage::Claimed { .. } | Stage::Merging { .. }, run))
            if !at_work() && !look::is_driven(project, run) =>
        {
            format!("nobody drives it; {}", goes_on(milestone))
        }
        _ => page::stands(milestone, board, slug),
    }
}

fn goes_on(milestone: &Milestone) -> String {
    format!("`proofhouse wave run {}` goes on", milestone.name)
}

/// Has a person answered what a run of the wave waited for?
fn answered(project: &Project, run: &str) -> bool {
    look::peek_run(project, run)
        .is_ok_and(|peek| peek.machine.status().activity != Activity::Waiting)
}

/// The last run of a task that was begun.
fn last_run(project: &Project, milestone: &Milestone, slug: &str) -> Option<String> {
    let tries = (1..).map(|nth| run_name(&milestone.name, slug, nth));
    let begun = |run: &String| project.journals().join(format!("{run}.jsonl")).exists();
    tries.take_while(begun).last()
}

/// How the gate of a run ended, as its record says; nothing where nothing was judged yet.
pub fn gate(project: &Project, run: &str) -> Option<String> {
    let machine = look::peek_run(project, run).ok()?.machine;
    let is_outcome = |name: &str| {
        let field = machine.workflow().field(name);
        field
            .is_some_and(|field| matches!(&field.owner, Owner::Engine(Fact::Left(_, Leaving::How))))
    };
    let fields = machine.document("").into_iter();
    let outcome = fields.filter(|(name, _)| is_outcome(name)).map(|one| one.1);
    let accepted = due::waived(project, run, workspace::clock::now()).unwrap_or_default();
    let accepted = accepted.iter().map(due::Waiver::sentence);
    let said: Vec<String> = outcome
        .chain([machine.worth()])
        .chain(accepted)
        .filter(|one| !one.is_empty())
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

impl Report {
    /// The milestone in one line: what it is for, how far it is, and whether its goal can be proven.
    pub fn sentence(&self) -> String {
        let merged = |task: &&TaskReport| task.stands == "merged";
        let merged = self.tasks.iter().filter(merged).count();
        let ready = match self.warnings.iter().any(|one| one.code == NOT_READY) {
            true => "no, a criterion names no command",
            false => "yes",
        };
        format!(
            "milestone `{}`: {}; {merged} of {} tasks merged; goal-ready: {ready}",
            self.milestone,
            self.goal,
            self.tasks.len()
        )
    }

    /// The same as something to do, where something is left.
    pub fn step(&self) -> Option<due::Step> {
        let name = &self.milestone;
        let command = match (self.complete && self.proven, self.unticked.is_empty()) {
            (true, true) => format!("proofhouse milestone archive {name}"),
            (true, false) => format!("proofhouse wave status {name}"),
            (false, _) if !self.review.is_empty() => return None,
            (false, _) => format!("proofhouse wave run {name}"),
        };
        Some(due::Step {
            run: String::new(),
            what: self.sentence(),
            commands: vec![command],
        })
    }
}

/// What a run has cost so far; nothing where it has no journal yet.
pub fn spent(project: &Project, run: &str) -> Option<Spend> {
    let peek = look::peek_run(project, run).ok()?;
    Some(spend::summary(&peek.machine.status().attempts).run)
}

fn warnings(milestone: &Milestone, board: &Board) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let unproven = milestone.unproven();
    if !unproven.is_empty() {
        warnings.push(Warning {
            code: NOT_READY,
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

/// Is there nothing more to do for it in this wave?
pub fn ended(slot: &Slot) -> bool {
    matches!(slot.stage, Stage::Merged { .. } | Stage::Failed { .. })
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
