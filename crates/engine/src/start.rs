//! Starting a run: everything is checked first, then the task folder and the journal are made.

mod before;
mod needs;
pub(crate) mod place;

pub use crate::waiver::WAIVE;
pub use needs::Missing;
pub use place::Place;
pub use workspace::found::LOOKED_FOR;

use crate::driver::settle;
use crate::run::{Run, entries};
use approval::{Approve, ControllingTerminal, Terminal};
use flow::{Flow, Owner, Workflow, field_key, replace_fields};
use kernel::event::{OwnTree, RunStarted};
use kernel::{Autonomy, CounterName, Decision, Mode, RunId, Weak, What};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Journal, RunName};
use workspace::clock::now;
use workspace::config::Config;
use workspace::context::task_folder;
use workspace::error::EngineError;
use workspace::project::{Project, Records};
use workspace::records::RESERVED;
use workspace::secrets::Secrets;

/// What a person asks for.
#[derive(Debug, Clone, Default)]
pub struct NewRun {
    pub workflow: String,
    /// Whose tree it works in.
    pub place: Place,
    /// The task folder, as given; none: below `.proofhouse/` in a tree of its own, else the workflow's.
    pub dir: Option<PathBuf>,
    /// What is asked for, in a sentence.
    pub request: Option<String>,
    /// What to do about files that the workflow needs and the repository lacks.
    pub missing: Missing,
    /// The run's name; none: from the folder's.
    pub name: Option<String>,
    /// `key=value` settings of document fields.
    pub set: Vec<(String, String)>,
    /// Validation commands.
    pub commands: Vec<String>,
    /// The agent; none: the config's.
    pub agent: Option<String>,
    /// The rung.
    pub autonomy: Autonomy,
    /// What weak evidence is good for under `auto`; none: as the config says.
    pub weak: Option<Weak>,
    /// Pace and risk.
    pub mode: Mode,
    /// Caps by budget name.
    pub budgets: Vec<(String, u64)>,
    /// The run whose finished work it brings together with a branch, in a tree of its own.
    pub settles: Option<RunId>,
    /// The milestone whose wave merges what it makes.
    pub milestone: Option<String>,
    /// The branch that its work is for; none: the one that is checked out.
    pub onto: Option<String>,
}

/// What the gates of a workflow do with the commands that a person set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WantsCommands {
    /// They find out by themselves what to run.
    Never,
    /// They run those that there are.
    IfSet,
    /// They cannot pass without one.
    Always,
}

impl WantsCommands {
    fn of(workflow: &Workflow) -> Self {
        let gates = workflow.states.values().flat_map(|state| &state.gate);
        let wants = gates.filter(|spec| spec.with["from"] == "commands" || spec.check == "suite");
        let wants = wants.map(|spec| match spec.with["if_none"] == "pass" {
            true => Self::IfSet,
            false => Self::Always,
        });
        wants.max().unwrap_or(Self::Never)
    }
}

/// A run that was started.
#[derive(Debug, Clone)]
pub struct Started {
    /// Its name.
    pub run: String,
    /// Its task folder.
    pub task: PathBuf,
    /// Its validation commands.
    pub commands: Vec<String>,
    /// Where they come from, for people.
    pub commands_from: &'static str,
    /// What the workflow's gates do with them.
    pub wants_commands: WantsCommands,
    /// Files that were written because the workflow needs them.
    pub written: Vec<String>,
    /// What its agents lack on this machine right now, a sentence each.
    pub missing: Vec<String>,
}

/// Starts a run.
pub fn start(project: &Project, asked: &NewRun) -> Result<Started, EngineError> {
    begin(project, asked, None)
}

/// Starts a run without the assurance of the sandbox. That is a person's decision, so it comes
/// through the same channels as every other one, and before anything is made.
pub fn start_waived(
    project: &Project,
    asked: &NewRun,
    approve: &Approve<'_>,
) -> Result<Started, EngineError> {
    begin(project, asked, Some(approve))
}

