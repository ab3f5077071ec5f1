//! Tidying up: worktrees whose work is merged, and scratch of finished runs. It refuses to remove a
//! worktree that holds anything which is not in a merged commit, and anything of a run that is not
//! over.

use engine::land::LANDING;
use engine::session;
use engine::wave::MilestoneFolder;
use engine::wave::listed::{is_archived, names};
use kernel::Machine;
use kernel::machine::Activity;
use serde::Serialize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use workspace::error::EngineError;
use workspace::git::run_ref;
use workspace::project::Project;
use workspace::survey::Within;
use workspace::worktree::{self, Found, Removal};

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Worktree,
    /// Scratch of a run.
    Scratch,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It would be removed.
    Removable,
    Removed,
    /// It stays.
    Kept,
}

/// One thing that could be tidied away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// A worktree, or scratch.
    pub what: What,
    /// The run's, or the worktree's.
    pub name: String,
    /// Where.
    pub path: PathBuf,
    /// What becomes of it.
    pub fate: Fate,
    pub why: String,
}

/// Whether anything is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only say what would be done.
    DryRun,
    /// Do it.
    Remove,
}

/// Goes through everything that could be tidied away.
pub fn gc(project: &Project, mode: Mode) -> Result<Vec<Item>, EngineError> {
    let project = project.at_top();
    let mut items = Vec::new();
    for (name, path) in worktree::all(&project) {
        let (fate, why) = if let Some(milestone) = name.strip_prefix("_integration-") {
            integration(&project, milestone, &path, mode)?
        } else if let Some(run) = name.strip_prefix(LANDING) {
            landing(&project, run, &path, mode)?
        } else {
            of_run(&project, &name, &path, mode)?
        };
        items.push(Item {
            what: What::Worktree,
            name,
            path,
            fate,
            why,
        });
    }
    let any = project.home().join(workspace::project::WORKTREES).exists();
    if any && mode == Mode::Remove {
        worktree::prune(&project)?;
    }
    items.extend(scratch(&project, mode)?);
    items.extend(litter(mode));
    Ok(items)
}

/// How many folders killed checks left in the temporary folder.
pub fn left_over() -> usize {
    litter(Mode::DryRun).len()
}

/// What a killed process of ours left in the temporary folder: its number is in the name, and no process
/// has it any more. A container may share the folder and not the numbers: what is young stays.
fn litter(mode: Mode) -> Vec<Item> {
    let processes = Path::new("/proc");
    let own = std::fs::metadata(processes.join("self")).map(|own| own.uid());
    let Ok(own) = own else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(std::env::temp_dir());
    let entries = entries.into_iter().flatten().flatten();
    let mut items = Vec::new();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let rest = LITTER.iter().find_map(|ours| name.strip_prefix(ours));
        let number = rest.and_then(|rest| rest.split_once('-'));
        let Some(Ok(number)) = number.map(|(number, _)| number.parse::<u32>()) else {
            continue;
        };
        let is_ours = entry.metadata().is_ok_and(|it| {
            let old = it.modified().ok().and_then(|at| at.elapsed().ok());
            it.is_dir() && it.uid() == own && old.is_some_and(|old| old > A_DAY)
        });
        if !is_ours || processes.join(number.to_string()).exists() {
            continue;
        }
        let path = entry.path();
        let fate = match mode {
            Mode::DryRun => Fate::Removable,
            Mode::Remove if store::remove_tree(&path).is_ok() => Fate::Removed,
            Mode::Remove => Fate::Kept,
        };
        items.push(Item {
            what: What::Scratch,
            name,
            path,
            fate,
            why: "the process that made it is gone".to_owned(),
        });
    }
    items
}

const A_DAY: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

/// How folders begin that checks make for themselves.
const LITTER: [&str; 2] = ["proofhouse-room-", "proofhouse-report-"];

/// The worktree of a run: its last commit must be in a branch, and hold everything in it.
fn of_run(
    project: &Project,
    run: &str,
    path: &Path,
    mode: Mode,
) -> Result<(Fate, String), EngineError> {
    let repo = project.repo();
    let kept = |why: &str| Ok((Fate::Kept, why.to_owned()));
    let Some(work) = worktree::resolve(repo, &run_ref(run))? else {
        return kept("its run has no commit yet");
    };
    let over = report::look::peek_run(project, run)
        .is_ok_and(|peek| matches!(peek.machine.status().activity, Activity::Done));
    if !over {
        return kept("its run is not done");
    }
    let Ok(_lock) = session::lock(project, run) else {
        return kept("its run is being driven");
    };
    let merged = merged_into(project, &work)?;
    let merged = merged.map_or_else(|| landed_on(project, run), |branch| Ok(Some(branch)))?;
    let Some(branch) = merged else {
        return kept("unmerged: no branch holds its work");
    };
    fate(
        project,
        path,
        &work,
        mode,
        format!("merged into `{branch}`"),
    )
}

