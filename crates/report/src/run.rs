//! A run as it is shown: where it stands, what it cost, what it promised, and what a person may do.

use crate::address;
use crate::exam::ExamCost;
use crate::fate::Fate;
use crate::inbox::Fault;
use crate::look::{self, Looked, Peek};
use crate::project::ProjectReport;
use crate::question::{By, run_code};
use crate::spend::{self, Summary};
use crate::unlanded::Unlanded;
use flow::{Fact, Flow, Owner};
use kernel::event::Forked;
use kernel::machine::Activity;
use kernel::position::STOP;
use kernel::{Machine, Status};
use serde::Serialize;
use std::collections::BTreeMap;
use store::Head;
use workspace::{EngineError, Project};

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// Where it stands.
    #[serde(flatten)]
    pub status: Status,
    /// The run that it left, and where, if it is a fork.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
    /// What it cost.
    pub spend: Summary,
    /// What of that was for the exam, and what one may cost; none where the run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamCost>,
    /// The journal's last record.
    pub head: Head,
    /// Does an engine drive it right now?
    pub driven: bool,
    /// What a person types who decides at a terminal.
    pub run_code: String,
    /// Where its evidence page is.
    pub evidence: String,
    /// Its task folder.
    pub task: String,
    /// What was promised first: a field of the state file.
    pub promise: Option<(String, String)>,
    /// What is measured and stops nothing, such as whether the goal can be verified: fields of the state
    /// file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<String, String>,
    /// What a person may begin in a run that rests.
    pub may_begin: Vec<String>,
    /// What each of these does.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub means: BTreeMap<String, String>,
    /// What lets a person's word in.
    #[serde(skip)]
    pub by: By,
    /// What resting there means.
    pub about: String,
    /// What became of its work since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// What is to be done with it, where it is done and nothing became of it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_landed: Option<Unlanded>,
}

impl RunReport {
    /// Gathers it.
    pub fn of(project: &Project, name: &str, peek: &Peek<Flow>) -> Result<Self, EngineError> {
        let fate = Fate::of(project, name, &peek.machine);
        let not_landed = Unlanded::of(project, name, &peek.machine, fate.as_ref());
        Ok(Self {
            fate,
            not_landed,
            ..Self::brief(project, name, peek)?
        })
    }

    /// The same without what became of its work, for which git would be asked.
    pub fn brief(project: &Project, name: &str, peek: &Peek<Flow>) -> Result<Self, EngineError> {
        let Peek { machine, head } = peek;
        let (status, workflow) = (machine.status(), machine.workflow());
        let here = project.of_run(name);
        let started = machine.started();
        let task = started.map(|started| workspace::context::task_folder(&here, started));
        let position = machine.position();
        let rests = !position.stopped && !position.is_over(&workflow.table);
        let idle = status.waiting_for.is_none();
        let resting = rests && idle && status.activity != Activity::Working;
        let files = workflow.task.as_ref();
        let promise = files.and_then(|files| files.promise.first());
        let promise = promise.and_then(|name| status.fields.get_key_value(name));
        let about = workflow.states.get(&position.state).filter(|_| resting);
        let over = status.activity == Activity::Done;
        // Work that is done is landed, set aside or taken up again; there is nothing to stop.
        let offered = |option: &String| !(over && option == STOP);
        Ok(Self {
            forked: started.and_then(|started| started.forked.clone()),
            spend: spend::summary(&status.attempts),
            exam: ExamCost::of(machine),
            head: head.clone(),
            driven: look::is_driven(project, name),
            run_code: run_code(name, &head.hash),
            evidence: address::link(&here, machine)?,
            task: task.map_or_else(String::new, |task| task.display().to_string()),
            promise: promise.map(|(name, text)| (name.clone(), text.clone())),
            measured: measured(machine),
            may_begin: match resting {
                true => {
                    let options = workflow.table.options(position, status.mode).into_iter();
                    options.filter(offered).collect()
                }
                false => Vec::new(),
            },
            means: match resting {
                true => machine.means(),
                false => BTreeMap::new(),
            },
            by: By::of(started),
            about: about.map_or_else(String::new, |state| state.about.clone()),
            not_landed: None,
            fate: None,
            status,
        })
    }
}

