//! A person's decision on a project, from an approved word to a durable event: every option that the
//! machine knows, each with its payload, through the channels of every other decision.
//!
//! It refuses to ask anybody to sign what the machine would refuse, and writes nothing then. It
//! refuses words about a spec: whoever says those must mean the bytes that were shown (`speak`).

use super::opening::{open, peek};
use super::records::Keeper;
use super::views::Views;
use super::{fix, indexed};
use crate::approval::{Approved, Words, bound};
use crate::driver::settle;
use crate::run::entries;
use crate::session::lock;
use ::factory::machine::{AMEND, APPROVE, REJECT};
use kernel::{Decision, Input, Machine, Status, What};
use serde_json::Value;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::secrets::Secrets;

/// What a person asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The project.
    pub name: &'a str,
    /// One of the machine's options.
    pub option: &'a str,
    /// What it is about, for whoever signs: an escalation, say.
    pub about: &'a str,
    /// What the option needs.
    pub with: &'a Value,
    /// Why.
    pub because: &'a str,
}

/// What a decision led to.
#[derive(Debug)]
pub struct Resolved {
    /// The project.
    pub name: String,
    /// As it stands.
    pub status: Status,
}

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
pub fn decide_message(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    not_of_a_spec(ask)?;
    message_of(project, ask)
}

/// The same, for every word.
pub(super) fn message_of(project: &Project, ask: &Ask<'_>) -> Result<Vec<u8>, EngineError> {
    let head = peek(project, ask.name)?.head;
    Ok(crate::approval::message(&Words {
        run: ask.name,
        seq: head.seq,
        head: &head.hash,
        option: ask.option,
        because: &bound(ask.because, ask.about, ask.with),
    }))
}

/// Decides. `approve` is asked with the exact words before anything is written, and nothing is
/// written if the journal has moved on since.
pub fn decide(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Resolved, EngineError> {
    not_of_a_spec(ask)?;
    take(project, ask, approve)
}

/// The same, for every word. Files are written after the journal, which may have moved on while a
/// person signed: then the word does not count, and nothing may have changed.
pub(super) fn take(
    project: &Project,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Resolved, EngineError> {
    let (mut open, mut machine, _) = open(project, ask.name)?;
    // A decision that is on record and not carried out yet (a crash between the two) comes first.
    let mut due = Vec::new();
    settle::<_, EngineError>(&mut machine, now(), What::Advance, &mut due)?;
    if !due.is_empty() {
        open.journal
            .append(open.journal.head().seq, &entries(&due))?;
    }
    let head = open.journal.head().clone();
    let decision = |because: &str, approved: &Approved| Decision {
        option: ask.option.to_owned(),
        because: because.to_owned(),
        who: approved.who.clone(),
        channel: approved.channel.clone(),
        seen_seq: head.seq,
        with: ask.with.clone(),
        signature: approved.signature.clone(),
    };
    // First whether it can be decided at all: nobody should sign what will be refused. The bare
    // reason is asked about, so that an empty one is seen as such.
    let nobody = Approved {
        who: String::new(),
        channel: String::new(),
        signature: None,
    };
    let probe = decision(ask.because, &nobody);
    machine.decide(&Input::new(now(), What::Decide(probe)))?;
    fix::may_stand(&project.home(), &machine, (ask.option, ask.with))?;
    Secrets::of(&project.config()?, project.repo()).refuse(ask.because, ask.with)?;
    let because = bound(ask.because, ask.about, ask.with);
    let approved = approve(&Words {
        run: ask.name,
        seq: head.seq,
        head: &head.hash,
        option: ask.option,
        because: &because,
    })?;
    let mut events = Vec::new();
    let decided = What::Decide(decision(&because, &approved));
    settle::<_, EngineError>(&mut machine, now(), decided, &mut events)?;
    open.journal.append(head.seq, &entries(&events))?;
    // An engine that drives the project writes the views itself when it hears of this.
    if let Ok(_lock) = lock(project, ask.name) {
        Keeper::open(project, ask.name)?;
        Views::of(project).all(&machine)?;
        indexed::follow(project, &machine)?;
    }
    Ok(Resolved {
        name: ask.name.to_owned(),
        status: machine.status(),
    })
}