fn begin(
    project: &Project,
    asked: &NewRun,
    waiver: Option<&Approve<'_>>,
) -> Result<Started, EngineError> {
    let workflow = project.workflow(&asked.workflow)?;
    prove(&workflow)?;
    let config = project.config()?;
    workspace::trust::hold(project, &config)?;
    crate::setup::hold(project)?;
    workspace::view::clear_for_git(project.top())?;
    let own_tree = asked.place.own_tree(project)?.map(|own| OwnTree {
        settles: asked.settles.clone(),
        milestone: asked.milestone.clone(),
        target: asked.onto.clone().or(own.target),
        ..own
    });
    // What a person names is in their tree; in the run's own it is at the same place.
    let project = &if own_tree.is_some() {
        project.at_top()
    } else {
        project.clone()
    };
    let mut fields = fields(&workflow, &asked.set)?;
    if let Some(request) = &asked.request {
        let field = workflow.task.as_ref().and_then(|task| task.request.clone());
        let field = field.ok_or_else(|| {
            EngineError::user(
                "no_request_taken",
                format!("`{}` takes no request behind its name", workflow.name),
                "set its fields with `--set FIELD=VALUE`",
            )
        })?;
        fields.insert(field, request.clone());
    }
    switch_off(&workflow, &config, &mut fields);
    let mut budgets: BTreeMap<CounterName, u64> = BTreeMap::new();
    for (name, _) in kernel::budget::DEFAULTS {
        if let Some(cap) = config.budget(name) {
            budgets.insert(CounterName::from(name), cap);
        }
    }
    for (name, cap) in &asked.budgets {
        if !kernel::budget::Budgets::is_known(name) {
            let names: Vec<&str> = kernel::budget::DEFAULTS
                .iter()
                .map(|(name, _)| *name)
                .collect();
            return Err(EngineError::user(
                "unknown_budget",
                format!("there is no budget `{name}`"),
                format!(
                    "known budgets: {}; `status` calls `micro_dollars` money and `wall_millis` wall time",
                    names.join(", ")
                ),
            ));
        }
        budgets.insert(CounterName::new(name), *cap);
    }
    // None: the config decides anew each time, by role.
    let agent = asked.agent.clone().unwrap_or_default();
    let named = Some(agent.as_str()).filter(|agent| !agent.is_empty());
    let missing = workspace::agent::missing(project, &workflow, &config, named)?;
    let by_role = workspace::agent::by_role(&workflow, &config, named);
    let unconfined = crate::guest::among(&workflow, &by_role, &fields)?;
    let (commands, commands_from) = commands(project, asked, &config.commands());
    if asked.request.is_some() {
        let mut all = commands.clone();
        all.extend(config.commands());
        given(&workflow, &all, &mut fields);
    }
    let own_folder = workflow
        .task
        .as_ref()
        .is_some_and(|task| task.folder.is_some());
    let nameable = asked.name.is_some() || asked.request.is_some();
    let ours = own_tree.is_some() || (!own_folder && nameable);
    let (name, task) = if ours && asked.dir.is_none() {
        let name = named_after(project, asked, &workflow, &fields)?;
        let task = project.tasks().join(name.as_str());
        (name, task)
    } else {
        let task = absolute(&folder(project, &workflow, asked)?)?;
        (name(project, &workflow, asked, &task)?, task)
    };
    let relative = task
        .strip_prefix(project.repo())
        .unwrap_or(&task)
        .display()
        .to_string();
    let mut started = RunStarted {
        run: RunId::new(name.as_str()),
        workflow: workflow.name.clone(),
        workflow_hash: workflow.hash.clone(),
        // What a guest made, a person looks at.
        autonomy: match unconfined {
            true => asked.autonomy.min(Autonomy::Conservative),
            false => asked.autonomy,
        },
        mode: asked.mode,
        budgets,
        fields,
        task: relative,
        commands: commands.clone(),
        commands_found: commands_from == FOUND,
        agent,
        sandbox_waived_by: None,
        sandbox_waived_through: None,
        sandbox_waiver_signature: None,
        own_tree,
        weak: asked.weak.unwrap_or_else(|| config.weak()),
        signers: None,
        unconfined,
        forked: None,
        instead_of_built_in: project.stands_in_for_built_in(&workflow.name),
    };
    refuse_folder(project, &workflow, &started)?;
    Secrets::of(&config, project.repo()).refuse_start(&started)?;
    started.signers = match unconfined {
        // As they are committed: not as they lie in a tree that a guest may write in.
        true => Some(crate::guest::signers(project, started.own_tree.as_ref())?),
        false => approval::to_pin(project, &config)?,
    };
    // The moment that the journal gives the start is the one that a waiver is bound to.
    let at = now();
    if let Some(approve) = waiver {
        crate::waiver::waive(&mut started, at, approve)?;
    }
    let mut terminal = ControllingTerminal::open();
    let wants_commands = WantsCommands::of(&workflow);
    let mut decisions = workflow.start_with.clone();
    let says = workflow
        .task
        .as_ref()
        .and_then(|task| task.request_says.clone());
    decisions.extend(says.filter(|_| asked.request.is_some()));
    let moved = !decisions.is_empty();
    let mut machine = Flow::new(workflow.clone());
    let mut events = Vec::new();
    settle::<_, EngineError>(
        &mut machine,
        at,
        What::Start(Box::new(started.clone())),
        &mut events,
    )?;
    for option in decisions {
        let decision = Decision {
            option,
            because: String::new(),
            who: terminal.user(),
            channel: STARTED.to_owned(),
            seen_seq: 0,
            tree: String::new(),
            with: serde_json::Value::Null,
            signature: None,
        };
        settle::<_, EngineError>(&mut machine, now(), What::Decide(decision), &mut events)?;
    }
    // Nothing is written before everything that can refuse has had its say.
    let own = started.own_tree.as_ref();
    let needed = match &workflow.task {
        Some(task) => needs::needed(project, task, asked.missing, own, &mut terminal)?,
        None => Vec::new(),
    };
    let top = project.repo().to_owned();
    let records = match started.own_tree {
        Some(_) => Records::OnRef,
        None => Records::InTree,
    };
    project.prepare(records)?;
    let mut missing = missing;
    missing.extend(project.seen_by_git(records).map(str::to_owned));
    missing.extend(before::begun_before(project, &started));
    let project = &match &started.own_tree {
        Some(own) => place::make(project, name.as_str(), own, &asked.place)?,
        None => project.clone(),
    };
    let written = needs::write(project, &top, needed)?;
    let task = task_folder(project, &started);
    lay_down(project, &workflow, &started)?;
    project.keep_workflow(&workflow)?;
    Journal::begin(&project.journals(), &name, &entries(&events))?;
    // What was said by starting moved the run on: its files say so at once.
    if moved {
        let run = Run::open(project, name.as_str())?;
        let mut shown = run.machine.declared();
        shown.extend(report::views::first_phase(&workflow));
        let head = run.journal.head();
        report::views::refresh(&run.project, &run.machine, head, &[], &shown)?;
    }
    Ok(Started {
        run: name.to_string(),
        task,
        commands,
        commands_from,
        wants_commands,
        written,
        missing,
    })
}

