//! What became of a run's work after it was over: landed on a branch, or set aside. Git is asked, and
//! nothing else: a commit that landed names its run, and so does the last one of work that was set aside.

use flow::Flow;
use kernel::Machine;
use kernel::machine::Activity;
use serde::Serialize;
use std::path::Path;
use workspace::git::{TRAILER, git, run_ref, text};
use workspace::{EngineError, Project, worktree};

/// How the last commit of work that was set aside begins.
const SET_ASIDE: &str = "discard: ";

/// What became of a run's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "became", rename_all = "snake_case")]
pub enum Fate {
    Landed {
        commit: String,
        branch: String,
    },
    /// A ref keeps it, and no branch has it.
    SetAside {
        kept_by: String,
    },
}

impl Fate {
    /// Of a run that is over and had a tree of its own. What git cannot tell is not known.
    pub fn of(project: &Project, run: &str, machine: &Flow) -> Option<Self> {
        let status = machine.status();
        if !matches!(status.activity, Activity::Done | Activity::Stopped) {
            return None;
        }
        let own = machine.started()?.own_tree.as_ref()?;
        let repo = project.repo();
        let target = own.target.as_deref();
        if let Ok(Some((commit, branch))) = landed(repo, run, target, &own.base) {
            return Some(Fate::Landed { commit, branch });
        }
        let kept_by = run_ref(run);
        let said = git(repo, &["log", "-1", "--format=%s", &kept_by], &[]);
        let aside = said.is_ok_and(|said| text(&said).starts_with(SET_ASIDE));
        aside.then_some(Fate::SetAside { kept_by })
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Fate::Landed { commit, branch } => {
                format!("landed as {} on {branch}", &commit[..12.min(commit.len())])
            }
            Fate::SetAside { .. } => "set aside".to_owned(),
        }
    }
}

/// The subject of the last commit of work that is set aside.
pub fn set_aside(run: &str) -> String {
    format!("{SET_ASIDE}{run} as it was")
}

/// The commit that a run's work landed as, and its branch: the one that it was to land on, or any other.
fn landed(
    repo: &Path,
    run: &str,
    target: Option<&str>,
    base: &str,
) -> Result<Option<(String, String)>, EngineError> {
    if let Some(branch) = target {
        let name = format!("refs/heads/{branch}");
        if let Some(head) = worktree::resolve(repo, &name)?
            && let Some((commit, _)) = names(repo, run, &[&head], Some(base))?
        {
            return Ok(Some((commit, branch.to_owned())));
        }
    }
    names(repo, run, &["--branches"], Some(base))
}

/// The newest commit, since the base where there is one, that names the run in its trailer, and the branch that leads there.
pub fn names(
    repo: &Path,
    run: &str,
    within: &[&str],
    base: Option<&str>,
) -> Result<Option<(String, String)>, EngineError> {
    let grep = format!("--grep={TRAILER}: {run}@");
    let format = format!("--format=%H%x09%S%x09%(trailers:key={TRAILER},valueonly,separator=%x2C)");
    let without = base.map(|base| format!("^{base}"));
    let mut args = vec!["log", "--fixed-strings", &grep, &format];
    args.extend(within);
    args.extend(without.as_deref());
    let log = git(repo, &args, &[])?;
    let begins = format!("{run}@");
    let log = text(&log);
    let found = log.lines().find_map(|line| {
        let (commit, rest) = line.split_once('\t')?;
        let (branch, trailers) = rest.split_once('\t')?;
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        let mut trailers = trailers.split(',');
        let its = trailers.any(|one| one.trim().starts_with(&begins));
        its.then(|| (commit.to_owned(), branch.to_owned()))
    });
    Ok(found)
}
