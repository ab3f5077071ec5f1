//! A project's journal, opened to go on with it.

use crate::world::Open;
use ::factory::NAME;
use ::factory::machine::Factory;
use kernel::event::RunStarted;
use kernel::{Body, Machine};
use report::look;
use store::{Journal, Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;

/// The first record: what was started.
fn started(project: &Project, name: &RunName) -> Result<RunStarted, EngineError> {
    let mut started = None;
    Journal::read(&project.journals(), name, Replay::default(), |record| {
        if record.seq == 1
            && let Body::RunStarted(first) = look::event(&record)?.body
        {
            started = Some(*first);
        }
        Ok(())
    })?;
    match started {
        Some(started) if started.workflow == NAME => Ok(started),
        _ => Err(look::not_of_the_factory(name)),
    }
}

/// The name of a project, checked.
pub(super) fn begun(project: &Project, name: &str) -> Result<RunName, EngineError> {
    let name = look::run_name(project, name)?;
    started(project, &name)?;
    Ok(name)
}

/// Opens a project to go on with it.
pub(super) fn open(
    project: &Project,
    name: &str,
) -> Result<(Open, Factory, RunStarted), EngineError> {
    let name = look::run_name(project, name)?;
    let first = started(project, &name)?;
    let (mut machine, checkpoint) = look::begin_project(project, &name)?;
    let replay = Replay {
        from: checkpoint.as_ref(),
        not_after: None,
    };
    let opened = Journal::resume(&project.journals(), &name, replay, |record| {
        machine.apply(&look::known_fact(&record)?);
        Ok(())
    })?;
    let open = Open {
        journal: opened.journal,
        torn: opened.torn,
    };
    Ok((open, machine, first))
}
