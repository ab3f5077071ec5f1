//! A run or a project as its journal says it: looked at, never opened to write. It refuses a record
//! that the machine of today cannot stand on, and answers a wrong name with the names that exist.

use factory::NAME as FACTORY;
use factory::machine::{Fact, Factory};
use flow::{Flow, Workflow};
use kernel::{Body, Event, Machine, Status, Stored, Time};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Checkpoint, Head, Journal, Objection, RecordRef, Replay, RunName};
use workspace::records::first_body;
use workspace::{EngineError, Project};

/// A machine as of the journal's last record.
pub struct Peek<M> {
    pub machine: M,
    /// The journal's last record.
    pub head: Head,
}

/// Whatever a journal is of.
// One at a time is looked at, and never a list of them: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Looked {
    /// A run of a workflow.
    Run(Peek<Flow>),
    /// A project of the factory.
    Project(Peek<Factory>),
}

impl Looked {
    /// Where it stands.
    pub fn status(&self) -> Status {
        match self {
            Looked::Run(peek) => peek.machine.status(),
            Looked::Project(peek) => peek.machine.status(),
        }
    }

    /// The journal's last record.
    pub fn head(&self) -> &Head {
        match self {
            Looked::Run(peek) => &peek.head,
            Looked::Project(peek) => &peek.head,
        }
    }
}

/// Looks at a run or a project, whichever has this name.
pub fn look(project: &Project, name: &str) -> Result<Looked, EngineError> {
    let name = run_name(project, name)?;
    of_this_run(project, &name)?;
    match first_named(project, &name)?.as_deref() {
        Some(FACTORY) => Ok(Looked::Project(peek_project(project, name.as_str())?)),
        _ => Ok(Looked::Run(peek_run(project, name.as_str())?)),
    }
}

/// Refuses a journal that lies under another run's name: whoever looks at one run and decides about another would
/// be deceived.
pub fn of_this_run(project: &Project, name: &RunName) -> Result<(), EngineError> {
    let first = first_body(project, name)?;
    let says = first.as_ref().and_then(|body| body["run"].as_str());
    match says {
        Some(says) if says != name.as_str() => Err(EngineError::environment(
            "journal_of_another",
            format!("the journal `{name}.jsonl` is the one of `{says}`"),
            "put it back under its own name; `proofhouse audit` says what else is wrong",
        )),
        _ => Ok(()),
    }
}

/// A name, and what can be seen of it.
pub type Listed = (String, Result<Looked, EngineError>);

/// Every run and project of a repository, those that cannot be read with their error.
pub fn all(project: &Project) -> Result<Vec<Listed>, EngineError> {
    let names = store::list(&project.journals())?.into_iter();
    Ok(names
        .map(|name| (name.to_string(), look(project, name.as_str())))
        .collect())
}

/// Looks at a run of a workflow.
pub fn peek_run(project: &Project, name: &str) -> Result<Peek<Flow>, EngineError> {
    let name = run_name(project, name)?;
    let workflow = workflow_of(project, &name)?;
    let (mut machine, checkpoint) = begin_run(project, &name, &workflow)?;
    let head = replay(project, &name, checkpoint.as_ref(), &mut |record| {
        machine.apply(&known(&workflow, &record)?);
        Ok(())
    })?;
    Ok(Peek { machine, head })
}

/// Looks at a project of the factory.
pub fn peek_project(project: &Project, name: &str) -> Result<Peek<Factory>, EngineError> {
    let name = run_name(project, name)?;
    of_the_factory(project, &name)?;
    let (mut machine, checkpoint) = begin_project(project, &name)?;
    let head = replay(project, &name, checkpoint.as_ref(), &mut |record| {
        machine.apply(&known_fact(&record)?);
        Ok(())
    })?;
    Ok(Peek { machine, head })
}