/// What the gates of a workflow do with commands, and whether there are any: given, set or found.
pub fn wanted_commands(
    project: &Project,
    workflow: &str,
    given: &[String],
) -> Result<(WantsCommands, bool), EngineError> {
    let wants = WantsCommands::of(&*project.workflow(workflow)?);
    let set = !given.is_empty() || !project.config()?.commands().is_empty();
    Ok((
        wants,
        set || !workspace::found::found(project.repo()).is_empty(),
    ))
}

/// The commands that a repository's own files name, as `do` finds them.
pub fn found_commands(project: &Project) -> Vec<String> {
    workspace::found::found(project.repo())
}

/// Explores the workflow's table. Those that come with the binary are explored by its tests.
fn prove(workflow: &Workflow) -> Result<(), EngineError> {
    let built_in = flow::built_in(&workflow.name);
    if built_in.is_some_and(|source| source.hash() == workflow.hash) {
        return Ok(());
    }
    match kernel::explore::explore(&workflow.table).findings.first() {
        None => Ok(()),
        Some(finding) => Err(EngineError::user(
            finding.code,
            format!(
                "the workflow `{}` is not sound: {}",
                workflow.name, finding.what
            ),
            format!(
                "`proofhouse workflow check {}` shows the path to it",
                workflow.name
            ),
        )),
    }
}

/// The channel of what somebody says by starting a run.
pub const STARTED: &str = "started the run";

fn folder(project: &Project, workflow: &Workflow, asked: &NewRun) -> Result<PathBuf, EngineError> {
    if let Some(dir) = &asked.dir {
        return Ok(dir.clone());
    }
    let own = workflow.task.as_ref().and_then(|task| task.folder.as_ref());
    let named = asked.name.as_ref().or(asked.request.as_ref());
    let own = match own {
        Some(own) if own.contains(SLUG) => {
            let slug = slug(named.map_or("", String::as_str));
            (!slug.is_empty()).then(|| own.replace(SLUG, &slug))
        }
        own => own.cloned(),
    };
    let own = own.map(|own| project.repo().join(own));
    own.ok_or_else(|| {
        EngineError::user(
            "no_task_folder",
            format!("`{}` needs a task folder", workflow.name),
            "give one, such as `--dir tasks/NAME`",
        )
    })
}

/// Stands for the task's short name in a workflow's folder.
const SLUG: &str = "{slug}";

