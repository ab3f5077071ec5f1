//! A project of the factory as it is shown: its tasks, what it asks, and what it released.

use crate::look::{self, Peek};
use crate::question::{Asked, run_code};
use factory::machine::Factory;
use kernel::{Machine, Status};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use workspace::Project;

/// One project.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectReport {
    /// Its name.
    pub project: String,
    /// The journal's last record.
    pub seq: u64,
    /// Where it stands.
    pub status: Status,
    /// `state_machine.json`, as it is now.
    pub state_machine: Value,
    /// Escalations that wait.
    pub escalations: Vec<String>,
    /// What it asks, with the commands that answer.
    pub questions: Vec<Asked>,
    /// Every release's manifest.
    pub releases: Vec<Value>,
    /// What a person types who decides at a terminal.
    pub run_code: String,
    /// Its tasks, in the order of the spec.
    pub tasks: Vec<TaskReport>,
    /// Does an engine drive it right now?
    pub driven: bool,
    /// Is its spec still being drafted?
    pub drafting: bool,
    /// Where its page of evidence is, once there is one.
    pub evidence: Option<String>,
}

/// One task of a project.
#[derive(Debug, Clone, Serialize)]
pub struct TaskReport {
    /// Its id.
    pub task: String,
    /// Where it stands.
    pub status: String,
    pub name: String,
    /// The modules that do it.
    pub modules: Vec<String>,
}

/// Where a project's page of evidence lies, once there is one.
pub fn page_place(project: &Project, name: &str) -> PathBuf {
    let views = project.home().join("views");
    views.join(name).join("evidence.html")
}

impl ProjectReport {
    /// Gathers it.
    pub fn of(project: &Project, name: &str, peek: &Peek<Factory>) -> Self {
        let Peek { machine, head } = peek;
        let questions = machine.questions().into_iter();
        let open = machine.open_escalations();
        let tasks = machine.tasks().iter().map(|task| TaskReport {
            task: task.declared.id.to_string(),
            status: task.status.as_str().to_owned(),
            name: task.declared.task.clone(),
            modules: task.modules.iter().map(ToString::to_string).collect(),
        });
        let page = page_place(project, name);
        Self {
            project: name.to_owned(),
            seq: head.seq,
            status: machine.status(),
            state_machine: machine.state_machine(),
            escalations: open.map(|one| one.escalation_id.to_string()).collect(),
            questions: questions.map(|one| Asked::of(name, one)).collect(),
            releases: machine
                .releases()
                .iter()
                .map(|one| one.document())
                .collect(),
            run_code: run_code(name, &head.hash),
            tasks: tasks.collect(),
            driven: look::is_driven(project, name),
            drafting: machine.product().is_some() && machine.tasks().is_empty(),
            evidence: page.is_file().then(|| crate::address::address(&page)),
        }
    }
}
