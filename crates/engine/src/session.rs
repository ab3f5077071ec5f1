//! Driving a run for real: one engine at a time, from opening to a rest.

use crate::driver::{Ending, Until, drive, settle};
use crate::run::Run;
use crate::run_adapter::RunAdapter;
use crate::world::{Interrupter, Observer, Open, Real};
use agents::Agent;
use flow::{Flow, Workflow};
use kernel::machine::Activity;
use kernel::{Actor, Input, Machine, Status, Target, What};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use workspace::agent::Offered;
use workspace::context::Context;
use workspace::error::{EngineError, Kind};
use workspace::lock::{self, Lock};
use workspace::project::Project;
use workspace::records;

/// How a session ended.
#[derive(Debug)]
pub struct Ended {
    /// Why the loop stopped.
    pub ending: Ending,
    /// The run as it stands.
    pub status: Status,
}

/// What a session needs besides the run.
pub struct Session<'a> {
    pub project: &'a Project,
    pub run: &'a str,
    /// The agent, if the person names another one than the run does.
    pub agent: Option<&'a str>,
    /// An agent that is already built; the demo's.
    pub built: Option<Arc<dyn Agent>>,
    pub until: Until,
    /// Write the state file anew first.
    pub restore: Restore,
}

/// Whether views are written anew before the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// As they are.
    No,
    /// Anew, from the journal.
    Views,
}

/// Takes the run's lock.
pub fn lock(project: &Project, run: &str) -> Result<Lock, EngineError> {
    lock::drive(&project.work(run))?.ok_or_else(|| {
        EngineError::user(
            "run_busy",
            format!("another Proofhouse drives the run `{run}` right now"),
            format!(
                "`proofhouse attach {run}` shows what it does, `proofhouse stop {run}` ends it"
            ),
        )
        .of_kind(Kind::RunBusy)
    })
}

fn restore(context: &Context, run: &Run, observer: &mut dyn Observer) -> Result<(), EngineError> {
    if let Some(kept) = report::views::restore(context, &run.machine)? {
        observer.notice(&format!("the old state file is kept as {}", kept.display()));
    }
    Ok(())
}

/// Removes the scratch of a run that is done: copies, raw answers, briefs. What matters of them is in
/// the journal and the vault.
pub fn clean(project: &Project, run: &str) {
    // What is sealed is evidence; where it cannot be opened, it stays for the next time.
    if workspace::sealed::open(project, run).is_err() {
        return;
    }
    for entry in std::fs::read_dir(project.work(run))
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry.path().is_dir() {
            // Scratch that stays is untidy, not wrong.
            let _ = store::remove_tree(&entry.path());
        }
    }
    workspace::room::tidy(project);
}

/// Nobody looks on.
struct Nobody;

impl Observer for Nobody {
    fn event(&mut self, _: &kernel::Event) {}

    fn tick(&mut self, _: &dyn Fn() -> crate::world::Gauges) {}

    fn progress(&mut self, _: &str) {}

    fn notice(&mut self, _: &str) {}
}

/// Puts on record what passed last, in a run that is over by a person's word and was driven by nobody
/// then: what they approved is what can be landed.
pub fn finish(project: &Project, run: &str) -> Result<(), EngineError> {
    let machine = report::look::peek_run(project, run)?.machine;
    if machine.status().activity != Activity::Done || machine.wanted().is_empty() {
        return Ok(());
    }
    let session = Session {
        project,
        run,
        agent: None,
        built: None,
        until: Until::Rest,
        restore: Restore::No,
    };
    session.drive(&mut Nobody, &|_| {}).map(drop)
}

