//! Starting a project: everything is judged first, then the task files and the journal are made. The
//! task files come first, so a project without a journal is a start that failed, and is made anew.

use super::task_files::json_of;
use crate::driver::settle;
use crate::run::entries;
use ::factory::NAME;
use ::factory::delivery::promised::Promised;
use ::factory::engineering::exam::Exams;
use ::factory::machine::Factory;
use ::factory::machine::facts::{Fact, ProjectOpened, TasksDeclared};
use ::factory::plan::{Plan, TaskFile};
use ::factory::project::{Declared, TaskId};
use ::factory::spec::ProductSpec;
use kernel::budget::{ATTEMPTS, DEFAULTS};
use kernel::event::RunStarted;
use kernel::{Autonomy, CounterName, Mode, RunId, What};
use report::look::projects;
use std::collections::BTreeMap;
use std::path::Path;
use store::{Journal, RunName};
use workspace::clock::now;
use workspace::config::Config;
use workspace::error::EngineError;
use workspace::project::{Project, Records};
use workspace::secrets::Secrets;

/// Attempts that a task may take by default: a plan, and a module or two with all their revisions.
pub(super) const ATTEMPTS_PER_TASK: u64 = 30;
/// And a project, however small.
pub(super) const FEWEST_ATTEMPTS: u64 = 60;
/// Facts are of a size that a journal's line can hold.
const TASKS_PER_FACT: usize = 500;

/// What a person asks for.
#[derive(Debug, Clone)]
pub struct Begin<'a> {
    /// The approved spec.
    pub spec: &'a ProductSpec,
    /// The project's name; none: `factory`.
    pub name: Option<&'a str>,
    /// The agent; none: the config's.
    pub agent: Option<&'a str>,
    /// Tasks at once.
    pub jobs: u32,
    /// Caps by budget name.
    pub budgets: &'a [(String, u64)],
}

/// A project that was started.
#[derive(Debug, Clone)]
pub struct Begun {
    pub name: String,
    /// How many tasks it has.
    pub tasks: usize,
}

/// Starts a project of the factory.
pub fn start(
    project: &Project,
    asked: &Begin<'_>,
    plan: &Plan,
    files: &[TaskFile],
) -> Result<Begun, EngineError> {
    let attempts = ATTEMPTS_PER_TASK.saturating_mul(plan.tasks.len() as u64);
    let (name, started) = fresh(
        project,
        &Fresh {
            name: asked.name,
            agent: asked.agent,
            attempts: attempts.max(FEWEST_ATTEMPTS),
            budgets: asked.budgets,
        },
    )?;
    let json = json_of(asked.spec)?;
    let secrets = Secrets::of(&project.config()?, project.top());
    if secrets.text(&json) != json {
        return Err(EngineError::user(
            "document_holds_key",
            "the spec holds what looks like a key",
            "take it out: specs are kept as evidence, and agents read them",
        ));
    }
    let spec = store::sha256_hex(json.as_bytes());
    let exams = exams(&project.config()?);
    let events = opening(asked, plan, (started, exams), spec)?;
    project.prepare(Records::InTree)?;
    project.vault()?.put("spec.json", json.as_bytes())?;
    write_files(&project.home(), &json, files)?;
    Journal::begin(&project.journals(), &name, &entries(&events))?;
    Ok(Begun {
        name: name.to_string(),
        tasks: plan.tasks.len(),
    })
}

/// What the agents of a new project lack on this machine right now, a sentence each.
pub fn missing(project: &Project, agent: Option<&str>) -> Result<Vec<String>, EngineError> {
    let (roles, config) = (super::roles::workflow(), project.config()?);
    let by_role = workspace::agent::by_role(&roles, &config, agent);
    crate::guest::none(&by_role, "a project of the factory")?;
    workspace::agent::missing(project, &roles, &config, agent)
}

/// A project that is to begin, however it does.
pub(super) struct Fresh<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) agent: Option<&'a str>,
    /// The cap of attempts, unless the person or the config says otherwise.
    pub(super) attempts: u64,
    pub(super) budgets: &'a [(String, u64)],
}

/// There is one, and it does not go on with another spec now.
pub(super) fn exists(other: &str) -> EngineError {
    EngineError::user(
        "project_exists",
        format!("this repository holds the project `{other}` already"),
        format!(
            "`proofhouse factory status {other}` shows it; once it is released, `proofhouse factory new` goes on with a further version of its spec, and another project needs a repository of its own"
        ),
    )
}

