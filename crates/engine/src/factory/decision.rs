//! A person's word about a project, from the channel to the journal: judged first, then approved,
//! then written. It refuses to let anybody sign what the machine would refuse.

use super::session::open;
use super::views::Views;
use crate::approval::{Approved, Words};
use crate::driver::settle;
use crate::error::EngineError;
use crate::project::Project;
use crate::run::entries;
use crate::session::lock;
use crate::world::now;
use kernel::{Decision, Input, Machine, Status, What};
use serde_json::Value;

/// What is decided.
pub(super) struct Word<'a> {
    pub(super) option: &'a str,
    pub(super) because: &'a str,
    pub(super) with: Value,
}

/// What a decision led to.
#[derive(Debug)]
pub struct Resolved {
    /// The project.
    pub name: String,
    /// As it stands.
    pub status: Status,
}

/// Takes a decision in. `approve` is asked with the exact words before anything is written, and
/// `ready` makes ready what must be there before the journal says that it is decided.
pub(super) fn take(
    project: &Project,
    name: &str,
    word: Word<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
    ready: impl FnOnce() -> Result<(), EngineError>,
) -> Result<Resolved, EngineError> {
    let (mut open, mut machine, _) = open(project, name)?;
    let mut due = Vec::new();
    settle::<_, EngineError>(&mut machine, now(), What::Advance, &mut due)?;
    if !due.is_empty() {
        open.journal
            .append(open.journal.head().seq, &entries(&due))?;
    }
    let head = open.journal.head().clone();
    let decision = |approved: &Approved| Decision {
        option: word.option.to_owned(),
        because: word.because.to_owned(),
        who: approved.who.clone(),
        channel: approved.channel.clone(),
        seen_seq: head.seq,
        with: word.with.clone(),
        signature: approved.signature.clone(),
    };
    // First whether it can be decided at all: nobody should sign what will be refused.
    let nobody = Approved {
        who: String::new(),
        channel: String::new(),
        signature: None,
    };
    machine.decide(&Input::new(now(), What::Decide(decision(&nobody))))?;
    let approved = approve(&Words {
        run: name,
        seq: head.seq,
        head: &head.hash,
        option: word.option,
        because: word.because,
    })?;
    ready()?;
    let mut events = Vec::new();
    settle::<_, EngineError>(
        &mut machine,
        now(),
        What::Decide(decision(&approved)),
        &mut events,
    )?;
    open.journal.append(head.seq, &entries(&events))?;
    // An engine that drives the project writes the views itself when it hears of this.
    if let Ok(_lock) = lock(project, name) {
        Views::of(&project.home()).all(&machine)?;
    }
    Ok(Resolved {
        name: name.to_owned(),
        status: machine.status(),
    })
}
