//! Opening a project of the factory, and driving it for real.

use super::NAME;
use super::craft::{Making, known};
use super::indexed;
use super::records::Keeper;
use super::views::Views;
use super::{roles, tools};
use crate::driver::{Ending, Until, drive as run_loop};
use crate::run::{first_named, latest, run_name};
use crate::session::{Ended, Restore, Session, clean, lock};
use crate::world::{Interrupter, Observer, Open, Real, now};
use ::factory::machine::Factory;
use kernel::event::RunStarted;
use kernel::machine::Activity;
use kernel::{Body, Input, Machine, What};
use store::{Checkpoint, Head, Journal, Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;

/// A project that is only looked at.
pub struct Peek {
    /// Its machine.
    pub machine: Factory,
    /// The journal's last record.
    pub head: Head,
}

/// What a session needs besides the project.
pub struct Driving<'a> {
    /// The repository.
    pub project: &'a Project,
    /// The project's name.
    pub name: &'a str,
    /// The agent, if the person names another one than the start did.
    pub agent: Option<&'a str>,
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
        name,
        journal: opened.journal,
        torn: opened.torn,
    };
    Ok((open, machine, first))
}

/// Drives a project until it rests. `hook` gets the means to interrupt it.
pub fn drive(
    driving: &Driving<'_>,
    observer: &mut dyn Observer,
    hook: &dyn Fn(Interrupter),
) -> Result<Ended, EngineError> {
    run_name(driving.project, driving.name)?;
    let _lock = lock(driving.project, driving.name)?;
    loop {
        match once(driving, observer, hook) {
            // A person decided while we were about to write: read it and go on from there.
            Err(error) if error.code == "journal_conflict" => {
                observer.notice("the journal was appended to by another process; reading it again");
            }
            other => return other,
        }
    }
}

fn once(
    driving: &Driving<'_>,
    observer: &mut dyn Observer,
    hook: &dyn Fn(Interrupter),
) -> Result<Ended, EngineError> {
    let Driving {
        project,
        name,
        agent,
    } = driving;
    let (open, mut machine, first) = open(project, name)?;
    let settled = machine.decide(&Input::new(now(), What::Advance));
    let idle = settled.is_ok_and(|events| events.is_empty())
        && machine.wanted().is_empty()
        && machine.status().in_flight.is_empty();
    let views = Views::of(project);
    if idle && open.torn.is_none() {
        Keeper::open(project, name)?;
        views.all(&machine)?;
        let status = machine.status();
        return Ok(Ended {
            ending: Ending::Rested,
            status,
        });
    }
    let session = Session {
        project,
        run: name,
        agent: *agent,
        built: None,
        until: Until::Rest,
        restore: Restore::No,
    };
    let offered = tools::all(project, &project.config()?)?;
    let agents = session.agents(&roles::workflow(), &first.agent, &offered)?;
    // What an earlier life left unwritten comes first: roles read task files, people read records.
    let keeper = Keeper::open(project, name)?;
    views.all(&machine)?;
    let craft = Making::of(project, &first, agents, keeper)?;
    let mut world = Real::of(open, craft, observer);
    hook(world.interrupter());
    let ending = run_loop(&mut machine, &mut world, Until::Rest);
    drop(world);
    // The last moment is never left out, however it ended.
    views.all(&machine)?;
    indexed::follow(project, &machine)?;
    let ending = ending?;
    let status = machine.status();
    if status.activity == Activity::Done {
        clean(project, name);
    }
    Ok(Ended { ending, status })
}
