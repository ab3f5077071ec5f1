//! A run or a project as it was at one of its records: the same machine over the beginning of the journal.
//! It asks no checkpoint, no git and no clock, so that it answers the same for ever.

pub mod other;

use crate::exam::ExamCost;
use crate::look::{self, Looked, Peek};
use crate::spend::{self, Summary};
use crate::timeline::{Entry, Timeline};
use factory::NAME as FACTORY;
use factory::machine::Factory;
use flow::Flow;
use kernel::{Machine, Status};
use serde::Serialize;
use store::{Head, Journal, Objection, RecordRef, Replay, RunName};
use workspace::{EngineError, Project};

/// What was known then.
#[derive(Debug, Clone, Serialize)]
pub struct Then {
    /// Where it stood: state, counters, what it waited for.
    #[serde(flatten)]
    pub status: Status,
    /// What it had cost.
    pub spend: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamCost>,
    /// What the gates up to there had shown: `observed`, `reported`, `weak`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worth: String,
    /// The last commit up to there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The record itself.
    pub record: Entry,
    pub head: Head,
    /// The number of the journal's last record, as it is now.
    pub last: u64,
}

impl Then {
    /// As of this record.
    pub fn at(project: &Project, run: &str, seq: u64) -> Result<Self, EngineError> {
        let past = Past::of(project, run, seq)?;
        let status = past.looked.status();
        let run = match &past.looked {
            Looked::Run(peek) => Some(&peek.machine),
            Looked::Project(_) => None,
        };
        Ok(Self {
            spend: spend::summary(&status.attempts),
            exam: run.and_then(ExamCost::of),
            worth: run.map(Flow::worth).unwrap_or_default(),
            commit: run.and_then(Flow::last_commit).map(str::to_owned),
            record: past.record,
            head: past.looked.head().clone(),
            last: past.last,
            status,
        })
    }
}

/// A machine as of an earlier record.
pub struct Past {
    pub looked: Looked,
    /// The record.
    pub record: Entry,
    /// The number of the journal's last one.
    pub last: u64,
}

impl Past {
    /// Folds the journal up to this record; the rest is read, and not believed before its chain holds.
    pub fn of(project: &Project, run: &str, seq: u64) -> Result<Self, EngineError> {
        let name = look::run_name(project, run)?;
        match look::first_named(project, &name)?.as_deref() {
            Some(FACTORY) => {
                let mut machine = Factory::new();
                let (head, record, last) = fold(project, &name, seq, &mut |record| {
                    machine.apply(&look::known_fact(record)?);
                    Ok(())
                })?;
                let looked = Looked::Project(Peek { machine, head });
                Ok(Self {
                    looked,
                    record,
                    last,
                })
            }
            _ => {
                let (peek, record, last) = run_at(project, &name, seq)?;
                Ok(Self {
                    looked: Looked::Run(peek),
                    record,
                    last,
                })
            }
        }
    }
}

/// A run as of this record, the record, and the number of the last one.
pub(crate) fn run_at(
    project: &Project,
    name: &RunName,
    seq: u64,
) -> Result<(Peek<Flow>, Entry, u64), EngineError> {
    let workflow = look::workflow_of(project, name)?;
    let mut machine = Flow::new(workflow.clone());
    let (head, record, last) = fold(project, name, seq, &mut |record| {
        machine.apply(&look::known(&workflow, record)?);
        Ok(())
    })?;
    Ok((Peek { machine, head }, record, last))
}

fn fold(
    project: &Project,
    name: &RunName,
    seq: u64,
    apply: &mut dyn FnMut(&RecordRef<'_>) -> Result<(), Objection>,
) -> Result<(Head, Entry, u64), EngineError> {
    let mut timeline = Timeline::default();
    let mut then = None;
    let read = Journal::read(&project.journals(), name, Replay::default(), |record| {
        if record.seq > seq {
            return Ok(());
        }
        apply(&record)?;
        let entry = timeline.tell(&record)?;
        if record.seq == seq {
            let hash = record.hash.to_owned();
            then = Some((Head { seq, hash }, entry));
        }
        Ok(())
    })?;
    let last = read.head.seq;
    let (head, entry) = then.ok_or_else(|| unknown_record(name.as_str(), seq, last))?;
    Ok((head, entry, last))
}

/// The refusal of a number that no record has.
fn unknown_record(run: &str, seq: u64, last: u64) -> EngineError {
    EngineError::user(
        "unknown_record",
        format!("`{run}` has no record {seq}: its last is {last}"),
        format!("`proofhouse log {run}` lists them with their numbers"),
    )
}
