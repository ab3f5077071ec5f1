//! A person's decision, from an approved word to a durable event.

use crate::approval::{Approved, Words};
use crate::driver::settle;
use crate::run::Run;
use crate::session;
use kernel::{Decision, Event, Input, Machine, Status, What};
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
    let head = run.journal.head().clone();
    let decision = |approved: &Approved| Decision {
        option: option.to_owned(),
        because: because.to_owned(),
        who: approved.who.clone(),
        channel: approved.channel.clone(),
        seen_seq: head.seq,
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
        .decide(&Input::new(now(), What::Decide(decision(&probe))))?;
    Secrets::of(&project.config()?, project.repo()).refuse(because, &decision(&probe).with)?;
    let name = run.name.to_string();
    let words = Words {
        run: &name,
        seq: head.seq,
        head: &head.hash,
        option,
        because,
    };
    let approved = approve(&words)?;
    let mut events: Vec<Event> = Vec::new();
    settle::<_, EngineError>(
        &mut run.machine,
        now(),
        What::Decide(decision(&approved)),
        &mut events,
    )?;
    run.append(&events)?;
    // An engine that drives the run writes the views itself when it hears of this.
    let name = run.name.as_str();
    if !session::is_driven(project, name)
        && let Ok(_lock) = session::lock(project, name)
    {
        crate::views::refresh(&run)?;
    }
    Ok(Decided {
        status: run.machine.status(),
        more: !run.machine.wanted().is_empty(),
    })
}
