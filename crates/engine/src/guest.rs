//! Guests: a person's own session that works in a run. Who may be one, what their runs demand, what waits for
//! them, and how they hand in. It refuses a guest who would judge, and a run whose decisions a guest could make.

use agents::{GUEST, Waiting};
use approval::touch_missing;
use flow::{Flow, Workflow};
use kernel::effect::{Capability, EffectKind};
use kernel::event::{OwnTree, RunStarted};
use kernel::table::{Actor, Guard, Kind, Transition};
use kernel::{EffectId, Machine, StateName, Target};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::git::{git, text};
use workspace::project::Project;
use workspace::worktree;

type Fields = BTreeMap<String, String>;

/// Is a guest among those who work? Refuses one who would only judge.
pub(crate) fn among(
    workflow: &Workflow,
    by_role: &BTreeMap<&str, &str>,
    fields: &Fields,
) -> Result<bool, EngineError> {
    let guests = by_role.iter().filter(|(_, agent)| agent.trim() == GUEST);
    let (editing, judging): (Vec<&str>, Vec<&str>) = guests
        .map(|(role, _)| *role)
        .partition(|role| workflow.roles[*role].can.contains(&Capability::Edit));
    if editing.is_empty() && judging.is_empty() {
        return Ok(false);
    }
    let works = working(workflow, fields, &workflow.table.initial);
    match judging.into_iter().find(|role| works.contains(role)) {
        Some(role) => Err(EngineError::user(
            "guest_judges",
            format!(
                "`{role}` of `{}` judges, and a guest takes roles that edit alone: whoever did the work is none to judge it",
                workflow.name
            ),
            format!(
                "give it another agent, such as `[tiers] {} = \"claude\"` in .proofhouse/config.toml",
                workflow.roles[role].tier
            ),
        )),
        None => Ok(!editing.is_empty()),
    }
}

/// The roles that work from a state on in a run of these fields, unless somebody makes an exception on the way.
fn working<'w>(workflow: &'w Workflow, fields: &Fields, from: &'w StateName) -> BTreeSet<&'w str> {
    let table = &workflow.table;
    let kind = |state: &StateName| table.state(state).kind;
    let mut said = workflow.defaults();
    said.extend(fields.clone());
    let exception = |way: &Transition| match way.by {
        Actor::Engine => false,
        Actor::Agent => {
            let waits = matches!(&way.to, Target::State(to) if kind(to) == Kind::Wait);
            waits && !way.when.contains(&Guard::GatePass)
        }
        Actor::Human => way
            .from
            .iter()
            .any(|from| matches!(kind(from), Kind::Work | Kind::Gate)),
    };
    let never = |guard: &Guard| match guard {
        Guard::Shows(word) => is_never_shown(workflow, word.as_str(), &said),
        _ => false,
    };
    let counts = |way: &Transition| !exception(way) && !way.when.iter().any(never);
    let places = table.places_from([(from, None)], counts, |_| false);
    let roles = places.into_iter().map(|(state, _)| &workflow.states[state]);
    roles.filter_map(|state| state.role.as_deref()).collect()
}

/// Does what the fields say keep every gate from showing this word? In a guest's run nobody edits them later.
fn is_never_shown(workflow: &Workflow, word: &str, said: &Fields) -> bool {
    let gates = workflow.states.values().flat_map(|state| &state.gate);
    let mut shows = gates
        .filter(|spec| spec.shows.as_ref().is_some_and(|it| it.as_str() == word))
        .peekable();
    let holds = |(field, values): (&String, &Value)| {
        let said = said.get(field).map_or("", |text| text.trim());
        let values = values.as_array().into_iter().flatten();
        values.filter_map(Value::as_str).any(|value| value == said)
    };
    shows.peek().is_some()
        && shows.all(|spec| {
            let one_of = spec.with["one_of"].as_object();
            spec.check == "fields" && one_of.is_some_and(|all| all.iter().all(holds))
        })
}

