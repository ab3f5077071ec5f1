//! Opening a project of the factory, and driving it for real.

use super::adapter::ProjectAdapter;
use super::opening::open;
use super::records::RecordWriter;
use super::views::Views;
use super::{assembled, elsewhere, indexed};
use super::{roles, tools};
use crate::driver::{Ending, Until, drive as run_loop};
use crate::session::{Ended, Restore, Session, clean, lock};
use crate::world::{Interrupter, Observer, Real};
use ::factory::machine::Factory;
use kernel::machine::Activity;
use kernel::{Input, Machine, What};
use report::look;
use workspace::clock::now;
use workspace::error::{EngineError, Kind};
use workspace::project::Project;

/// What a session needs besides the project.
pub struct Driving<'a> {
    /// The repository.
    pub project: &'a Project,
    /// The project's name.
    pub name: &'a str,
    /// The agent, if the person names another one than the start did.
    pub agent: Option<&'a str>,
}

/// Drives a project until it rests. `hook` gets the means to interrupt it.
pub fn drive(
    driving: &Driving<'_>,
    observer: &mut dyn Observer,
    hook: &dyn Fn(Interrupter),
) -> Result<Ended, EngineError> {
    look::run_name(driving.project, driving.name)?;
    driving.project.read_approvers()?;
    let _lock = lock(driving.project, driving.name)?;
    workspace::limits::suffice()?;
    workspace::trust::hold(driving.project, &driving.project.config()?)?;
    crate::setup::hold(driving.project)?;
    loop {
        match once(driving, observer, hook) {
            // A person decided while we were about to write: read it and go on from there.
            Err(error) if error.kind == Kind::JournalConflict => {
                observer.notice("the journal was appended to by another process; reading it again");
            }
            other => return other,
        }
    }
}

/// What was asked of its modules joins the other evidence when it is over. What cannot be opened stays for the
/// next time.
fn unseal(project: &Project, name: &str, machine: &Factory) {
    if matches!(
        machine.status().activity,
        Activity::Done | Activity::Stopped
    ) {
        let _ = workspace::sealed::open(project, name);
    }
}

/// What cannot be shared is not missed here.
fn share(project: &Project, machine: &Factory, observer: &mut dyn Observer) {
    if let Err(broke) = elsewhere::share(project, machine) {
        observer.notice(&format!("what is released is not shared: {}", broke.reason));
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
        unseal(project, name, &machine);
        RecordWriter::open(project, name)?;
        views.all(&machine)?;
        assembled::follow(project, name, &machine)?;
        share(project, &machine, observer);
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
    let config = project.config()?;
    let roles = roles::workflow();
    let offered = tools::all(project, &config)?;
    let by_role = workspace::agent::by_role(&roles, &config, session.named(&first.agent));
    crate::guest::none(&by_role, "a project of the factory")?;
    let agents = session.agents(&roles, &first.agent, &offered)?;
    // What an earlier life left unwritten comes first: roles read task files, people read records.
    let writer = RecordWriter::open(project, name)?;
    views.all(&machine)?;
    let adapter = ProjectAdapter::of(project, &first, agents, writer)?;
    let mut world = Real::of(open, adapter, observer);
    hook(world.interrupter());
    let ending = run_loop(&mut machine, &mut world, Until::Rest);
    drop(world);
    // The last moment is never left out, however it ended.
    views.all(&machine)?;
    indexed::follow(project, &machine)?;
    assembled::follow(project, name, &machine)?;
    share(project, &machine, observer);
    let ending = ending?;
    let status = machine.status();
    unseal(project, name, &machine);
    if status.activity == Activity::Done {
        clean(project, name);
    }
    Ok(Ended { ending, status })
}