/// The name and the first record of a new project, or why there can be none.
pub(super) fn fresh(
    project: &Project,
    asked: &Fresh<'_>,
) -> Result<(RunName, RunStarted), EngineError> {
    if let Some(other) = projects(project)?.first() {
        return Err(exists(other));
    }
    let name = RunName::fresh(asked.name.unwrap_or(NAME))?;
    if store::list(&project.journals())?.contains(&name) {
        return Err(EngineError::user(
            "run_exists",
            format!("there is a run `{name}` already"),
            "choose another `--name`",
        ));
    }
    let config = project.config()?;
    if let Some(agent) = asked.agent {
        // One that can never work is refused now, and not by the first attempt.
        workspace::agent::spec(project, &config, agent)?;
    }
    let mut budgets: BTreeMap<CounterName, u64> = BTreeMap::new();
    budgets.insert(CounterName::from(ATTEMPTS), asked.attempts);
    for (name, _) in DEFAULTS {
        budgets.extend(
            config
                .budget(name)
                .map(|cap| (CounterName::from(name), cap)),
        );
    }
    for (name, cap) in asked.budgets {
        if !kernel::budget::Budgets::is_known(name) {
            let names: Vec<&str> = DEFAULTS.iter().map(|(name, _)| *name).collect();
            let mend = format!("known budgets: {}", names.join(", "));
            let what = format!("there is no budget `{name}`");
            return Err(EngineError::user("unknown_budget", what, mend));
        }
        budgets.insert(CounterName::new(name), *cap);
    }
    let started = RunStarted {
        run: RunId::new(name.as_str()),
        workflow: NAME.to_owned(),
        workflow_hash: String::new(),
        autonomy: Autonomy::Auto,
        mode: Mode::default(),
        budgets,
        fields: BTreeMap::new(),
        task: String::new(),
        commands: Vec::new(),
        agent: asked.agent.unwrap_or_default().to_owned(),
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        own_tree: None,
        signers: None,
        forked: None,
        commands_found: false,
        unconfined: false,
        instead_of_built_in: false,
        weak: kernel::Weak::Suffices,
    };
    Ok((name, started))
}

/// Whether the modules of a new project have exams: unless a person's config says otherwise.
pub(super) fn exams(config: &Config) -> Exams {
    match config.exam_is_off() {
        true => Exams::Off,
        false => Exams::Asked,
    }
}

/// The journal's first records, as the machine takes them.
fn opening(
    asked: &Begin<'_>,
    plan: &Plan,
    (started, exams): (RunStarted, Exams),
    spec: String,
) -> Result<Vec<kernel::Event>, EngineError> {
    let mut whats = vec![What::Start(Box::new(started))];
    let tasks: Vec<Declared> = declared(asked.spec, plan);
    for part in tasks.chunks(TASKS_PER_FACT) {
        let tasks = part.to_vec();
        whats.push(What::Note(
            Fact::TasksDeclared(TasksDeclared { tasks }).note(),
        ));
    }
    let opened = ProjectOpened {
        project_id: asked.spec.spec_id.clone(),
        spec_version: asked.spec.spec_version.to_string(),
        jobs: asked.jobs,
        attempts: None,
        spec: Some(spec),
        briefs: Some(::factory::engineering::context::BRIEFS),
        product: Promised::of(asked.spec, plan),
        exams: Some(exams),
        further: None,
    };
    whats.push(What::Note(Fact::ProjectOpened(Box::new(opened)).note()));
    told(whats)
}

/// The events of a new machine that is told all this.
pub(super) fn told(whats: Vec<What>) -> Result<Vec<kernel::Event>, EngineError> {
    let (mut machine, mut events) = (Factory::new(), Vec::new());
    for what in whats {
        settle::<_, EngineError>(&mut machine, now(), what, &mut events)?;
    }
    Ok(events)
}

/// The tasks of a spec, as the machine knows them.
pub(super) fn declared(spec: &ProductSpec, plan: &Plan) -> Vec<Declared> {
    let mut names = Vec::new();
    for pillar in &spec.pillars {
        for epic in &pillar.epics {
            for story in &epic.stories {
                let of_task = |task: &::factory::spec::Task| {
                    let places = [&pillar.name, &epic.name, &story.name, &task.name];
                    let sketch = task.io_contract_sketch.clone();
                    (
                        places.map(Clone::clone),
                        task.acceptance_criteria.clone(),
                        sketch,
                    )
                };
                names.extend(story.tasks.iter().map(of_task));
            }
        }
    }
    let tasks = plan.tasks.iter().zip(names);
    let tasks = tasks.map(
        |(task, ([pillar, epic, story, name], criteria, sketch))| Declared {
            id: TaskId::new(&task.task_id),
            pillar,
            epic,
            story,
            task: name,
            depends_on: task.depends_on.iter().map(TaskId::new).collect(),
            criteria,
            sketch: Some(sketch),
        },
    );
    tasks.collect()
}

/// Writes the task files and the spec that they come from, of a project that has no journal yet.
fn write_files(home: &Path, json: &str, files: &[TaskFile]) -> Result<(), EngineError> {
    let folder = home.join("project");
    if folder.symlink_metadata().is_ok() {
        // Of a start that failed: there is no project of the factory here.
        std::fs::remove_dir_all(&folder).map_err(EngineError::io("replace", &folder))?;
    }
    for file in files {
        let path = home.join(&file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        store::write_atomic(&path, file.text.as_bytes())?;
    }
    Ok(store::write_atomic(
        &folder.join("spec.json"),
        json.as_bytes(),
    )?)
}
