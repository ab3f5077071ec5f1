//! One worker: make the worktree, and drive an ordinary run in it to its end. The run has its own
//! journal beside all others; what it was doing when a worker died is the run's own business.

use super::board::Board;
use super::decide::Worked;
use super::fact::{Row, TaskFinished};
use super::milestone::Task;
use super::shop::Shop;
use crate::approval::Approved;
use crate::driver::{Ending, Until};
use crate::run::Run;
use crate::session::{Restore, Session};
use crate::start::{NewRun, start, start_waived};
use crate::waiver::INHERITED;
use crate::world::{Gauges, Interrupter, Observer};
use agents::Agent;
use kernel::machine::Activity;
use kernel::{Body, Event, Machine, Mode};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::worktree::{self, Found};

/// What an earlier try of a task ended with, for the next one to read.
const NOTE: &str = "PUT-BACK.md";

/// Makes the worktree of a task, and gives what git says of where it stands.
pub(super) fn fork(shop: &Shop, row: &Row, base: &str) -> Result<String, EngineError> {
    let repo = shop.project.repo();
    let dir = shop.project.worktree(&row.run);
    if journal(&shop.project, &row.run).exists() {
        // Nobody has worked on this task yet: what that run has done is not its work.
        return Err(EngineError::user(
            "run_exists",
            format!(
                "somebody has begun a run `{}` since the wave was opened",
                row.run
            ),
            "nothing is lost: the next try of the task has another name",
        ));
    }
    worktree::let_git_finish(&shop.project)?;
    match worktree::look(&dir, base)? {
        Found::Fresh => {}
        Found::Absent => worktree::add(repo, &dir, base)?,
        Found::Incomplete => {
            worktree::discard_incomplete(repo, &dir)?;
            worktree::add(repo, &dir, base)?;
        }
        // Somebody else's, or changed before we ever worked in it: not a fork of the base.
        Found::Foreign(echo) if echo == base => return Ok(String::new()),
        Found::Foreign(echo) => return Ok(echo),
    }
    worktree::echo(&dir)
}

fn journal(project: &Project, run: &str) -> PathBuf {
    project.journals().join(format!("{run}.jsonl"))
}

/// What a worker needs besides the shop.
pub(super) struct Job {
    pub(super) row: Row,
    pub(super) task: Task,
    pub(super) note: Option<String>,
    pub(super) agent: Option<Arc<dyn Agent>>,
}

/// Passes on what is worth a line.
pub(super) struct Lines<'a>(pub(super) &'a dyn Fn(&str));

impl Observer for Lines<'_> {
    fn event(&mut self, event: &Event) {
        if let Body::Moved(moved) = &event.body {
            (self.0)(&format!("{}: {}", moved.action, moved.position.state));
        }
    }
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {}
    fn progress(&mut self, _: &str) {}
    fn notice(&mut self, line: &str) {
        (self.0)(line);
    }
}

/// Drives the task's run until it rests.
pub(super) fn drive(
    shop: &Shop,
    job: &Job,
    say: &dyn Fn(&str),
    hook: &dyn Fn(Interrupter),
) -> Worked {
    match driven(shop, job, say, hook) {
        Ok(worked) => worked,
        // A person drives this run by hand just now: not the task's fault.
        Err(error) if error.kind == workspace::error::Kind::RunBusy => Worked::Waits {
            reason: error.code,
            why: error.what,
        },
        Err(error) => Worked::Failed {
            code: error.code,
            reason: error.what,
        },
    }
}

fn driven(
    shop: &Shop,
    job: &Job,
    say: &dyn Fn(&str),
    hook: &dyn Fn(Interrupter),
) -> Result<Worked, EngineError> {
    let name = &job.row.run;
    let project = shop.project.of_run(name);
    if !journal(&project, name).exists() {
        begin(shop, job)?;
    }
    let session = Session {
        project: &project,
        run: name,
        agent: None,
        built: job.agent.clone(),
        until: Until::Rest,
        restore: Restore::No,
    };
    let ended = session.drive(&mut Lines(say), hook)?;
    if ended.ending == Ending::Interrupted {
        return Ok(Worked::Interrupted);
    }
    Ok(match ended.status.activity {
        Activity::Done => Worked::Finished(finish(shop, job)?),
        Activity::Waiting => {
            let waiting = ended.status.waiting_for;
            Worked::Waits {
                reason: waiting
                    .as_ref()
                    .map_or(String::new(), |on| on.reason.clone()),
                why: waiting.map_or(String::new(), |on| on.why),
            }
        }
        Activity::Stopped => Worked::Failed {
            code: "stopped".to_owned(),
            reason: format!("a person stopped it in `{}`", ended.status.state),
        },
        Activity::Resting | Activity::Working => Worked::Failed {
            code: "resting".to_owned(),
            reason: format!("it rests in `{}`", ended.status.state),
        },
    })
}

