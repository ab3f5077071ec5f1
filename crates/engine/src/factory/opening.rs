//! A project's journal: whether there is one, read without a change, or opened to go on with it.

use crate::run::{first_named, latest, run_name};
use crate::world::Open;
use ::factory::NAME;
use ::factory::machine::{Fact, Factory};
use kernel::event::RunStarted;
use kernel::{Body, Event, Machine};
use store::{Checkpoint, Head, Journal, RecordRef, Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;

/// A project that is only looked at.
pub struct Peek {
    /// Its machine.
    pub machine: Factory,
    /// The journal's last record.
    pub head: Head,
}

/// The first record: what was started.
fn started(project: &Project, name: &RunName) -> Result<RunStarted, EngineError> {
    let mut started = None;
    Journal::read(&project.journals(), name, Replay::default(), |record| {
        if record.seq == 1
            && let Body::RunStarted(first) = crate::run::event(&record)?.body
        {
            started = Some(*first);
        }
        Ok(())
    })?;
    match started {
        Some(started) if started.workflow == NAME => Ok(started),
        _ => Err(EngineError::user(
            "not_of_the_factory",
            format!("`{name}` is a run, and no project of the factory"),
            "`proofhouse status` shows runs; `proofhouse factory start` begins a project",
        )),
    }
}

/// Is this a project of the factory? Its first record says so.
pub fn is_project(project: &Project, name: &str) -> bool {
    let named = run_name(project, name).and_then(|name| first_named(project, &name));
    named.is_ok_and(|workflow| workflow.as_deref() == Some(NAME))
}

/// The names of all projects of the factory here.
pub fn projects(project: &Project) -> Result<Vec<String>, EngineError> {
    let names = store::list(&project.journals())?.into_iter();
    let names = names.map(|name| name.to_string());
    Ok(names.filter(|name| is_project(project, name)).collect())
}

/// The name of a project, checked.
pub(super) fn begun(project: &Project, name: &str) -> Result<RunName, EngineError> {
    let name = run_name(project, name)?;
    started(project, &name)?;
    Ok(name)
}

fn begin(project: &Project, name: &RunName) -> Result<(Factory, Option<Checkpoint>), EngineError> {
    let mut machine = Factory::new();
    let checkpoint = Checkpoint::load(&project.journals(), name)?;
    // A checkpoint is a cache: one of another version's shape is as good as none.
    let checkpoint = checkpoint.filter(|checkpoint| machine.restore(&checkpoint.state).is_ok());
    if checkpoint.is_none() {
        machine = Factory::new();
    }
    Ok((machine, checkpoint))
}

/// Reads a project and changes nothing.
pub fn peek(project: &Project, name: &str) -> Result<Peek, EngineError> {
    let name = run_name(project, name)?;
    started(project, &name)?;
    let (mut machine, checkpoint) = begin(project, &name)?;
    let replay = Replay {
        from: checkpoint.as_ref(),
        not_after: Some(latest()),
    };
    let report = Journal::read(&project.journals(), &name, replay, |record| {
        machine.apply(&known(&record)?);
        Ok(())
    })?;
    Ok(Peek {
        machine,
        head: report.head,
    })
}

/// Opens a project to go on with it.
pub(super) fn open(
    project: &Project,
    name: &str,
) -> Result<(Open, Factory, RunStarted), EngineError> {
    let name = run_name(project, name)?;
    let first = started(project, &name)?;
    let (mut machine, checkpoint) = begin(project, &name)?;
    let replay = Replay {
        from: checkpoint.as_ref(),
        not_after: Some(latest()),
    };
    let opened = Journal::resume(&project.journals(), &name, replay, |record| {
        machine.apply(&known(&record)?);
        Ok(())
    })?;
    let open = Open {
        journal: opened.journal,
        torn: opened.torn,
    };
    Ok((open, machine, first))
}

/// A record as an event that the machine can stand on: a fact that it does not know is none.
pub(super) fn known(record: &RecordRef<'_>) -> Result<Event, String> {
    let event = crate::run::event(record)?;
    if let Body::Noted(note) = &event.body {
        Fact::read(note).map_err(|refusal| refusal.to_string())?;
    }
    Ok(event)
}