fn replay(
    project: &Project,
    name: &RunName,
    from: Option<&Checkpoint>,
    visit: &mut dyn FnMut(RecordRef<'_>) -> Result<(), Objection>,
) -> Result<Head, EngineError> {
    let replay = Replay {
        from,
        not_after: None,
    };
    Ok(Journal::read(&project.journals(), name, replay, visit)?.head)
}

/// The latest date that an audit takes without a note: clocks of different machines disagree a little.
/// No date keeps a journal from being read.
pub fn latest() -> Time {
    Time(workspace::clock::now().0.saturating_add(86_400_000))
}

/// A stored record as an event of a run.
pub fn event(record: &RecordRef<'_>) -> Result<Event, Objection> {
    stored(record)
}

/// A stored record as an event of any machine.
pub fn stored<F: Stored>(record: &RecordRef<'_>) -> Result<Event<F>, Objection> {
    let body = F::decode(record.kind, record.body.get())?;
    Ok(Event {
        at: record.at,
        body,
    })
}

/// A record as an event that this workflow can stand on.
pub fn known(workflow: &Workflow, record: &RecordRef<'_>) -> Result<Event, Objection> {
    let event = event(record)?;
    let stood = match &event.body {
        Body::Moved(moved) => Some((&moved.from, &moved.position)),
        Body::Rewound(back) => Some((&back.from, &back.position)),
        _ => None,
    };
    if let Some((from, position)) = stood {
        let named = [Some(from), Some(&position.state), position.slot.as_ref()];
        if let Some(state) = named
            .into_iter()
            .flatten()
            .find(|state| !workflow.table.states.contains_key(*state))
        {
            let name = &workflow.name;
            return Err(format!("the workflow `{name}` of today has no state `{state}`").into());
        }
    }
    Ok(event)
}

/// A record as an event that the factory can stand on: a fact that it does not know is none.
pub fn known_fact(record: &RecordRef<'_>) -> Result<Event, Objection> {
    let event = event(record)?;
    if let Body::Noted(note) = &event.body {
        Fact::read(note)?;
    }
    Ok(event)
}

const WORKFLOW: &str = "workflow_hash";
const MACHINE: &str = "machine";

/// The state for a run's checkpoint, with the workflow that folded it out of the journal.
pub fn state_of(machine: &Flow) -> Value {
    json!({ WORKFLOW: machine.workflow().hash, MACHINE: machine.snapshot() })
}

/// A run's machine and the checkpoint that it stands on. A checkpoint is a cache: one of another
/// version's shape is as good as none. So is one that another workflow made: the same journal would
/// say something else without it.
pub fn begin_run(
    project: &Project,
    name: &RunName,
    workflow: &Arc<Workflow>,
) -> Result<(Flow, Option<Checkpoint>), EngineError> {
    begin(project, name, Flow::new(workflow.clone()), |state| {
        let same = state[WORKFLOW].as_str() == Some(workflow.hash.as_str());
        if same { Some(&state[MACHINE]) } else { None }
    })
}

/// The same for a project.
pub fn begin_project(
    project: &Project,
    name: &RunName,
) -> Result<(Factory, Option<Checkpoint>), EngineError> {
    begin(project, name, Factory::new(), |state| Some(state))
}

fn begin<M: Machine + Clone>(
    project: &Project,
    name: &RunName,
    fresh: M,
    fits: impl for<'v> Fn(&'v Value) -> Option<&'v Value>,
) -> Result<(M, Option<Checkpoint>), EngineError> {
    let mut machine = fresh.clone();
    let checkpoint = Checkpoint::load(&project.journals(), name)?;
    let checkpoint = checkpoint.filter(|checkpoint| {
        fits(&checkpoint.state).is_some_and(|state| machine.restore(state).is_ok())
    });
    match checkpoint {
        Some(_) => Ok((machine, checkpoint)),
        None => Ok((fresh, None)),
    }
}

