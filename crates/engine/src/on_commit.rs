//! Commands on a tree that belongs to no run: a wave's integration gate and exit criteria, and work that
//! lands on a branch which has moved. Each runs in a room over exactly one commit, under the policy of
//! checks. It refuses to call a command passed that changed the tree which it judged, and nothing that one
//! made is there for another. Where there is a commit to compare with, a suite must show that it can still
//! fail, since one that runs no test any more passes by its exit code.

use checks::{BoxError, Keep, Place, Subject};
use kernel::effect::{BEGUN, CheckSpec, Known, Weight};
use kernel::outcome::{CheckResult, EvidenceRef, Verdict};
use sandbox::Cancel;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use workspace::config::RoomSettings;
use workspace::confine::Reach;
use workspace::error::EngineError;
use workspace::git;
use workspace::project::Project;
use workspace::room::Rooms;
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

/// Every file of a commit.
fn files_of(dir: &Path, commit: &str) -> Result<Vec<PathBuf>, EngineError> {
    let listed = git::git(dir, &["ls-tree", "-r", "-z", commit], &[])?;
    let entries = listed.split(|byte| *byte == 0);
    // A submodule is a commit of another repository, and no file.
    let entries = entries.filter(|entry| !entry.starts_with(b"160000 "));
    let paths = entries.filter_map(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        Some(PathBuf::from(OsStr::from_bytes(&entry[tab + 1..])))
    });
    Ok(paths.collect())
}

/// A branch that went on while a run worked.
pub(crate) struct Meanwhile<'a> {
    /// Where both began.
    pub(crate) base: &'a str,
    /// The branch's last commit.
    pub(crate) head: &'a str,
    /// The run's.
    pub(crate) work: &'a str,
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
    /// Runs the commands on a commit; `before` is one on which a suite could be read.
    pub(crate) fn run(
        &self,
        commit: &str,
        before: Option<&str>,
        commands: &[String],
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let controls = if before.is_some() { "on" } else { "off" };
        let of = |command: &String| {
            let with = json!({ "shell": command, "controls": controls, "as_written": "too" });
            binding("command", with)
        };
        let checks: Vec<CheckSpec> = commands.iter().map(of).collect();
        self.judge(commit, before, &checks, cancel)
    }

    /// Runs suites by lines that write a report; none: the one that is found in the commit.
    pub(crate) fn run_suites(
        &self,
        commit: &str,
        before: Option<&str>,
        lines: &[String],
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let of = |line: &String| binding("tests", json!({ "command": line }));
        let mut checks: Vec<CheckSpec> = lines.iter().map(of).collect();
        if checks.is_empty() {
            checks.push(binding("tests", json!({})));
        }
        self.judge(commit, before, &checks, cancel)
    }

    /// Judges a commit in which a run's work and a branch that went on meanwhile come together. Where that
    /// fails, it is tried without the tests that others brought there, and the reason says where to look: what
    /// they do to the run's own is not its fault.
    pub(crate) fn told_apart(
        &self,
        commit: &str,
        meanwhile: &Meanwhile<'_>,
        judge: &dyn Fn(&str) -> Result<Vec<CheckResult>, EngineError>,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let mut results = judge(commit)?;
        let fails = |result: &CheckResult| result.verdict == Verdict::Fail;
        let (repo, base) = (self.project.repo(), meanwhile.base);
        if !results.iter().any(fails) {
            return Ok(results);
        }
        let own = worktree::differing(repo, base, meanwhile.work)?;
        let mut theirs = worktree::differing(repo, base, meanwhile.head)?;
        theirs.retain(|path| languages::judges::is_test(path) && !own.contains(path));
        if theirs.is_empty() {
            return Ok(results);
        }
        let index = self.scratch.join("apart-index");
        let tree = format!("{commit}^{{tree}}");
        let kept = |path: &str| !theirs.iter().any(|one| one == path);
        let tree = git::as_proven(repo, &index, &tree, base, &kept)?;
        let apart = worktree::commit(repo, &tree, &[commit], "without the tests of others")?;
        let without = judge(&apart)?;
        for (result, without) in results.iter_mut().zip(&without) {
            if fails(result) && without.verdict == Verdict::Pass {
                result.reason = format!(
                    "it passes without {}, which came to the branch meanwhile: the work breaks what is tested there, or what is there changes what other tests see; {}",
                    theirs.join(", "),
                    result.reason
                );
            }
        }
        Ok(results)
    }

    fn judge(
        &self,
        commit: &str,
        before: Option<&str>,
        checks: &[CheckSpec],
        cancel: &Cancel,
    ) -> Result<Vec<CheckResult>, EngineError> {
        let dir = self.project.worktree(self.worktree);
        worktree::stand(self.project.repo(), &dir, commit)?;
        let project = self.project.of_run(self.worktree);
        let config = project.config()?;
        workspace::trust::hold(&project, &config)?;
        let secrets = Secrets::of(&config, project.top());
        let reach = Reach::of(&config, project.top(), self.waived_by);
        let policy = reach.check(&project, &dir);
        let keep = InVault {
            vault: project.vault()?,
            secrets: &secrets,
        };
        let pid_file = self.scratch.join("pid");
        let env = sandbox::base_env();
        let settings = RoomSettings::of(&config)?;
        let files = || files_of(&dir, commit);
        let rooms = Rooms::of(&project, &settings, self.scratch, &files).named(commit.to_owned());
        let tree = || checks::Rooms::tree(&rooms);
        let check_out = |commit: &str, into: &Path| {
            let index = self.scratch.join("before-index");
            git::check_out(self.project.repo(), commit, &index, into).map_err(Into::into)
        };
        let place = Place {
            repo: &dir,
            installed: self.project.top(),
            task: &dir,
            views: checks::Views::default(),
        };
        let begun = before.map(|before| (BEGUN.to_owned(), [before.to_owned()].into()));
        let known: Known = begun.into_iter().collect();
        let subject = Subject {
            known: &known,
            check_out: &check_out,
            // Whoever wrote the code has answered to them.
            mutants: Some(0),
            tree_before: commit,
            tree_after: commit,
            env: &env,
            pid_file: Some(&pid_file),
            policy: Some(&policy),
            rooms: Some(&rooms),
            ..Subject::new(place, WALL, cancel, &keep, &tree)
        };
        let mut results = checks::run_gate(checks, &subject);
        for result in &mut results {
            secrets.result(result);
        }
        Ok(results)
    }
}

fn binding(check: &str, with: serde_json::Value) -> CheckSpec {
    CheckSpec {
        check: check.to_owned(),
        with,
        weight: Weight::Binding,
        shows: None,
        code: None,
    }
}
