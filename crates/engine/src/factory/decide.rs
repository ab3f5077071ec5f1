//! What is particular about a person's decision on a project: every option that the machine knows, each
//! with its payload. The way in is `crate::decision`, as for every other decision.
//!
//! It refuses words about a spec: whoever says those must mean the bytes that were shown (`speak`).

use super::opening::open;
use super::records::RecordWriter;
use super::views::Views;
use super::{fix, indexed};
use crate::decision::{self, Ask, Decidable, Decided};
use crate::session::lock;
use ::factory::machine::{AMEND, APPROVE, Factory, REJECT};
use approval::{Approved, Words, bound};
use kernel::{Decision, Input, Machine, What};
use store::Journal;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::Project;

/// Words about a spec, and the command that makes their payload of the spec itself.
const OF_SPECS: [(&str, &str); 3] = [(APPROVE, "approve"), (REJECT, "reject"), (AMEND, "amend")];

/// A payload that somebody wrote can name tasks that the spec does not have.
fn not_of_a_spec(ask: &Ask<'_>) -> Result<(), EngineError> {
    match OF_SPECS.iter().find(|(option, _)| *option == ask.option) {
        None => Ok(()),
        Some((option, command)) => Err(EngineError::user(
            "spec_not_by_decide",
            format!("`{option}` is about a spec, and its payload is made of what was shown"),
            format!("use `proofhouse factory {command} {}`", ask.name),
        )),
    }
}

/// The bytes that are to be signed.
pub(crate) fn decide_message(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    not_of_a_spec(ask)?;
    message_of(project, ask)
}

/// The same, for every word.
pub(super) fn message_of(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    let report::Peek { mut machine, head } = report::look::peek_project(project, ask.name)?;
    // Nobody is given words to sign that would be refused.
    kernel::settle(&mut machine, now(), What::Advance, &mut Vec::new())?;
    let decision = Decision {
        option: ask.option.to_owned(),
        because: ask.because.to_owned(),
        who: String::new(),
        channel: String::new(),
        seen_seq: head.seq,
        tree: String::new(),
        with: ask.with.clone(),
        signature: None,
    };
    machine.decide(&Input::new(now(), What::Decide(decision)))?;
    fix::may_stand(&project.home(), &machine, (ask.option, ask.with))?;
    Ok(approval::message(&Words {
        run: ask.name,
        seq: head.seq,
        head: &head.hash,
        tree: "",
        option: ask.option,
        because: &bound(ask.because, ask.about, ask.with),
    }))
}

/// Decides. `approve` is asked with the exact words before anything is written, and nothing is
/// written if the journal has moved on since.
pub(crate) fn decide(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    not_of_a_spec(ask)?;
    take(project, ask, approve)
}

/// The same, for every word.
pub(super) fn take(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    let (open, machine, _) = open(project, ask.name)?;
    let subject = OpenProject {
        project,
        name: ask.name,
        machine,
        journal: open.journal,
    };
    decision::take(project, subject, ask, approve)
}

/// A project that was opened for a person to decide about.
struct OpenProject<'a> {
    project: &'a Project,
    name: &'a str,
    machine: Factory,
    journal: Journal,
}

impl Decidable for OpenProject<'_> {
    type Machine = Factory;

    fn parts(&mut self) -> (&mut Factory, &mut Journal) {
        (&mut self.machine, &mut self.journal)
    }

    fn signed_as(&self) -> String {
        self.name.to_owned()
    }

    fn go_on(&self) -> String {
        format!("proofhouse factory run {}", self.name)
    }

    fn refuse(&self, ask: &Ask<'_>) -> Result<(), EngineError> {
        fix::may_stand(&self.project.home(), &self.machine, (ask.option, ask.with))
    }

    fn follow(&mut self) -> Result<(), EngineError> {
        if let Ok(_lock) = lock(self.project, self.name) {
            RecordWriter::open(self.project, self.name)?;
            Views::of(self.project).all(&self.machine)?;
            indexed::follow(self.project, &self.machine)?;
        }
        Ok(())
    }
}
