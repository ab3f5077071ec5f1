//! Work that contradicts a branch which has moved: who settles it is an agent, in a run of its own from the
//! branch as it is now, with the approved work as a patch in its task folder. The checks judge what comes
//! of both, and a person is asked again: what they approved was something else.

use super::{Ready, message, tree_of};
use crate::session;
use crate::start::{NewRun, Place, start};
use kernel::Autonomy;
use std::path::Path;
use store::RunName;
use workspace::context::validation_commands;
use workspace::error::EngineError;
use workspace::git::git;
use workspace::project::Project;
use workspace::worktree::{self, Merged};

/// The approved work, in the task folder of the run that settles it.
const PATCH: &str = "conflict.patch";
/// A workflow that wants a red test first keeps to that; all others are judged by the commands alone.
const KEPT: &str = "quick";
const OTHERS: &str = "phase";

/// A run that was started to settle what contradicts.
#[derive(Debug, Clone)]
pub struct Settling {
    /// The branch that has moved.
    pub branch: String,
    /// The files in which it contradicts the work.
    pub files: Vec<String>,
    /// The run that settles it.
    pub by: String,
}

/// Starts the run that settles it.
pub fn settle(
    project: &Project,
    run: &str,
    onto: &Option<String>,
    agent: Option<String>,
) -> Result<Settling, EngineError> {
    let _lock = session::lock(&project.at_top(), run)?;
    let ready = Ready::of(project, run, onto)?;
    let repo = ready.project.repo();
    let scratch = ready.project.work(run);
    std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
    let index = scratch.join("settle-index");
    let made = tree_of(&ready.work, repo, &ready.work.tip, &index)?;
    let began = tree_of(&ready.work, repo, &ready.work.base, &index)?;
    let files = contradicted(repo, &ready.head, &began, &made)?;
    if files.is_empty() {
        return Err(EngineError::user(
            "nothing_to_settle",
            format!(
                "`{run}` and `{}` do not contradict each other",
                ready.branch
            ),
            format!("`proofhouse land {run}`"),
        ));
    }
    let patch = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--binary",
    ];
    let patch = git(repo, &[&patch[..], &[&began, &made]].concat(), &[])?;
    let started = start(&ready.project, &asked(&ready, &files, agent)?)?;
    let place = started.task.join(PATCH);
    store::write_atomic(&place, &patch)?;
    Ok(Settling {
        branch: ready.branch,
        files,
        by: started.run,
    })
}

/// The files in which the branch and the work say different things.
fn contradicted(
    repo: &Path,
    head: &str,
    began: &str,
    made: &str,
) -> Result<Vec<String>, EngineError> {
    let base = worktree::commit(repo, began, &[], "base")?;
    let ours = worktree::commit(repo, &format!("{head}^{{tree}}"), &[&base], "branch")?;
    let theirs = worktree::commit(repo, made, &[&base], "run")?;
    Ok(match worktree::merge(repo, &ours, &theirs)? {
        Merged::Tree(_) => Vec::new(),
        Merged::Conflict(files) => files,
    })
}

fn asked(ready: &Ready, files: &[String], agent: Option<String>) -> Result<NewRun, EngineError> {
    let (run, branch, started) = (&ready.run, &ready.branch, &ready.started);
    let said = message(&ready.peek, started);
    let said = said.lines().next().unwrap_or_default();
    let request = format!(
        "{said}: bring the approved work of {run} (task/{PATCH}) together with what {branch} says by now; they contradict each other in {}",
        files.join(", ")
    );
    let keeps = started.workflow == KEPT;
    let fields = ["Change", "Review", "Test command"].into_iter();
    let fields = fields.filter(|_| keeps).filter_map(|name| {
        let value = ready.peek.machine.fields().get(name)?;
        Some((flow::field_key(name), value.clone()))
    });
    let taken = store::list(&ready.project.journals())?;
    let name = RunName::new(&format!("{run}-settled"))?;
    let named = Some(started.agent.clone()).filter(|agent| !agent.is_empty());
    Ok(NewRun {
        workflow: if keeps { KEPT } else { OTHERS }.to_owned(),
        place: Place::OwnTree(Some(ready.head.clone())),
        request: Some(request),
        name: (!taken.contains(&name)).then(|| name.to_string()),
        set: fields.filter(|(_, value)| !value.is_empty()).collect(),
        commands: validation_commands(&ready.project.config()?, started),
        agent: agent.or(named),
        // Whoever approved the work has not seen this.
        autonomy: match started.autonomy {
            Autonomy::Manual => Autonomy::Manual,
            Autonomy::Conservative | Autonomy::Auto => Autonomy::Conservative,
        },
        mode: started.mode,
        ..NewRun::default()
    })
}
