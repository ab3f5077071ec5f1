//! Commands on a tree that belongs to no run: the integration gate and the exit criteria. They run in
//! the worktree for merges, on exactly one commit, under the policy of checks. It refuses to call a
//! command passed that changed the tree which it judged.

use super::shop::Shop;
use crate::confine::Reach;
use crate::error::EngineError;
use crate::git;
use crate::secrets::Secrets;
use crate::worktree;
use checks::{Keep, Place, Subject, TreeNow};
use kernel::effect::{CheckSpec, Weight};
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use sandbox::Cancel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Wall limit of all commands together.
const WALL: Duration = Duration::from_secs(2 * 3600);

struct InVault<'a> {
    vault: store::Vault,
    secrets: &'a Secrets,
}

impl Keep for InVault<'_> {
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, String> {
        let (name, bytes) = (self.secrets.text(name), self.secrets.bytes(bytes));
        self.vault
            .put(&name, &bytes)
            .map_err(|error| error.to_string())
    }

    fn keep_exact(&self, name: &str, bytes: &[u8]) -> Result<EvidenceRef, String> {
        let kept = self.vault.put(name, bytes);
        kept.map_err(|error| error.to_string())
    }

    fn fetch(&self, hash: &str) -> Result<Vec<u8>, String> {
        self.vault.get(hash).map_err(|error| error.to_string())
    }

    /// A milestone's commands have no memory: each merge is judged by itself.
    fn earlier(&self, _: &str) -> Result<Vec<Vec<u8>>, String> {
        Ok(Vec::new())
    }
}

/// The commit, while nothing differs from it.
fn tree_now(dir: &Path, commit: &str) -> Result<TreeNow, String> {
    let status = git::git(dir, &["status", "--porcelain", "-z"], &[]);
    let status = status.map_err(|error| error.to_string())?;
    let hash = if status.is_empty() {
        commit.to_owned()
    } else {
        format!("{commit}+{}", store::sha256_hex(&status))
    };
    let lines = String::from_utf8_lossy(&status).into_owned();
    let files = lines.split('\0').filter(|line| line.len() > 3);
    let files = files.map(|line| (line[3..].to_owned(), line[..2].to_owned()));
    Ok(TreeNow {
        hash,
        files: files.collect(),
    })
}

/// Runs the commands on a commit.
pub(super) fn run(
    shop: &Shop,
    commit: &str,
    commands: &[String],
    cancel: &Cancel,
) -> Result<Vec<CheckResult>, EngineError> {
    let dir = shop.integration();
    worktree::stand(shop.project.repo(), &dir, commit)?;
    let project = shop.project.of_run(&shop.integration_name());
    let config = project.config()?;
    let secrets = Secrets::of(&config, project.top());
    let waived = shop.waived.get().map(|said| said.who.as_str());
    let reach = Reach::of(&config, project.top(), waived);
    let policy = reach.check_in(&project, &dir);
    let keep = InVault {
        vault: project.vault()?,
        secrets: &secrets,
    };
    let pid_file = shop.scratch().join("pid");
    let env = sandbox::base_env();
    let nothing = BTreeMap::new();
    let tree = || tree_now(&dir, commit);
    let subject = Subject {
        place: Place {
            repo: &dir,
            task: &dir,
            views: checks::Views::default(),
        },
        fields: &nothing,
        fields_before: &nothing,
        tree_before: commit,
        tree_after: commit,
        changed: &[],
        result: None,
        results: &BTreeMap::new(),
        frozen: &BTreeMap::new(),
        known: &kernel::effect::Known::default(),
        commits: &BTreeMap::new(),
        check_out: &|_, _| Err("a milestone has no checkpoints".to_owned()),
        standing: &BTreeSet::new(),
        commands: &[],
        wall: WALL,
        cancel,
        env: &env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        launches: &checks::Launches::default(),
        keep: &keep,
        tree: &tree,
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
    if results.iter().any(|one| one.verdict != Verdict::Pass) {
        // What a failing command left must not meet the next commit.
        worktree::sweep(&dir, ".")?;
    }
    Ok(results)
}