fn measured(machine: &Flow) -> BTreeMap<String, String> {
    let is_measure = |name: &str| {
        let field = machine.workflow().field(name);
        field.is_some_and(|field| matches!(field.owner, Owner::Engine(Fact::Clear(..))))
    };
    let document = machine.document("").into_iter();
    document.filter(|(name, _)| is_measure(name)).collect()
}

/// One line of an overview: a run, a project, or a journal that cannot be read.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Report {
    Run(Box<RunReport>),
    /// A project of the factory.
    Project(Box<ProjectReport>),
    /// A journal that cannot be read.
    Unreadable {
        /// Its name.
        run: String,
        /// Why.
        error: Fault,
    },
}

impl Report {
    /// Of whichever has this name.
    pub fn of(project: &Project, name: &str, looked: &Looked) -> Result<Self, EngineError> {
        Ok(match looked {
            Looked::Run(peek) => Report::Run(Box::new(RunReport::of(project, name, peek)?)),
            Looked::Project(peek) => {
                Report::Project(Box::new(ProjectReport::of(project, name, peek)))
            }
        })
    }

    /// What it does right now; what cannot be read does nothing.
    pub fn doing(&self) -> Doing {
        let (status, driven) = match self {
            Report::Run(run) => (&run.status, run.driven),
            Report::Project(project) => (&project.status, project.driven),
            Report::Unreadable { .. } => return Doing::Stopped,
        };
        Doing::of(status.activity, driven)
    }

    /// What became of its work, if that is known.
    pub fn fate(&self) -> Option<&Fate> {
        match self {
            Report::Run(run) => run.fate.as_ref(),
            Report::Project(_) | Report::Unreadable { .. } => None,
        }
    }

    /// Where it stands, if it can be read.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Report::Run(run) => Some(&run.status),
            Report::Project(project) => Some(&project.status),
            Report::Unreadable { .. } => None,
        }
    }
}

/// What a run or a project does right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// An engine is at it.
    Working,
    /// An engine is at it, and waits for somebody's own session that takes the work.
    Guest,
    /// There is work to do, and nobody is at it.
    Ready,
    /// A person is asked.
    Waiting,
    /// Nobody has anything to do; it may be taken up again.
    Resting,
    /// It completed.
    Done,
    /// A person stopped it.
    Stopped,
}

impl Doing {
    /// What a machine does, with an engine that drives it or without.
    pub fn of(activity: Activity, driven: bool) -> Self {
        match activity {
            Activity::Working if driven => Doing::Working,
            Activity::Working => Doing::Ready,
            Activity::Waiting => Doing::Waiting,
            Activity::Resting => Doing::Resting,
            Activity::Done => Doing::Done,
            Activity::Stopped => Doing::Stopped,
        }
    }

    /// In a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            Doing::Working => "working",
            Doing::Guest => "waiting for a guest",
            Doing::Ready => "ready to run",
            Doing::Waiting => "waiting for a person",
            Doing::Resting => "resting",
            Doing::Done => "done",
            Doing::Stopped => "stopped",
        }
    }
}

/// Every run and project of a repository.
pub fn overview(project: &Project) -> Result<Vec<(String, Report)>, EngineError> {
    let mut reports = Vec::new();
    let all = look::all(project)?;
    let project = &project.surveyed(all.len())?;
    for (name, looked) in all {
        let report = match looked {
            Ok(looked) => Report::of(project, &name, &looked)?,
            Err(error) => Report::Unreadable {
                run: name.clone(),
                error: Fault::from(&error),
            },
        };
        reports.push((name, report));
    }
    Ok(reports)
}