/// The run's name, checked; a wrong one is answered with the runs that exist.
pub fn run_name(project: &Project, name: &str) -> Result<RunName, EngineError> {
    let runs = store::list(&project.journals())?;
    match RunName::new(name) {
        Ok(found) if runs.contains(&found) => Ok(found),
        _ => {
            let names: Vec<&str> = runs.iter().map(RunName::as_str).collect();
            let mend = match names.as_slice() {
                [] => "there is no run yet; start one with `proofhouse do`".to_owned(),
                names => meant(name, names),
            };
            Err(EngineError::user(
                "unknown_run",
                format!("there is no run `{name}` in {}", project.repo().display()),
                mend,
            ))
        }
    }
}

/// The run that was meant, or a few of those that there are.
fn meant(name: &str, names: &[&str]) -> String {
    const MOST: usize = 12;
    let begins = |one: &&&str| one.starts_with(name);
    let begun: Vec<&&str> = names.iter().filter(begins).collect();
    let near = match begun.as_slice() {
        [one] => Some(**one),
        _ => kernel::near::nearest(name, names.iter().copied()),
    };
    match near {
        Some(near) => format!("did you mean `{near}`? `proofhouse status` lists all"),
        None if names.len() <= MOST => format!("runs here: {}", names.join(", ")),
        None => format!(
            "runs here: {} and {} more; `proofhouse status` lists all",
            names[..MOST].join(", "),
            names.len() - MOST
        ),
    }
}

/// What the journal's first line names as its workflow. Read leniently: a replay judges strictly.
pub fn first_named(project: &Project, name: &RunName) -> Result<Option<String>, EngineError> {
    let first = first_body(project, name)?;
    Ok(first.and_then(|body| Some(body["workflow"].as_str()?.to_owned())))
}

/// Is this a project of the factory? Its first record says so.
pub fn is_project(project: &Project, name: &str) -> bool {
    let named = run_name(project, name).and_then(|name| first_named(project, &name));
    named.is_ok_and(|workflow| workflow.as_deref() == Some(FACTORY))
}

/// The names of all projects of the factory here.
pub fn projects(project: &Project) -> Result<Vec<String>, EngineError> {
    let names = store::list(&project.journals())?.into_iter();
    let names = names.map(|name| name.to_string());
    Ok(names.filter(|name| is_project(project, name)).collect())
}

/// Refuses a run where a project is meant.
fn of_the_factory(project: &Project, name: &RunName) -> Result<(), EngineError> {
    match first_named(project, name)?.as_deref() {
        Some(FACTORY) => Ok(()),
        Some(_) => Err(not_of_the_factory(name)),
        None => Err(nameless(project, name)),
    }
}

/// The refusal of a run where a project is meant.
pub fn not_of_the_factory(name: &RunName) -> EngineError {
    EngineError::user(
        "not_of_the_factory",
        format!("`{name}` is a run, and no project of the factory"),
        "`proofhouse status` shows runs; `proofhouse factory start` begins a project",
    )
}

/// The workflow that the run's first record names.
pub fn workflow_of(project: &Project, name: &RunName) -> Result<Arc<Workflow>, EngineError> {
    match first_named(project, name)?.as_deref() {
        Some(FACTORY) => Err(EngineError::user(
            "factory_project",
            format!("`{name}` is a project of the factory"),
            format!("`proofhouse factory status {name}` shows it"),
        )),
        Some(workflow) => {
            let began = first_body(project, name)?;
            let hash = began.as_ref().and_then(|body| body[WORKFLOW].as_str());
            let instead = began
                .as_ref()
                .and_then(|body| body["instead_of_built_in"].as_bool());
            project.workflow_begun(workflow, hash, instead.unwrap_or(false))
        }
        None => Err(nameless(project, name)),
    }
}

fn nameless(project: &Project, name: &RunName) -> EngineError {
    EngineError::environment(
        "journal_corrupt",
        format!(
            "{}: line 1 is no `run_started` record",
            project.journals().join(format!("{name}.jsonl")).display()
        ),
        "restore the journal from a commit; other runs are not concerned",
    )
}

/// Does an engine drive it right now?
pub fn is_driven(project: &Project, run: &str) -> bool {
    workspace::lock::is_taken(&project.work(run).join("lock"))
}