/// A short name: `Add a tax line!` is `add-a-tax-line`.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for char in text.chars() {
        if char.is_ascii_alphanumeric() {
            slug.push(char.to_ascii_lowercase());
        } else if let Some(letters) = kernel::latin::spelt(char) {
            slug.push_str(letters);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(48).collect();
    cut.trim_matches('-').to_owned()
}

fn absolute(dir: &Path) -> Result<PathBuf, EngineError> {
    let path = std::path::absolute(dir).map_err(EngineError::io("resolve", dir))?;
    // Resolved as far as it exists, so that a folder inside the repository is seen as such.
    let mut rest = Vec::new();
    let mut here = path.as_path();
    loop {
        if let Ok(real) = here.canonicalize() {
            return Ok(rest.iter().rev().fold(real, |path, part| path.join(part)));
        }
        match (here.parent(), here.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                here = parent;
            }
            _ => return Ok(path.clone()),
        }
    }
}

fn fields(
    workflow: &Workflow,
    set: &[(String, String)],
) -> Result<BTreeMap<String, String>, EngineError> {
    let authored: Vec<&flow::Field> = workflow
        .task
        .iter()
        .flat_map(|task| &task.fields)
        .filter(|field| field.owner == Owner::Author)
        .collect();
    let mut fields = BTreeMap::new();
    for (key, value) in set {
        let Some(field) = authored
            .iter()
            .find(|field| field_key(&field.name) == field_key(key))
        else {
            let keys: Vec<String> = authored
                .iter()
                .map(|field| field_key(&field.name))
                .collect();
            return Err(EngineError::user(
                "unknown_field",
                format!("`--set {key}=...`: `{}` has no such field", workflow.name),
                format!("settable: {}", keys.join(", ")),
            ));
        };
        fields.insert(field.name.clone(), value.clone());
    }
    Ok(fields)
}

/// On record where the config says that runs begin without the exam that their workflow has.
fn switch_off(workflow: &Workflow, config: &Config, fields: &mut BTreeMap<String, String>) {
    let defaults = workflow.defaults();
    let exam = defaults
        .iter()
        .find(|(name, said)| field_key(name) == kernel::exam::EXAM && *said == "yes");
    if let Some((name, _)) = exam
        && config.exam_is_off()
    {
        fields
            .entry(name.clone())
            .or_insert_with(|| "off".to_owned());
    }
}

/// Where commands come from that nobody named.
const FOUND: &str = "found in the repository";

fn commands(
    project: &Project,
    asked: &NewRun,
    configured: &[String],
) -> (Vec<String>, &'static str) {
    if !asked.commands.is_empty() {
        return (asked.commands.clone(), "given for this run");
    }
    if !configured.is_empty() {
        return (Vec::new(), "from .proofhouse/config.toml");
    }
    match workspace::found::found(project.repo()) {
        found if found.is_empty() => (Vec::new(), "none"),
        found => (found, FOUND),
    }
}

/// What fields say that follow from the sentence and the checks, where a person gave them no value:
/// nobody has to be asked for what is known.
fn given(workflow: &Workflow, commands: &[String], fields: &mut BTreeMap<String, String>) {
    let checks: Vec<String> = commands.iter().map(|line| format!("`{line}`")).collect();
    let task = workflow.task.iter();
    for field in task.flat_map(|task| &task.fields) {
        let Some(text) = &field.given else { continue };
        if fields.contains_key(&field.name) || (text.contains(CHECKS) && checks.is_empty()) {
            continue;
        }
        fields.insert(field.name.clone(), text.replace(CHECKS, &checks.join(", ")));
    }
}

/// Stands for the run's commands in what a field is given.
const CHECKS: &str = "{checks}";

/// A name that a person gave, if no run has it.
pub(crate) fn given_name(taken: &[RunName], name: &str) -> Result<RunName, EngineError> {
    let name = RunName::fresh(name)?;
    if RESERVED.contains(&name.as_str()) {
        return Err(EngineError::user(
            "run_name_reserved",
            format!("no run can be called `{name}`: it is where refs of ours lie"),
            "choose another `--name`",
        ));
    }
    if taken.contains(&name) {
        return Err(EngineError::user(
            "run_exists",
            format!("there is a run `{name}` already"),
            "choose another `--name`",
        ));
    }
    Ok(name)
}

fn name(
    project: &Project,
    workflow: &Workflow,
    asked: &NewRun,
    task: &Path,
) -> Result<RunName, EngineError> {
    let taken = store::list(&project.journals())?;
    if let Some(name) = &asked.name {
        return given_name(&taken, name);
    }
    // A workflow's own folder says nothing about the run, unless it is named after it.
    let own = workflow.task.as_ref().and_then(|task| task.folder.as_ref());
    let named_after_it = own.is_some_and(|own| own.contains(SLUG));
    let base = match asked.dir.is_some() || named_after_it {
        true => task
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase()),
        false => None,
    };
    let base = base.unwrap_or_default();
    let mut slug: String = base
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(48)
        .collect();
    slug = slug.trim_matches('-').to_owned();
    first_free(&taken, slug, &asked.workflow)
}

