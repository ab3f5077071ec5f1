//! Everything that waits for a person, in one place: questions of runs and of projects, and what
//! cannot even be read.

use crate::change::Depth;
use crate::criterion::{self, Criterion};
use crate::grounds::Grounds;
use crate::history::history;
use crate::kept::Kept;
use crate::look::{self, Looked, Peek};
use crate::question::{self, Advice, Asked, By, Way, Worded, run_code};
use crate::told_case::told_cases;
use flow::Flow;
use kernel::Machine;
use kernel::StateName;
use kernel::machine::Waiting;
use serde::Serialize;
use std::fmt;
use workspace::{EngineError, Project};

/// Why something cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Its stable code.
    pub code: String,
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.what, self.code)
    }
}

impl From<&EngineError> for Fault {
    fn from(error: &EngineError) -> Self {
        Fault {
            code: error.code.clone(),
            what: error.what.clone(),
            mend: error.mend.clone(),
        }
    }
}

/// One thing that waits.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Item {
    Run {
        /// Its name.
        run: String,
        /// Where it stands.
        state: StateName,
        waiting_for: Waiting,
        /// The last record that the question follows from.
        seq: u64,
        /// What a person types who answers at a terminal.
        run_code: String,
        /// What the answer rests on.
        grounds: Box<Grounds>,
        /// What lets it in.
        #[serde(skip)]
        by: By,
    },
    /// A project; it may wait for several answers at once.
    Project {
        /// Its name.
        run: String,
        question: Asked,
        /// The last record that the question follows from.
        seq: u64,
        /// What a person types who answers at a terminal.
        run_code: String,
    },
    /// A criterion of a milestone that only a person can judge.
    Criterion(Criterion),
    /// A journal that cannot be read.
    Unreadable {
        /// Its name.
        run: String,
        /// Why.
        error: Fault,
    },
}

impl Item {
    /// The run, project or milestone.
    pub fn run(&self) -> &str {
        match self {
            Item::Run { run, .. } | Item::Project { run, .. } | Item::Unreadable { run, .. } => run,
            Item::Criterion(one) => &one.milestone,
        }
    }

    /// The question in words; what cannot be read asks nothing.
    pub fn worded(&self) -> Option<Worded> {
        match self {
            Item::Run {
                run,
                waiting_for,
                by,
                ..
            } => Some(question::of_run(run, waiting_for, *by)),
            Item::Project { run, question, .. } => Some(question::of_project(run, question)),
            Item::Criterion(one) => Some(Worded {
                headline: one.words(),
                lines: vec![
                    "every task is merged; no command can show whether this holds".to_owned(),
                ],
                answers: one.commands.iter().map(|command| ticks(command)).collect(),
            }),
            Item::Unreadable { .. } => None,
        }
    }
}

fn ticks(command: &str) -> Way {
    Way {
        command: command.to_owned(),
        does: "says in your name that it holds; the reason says what you looked at".to_owned(),
        advice: Advice::None,
    }
}

/// What one run or project waits for.
pub fn of(project: &Project, name: &str, looked: &Looked) -> Result<Vec<Item>, EngineError> {
    let head = looked.head();
    let run_code = run_code(name, &head.hash);
    Ok(match looked {
        Looked::Run(peek) => {
            let status = peek.machine.status();
            let Some(waiting_for) = status.waiting_for else {
                return Ok(Vec::new());
            };
            vec![Item::Run {
                run: name.to_owned(),
                state: status.state.clone(),
                waiting_for,
                seq: head.seq,
                run_code,
                grounds: Box::new(grounds(project, name, peek)?),
                by: By::of(peek.machine.started()),
            }]
        }
        Looked::Project(peek) => {
            let questions = peek.machine.questions().into_iter();
            questions
                .map(|question| Item::Project {
                    run: name.to_owned(),
                    question: Asked::of(name, question),
                    seq: head.seq,
                    run_code: run_code.clone(),
                })
                .collect()
        }
    })
}

/// What a person decides on in a run.
pub fn grounds(project: &Project, name: &str, peek: &Peek<Flow>) -> Result<Grounds, EngineError> {
    let history = history(project, name)?;
    let kept = &mut Kept::default();
    let committed = Grounds::of(project, &peek.machine, &history, Depth::Hunks, kept);
    let mut grounds = committed.with_tree(project, &peek.machine);
    if peek.machine.status().waiting_for.is_some() {
        grounds.cases = told_cases(project, name, &history);
    }
    Ok(grounds)
}

/// Everything that waits in a repository.
pub fn inbox(project: &Project) -> Result<Vec<Item>, EngineError> {
    let items = look::all(project)?.into_iter();
    Ok(items
        .flat_map(|(run, looked)| match looked {
            Ok(looked) => of(project, &run, &looked).unwrap_or_else(|error| {
                vec![Item::Unreadable {
                    run,
                    error: Fault::from(&error),
                }]
            }),
            Err(error) => vec![Item::Unreadable {
                run,
                error: Fault::from(&error),
            }],
        })
        .chain(
            criterion::unticked(project)
                .into_iter()
                .map(Item::Criterion),
        )
        .collect())
}
