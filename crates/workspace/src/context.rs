//! What every effect of a run needs to know.

use crate::config::{Config, RoomSettings};
use crate::confine::Reach;
use crate::error::Error;
use crate::places::Places;
use crate::project::Project;

use crate::secrets::Secrets;
use crate::view::sight::SECRET_BY_CUSTOM;
use agents::Agent;
use agents::result::Shape;
use flow::Workflow;
use kernel::event::RunStarted;
use kernel::outcome::EvidenceRef;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{StoreError, Vault};

/// Which files an agent's view is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// What git does not ignore.
    OfGit,
    /// The factory's own: task files and the state store.
    OfStore,
}

/// Shared by all effects of a run.
pub struct Context {
    /// The repository.
    pub project: Project,
    /// What views are made of.
    pub files: Files,
    /// The run's name.
    pub run: String,
    pub workflow: Arc<Workflow>,
    /// The task folder, absolute.
    pub task: PathBuf,
    /// Who works, by role.
    pub agents: BTreeMap<String, Arc<dyn Agent>>,
    /// What their results must look like, by role; a role that is not here adds nothing.
    pub shapes: BTreeMap<String, Arc<Shape>>,
    /// Where evidence goes.
    pub vault: Vault,
    /// Validation commands: the run's own, then the repository's.
    pub commands: Vec<String>,
    /// How many mutants a gate tries, if the person says so.
    pub mutants: Option<usize>,
    /// What processes may reach.
    pub reach: Reach,
    /// What the person says of rooms.
    pub rooms: RoomSettings,
    /// How the person says that the product is deployed.
    pub deploy: Option<checks::deploy::Deploy>,
    /// Keeps keys out of what is kept.
    pub secrets: Secrets,
    /// Keeps a person's folders out of it.
    pub places: Places,
    /// Globs that no agent sees.
    pub hidden: Vec<String>,
    /// Does the person let agents look into the repository's history?
    pub history: bool,
    /// The environment of agents and checks.
    pub env: BTreeMap<String, String>,
}

impl Context {
    /// Gathers it.
    pub fn of(
        project: &Project,
        workflow: &Arc<Workflow>,
        started: &RunStarted,
        agents: BTreeMap<String, Arc<dyn Agent>>,
    ) -> Result<Self, Error> {
        let config = project.config()?;
        let commands = validation_commands(&config, started);
        Ok(Self {
            project: project.clone(),
            files: Files::OfGit,
            run: started.run.to_string(),
            workflow: workflow.clone(),
            task: task_folder(project, started),
            agents,
            shapes: shapes(workflow, started)?,
            vault: project.vault()?,
            commands,
            reach: Reach::of(&config, project.top(), started.sandbox_waived_by.as_deref()),
            mutants: config
                .number("checks.mutants")
                .and_then(|most| usize::try_from(most).ok()),
            rooms: RoomSettings::of(&config)?,
            deploy: match deploys(workflow) {
                true => crate::config::deploy(&config, project.top())?,
                false => None,
            },
            secrets: Secrets::of(&config, project.top()),
            places: Places::of(project.top()),
            hidden: hidden(&config, project.top()),
            history: config.shows_history()?,
            env: sandbox::base_env(),
        })
    }

    /// What a result of this role in this state must look like.
    pub fn shape(&self, role: &str, state: &str) -> Arc<Shape> {
        let of_state = self.shapes.get(&Self::shape_name(role, state));
        let shape = of_state.or_else(|| self.shapes.get(role));
        shape.cloned().unwrap_or_default()
    }

    /// The name of a shape that holds in one state alone.
    pub fn shape_name(role: &str, state: &str) -> String {
        format!("{role}/{state}")
    }