/// A name for a run that has nothing but a sentence to be named after.
fn named_after(
    project: &Project,
    asked: &NewRun,
    workflow: &Workflow,
    fields: &BTreeMap<String, String>,
) -> Result<RunName, EngineError> {
    if asked.name.is_some() {
        return name(project, workflow, asked, Path::new(""));
    }
    let taken = store::list(&project.journals())?;
    let request = workflow
        .task
        .as_ref()
        .and_then(|task| task.request.as_ref());
    let sentence = request.and_then(|field| fields.get(field));
    let sentence = sentence.map_or("", |text| text.trim());
    let mut short = slug(sentence);
    // In letters that a name does not have: the same sentence has the same name, and another one another.
    if short.is_empty() && !sentence.is_empty() {
        let hash = store::sha256_hex(sentence.as_bytes());
        short = format!("{}-{}", workflow.name, &hash[..6]);
    }
    // At a word's end: a name is typed again and again.
    if let Some((at, _)) = short.char_indices().nth(SHORT) {
        let end = short[..at].rfind('-').unwrap_or(at);
        short.truncate(end);
    }
    first_free(&taken, short, &workflow.name)
}

/// So long is a name that we make up, at the most.
const SHORT: usize = 32;

pub(crate) fn first_free(
    taken: &[RunName],
    mut slug: String,
    workflow: &str,
) -> Result<RunName, EngineError> {
    if slug.is_empty() {
        slug = workflow.to_owned();
    }
    for serial in 1u32.. {
        let name = if serial == 1 {
            slug.clone()
        } else {
            format!("{slug}-{serial}")
        };
        let name = RunName::fresh(&name)?;
        if !taken.contains(&name) && !RESERVED.contains(&name.as_str()) {
            return Ok(name);
        }
    }
    Err(EngineError::user(
        "run_exists",
        "every name is taken".to_owned(),
        "give a `--name`",
    ))
}

/// Refuses a task folder that is not this run's to write in: the engine writes its own files anew,
/// and one that is there already is somebody's.
fn refuse_folder(
    project: &Project,
    workflow: &Workflow,
    started: &RunStarted,
) -> Result<(), EngineError> {
    let folder = task_folder(project, started);
    if folder == project.repo() {
        return Err(EngineError::user(
            "task_folder_is_repo",
            "the task folder cannot be the repository's top",
            "choose a folder below it, such as `--dir tasks/NAME`",
        ));
    }
    let mut below = folder
        .ancestors()
        .take_while(|dir| dir.starts_with(project.repo()) && *dir != project.repo());
    if let Some(other) = below.find(|dir| dir.join(".git").exists()) {
        // Our commits can hold nothing of it.
        return Err(EngineError::user(
            "task_folder_in_other_repo",
            format!("{} is a git repository of its own", other.display()),
            "choose a `--dir` outside of it, or name it with `--repo` to work in it",
        ));
    }
    let taken = report::views::taken(workflow, &folder);
    taken.map_or(Ok(()), |path| {
        Err(EngineError::user(
            "task_folder_in_use",
            format!("{} exists already", path.display()),
            "choose another `--dir`: a task folder belongs to one run",
        ))
    })
}

/// Makes the task's files. A file that is there already is the user's and stays.
pub(crate) fn lay_down(
    project: &Project,
    workflow: &Arc<Workflow>,
    started: &RunStarted,
) -> Result<(), EngineError> {
    let folder = task_folder(project, started);
    let make = |path: &Path| std::fs::create_dir_all(path).map_err(EngineError::io("create", path));
    let Some(task) = &workflow.task else {
        return make(&folder);
    };
    make(&folder)?;
    for sub in &task.folders {
        make(&folder.join(sub))?;
    }
    let mut machine = Flow::new(workflow.clone());
    let mut events = Vec::new();
    settle::<_, EngineError>(
        &mut machine,
        now(),
        What::Start(Box::new(started.clone())),
        &mut events,
    )?;
    for (name, text) in &task.files {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let text = if *name == task.state_file {
            replace_fields(text, &machine.document(""))
        } else {
            text.clone()
        };
        store::write_atomic(&path, text.as_bytes())?;
    }
    before::lay_lessons(project, workflow, &folder)
}
