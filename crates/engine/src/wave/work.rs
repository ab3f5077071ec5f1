//! One worker: make the worktree, and drive an ordinary run in it to its end. The run has its own
//! journal beside all others; what it was doing when a worker died is the run's own business.

use super::folder::MilestoneFolder;
use super::performer::WavePerformer;
use crate::driver::{Ending, Until};
use crate::land::{Finished, again};
use crate::session::{Restore, Session};
use crate::start::{NewRun, Place, start, start_waived};
use crate::waiver::INHERITED;
use crate::world::{Gauges, Interrupter, Observer};
use ::wave::Worked;
use ::wave::board::STOPPED;
use ::wave::fact::{Row, TaskFinished};
use ::wave::milestone::Task;
use ::wave::want::{ForkOrder, WorkOrder};
use approval::Approved;
use kernel::machine::Activity;
use kernel::{Body, Event, Machine, Mode, Time};
use sandbox::Cancel;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::worktree::{self, Found};

/// What an earlier try of a task ended with, for the next one to read.
const NOTE: &str = "PUT-BACK.md";

/// Makes the worktree of a task, and gives what git says of where it stands.
pub(super) fn fork(folder: &MilestoneFolder, order: &ForkOrder) -> Result<String, EngineError> {
    let (row, base) = (&order.row, &order.base);
    let repo = folder.project.repo();
    let dir = folder.project.worktree(&row.run);
    if order.again {
        return worktree::echo(&dir);
    }
    if journal(&folder.project, &row.run).exists() {
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
    worktree::let_git_finish(&folder.project)?;
    match worktree::look(&dir, base)? {
        Found::Fresh => {}
        Found::Absent => worktree::add(repo, &dir, base)?,
        Found::Incomplete => {
            worktree::discard_incomplete(repo, &dir)?;
            worktree::add(repo, &dir, base)?;
        }
        // Somebody else's, or changed before we ever worked in it: not a fork of the base.
        Found::Foreign(echo) if echo == *base => return Ok(String::new()),
        Found::Foreign(echo) => return Ok(echo),
    }
    worktree::echo(&dir)
}

fn journal(project: &Project, run: &str) -> PathBuf {
    project.journals().join(format!("{run}.jsonl"))
}

/// The means to stop a run's session once, whoever asks first and whenever.
#[derive(Clone, Default)]
struct Interruption(Arc<Mutex<Asked>>);

#[derive(Default)]
struct Asked {
    session: Option<Interrupter>,
    once: bool,
}

impl Interruption {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks once: a second time would not let the session hear its attempt out.
    fn ask(&self) {
        let mut asked = self.asked();
        if !std::mem::replace(&mut asked.once, true)
            && let Some(session) = &asked.session
        {
            session.interrupt();
        }
    }

    /// Takes the means, and uses it at once if somebody has asked already.
    fn take(&self, session: Interrupter) {
        let mut asked = self.asked();
        if asked.once {
            session.interrupt();
        }
        asked.session = Some(session);
    }
}

/// Passes on what is worth a line, and looks at the clock.
struct Lines<'a> {
    say: &'a dyn Fn(&str),
    until: Time,
    interruption: &'a Interruption,
}

impl Lines<'_> {
    fn look_at_the_clock(&self) {
        if now() >= self.until {
            self.interruption.ask();
        }
    }
}

impl Observer for Lines<'_> {
    fn event(&mut self, event: &Event) {
        self.look_at_the_clock();
        if let Body::Moved(moved) = &event.body {
            (self.say)(&format!("{}: {}", moved.action, moved.position.state));
        }
    }
    fn tick(&mut self, _: &dyn Fn() -> Gauges) {
        self.look_at_the_clock();
    }
    fn progress(&mut self, _: &str) {
        self.look_at_the_clock();
    }
    fn notice(&mut self, line: &str) {
        (self.say)(line);
    }
}

/// Drives the task's run until it rests, is interrupted, or its time is over.
pub(super) fn drive(
    performer: &WavePerformer,
    order: &WorkOrder,
    cancel: &Cancel,
    say: &dyn Fn(&str),
) -> Worked {
    let Some(task) = performer.folder.milestone.task(&order.row.task) else {
        return Worked::Failed {
            code: "task_not_there".to_owned(),
            reason: "it is not in milestone.toml any more".to_owned(),
        };
    };
    let job = Job {
        performer,
        order,
        task,
    };
    match driven(&job, cancel, say) {
        Ok(worked) => worked,
        // A person drives this run by hand just now: not the task's fault.
        Err(error) if error.kind == workspace::error::Kind::RunBusy => Worked::Waits {
            reason: error.code,
            why: error.what,
        },
        Err(error) => failed(error),
    }
}