    /// Keeps evidence, without any key in it and without the names of a person's folders.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, Error> {
        let bytes = self.places.bytes(&self.secrets.bytes(bytes));
        Ok(self.vault.put(&self.kept_text(name), &bytes)?)
    }

    /// Keeps evidence that nobody may see before the run is over, in the same way.
    pub fn seal(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, Error> {
        let bytes = self.places.bytes(&self.secrets.bytes(bytes));
        crate::sealed::put(&self.project, &self.run, &self.kept_text(name), &bytes)
    }

    /// Evidence by its hash, under seal or not.
    pub fn fetch(&self, hash: &str) -> Result<Vec<u8>, Error> {
        let kept = self.vault.get(hash);
        match (kept, crate::sealed::vault(&self.project, &self.run)?) {
            (Err(StoreError::EvidenceMissing { .. }), Some(sealed)) => Ok(sealed.get(hash)?),
            (kept, _) => Ok(kept?),
        }
    }

    /// A text as it may be kept.
    pub fn kept_text(&self, text: &str) -> String {
        self.places.text(&self.secrets.text(text))
    }

    /// The scratch folder of one effect.
    pub fn home(&self, effect: kernel::EffectId) -> PathBuf {
        self.project.work(&self.run).join(effect.to_string())
    }

    /// The list of folders that taking back has made.
    pub(crate) fn made_folders(&self) -> PathBuf {
        self.project.work(&self.run).join("made-folders")
    }
}

/// Does a gate of this workflow ship anything? Where none does, nobody needs the credentials.
fn deploys(workflow: &Workflow) -> bool {
    let mut checks = workflow.states.values().flat_map(|state| &state.gate);
    checks.any(|check| check.check == "deployed")
}

/// What nobody sees: the person's globs or the usual ones, and key files that lie in the repository.
fn hidden(config: &Config, repo: &Path) -> Vec<String> {
    let usual = || SECRET_BY_CUSTOM.map(str::to_owned).to_vec();
    let mut hidden = config.hidden().unwrap_or_else(usual);
    for file in config.key_files(repo) {
        if let Ok(inside) = file.strip_prefix(repo) {
            // Letter by letter: a file's name is no glob.
            let literal = inside.display().to_string().chars().fold(
                String::new(),
                |text, letter| match letter {
                    '*' | '?' | '[' | ']' | '{' | '}' => format!("{text}[{letter}]"),
                    letter => format!("{text}{letter}"),
                },
            );
            hidden.push(literal);
        }
    }
    hidden
}

/// Is this a workflow of the time when findings had no kinds? Its gates look for words in them.
fn reads_words(workflow: &Workflow) -> bool {
    let mut gates = workflow.states.values().flat_map(|state| &state.gate);
    gates.any(|check| check.check == "no_finding" && check.with["kinds"].is_null())
}

fn shapes(
    workflow: &Workflow,
    started: &RunStarted,
) -> Result<BTreeMap<String, Arc<Shape>>, Error> {
    // Agents that began under such rules know findings as texts.
    let earlier = workflow.hash != started.workflow_hash || reads_words(workflow);
    let mut shapes = BTreeMap::new();
    for (name, role) in &workflow.roles {
        let Some(schema) = &role.result else {
            if earlier {
                shapes.insert(name.clone(), Arc::new(Shape::of_texts()));
            }
            continue;
        };
        let shape = Shape::with(schema).map_err(|why| {
            let what = format!("the schema of role `{name}` in `{}`: {why}", workflow.name);
            let mend = format!("`proofhouse workflow lint {}` says more", workflow.name);
            Error::user("bad_schema", what, mend)
        })?;
        shapes.insert(name.clone(), Arc::new(shape));
    }
    Ok(shapes)
}

/// What a run is validated by: its own commands, then those of the settings. What was merely found
/// in the repository yields to a person who has set something since.
pub fn validation_commands(config: &Config, started: &RunStarted) -> Vec<String> {
    let set = config.commands();
    if started.commands_found && !set.is_empty() {
        return set;
    }
    let mut commands = started.commands.clone();
    for command in set {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

/// The run's task folder.
pub fn task_folder(project: &Project, started: &RunStarted) -> PathBuf {
    let task = Path::new(&started.task);
    // There is one `.proofhouse/` for all worktrees.
    let from = match task.starts_with(".proofhouse") {
        true => project.top(),
        false => project.repo(),
    };
    // `join` of an absolute path is that path: a task folder may lie outside the repository.
    from.join(task)
}