/// Removes a worktree that may go, or says whether it could be.
fn fate(
    project: &Project,
    path: &Path,
    commit: &str,
    mode: Mode,
    why: String,
) -> Result<(Fate, String), EngineError> {
    let repo = project.repo();
    Ok(match mode {
        Mode::DryRun => match worktree::held(repo, path, commit)? {
            None => (Fate::Removable, why),
            Some(why) => (Fate::Kept, why),
        },
        Mode::Remove => match worktree::remove(repo, path, commit)? {
            Removal::Removed => (Fate::Removed, why),
            Removal::Kept(why) => (Fate::Kept, why),
        },
    })
}

/// A branch that holds the commit.
fn merged_into(project: &Project, commit: &str) -> Result<Option<String>, EngineError> {
    let args = [
        "for-each-ref",
        "--count=1",
        "--format=%(refname:short)",
        "--contains",
        commit,
        "refs/heads",
    ];
    let found = workspace::git::text(&workspace::git::git(project.repo(), &args, &[])?);
    Ok((!found.is_empty()).then_some(found))
}

/// A branch with a commit that the run's work landed as: its trailer names the run.
fn landed_on(project: &Project, run: &str) -> Result<Option<String>, EngineError> {
    let found = project.commits().named(run, Within::Branches, None)?;
    Ok(found.into_iter().next().map(|named| named.branch))
}

/// The worktree for merges is needed while a wave is live. What it holds is always a
/// commit of the engine's, which can be made again.
fn integration(
    project: &Project,
    milestone: &str,
    path: &Path,
    mode: Mode,
) -> Result<(Fate, String), EngineError> {
    let known = names(project).iter().any(|name| name == milestone);
    if known && !is_archived(project, milestone) {
        let folder = MilestoneFolder::find(project, Some(milestone));
        let busy = match &folder {
            // Its own error is for whoever runs it; here it only means: hands off.
            Err(_) => return Ok((Fate::Kept, "its milestone cannot be read".to_owned())),
            Ok(folder) => folder.peek()?.0.wave.is_some() || folder.open().is_err(),
        };
        if busy {
            return Ok((Fate::Kept, "a wave is live".to_owned()));
        }
    }
    let why = "no wave is live; it is made anew when one is".to_owned();
    let echo = worktree::echo(path)?;
    if !echo.is_empty() && worktree::is_anothers(project.repo(), &echo)? {
        let why = "it stands on a commit of somebody else's that no ref holds";
        return Ok((Fate::Kept, why.to_owned()));
    }
    fate(project, path, &echo, mode, why)
}

/// The worktree of a landing is needed while that is proven: one that was killed left it. What it holds is made
/// again where it is wanted.
fn landing(
    project: &Project,
    run: &str,
    path: &Path,
    mode: Mode,
) -> Result<(Fate, String), EngineError> {
    let repo = project.repo();
    let kept = |why: &str| Ok((Fate::Kept, why.to_owned()));
    let runs = store::list(&project.journals())?;
    let known = runs.iter().any(|name| name.as_str() == run);
    // Held until it is gone.
    let lock = known.then(|| session::lock(project, run));
    if matches!(lock, Some(Err(_))) {
        return kept("its run is being driven or landed");
    }
    let echo = worktree::echo(path)?;
    if !echo.is_empty() && worktree::is_anothers_than(repo, &echo, run)? {
        return kept("it stands on a commit of somebody else's that no ref holds");
    }
    let why = "nothing is landed in it any more; it is made anew when something is".to_owned();
    if mode == Mode::Remove {
        return Ok(match worktree::clear(repo, path)? {
            Removal::Removed => (Fate::Removed, why),
            Removal::Kept(why) => (Fate::Kept, why),
        });
    }
    // One whose making was cut short has nothing in it that could be held.
    match worktree::look(path, &echo)? {
        Found::Absent | Found::Incomplete => Ok((Fate::Removable, why)),
        Found::Fresh | Found::Foreign(_) => fate(project, path, &echo, mode, why),
    }
}

/// Scratch of runs that are over.
fn scratch(project: &Project, mode: Mode) -> Result<Vec<Item>, EngineError> {
    let mut items = Vec::new();
    for run in store::list(&project.journals())? {
        let path = project.work(run.as_str());
        let mut folders = std::fs::read_dir(&path).into_iter().flatten().flatten();
        if !folders.any(|entry| entry.path().is_dir()) {
            continue;
        }
        let activity = report::look::peek_run(project, run.as_str())
            .map(|peek| peek.machine.status().activity);
        let (fate, why) = match activity {
            Ok(Activity::Done | Activity::Stopped) => match session::lock(project, run.as_str()) {
                Ok(_lock) if mode == Mode::Remove => {
                    session::clean(project, run.as_str());
                    (Fate::Removed, "its run is over")
                }
                Ok(_) => (Fate::Removable, "its run is over"),
                Err(_) => (Fate::Kept, "its run is being driven"),
            },
            Ok(_) => (Fate::Kept, "its run is not over"),
            Err(_) => (Fate::Kept, "its run cannot be read"),
        };
        items.push(Item {
            what: What::Scratch,
            name: run.to_string(),
            path,
            fate,
            why: why.to_owned(),
        });
    }
    Ok(items)
}