/// An error as a task's failure.
pub(super) fn failed(error: EngineError) -> Worked {
    Worked::Failed {
        code: error.code,
        reason: error.what,
    }
}

/// A task's run, and who drives it.
struct Job<'a> {
    performer: &'a WavePerformer,
    order: &'a WorkOrder,
    task: &'a Task,
}

impl Job<'_> {
    fn folder(&self) -> &MilestoneFolder {
        &self.performer.folder
    }

    fn row(&self) -> &Row {
        &self.order.row
    }
}

fn driven(job: &Job<'_>, cancel: &Cancel, say: &dyn Fn(&str)) -> Result<Worked, EngineError> {
    let name = &job.row().run;
    let project = job.folder().project.of_run(name);
    if !journal(&project, name).exists() {
        begin(job)?;
    }
    let interruption = Interruption::default();
    let asked = interruption.clone();
    let _woken = cancel.wake(move || asked.ask());
    let whole = Time(now().0.saturating_add(job.row().timeout_millis));
    let mut lines = Lines {
        say,
        until: job.order.until.unwrap_or(whole),
        interruption: &interruption,
    };
    let session = Session {
        project: &project,
        run: name,
        agent: None,
        built: job.performer.agent.clone(),
        until: Until::Rest,
        restore: Restore::No,
    };
    let ended = session.drive(&mut lines, &|one| interruption.take(one))?;
    if ended.ending == Ending::Interrupted {
        return Ok(Worked::Interrupted);
    }
    Ok(match ended.status.activity {
        Activity::Done => Worked::Finished(finish(job)?),
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
            code: STOPPED.to_owned(),
            reason: format!("a person stopped it in `{}`", ended.status.state),
        },
        Activity::Resting | Activity::Working => Worked::Failed {
            code: "resting".to_owned(),
            reason: format!("it rests in `{}`", ended.status.state),
        },
    })
}

/// Starts the run in its worktree.
fn begin(job: &Job<'_>) -> Result<(), EngineError> {
    let (row, task) = (job.row(), job.task);
    let project = job.folder().project.of_run(&row.run);
    let in_tree = !row.dir.is_empty();
    let dir = match in_tree {
        true => project.repo().join(&row.dir),
        false => project.tasks().join(&row.run),
    };
    if dir.exists() {
        // A worker that died between the task's files and its journal left these. What the base
        // itself has there stays.
        match in_tree {
            true => worktree::sweep(project.repo(), &row.dir)?,
            false => store::remove_tree(&dir).map_err(EngineError::io("remove", &dir))?,
        }
    }
    if let Some(put_back) = &job.order.put_back {
        // Before there is a journal: a worker that dies in between begins all of this anew.
        std::fs::create_dir_all(&dir).map_err(EngineError::io("create", &dir))?;
        let note = format!("# Put back\n\n{put_back}\n");
        store::write_atomic(&dir.join(NOTE), note.as_bytes())?;
    }
    let mut set = task.set.clone();
    if let Some(stage) = &job.folder().milestone.stage
        && has_stage(&project, task)?
    {
        set.entry(STAGE.to_owned()).or_insert_with(|| stage.clone());
    }
    let settles = settles(job, &project, &dir)?;
    let settling = settles.is_some();
    let asked = settles.unwrap_or_else(|| NewRun {
        workflow: task.workflow.clone(),
        request: task.asks.clone(),
        set: set.into_iter().collect(),
        ..NewRun::default()
    });
    begin_run(
        job.performer,
        &project,
        &NewRun {
            place: match in_tree {
                true => Place::Here,
                false => Place::OwnTree(Some(worktree::echo(project.repo())?)),
            },
            dir: in_tree.then_some(dir),
            milestone: Some(job.folder().milestone.name.clone()),
            name: Some(row.run.clone()),
            commands: match (settling, task.checks.is_empty()) {
                // What must hold after the merge is what two tasks contradicted.
                (true, true) => job.folder().milestone.integration.clone(),
                _ => task.checks.clone(),
            },
            agent: task.agent.clone(),
            // A task may ask for more of a person than the config does, and not for less.
            autonomy: project
                .config()?
                .autonomy()
                .map_or(task.autonomy, |set| set.min(task.autonomy)),
            mode: Mode {
                pace: task.pace,
                risk: task.risk,
            },
            budgets: match asked.workflow == task.workflow {
                true => task.budgets.clone().into_iter().collect(),
                // Another workflow counts other things.
                false => Vec::new(),
            },
            ..asked
        },
    )
}