/// Who may sign in a guest's run: the approvers at the commit that it starts from.
pub(crate) fn signers(project: &Project, own: Option<&OwnTree>) -> Result<String, EngineError> {
    const APPROVERS: &str = ".proofhouse/approvers";
    let refused = |why: &str| {
        EngineError::user(
            "guest_unsigned",
            format!(
                "a guest's work is decided by signatures that it cannot make, and at the commit that the run starts from {why}"
            ),
            "enrol a passkey (`proofhouse serve --decide`) or list an `sk-` key with `proofhouse approver add`, then commit .proofhouse/approvers",
        )
    };
    let top = project.top();
    let from = match own {
        Some(own) => Some(own.base.clone()),
        None => worktree::resolve(top, "HEAD")?,
    };
    let from = &from.ok_or_else(|| refused("nobody is listed"))?;
    let listed = git(top, &["ls-tree", "--full-tree", from, "--", APPROVERS], &[])?;
    if listed.is_empty() {
        return Err(refused("nobody is listed"));
    }
    let said = text(&git(
        top,
        &["cat-file", "-p", &format!("{from}:{APPROVERS}")],
        &[],
    )?);
    match touch_missing(&said, workspace::clock::now())? {
        None => Ok(said),
        Some(why) => Err(refused(&why)),
    }
}

/// Refuses to let a guest go on in a run that was not begun for one.
pub(crate) fn hold(
    workflow: &Workflow,
    by_role: &BTreeMap<&str, &str>,
    started: &RunStarted,
) -> Result<(), EngineError> {
    if among(workflow, by_role, &started.fields)? && !started.unconfined {
        return Err(EngineError::user(
            "guest_uninvited",
            format!(
                "`{}` was begun without a guest, so that its decisions need not be signed by a key that wants a touch",
                started.run
            ),
            "start another run with `agent = \"guest\"`; or name another agent with `--agent`",
        ));
    }
    Ok(())
}

/// Refuses guests where their work would be decided about by more than the decisions of one run.
pub(crate) fn none(by_role: &BTreeMap<&str, &str>, place: &str) -> Result<(), EngineError> {
    match by_role.values().any(|agent| agent.trim() == GUEST) {
        false => Ok(()),
        true => Err(EngineError::user(
            "guest_judges",
            format!("a guest works in a run of its own, and not in {place}"),
            "set another agent in .proofhouse/config.toml",
        )),
    }
}

/// An attempt that waits for a guest.
#[derive(Debug)]
pub struct Open {
    pub run: String,
    pub effect: EffectId,
    pub waiting: Waiting,
    /// Holds `repo` and `task`.
    pub view: PathBuf,
    pub brief: String,
    home: PathBuf,
}

impl Open {
    /// The attempt's own folder.
    pub fn home(&self) -> PathBuf {
        self.home.clone()
    }
}

/// Does a run wait for a guest whom nobody has seen yet?
pub fn is_awaited(project: &Project, run: &str) -> bool {
    // A look at a few files first: nearly no run has a guest, and a journal can be long.
    let homes = std::fs::read_dir(project.of_run(run).work(run));
    let mut homes = homes.into_iter().flatten().flatten();
    homes.any(|home| Waiting::of(&home.path()).is_some())
        && open(project, run)
            .is_ok_and(|open| open.is_some_and(|open| !Waiting::is_taken(&open.home)))
}

/// The attempt of a run that waits for a guest, also where the engine that began it is gone.
pub fn open(project: &Project, run: &str) -> Result<Option<Open>, EngineError> {
    let status = report::look::peek_run(project, run)?.machine.status();
    let project = project.of_run(run);
    let attempts = status.in_flight.iter();
    let attempts = attempts.filter(|flying| flying.kind == EffectKind::Attempt);
    let waits = |effect: EffectId| {
        let home = project.work(run).join(effect.to_string());
        Some(Open {
            run: run.to_owned(),
            effect,
            waiting: Waiting::of(&home)?,
            view: home.join("view"),
            brief: std::fs::read_to_string(home.join("brief.md")).ok()?,
            home,
        })
    };
    Ok(attempts.map(|flying| flying.effect).find_map(waits))
}

/// The role that judges on the way from a state on and would be a guest's, if there is one.
fn judged_by_guest<'w>(
    project: &Project,
    workflow: &'w Workflow,
    started: &RunStarted,
    from: &'w StateName,
) -> Result<Option<&'w str>, EngineError> {
    let config = project.config()?;
    let named = named(started);
    let by_role = workspace::agent::by_role(workflow, &config, named);
    let guests = |role: &&str| {
        let edits = workflow.roles[*role].can.contains(&Capability::Edit);
        !edits && by_role.get(role).is_some_and(|agent| agent.trim() == GUEST)
    };
    let works = working(workflow, &started.fields, from);
    Ok(works.into_iter().find(guests))
}

