//! What every effect of a run needs to know.

use crate::confine::Reach;
use crate::error::EngineError;
use crate::project::Project;
use crate::secrets::Secrets;
use crate::view::sight::SECRET_BY_CUSTOM;
use agents::Agent;
use flow::Workflow;
use kernel::event::RunStarted;
use kernel::outcome::EvidenceRef;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Vault;

/// Shared by all effects of a run.
pub struct Context {
    /// The repository.
    pub project: Project,
    /// The run's name.
    pub run: String,
    /// The workflow.
    pub workflow: Arc<Workflow>,
    /// The task folder, absolute.
    pub task: PathBuf,
    /// Who works, by role.
    pub agents: BTreeMap<String, Arc<dyn Agent>>,
    /// Where evidence goes.
    pub vault: Vault,
    /// Validation commands: the run's own, then the repository's.
    pub commands: Vec<String>,
    /// What processes may reach.
    pub reach: Reach,
    /// Keeps keys out of what is kept.
    pub secrets: Secrets,
    /// Globs that no agent sees.
    pub hidden: Vec<String>,
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
    ) -> Result<Self, EngineError> {
        let mut commands = started.commands.clone();
        let config = project.config()?;
        for command in config.commands() {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        Ok(Self {
            project: project.clone(),
            run: started.run.to_string(),
            workflow: workflow.clone(),
            task: task_folder(project, started),
            agents,
            vault: project.vault()?,
            commands,
            reach: Reach::of(&config, project.top(), started.sandbox_waived_by.as_deref()),
            secrets: Secrets::of_environment(),
            hidden: config
                .hidden()
                .unwrap_or_else(|| SECRET_BY_CUSTOM.map(str::to_owned).to_vec()),
            env: sandbox::base_env(),
        })
    }

    /// Keeps evidence, without any key in it.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, EngineError> {
        Ok(self
            .vault
            .put(&self.secrets.text(name), &self.secrets.bytes(bytes))?)
    }

    /// The scratch folder of one effect.
    pub fn home(&self, effect: kernel::EffectId) -> PathBuf {
        self.project.work(&self.run).join(effect.to_string())
    }
}

/// The run's task folder.
pub fn task_folder(project: &Project, started: &RunStarted) -> PathBuf {
    // `join` of an absolute path is that path: a task folder may lie outside the repository.
    project.repo().join(Path::new(&started.task))
}
