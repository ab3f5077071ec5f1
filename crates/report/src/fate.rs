//! What became of a run's work after it was over: landed on a branch, or set aside. Git is asked, and
//! nothing else: a commit that landed names its run and holds its work, and the last one of work that was
//! set aside says so.

use crate::landed::{holds, then};
use crate::look::peek_run;
use crate::work::{Work, task_inside};
use flow::Flow;
use kernel::Machine;
use kernel::machine::Activity;
use serde::Serialize;
use workspace::git::{git, run_ref, text};
use workspace::survey::{Named, Within};
use workspace::{EngineError, Project};

/// How the last commit of work that was set aside begins.
const SET_ASIDE: &str = "discard: ";

/// What became of a run's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "became", rename_all = "snake_case")]
pub enum Fate {
    Landed {
        commit: String,
        branch: String,
        /// The run that brought it together with its branch, where that one landed.
        #[serde(skip_serializing_if = "Option::is_none")]
        through: Option<String>,
    },
    /// A commit says that it is the run's work, and holds something else.
    Altered { commit: String, branch: String },
    /// A ref keeps it, and no branch has it.
    SetAside { kept_by: String },
}

impl Fate {
    /// Of a run that is over and had a tree of its own. What git cannot tell is not known.
    pub fn of(project: &Project, run: &str, machine: &Flow) -> Option<Self> {
        // What was settled may contradict its branch again; nobody does that so often.
        Self::within(project, run, machine, 8)
    }

    fn within(project: &Project, run: &str, machine: &Flow, deep: u8) -> Option<Self> {
        let status = machine.status();
        if !matches!(status.activity, Activity::Done | Activity::Stopped) {
            return None;
        }
        let own = machine.started()?.own_tree.as_ref();
        let target = own.and_then(|own| own.target.as_deref());
        let Some(own) = own.filter(|own| own.milestone.is_none()) else {
            return merged(project, run, target);
        };
        let claiming = claiming(project, run, target, &own.base).unwrap_or_default();
        let work = Work {
            base: own.base.clone(),
            tip: machine.last_commit().unwrap_or(&own.base).to_owned(),
            task: task_inside(machine.started()?),
        };
        let its = claiming
            .iter()
            .find(|named| holds(project, run, &work, named).unwrap_or(false));
        if let Some(Named { commit, branch, .. }) = its.cloned() {
            return Some(Fate::Landed {
                commit,
                branch,
                through: None,
            });
        }
        for by in project.settled_by(run).into_iter().filter(|_| deep > 0) {
            let settled = peek_run(project, &by).ok();
            let fate = settled.and_then(|peek| Self::within(project, &by, &peek.machine, deep - 1));
            if let Some(Fate::Landed { commit, branch, .. }) = fate {
                return Some(Fate::Landed {
                    commit,
                    branch,
                    through: Some(by),
                });
            }
        }
        // What was landed before the run was taken up again is no forgery of what came since.
        let mut others = claiming.into_iter().filter(|named| {
            let then = then(project, run, named).ok().flatten();
            !then.is_some_and(|(work, _)| holds(project, run, &work, named).unwrap_or(false))
        });
        if let Some(Named { commit, branch, .. }) = others.next() {
            return Some(Fate::Altered { commit, branch });
        }
        let kept_by = run_ref(run);
        let said = project.commits().subject(&kept_by).ok().flatten();
        let aside = said.is_some_and(|said| said.starts_with(SET_ASIDE));
        aside.then_some(Fate::SetAside { kept_by })
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Fate::Landed {
                commit,
                branch,
                through,
            } => {
                let through = through.as_ref();
                let through = through.map_or_else(String::new, |by| format!(", through `{by}`"));
                let commit = &commit[..12.min(commit.len())];
                format!("landed as {commit} on {branch}{through}")
            }
            Fate::Altered { commit, branch } => format!(
                "not landed: {} on {branch} says that it is this work, and holds something else",
                &commit[..12.min(commit.len())]
            ),
            Fate::SetAside { .. } => "set aside".to_owned(),
        }
    }
}

/// A wave lands what its runs made: the commit of the merge names the run, and stands on what was merged before
/// it.
fn merged(project: &Project, run: &str, target: Option<&str>) -> Option<Fate> {
    let (repo, commits) = (project.top(), project.commits());
    let tip = commits.resolve(&run_ref(run)).ok()??;
    let tip = tip.as_str();
    let found = claiming(project, run, target, tip).ok()?;
    let its = found.into_iter().find(|named| {
        let parent = format!("{}^1", named.commit);
        let Ok(base) = git(repo, &["merge-base", &parent, tip], &[]) else {
            return false;
        };
        let work = Work {
            base: text(&base).trim().to_owned(),
            tip: tip.to_owned(),
            task: None,
        };
        holds(project, run, &work, named).unwrap_or(false)
    });
    its.map(|Named { commit, branch, .. }| Fate::Landed {
        commit,
        branch,
        through: None,
    })
}

/// The subject of the last commit of work that is set aside.
pub fn set_aside(run: &str) -> String {
    format!("{SET_ASIDE}{run} as it was")
}

/// The commits that say they are the run's work: on the branch that it was to land on, or on any other.
fn claiming(
    project: &Project,
    run: &str,
    target: Option<&str>,
    base: &str,
) -> Result<Vec<Named>, EngineError> {
    let mut found = Vec::new();
    let commits = project.commits();
    if let Some(branch) = target
        && let Some(head) = commits.resolve(&format!("refs/heads/{branch}"))?
    {
        found = commits.named(run, Within::Commit(&head), Some(base))?;
        for one in &mut found {
            branch.clone_into(&mut one.branch);
        }
    }
    if found.is_empty() {
        found = commits.named(run, Within::Branches, Some(base))?;
    }
    Ok(found)
}