impl Session<'_> {
    /// Drives the run until it rests. `hook` gets the means to interrupt it.
    pub fn drive(
        &self,
        observer: &mut dyn Observer,
        hook: &dyn Fn(Interrupter),
    ) -> Result<Ended, EngineError> {
        report::look::run_name(self.project, self.run)?;
        // Work for a person whose word could not be told from another's is not begun.
        self.project.read_approvers()?;
        let _lock = lock(self.project, self.run)?;
        loop {
            match self.once(observer, hook) {
                // A person decided while we were about to write: read it and go on from there.
                Err(error) if error.kind == Kind::JournalConflict => {
                    observer
                        .notice("the journal was appended to by another process; reading it again");
                }
                Err(error) => return Err(error),
                Ok(ended) => {
                    if matches!(ended.status.activity, Activity::Done | Activity::Stopped) {
                        workspace::sealed::open(self.project, self.run)?;
                    }
                    if let Some(why) = records::keep_where_due(self.project, self.run) {
                        observer.notice(&why);
                    }
                    return Ok(ended);
                }
            }
        }
    }

    fn once(
        &self,
        observer: &mut dyn Observer,
        hook: &dyn Fn(Interrupter),
    ) -> Result<Ended, EngineError> {
        let mut run = Run::open(self.project, self.run)?;
        let started = run.machine.started().cloned().ok_or_else(|| {
            EngineError::environment(
                "journal_corrupt",
                format!("the journal of `{}` holds no `run_started`", self.run),
                "restore it from a commit",
            )
        })?;
        approval::listed(self.project, &started)?;
        let workflow = run.machine.workflow().clone();
        if workflow.hash != started.workflow_hash {
            observer.notice(&format!(
                "the workflow `{}` has changed since this run began; the run goes on with today's",
                workflow.name
            ));
            self.project.keep_workflow(&workflow)?;
        }
        // Nothing to do: no session, and no need for an agent.
        let at = workspace::clock::now();
        let settled = run
            .machine
            .decide(&Input::new(at, What::Advance))
            .is_ok_and(|events| events.is_empty());
        if settled
            && run.torn.is_none()
            && run.machine.wanted().is_empty()
            && run.machine.status().in_flight.is_empty()
        {
            if self.restore == Restore::Views {
                let context = Context::of(&run.project, &workflow, &started, BTreeMap::new())?;
                restore(&context, &run, observer)?;
            }
            let mut declared = Vec::new();
            if let Some(what) = report::views::declarations(&run.project, &run.machine)? {
                settle::<_, EngineError>(&mut run.machine, at, what, &mut declared)?;
                run.append(&declared)?;
                declared.iter().for_each(|event| observer.event(event));
            }
            let mut shown = run.machine.declared();
            if let Some((name, asked)) = report::views::asked_too_late(&run.project, &run.machine)?
            {
                observer.notice(&format!(
                    "`{name}: {asked}` was not taken: the run is over; start another run for more"
                ));
                shown.insert(name, asked);
            }
            // The views are ours to mend, also when there is nothing else to do.
            let head = run.journal.head();
            report::views::refresh(&run.project, &run.machine, head, &declared, &shown)?;
            return Ok(Ended {
                ending: Ending::Rested,
                status: run.machine.status(),
            });
        }
        if let Some(own) = &started.own_tree {
            let made = run.machine.last_commit().unwrap_or(&own.base);
            workspace::worktree::stand_again(self.project, self.run, own, made)?;
            run.project = self.project.of_run(self.run);
        }
        workspace::limits::suffice()?;
        workspace::trust::hold(self.project, &self.project.config()?)?;
        crate::setup::hold(self.project)?;
        workspace::view::clear_for_git(run.project.repo())?;
        let config = self.project.config()?;
        let by_role = workspace::agent::by_role(&workflow, &config, self.named(&started.agent));
        crate::guest::hold(&workflow, &by_role, &started)?;
        let agents = self.agents(&workflow, &started.agent, &Offered::new())?;
        able(&run.machine, &agents)?;
        let context = Context::of(&run.project, &workflow, &started, agents)?;
        if self.restore == Restore::Views {
            restore(&context, &run, observer)?;
        }
        let adapter = RunAdapter::of(context, &run.machine)?;
        let open = Open {
            journal: run.journal,
            torn: run.torn,
        };
        let mut machine = run.machine;
        let mut world = Real::of(open, adapter, observer);
        hook(world.interrupter());
        let ending = drive(&mut machine, &mut world, self.until)?;
        drop(world);
        if machine.status().activity == Activity::Done {
            clean(self.project, self.run);
        }
        Ok(Ended {
            ending,
            status: machine.status(),
        })
    }

    /// The agent of every role, where somebody names one for all.
    pub(crate) fn named<'a>(&'a self, started: &'a str) -> Option<&'a str> {
        self.agent.or((!started.is_empty()).then_some(started))
    }

    /// An agent for every role: the one that the person names, the run's own, or the config's; with
    /// those of the offered tools that the role has.
    pub(crate) fn agents(
        &self,
        workflow: &Workflow,
        started: &str,
        offered: &Offered,
    ) -> Result<BTreeMap<String, Arc<dyn Agent>>, EngineError> {
        let config = self.project.config()?;
        let named = self.named(started);
        if let Some(agent) = &self.built {
            let roles = workflow.roles.keys();
            return Ok(roles.map(|role| (role.clone(), agent.clone())).collect());
        }
        let texts = workspace::agent::staffed(workflow, &config, named)?;
        // Roles share a connector, unless they have other tools.
        let mut built: BTreeMap<(&str, &[String]), Arc<dyn Agent>> = BTreeMap::new();
        let mut agents = BTreeMap::new();
        for (role, text) in texts {
            let names = workflow.roles[role].tools.as_slice();
            let agent = match built.entry((text, names)) {
                Entry::Occupied(built) => built.get().clone(),
                Entry::Vacant(place) => {
                    let spec = workspace::agent::spec(self.project, &config, text)?;
                    let agent =
                        spec.build_with(workspace::agent::tools(workflow, offered, names))?;
                    place.insert(Arc::from(agent)).clone()
                }
            };
            agents.insert(role.to_owned(), agent);
        }
        Ok(agents)
    }
}

