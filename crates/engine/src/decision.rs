//! A person's decision, from an approved word to a durable fact: one way for runs, projects and
//! milestones, through the same channels.
//!
//! It does not ask anybody to sign what the machine would refuse, and writes nothing then. Views
//! follow the journal, which may have moved on while a person signed: then the word does not count,
//! and nothing has changed.

use crate::driver::DriveError;
use crate::run::entries;
use approval::{Approved, Words, bound};
use kernel::machine::Happening;
use kernel::{Decision, Input, Machine, Status};
use serde_json::Value;
use store::Journal;
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::secrets::Secrets;

/// What a person asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The run, the project or the milestone.
    pub name: &'a str,
    /// One of the machine's options.
    pub option: &'a str,
    /// What it is about, for whoever signs: an escalation, say.
    pub about: &'a str,
    /// What the option needs; null where it needs nothing.
    pub with: &'a Value,
    /// Why.
    pub because: &'a str,
}

/// What a decision led to.
#[derive(Debug)]
pub struct Decided<S = Status> {
    /// What was decided about.
    pub name: String,
    /// As it stands.
    pub status: S,
    /// Has the engine something to do now?
    pub more: bool,
    /// The command that goes on with it.
    pub go_on: String,
}

/// Something that was opened for a person to decide about.
pub(crate) trait Decidable {
    /// Its machine.
    type Machine: Machine;

    /// Its machine, and the journal that it stands on.
    fn parts(&mut self) -> (&mut Self::Machine, &mut Journal);
    /// The name under which people sign.
    fn signed_as(&self) -> String;
    /// The tree that is decided about, where there is one.
    fn tree(&self) -> String {
        String::new()
    }
    /// The command that goes on with it.
    fn go_on(&self) -> String;
    /// What has to be on record before anybody decides: a torn last line, say.
    fn due(&mut self) -> Vec<<Self::Machine as Machine>::What> {
        Vec::new()
    }
    /// Refuses what the machine itself cannot judge.
    fn refuse(&self, _: &Ask<'_>) -> Result<(), EngineError> {
        Ok(())
    }
    /// Refuses a word that came through a channel which does not do here.
    fn admits(&self, _: &Words<'_>, _: &Approved) -> Result<(), EngineError> {
        Ok(())
    }
    /// Writes the views anew, unless an engine drives it: that one does when it hears of the decision.
    fn follow(&mut self) -> Result<(), EngineError>;
}

/// Puts on record what has to be there before anybody decides, and what they sign names it. A decision that is on
/// record and not carried out yet (a crash between the two) comes first; otherwise theirs would take its place.
pub(crate) fn on_record<D: Decidable>(subject: &mut D) -> Result<(), EngineError> {
    let mut due = subject.due();
    due.push(Happening::advance());
    let mut events = Vec::new();
    let (machine, journal) = subject.parts();
    for what in due {
        let settled = kernel::settle(machine, now(), what, &mut events);
        settled.map_err(DriveError::<EngineError>::Refused)?;
    }
    if events.is_empty() {
        return Ok(());
    }
    journal.append(journal.head().seq, &entries(&events))?;
    // Whatever becomes of the decision, they say what the journal says.
    subject.follow()
}

/// Takes a person's word in.
pub(crate) fn take<D: Decidable>(
    project: &Project,
    mut subject: D,
    ask: &Ask<'_>,
    approve: impl FnOnce(&Words<'_>) -> Result<Approved, EngineError>,
) -> Result<Decided<<D::Machine as Machine>::Status>, EngineError> {
    on_record(&mut subject)?;
    let (_, journal) = subject.parts();
    let head = journal.head().clone();
    let tree = subject.tree();
    let (machine, _) = subject.parts();
    let decision = |because: &str, approved: &Approved| {
        Happening::decide(Decision {
            option: ask.option.to_owned(),
            because: because.to_owned(),
            who: approved.who.clone(),
            channel: approved.channel.clone(),
            seen_seq: head.seq,
            tree: tree.clone(),
            with: ask.with.clone(),
            signature: approved.signature.clone(),
        })
    };
    // First whether it can be decided at all: nobody should sign what will be refused. The bare
    // reason is asked about, so that an empty one is seen as such.
    let nobody = Approved {
        who: String::new(),
        channel: String::new(),
        signature: None,
    };
    machine.decide(&Input::new(now(), decision(ask.because, &nobody)))?;
    subject.refuse(ask)?;
    Secrets::of(&project.config()?, project.repo()).refuse(ask.because, ask.with)?;
    let because = bound(ask.because, ask.about, ask.with);
    let signed_as = subject.signed_as();
    let words = Words {
        run: &signed_as,
        seq: head.seq,
        head: &head.hash,
        tree: &tree,
        option: ask.option,
        because: &because,
    };
    let approved = approve(&words)?;
    subject.admits(&words, &approved)?;
    let (machine, journal) = subject.parts();
    let refused = DriveError::<EngineError>::Refused;
    let mut events = Vec::new();
    let decided = decision(&because, &approved);
    kernel::settle(machine, now(), decided, &mut events).map_err(refused)?;
    journal.append(head.seq, &entries(&events))?;
    subject.follow()?;
    let go_on = subject.go_on();
    let (machine, _) = subject.parts();
    Ok(Decided {
        name: ask.name.to_owned(),
        status: machine.status(),
        more: !machine.wanted().is_empty(),
        go_on,
    })
}
