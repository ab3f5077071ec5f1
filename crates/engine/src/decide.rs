//! Deciding about a run or a project, whichever the name is of. How a word becomes a fact is in
//! `decision.rs`, the same for all.

use crate::approval::{Approved, Words, bound};
use crate::decision::{Decidable, take};
use crate::factory;
use crate::run::Run;
use crate::session;
use store::Journal;
use workspace::error::EngineError;
use workspace::project::Project;

pub use crate::decision::{Ask, Decided};

/// The bytes that are to be signed.
pub fn message(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    if factory::is_project(project, ask.name) {
        return factory::decide_message(project, ask);
    }
    takes_no_payload(ask)?;
    let head = Run::peek(project, ask.name)?.head;
    Ok(crate::approval::message(&Words {
        run: ask.name,
        seq: head.seq,
        head: &head.hash,
        option: ask.option,
        because: &bound(ask.because, ask.about, ask.with),
    }))
}

/// Decides about a run or a project. `approve` is asked with the exact words before anything is
/// written, and nothing is written if the journal has moved on since.
pub fn decide(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    if factory::is_project(project, ask.name) {
        return factory::decide(project, ask, approve);
    }
    take(project, Run::open(project, ask.name)?, ask, approve)
}

fn takes_no_payload(ask: &Ask<'_>) -> Result<(), EngineError> {
    if ask.with.is_null() {
        return Ok(());
    }
    Err(EngineError::user(
        "payload_not_taken",
        format!("`{}` is a run, and its options take no payload", ask.name),
        "leave `--payload` out; what the run should know goes into `--because`",
    ))
}

impl Decidable for Run {
    type Machine = flow::Flow;

    fn parts(&mut self) -> (&mut flow::Flow, &mut Journal) {
        (&mut self.machine, &mut self.journal)
    }

    fn signed_as(&self) -> String {
        self.name.to_string()
    }

    fn go_on(&self) -> String {
        format!("proofhouse run {}", self.name)
    }

    fn refuse(&self, ask: &Ask<'_>) -> Result<(), EngineError> {
        takes_no_payload(ask)
    }

    fn follow(&mut self) -> Result<(), EngineError> {
        let name = self.name.as_str();
        if !session::is_driven(&self.project, name)
            && let Ok(_lock) = session::lock(&self.project, name)
        {
            crate::views::refresh(self)?;
        }
        Ok(())
    }
}
