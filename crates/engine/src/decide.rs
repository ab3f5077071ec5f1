//! A person's decision, from an approved word to a durable event.

use crate::approval::{Approved, Words};
use crate::driver::settle;
use crate::run::Run;
use crate::session;
use crate::views;
use kernel::{Body, Decision, Event, Input, Machine, Status, What};
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::secrets::Secrets;

/// What a decision led to.
#[derive(Debug)]
pub struct Decided {
    /// The run as it stands.
    pub status: Status,
    /// Has the engine something to do now?
    pub more: bool,
}

/// Decides. `approve` is asked with the exact words before anything is written, and nothing is
/// written if the journal has moved on since.
pub fn decide(
    project: &Project,
    run: &str,
    option: &str,
    because: &str,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided, EngineError> {
    let mut run = Run::open(project, run)?;
    // A decision that is on record and not carried out yet (a crash between the two) comes first;
    // otherwise this one would take its place.
    let mut due = Vec::new();
    settle::<_, EngineError>(&mut run.machine, now(), What::Advance, &mut due)?;
    if !due.is_empty() {
        run.append(&due)?;
    }
    // What stands in the header is part of what is decided about. It is refused or put on record first.
    let mut declared = Vec::new();
    if !session::is_driven(project, run.name.as_str())
        && let Some(what) = views::declarations(&run)?
    {
        settle::<_, EngineError>(&mut run.machine, now(), what, &mut declared)?;
        let mut bodies = declared.iter().map(|event| &event.body);
        if let Some(refusal) = bodies.find_map(|body| match body {
            Body::FieldsEdited(edited) => edited.refused.values().next(),
            _ => None,
        }) {
            return Err(refusal.clone().into());
        }
    }
    let decision = |approved: &Approved, seen_seq: u64| Decision {
        option: option.to_owned(),
        because: because.to_owned(),
        who: approved.who.clone(),
        channel: approved.channel.clone(),
        seen_seq,
        // Nothing that a person has not signed for; see `approval::message`.
        with: serde_json::Value::Null,
        signature: approved.signature.clone(),
    };
    // First whether it can be decided at all: nobody should sign what will be refused.
    let probe = Approved {
        who: String::new(),
        channel: String::new(),
        signature: None,
    };
    run.machine
        .decide(&Input::new(now(), What::Decide(decision(&probe, 0))))?;
    let with = decision(&probe, 0).with;
    Secrets::of(&project.config()?, project.repo()).refuse(because, &with)?;
    if !declared.is_empty() {
        run.append(&declared)?;
    }
    let head = run.journal.head().clone();
    let name = run.name.to_string();
    let words = Words {
        run: &name,
        seq: head.seq,
        head: &head.hash,
        option,
        because,
    };
    let approved = approve(&words)?;
    let shown = run.machine.declared();
    let mut events: Vec<Event> = Vec::new();
    settle::<_, EngineError>(
        &mut run.machine,
        now(),
        What::Decide(decision(&approved, head.seq)),
        &mut events,
    )?;
    run.append(&events)?;
    // An engine that drives the run writes the views itself when it hears of this.
    let name = run.name.as_str();
    if !session::is_driven(project, name)
        && let Ok(_lock) = session::lock(project, name)
    {
        views::refresh(&run, &[], &shown)?;
    }
    Ok(Decided {
        status: run.machine.status(),
        more: !run.machine.wanted().is_empty(),
    })
}
