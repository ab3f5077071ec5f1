//! A run or a project in one line, for lists: what it is for, where it stands, what it asks and costs.

use crate::question::{self, By};
use crate::run::{Doing, Report};
use kernel::Time;
use serde::Serialize;

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    pub run: String,
    /// The workflow; `factory` for a project.
    pub workflow: String,
    pub state: String,
    #[serde(serialize_with = "word")]
    pub doing: Doing,
    /// What it is for.
    pub objective: String,
    /// What a person is asked, in a sentence.
    pub asks: Vec<String>,
    pub micro_dollars: u64,
    pub attempts: u64,
    /// When its journal last grew.
    pub at: Time,
    /// What became of its work.
    pub fate: Option<String>,
    /// Why it cannot be read.
    pub fault: Option<String>,
}

fn word<S: serde::Serializer>(doing: &Doing, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(doing.as_str())
}

impl Row {
    /// Of whatever it is.
    pub fn of(name: &str, report: &Report, at: Time) -> Self {
        let mut row = Row {
            run: name.to_owned(),
            workflow: String::new(),
            state: String::new(),
            doing: report.doing(),
            objective: String::new(),
            asks: Vec::new(),
            micro_dollars: 0,
            attempts: 0,
            at,
            fate: report.fate().map(crate::fate::Fate::words),
            fault: None,
        };
        if let Some(status) = report.status() {
            row.state = status.state.to_string();
            row.workflow = status.workflow.clone();
            row.attempts = status.attempts.len() as u64;
            let spent = crate::spend::summary(&status.attempts).run;
            row.micro_dollars = spent.usage.micro_dollars;
        }
        match report {
            Report::Run(run) => {
                let promise = run.promise.as_ref();
                row.objective = promise.map_or_else(String::new, |(_, text)| text.clone());
                let asked = run.status.waiting_for.iter();
                let asked = asked.map(|on| question::of_run(name, on, By::Any).headline);
                row.asks = asked.collect();
            }
            Report::Project(project) => {
                let asked = project.questions.iter();
                let asked = asked.map(|one| question::of_project(name, one).headline);
                row.asks = asked.collect();
                let done = project.tasks.iter().filter(|one| one.status == "SHIPPED");
                let done = done.count();
                row.objective = match project.drafting {
                    true => "its spec is being drafted".to_owned(),
                    false => format!("{done} of {} tasks shipped", project.tasks.len()),
                };
            }
            Report::Unreadable { error, .. } => row.fault = Some(error.to_string()),
        }
        row
    }
}