/// What is asked where an earlier try has finished the work, and another task was merged before it: to
/// bring both together. Nothing of it is done anew.
fn settles(job: &Job<'_>, project: &Project, dir: &Path) -> Result<Option<NewRun>, EngineError> {
    let Some(work) = &job.order.settles else {
        return Ok(None);
    };
    let folder = job.folder();
    let finished = Finished {
        run: &work.run,
        base: &work.base,
        commit: &work.commit,
        branch: &folder.branch(),
        tip: &worktree::echo(project.repo())?,
    };
    std::fs::create_dir_all(dir).map_err(EngineError::io("create", dir))?;
    again(&folder.project, &finished, dir)
}

/// What the agents of the ready tasks lack right now, a sentence each. A task whose workflow or agent
/// is none, or for which nobody is set, is an error.
pub(super) fn staffed(
    folder: &MilestoneFolder,
    ready: &[String],
) -> Result<BTreeSet<String>, EngineError> {
    let project = &folder.project;
    let config = project.config()?;
    let mut lacks = BTreeSet::new();
    for task in ready.iter().filter_map(|slug| folder.milestone.task(slug)) {
        let of_task = |mut error: EngineError| {
            error.what = format!("task `{}`: {}", task.slug, error.what);
            error
        };
        let workflow = project.workflow(&task.workflow).map_err(of_task)?;
        let agent = task.agent.as_deref();
        let by_role = workspace::agent::staffed(&workflow, &config, agent).map_err(of_task)?;
        crate::guest::none(&by_role, "a wave").map_err(of_task)?;
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
fn begin_run(
    performer: &WavePerformer,
    project: &Project,
    asked: &NewRun,
) -> Result<(), EngineError> {
    let started = match &performer.waived {
        None => start(project, asked),
        Some(said) => start_waived(project, asked, &|_| {
            Ok(Approved {
                who: said.who.clone(),
                channel: format!("{INHERITED}{}", performer.folder.milestone.name),
                signature: None,
            })
        }),
    };
    started.map(drop)
}

/// Commits what the run's last checkpoint has, with its folder as it is now and the run's last record in the
/// message: what somebody edits in the worktree meanwhile is in no commit, and keeps the worktree.
fn finish(job: &Job<'_>) -> Result<TaskFinished, EngineError> {
    let (folder, row) = (job.folder(), job.row());
    let name = &row.run;
    let project = folder.project.of_run(name);
    let peek = report::look::peek_run(&project, name)?;
    let head = peek.head;
    let scratch = project.work(name);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let subject = format!("{}: {} is done", folder.milestone.name, row.task);
    let (turns, index) = (scratch.join(git::TURNS), scratch.join("wave-index"));
    // Of a git that was killed with an earlier worker.
    let _ = std::fs::remove_file(scratch.join("wave-index.lock"));
    let spot = git::Spot {
        repo: project.repo(),
        run: name,
        turns: &turns,
        scratch: &index,
    };
    // A workflow of a person's own may make no checkpoint at all.
    let content = match peek.machine.last_commit() {
        Some(tree) => git::Content::Judged {
            tree,
            task: Some(row.dir.as_str()).filter(|dir| !dir.is_empty()),
        },
        None => git::Content::Live,
    };
    let commit = git::checkpoint(spot, content, &subject, &head)?;
    Ok(TaskFinished {
        task: row.task.clone(),
        commit,
        seq: head.seq,
        hash: head.hash,
    })
}

/// How long the journal of a run is.
pub(super) fn length(folder: &MilestoneFolder, run: &str) -> u64 {
    journal(&folder.project, run)
        .metadata()
        .map_or(0, |found| found.len())
}

/// Does the task's run still wait for a person?
pub(super) fn still_waits(folder: &MilestoneFolder, row: &Row) -> bool {
    report::look::peek_run(&folder.project, &row.run)
        .is_ok_and(|peek| peek.machine.status().activity == Activity::Waiting)
}