/// The agent that a person named for every role of the run.
fn named(started: &RunStarted) -> Option<&str> {
    (!started.agent.is_empty()).then_some(started.agent.as_str())
}

/// How somebody else comes to judge in a run.
fn another(workflow: &Workflow, started: &RunStarted, role: &str) -> String {
    let tier = &workflow.roles[role].tier;
    match named(started) {
        None => format!(
            "set another agent for it in .proofhouse/config.toml, such as `[tiers] {tier} = \"claude\"`, and try again"
        ),
        Some(_) => format!(
            "this run was begun with `--agent guest`, which holds for every role: begin one with `agent = \"guest\"` and `[tiers] {tier} = \"claude\"` in .proofhouse/config.toml"
        ),
    }
}

/// Refuses to ask for a way on which another role judges, as long as that role would be the guest's: a person who
/// granted it would have signed for a run that cannot go on.
fn may_ask(
    project: &Project,
    workflow: &Workflow,
    started: &RunStarted,
    result: &Value,
) -> Result<(), EngineError> {
    let asked = result["next"].as_str();
    let mut states = workflow.states.keys();
    let Some(asked) = asked.and_then(|asked| states.find(|state| state.as_str() == asked)) else {
        return Ok(());
    };
    match judged_by_guest(project, workflow, started, asked)? {
        None => Ok(()),
        Some(role) => Err(EngineError::user(
            "guest_judges",
            format!(
                "nothing was handed in: behind `{asked}` the role `{role}` reads the change, and no agent but the guest is set for it"
            ),
            format!(
                "tell the person: {}. Or go on without it; if it cannot be done so, say so in `impossible`",
                another(workflow, started, role)
            ),
        )),
    }
}

/// Refuses an answer of a person behind which the guest would have to judge its own work.
pub(crate) fn may_answer(
    project: &Project,
    machine: &Flow,
    option: &str,
) -> Result<(), EngineError> {
    let Some(started) = machine.started().filter(|one| one.unconfined) else {
        return Ok(());
    };
    let (workflow, at) = (machine.workflow(), machine.position());
    let mut ways = workflow.table.leaving(&at.state);
    let way = ways.find(|(_, way)| way.by == Actor::Human && way.action.as_str() == option);
    let Some((
        _,
        Transition {
            to: Target::State(to),
            ..
        },
    )) = way
    else {
        return Ok(());
    };
    match judged_by_guest(project, workflow, started, to)? {
        None => Ok(()),
        Some(role) => Err(EngineError::user(
            "guest_judges",
            format!(
                "after `{option}` the role `{role}` reads the change, and no agent but the guest is set for it: whoever did the work is none to judge it"
            ),
            another(workflow, started, role),
        )),
    }
}

/// Hands a guest's result in. What is wrong with it is an error, and nothing was handed in.
pub fn hand_in(project: &Project, open: &Open, result: &Value) -> Result<(), EngineError> {
    let peek = report::look::peek_run(project, &open.run)?;
    let started = peek.machine.started().cloned().ok_or_else(|| {
        EngineError::user(
            "unknown_run",
            format!("`{}` has not begun", open.run),
            "`status` shows the runs that there are",
        )
    })?;
    let workflow = peek.machine.workflow();
    let context = Context::of(
        &project.of_run(&open.run),
        workflow,
        &started,
        BTreeMap::new(),
    )?;
    may_ask(project, workflow, &started, result)?;
    let shape = context.shape(&open.waiting.role, &open.waiting.state);
    let bytes = serde_json::to_vec(result).unwrap_or_default();
    let left = agents::hand_in(&open.home, &shape, &bytes);
    match left.map_err(EngineError::io("write", &open.home))? {
        Ok(()) => Ok(()),
        Err(faults) => Err(EngineError::user(
            "result_malformed",
            format!("nothing was handed in: {faults}"),
            "mend the result; the brief says what it must hold",
        )),
    }
}
