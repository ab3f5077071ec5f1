//! What the processes of a run may reach: one policy for agents, one for checks.
//!
//! Agents reach their view and the toolchains; checks reach the repository and the toolchains.
//! Neither reaches the journal, the approvers, other runs or the user's home.

use crate::config::Config;
use crate::project::Project;
use crate::toolchains::Toolchains;
use sandbox::{Endpoint, Enforcement, Network, Policy};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a policy needs to know of the settings.
#[derive(Debug)]
pub struct Reach {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    repo: PathBuf,
    /// Looked for when something is first confined: it reads every setting of every toolchain, which a
    /// command that only shows a run has no use for.
    toolchains: OnceLock<Toolchains>,
    agents: Network,
    checks: Network,
    enforcement: Enforcement,
}

impl Reach {
    /// From the settings, and from what a person waived for this run.
    pub fn of(config: &Config, repo: &Path, waived_by: Option<&str>) -> Self {
        let exists = |path: &PathBuf| path.exists();
        let listed = |key: &str| {
            let paths = config.texts(key).unwrap_or_default();
            let paths = paths.iter().map(|path| repo.join(path));
            paths.filter(exists).collect()
        };
        let hosts = config.texts("network.hosts").unwrap_or_default();
        let endpoints = || {
            Network::Endpoints(
                hosts
                    .iter()
                    .filter_map(|host| Endpoint::read(host, Some(443)))
                    .collect(),
            )
        };
        let network = |name: &str| match config.word(name).as_str() {
            "none" => Network::None,
            "loopback" => Network::Loopback,
            "full" => Network::Full,
            _ => endpoints(),
        };
        Self {
            read: listed("sandbox.read"),
            write: listed("sandbox.write"),
            repo: repo.to_owned(),
            toolchains: OnceLock::new(),
            agents: network("network.agents"),
            checks: network("network.checks"),
            enforcement: match waived_by {
                Some(by) => Enforcement::Waived { by: by.to_owned() },
                None => Enforcement::Required,
            },
        }
    }

    fn policy(&self, write: Vec<PathBuf>, network: &Network) -> Policy {
        let found = || Toolchains::of_environment(&self.repo);
        let toolchains = self.toolchains.get_or_init(found);
        let mut policy = Policy::confined(
            self.read.iter().chain(&toolchains.read).cloned(),
            write.into_iter().chain(self.write.iter().cloned()),
        );
        policy.hidden = toolchains.hidden.clone();
        policy.network = network.clone();
        policy.enforcement = self.enforcement.clone();
        policy
    }

    /// For an agent: its view and the folder for its result.
    pub fn agent(&self, home: &Path) -> Policy {
        self.policy(vec![home.join("view"), home.join("out")], &self.agents)
    }

    /// For a check in a folder of its own, and nowhere else.
    pub fn scratch(&self, folder: &Path) -> Policy {
        self.policy(vec![folder.to_owned()], &self.checks)
    }

    /// For a check: the repository, and the task to read, without anything of ours.
    pub fn check(&self, project: &Project, task: &Path) -> Policy {
        let repo = project.repo().to_owned();
        let mut policy = self.policy(vec![repo.clone()], &self.checks);
        // Readable only: what a check's command wrote there would pass for a person's edit.
        if task != repo && task.exists() {
            policy.read.push(task.to_owned());
        }
        // Readable only: what a check could write there, our own git would run later, unconfined.
        // A worktree has a file there, which leads to the repository's own.
        let git = [repo.join(".git"), project.top().join(".git")];
        for git in git.into_iter().filter(|git| git.exists()) {
            if !policy.read.contains(&git) {
                policy.read.push(git);
            }
        }
        // Our own folder lies around a worktree, and is not there for it: nobody named it.
        let ours = [project.home(), repo.join(".proofhouse")];
        let ours = ours
            .into_iter()
            .filter(|home| home.exists() && home.starts_with(&repo));
        for home in ours {
            if !policy.hidden.contains(&home) {
                policy.hidden.push(home);
            }
        }
        policy
    }
}
