//! Commands on a tree that belongs to no run: a wave's integration gate and exit criteria, and work that
//! lands on a branch which has moved. They run in a worktree for that alone, on exactly one commit, under
//! the policy of checks. It refuses to call a
//! command passed that changed the tree which it judged, and to judge a commit among what the commands
//! left of one that did not pass.

use checks::{BoxError, Keep, Place, Subject, TreeNow};
use kernel::effect::{CheckSpec, Weight};
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use sandbox::Cancel;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use workspace::confine::Reach;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::secrets::Secrets;
use workspace::worktree;

/// Wall limit of all commands together.
const WALL: Duration = Duration::from_secs(2 * 3600);

struct InVault<'a> {
    vault: store::Vault,
    secrets: &'a Secrets,
}

impl Keep for InVault<'_> {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        let (name, bytes) = (self.secrets.text(name), self.secrets.bytes(bytes));
        Ok(self.vault.put(&name, &bytes)?)
    }

    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, BoxError> {
        Ok(self.vault.put(name, bytes)?)
    }

    fn fetch(&self, hash: &str) -> Result<Vec<u8>, BoxError> {
        Ok(self.vault.get(hash)?)
    }

    /// Such commands have no memory: each commit is judged by itself.
    fn earlier(&self, _: &str) -> Result<Vec<Vec<u8>>, BoxError> {
        Ok(Vec::new())
    }
}

/// What a file is while it is as in the commit.
const AS_COMMITTED: &str = "";

/// Every file of a commit.
fn files_of(dir: &Path, commit: &str) -> Result<BTreeMap<String, String>, EngineError> {
    let listed = git::git(dir, &["ls-tree", "-r", "-z", "--name-only", commit], &[])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let files = listed.split('\0').filter(|path| !path.is_empty());
    Ok(files
        .map(|path| (path.to_owned(), AS_COMMITTED.to_owned()))
        .collect())
}

/// The commit with its files, while nothing differs from it.
fn tree_now(
    dir: &Path,
    commit: &str,
    committed: &BTreeMap<String, String>,
) -> Result<TreeNow, EngineError> {
    let status = worktree::status(dir)?;
    let hash = if status.is_empty() {
        commit.to_owned()
    } else {
        format!("{commit}+{}", store::sha256_hex(&status))
    };
    let lines = String::from_utf8_lossy(&status).into_owned();
    let lines = lines.split('\0').filter(|line| line.len() > 3);
    let mut files = committed.clone();
    files.extend(lines.map(|line| (line[3..].to_owned(), line[..2].to_owned())));
    Ok(TreeNow { hash, files })
}

/// Where commits are judged.
pub(crate) struct OnCommit<'a> {
    /// The project, at its top.
    pub(crate) project: &'a Project,
    /// The name of the worktree.
    pub(crate) worktree: &'a str,
    /// A folder for notes of ours, which is there.
    pub(crate) scratch: &'a Path,
    /// Who took on that the sandbox may be missing.
    pub(crate) waived_by: Option<&'a str>,
}

impl OnCommit<'_> {
    /// Runs the commands on a commit.
    pub(crate) fn run(
        &self,
        commit: &str,
        commands: &[String],
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let dir = self.project.worktree(self.worktree);
        // There from the first command on until all have passed: also one that was killed leaves things.
        let unproven = self.scratch.join("unproven");
        if unproven.exists() && !worktree::echo(&dir)?.is_empty() {
            worktree::empty(&dir)?;
        }
        worktree::stand(self.project.repo(), &dir, commit)?;
        let committed = files_of(&dir, commit)?;
        store::write_atomic(&unproven, commit.as_bytes())?;
        let project = self.project.of_run(self.worktree);
        let config = project.config()?;
        let secrets = Secrets::of(&config, project.top());
        let reach = Reach::of(&config, project.top(), self.waived_by);
        let policy = reach.check(&project, &dir);
        let keep = InVault {
            vault: project.vault()?,
            secrets: &secrets,
        };
        let pid_file = self.scratch.join("pid");
        let env = sandbox::base_env();
        let tree = || Ok(tree_now(&dir, commit, &committed)?);
        let place = Place {
            repo: &dir,
            task: &dir,
            views: checks::Views::default(),
        };
        let subject = Subject {
            tree_before: commit,
            tree_after: commit,
            env: &env,
            pid_file: Some(&pid_file),
            policy: Some(&policy),
            ..Subject::new(place, WALL, cancel, &keep, &tree)
        };
        let checks: Vec<CheckSpec> = commands
            .iter()
            .map(|command| CheckSpec {
                check: "command".to_owned(),
                with: serde_json::json!({ "shell": command }),
                weight: Weight::Binding,
                shows: None,
                code: None,
            })
            .collect();
        let mut results = checks::run_gate(&checks, &subject);
        for result in &mut results {
            secrets.result(result);
        }
        if !worktree::status(&dir)?.is_empty() {
            // It would pass for a part of the next commit.
            worktree::sweep(&dir, ".")?;
        }
        if results.iter().all(|one| one.verdict == Verdict::Pass) {
            // A build's cache is worth keeping, and whoever wrote it is in the tip.
            std::fs::remove_file(&unproven).map_err(EngineError::io("remove", &unproven))?;
        }
        Ok(results)
    }
}