/// Refuses a run before anything of it is made, if nobody who would work first could be started.
pub fn could_begin(
    project: &Project,
    workflow: &Arc<Workflow>,
    agent: Option<&str>,
) -> Result<(), EngineError> {
    let session = Session {
        project,
        run: "",
        agent,
        built: None,
        until: Until::Rest,
        restore: Restore::No,
    };
    let agents = session.agents(workflow, "", &Offered::new())?;
    able(&Flow::new(workflow.clone()), &agents)
}

/// The name of the connector whose program is a person's own command.
const COMMAND: &str = "command";

/// Refuses to begin where whoever works next cannot even be started: an attempt would be counted for it.
fn able(machine: &Flow, agents: &BTreeMap<String, Arc<dyn Agent>>) -> Result<(), EngineError> {
    // What is in flight may have ended, and needs nobody to be heard.
    if !machine.status().in_flight.is_empty() {
        return Ok(());
    }
    let lacking = next_roles(machine);
    let lacking = lacking.iter().map(|role| {
        let agent = agents.get(*role)?;
        Some((agent.name(), agent.lacks()?))
    });
    let lacking: Option<Vec<(&str, String)>> = lacking.collect();
    match lacking.as_deref() {
        Some([(name, why), ..]) => {
            let (what, mend) = why.split_once("; ").unwrap_or((why, "install it"));
            let mend = format!("{mend}; or name another with `--agent`");
            // A command is what a person wrote: the machine lacks nothing by it.
            Err(match *name == COMMAND {
                true => EngineError::user("agent_command", what, mend),
                false => EngineError::environment("agent_missing", what, mend),
            })
        }
        _ => Ok(()),
    }
}

/// Who may work next from where a run stands: gates on the way decide which of them.
fn next_roles(machine: &Flow) -> BTreeSet<&str> {
    let workflow = machine.workflow();
    let mut roles = BTreeSet::new();
    let (mut seen, mut ahead) = (BTreeSet::new(), vec![&machine.position().state]);
    while let Some(state) = ahead.pop() {
        if !seen.insert(state) {
            continue;
        }
        if let Some(role) = &workflow.states[state].role {
            roles.insert(role.as_str());
            continue;
        }
        let ways = workflow.table.leaving(state);
        let ways = ways.filter(|(_, way)| way.by != Actor::Human);
        ahead.extend(ways.filter_map(|(_, way)| match &way.to {
            Target::State(to) => Some(to),
            Target::Return => None,
        }));
    }
    roles
}