/// Starts the run in its worktree.
fn begin(shop: &Shop, job: &Job) -> Result<(), EngineError> {
    let (name, task) = (&job.row.run, &job.task);
    let project = shop.project.of_run(name);
    let dir = project.repo().join(&job.row.dir);
    if dir.exists() {
        // A worker that died between the task's files and its journal left these. What the base
        // itself has there stays.
        worktree::sweep(project.repo(), &job.row.dir)?;
    }
    if let Some(note) = &job.note {
        // Before there is a journal: a worker that dies in between begins all of this anew.
        std::fs::create_dir_all(&dir).map_err(EngineError::io("create", &dir))?;
        store::write_atomic(&dir.join(NOTE), note.as_bytes())?;
    }
    let mut set = task.set.clone();
    if let Some(stage) = &shop.milestone.stage
        && has_stage(&project, task)?
    {
        set.entry(STAGE.to_owned()).or_insert_with(|| stage.clone());
    }
    begin_run(
        shop,
        &project,
        &NewRun {
            workflow: task.workflow.clone(),
            dir: Some(dir),
            name: Some(name.clone()),
            set: set.into_iter().collect(),
            commands: task.checks.clone(),
            agent: task.agent.clone(),
            autonomy: task.autonomy,
            mode: Mode {
                pace: task.pace,
                risk: task.risk,
            },
            budgets: task.budgets.clone().into_iter().collect(),
            ..NewRun::default()
        },
    )
}

/// What the agents of the ready tasks lack right now, a sentence each. A task whose workflow or agent
/// is none, or for which nobody is set, is an error.
pub(super) fn staffed(shop: &Shop, board: &Board) -> Result<BTreeSet<String>, EngineError> {
    let project = &shop.project;
    let config = project.config()?;
    let mut lacks = BTreeSet::new();
    for task in board.ready(&shop.milestone) {
        let of_task = |mut error: EngineError| {
            error.what = format!("task `{}`: {}", task.slug, error.what);
            error
        };
        let workflow = project.workflow(&task.workflow).map_err(of_task)?;
        let agent = task.agent.as_deref();
        workspace::agent::staffed(&workflow, &config, agent).map_err(of_task)?;
        lacks.extend(
            workspace::agent::missing(project, &workflow, &config, agent).map_err(of_task)?,
        );
    }
    Ok(lacks)
}

/// The field that takes the milestone's stage, in workflows that have it.
const STAGE: &str = "stage";

fn has_stage(project: &Project, task: &Task) -> Result<bool, EngineError> {
    let workflow = project.workflow(&task.workflow)?;
    let fields = workflow.task.iter().flat_map(|task| &task.fields);
    Ok(fields.into_iter().any(|field| field.name == STAGE))
}

/// What a person waived for the milestone, they waived for its runs: the run's record says so.
fn begin_run(shop: &Shop, project: &Project, asked: &NewRun) -> Result<(), EngineError> {
    let started = match shop.waived.get() {
        None => start(project, asked),
        Some(said) => start_waived(project, asked, &|_| {
            Ok(Approved {
                who: said.who.clone(),
                channel: format!("{INHERITED}{}", shop.milestone.name),
                signature: None,
            })
        }),
    };
    started.map(drop)
}

/// Commits everything in the worktree, with the run's last record in the message.
fn finish(shop: &Shop, job: &Job) -> Result<TaskFinished, EngineError> {
    let name = &job.row.run;
    let project = shop.project.of_run(name);
    let head = Run::peek(&project, name)?.head;
    let scratch = project.work(name);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let subject = format!("{}: {} is done", shop.milestone.name, job.row.task);
    let (turns, index) = (scratch.join(git::TURNS), scratch.join("wave-index"));
    // Of a git that was killed with an earlier worker.
    let _ = std::fs::remove_file(scratch.join("wave-index.lock"));
    let commit = git::checkpoint(project.repo(), name, &turns, &index, &subject, &head)?;
    Ok(TaskFinished {
        task: job.row.task.clone(),
        commit,
        seq: head.seq,
        hash: head.hash,
    })
}

/// Does the task's run still wait for a person?
pub(super) fn still_waits(shop: &Shop, row: &Row) -> bool {
    Run::peek(&shop.project, &row.run)
        .is_ok_and(|peek| peek.machine.status().activity == Activity::Waiting)
}
