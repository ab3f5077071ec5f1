//! Work that contradicts a branch which has moved: who settles it is an agent, in a run of its own from the
//! branch as it is now, with the approved work as a patch in its task folder. The checks judge what comes
//! of both, and a person is asked again: what they approved was something else.

use super::{Ready, held, message, sentence};
use crate::start::{NewRun, Place, start};
use flow::Flow;
use kernel::Autonomy;
use kernel::event::RunStarted;
use report::look::{Peek, peek_run};
use report::work::{Work, task_inside};
use std::path::Path;
use store::RunName;
use workspace::context::validation_commands;
use workspace::error::EngineError;
use workspace::git::git;
use workspace::project::Project;
use workspace::worktree::Merged;

/// The approved work, in the task folder of the run that settles it.
const PATCH: &str = "conflict.patch";
/// Every file that both together make another one than the branch has, with marks where they contradict
/// each other.
const MERGED: &str = "merged";
/// How the names of those end: the folder lies below the repository, where runners look for tests and tools for
/// source, and by its own name `a.test.js` would be run, marks and all.
const ENDING: &str = ".merged";
/// A workflow that wants a red test first keeps to that, and one of a person's own to its own gates. The
/// others would do all of it anew: what comes of both is judged by the commands.
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
    let _lock = held(project, run)?;
    let ready = Ready::of(project, run, onto)?;
    // Two of them would contradict each other, and both would be paid for.
    if let Some(by) = report::unlanded::settling(&ready.project, run) {
        return Err(EngineError::user(
            "settled_already",
            format!("`{by}` brings `{run}` together with its branch already"),
            format!(
                "go on with it: `proofhouse run {by}`, `proofhouse land {by}`; or give it up first: `proofhouse abandon {by}`"
            ),
        ));
    }
    let merged = ready.work.merged(&ready.project, run, &ready.head)?;
    let Merged::Conflict {
        files,
        marked,
        sides,
    } = merged
    else {
        return Err(EngineError::user(
            "nothing_to_settle",
            format!(
                "`{run}` and `{}` do not contradict each other",
                ready.branch
            ),
            format!("`proofhouse land {run}`"),
        ));
    };
    let patch = patch(&ready.project, run, &ready.work)?;
    let started = start(&ready.project, &asked(&ready, &files, agent)?)?;
    store::write_atomic(&started.task.join(PATCH), &patch)?;
    let both = Both {
        head: &ready.head,
        marked: &marked,
        sides: &sides,
        words: [format!("branch {}", ready.branch), format!("run {run}")],
    };
    lay_merged(&ready.project, &both, &started.task)?;
    Ok(Settling {
        branch: ready.branch,
        files,
        by: started.run,
    })
}

/// What a run made of where it began.
fn patch(project: &Project, run: &str, work: &Work) -> Result<Vec<u8>, EngineError> {
    let (began, made) = work.trees(project, run)?;
    let diff = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--binary",
    ];
    git(project.top(), &[&diff[..], &[&began, &made]].concat(), &[])
}

/// A merge that has marks in it.
struct Both<'a> {
    /// The branch's last commit.
    head: &'a str,
    /// The tree of both.
    marked: &'a str,
    /// What its marks call the two: commits that were made for the merge alone.
    sides: &'a [String; 2],
    /// What people call them.
    words: [String; 2],
}

/// Lays the files of a merge that are others than the branch's into the task folder, marks and all: whoever
/// settles it begins with what git could bring together by itself.
fn lay_merged(project: &Project, both: &Both<'_>, into: &Path) -> Result<(), EngineError> {
    let repo = project.top();
    let listed = [
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--diff-filter=d",
    ];
    let listed = git(
        repo,
        &[&listed[..], &[both.head, both.marked]].concat(),
        &[],
    )?;
    for name in listed.split(|byte| *byte == 0) {
        // What is no text is in the patch.
        let Some(name) = str::from_utf8(name).ok().filter(|name| !name.is_empty()) else {
            continue;
        };
        let blob = format!("{}:{name}", both.marked);
        let mut bytes = git(repo, &["cat-file", "blob", &blob], &[])?;
        for (side, words) in both.sides.iter().zip(&both.words) {
            bytes = in_words(&bytes, side, words);
        }
        let to = into.join(MERGED).join(format!("{name}{ENDING}"));
        let folder = to.parent().unwrap_or(into);
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        store::write_atomic(&to, &bytes)?;
    }
    Ok(())
}

/// The bytes with words in the place of a commit's name, wherever it stands.
fn in_words(bytes: &[u8], commit: &str, words: &str) -> Vec<u8> {
    let commit = commit.as_bytes();
    let (mut said, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some(at) = rest.windows(commit.len()).position(|part| part == commit) {
        said.extend_from_slice(&rest[..at]);
        said.extend_from_slice(words.as_bytes());
        rest = &rest[at + commit.len()..];
    }
    said.extend_from_slice(rest);
    said
}

fn asked(ready: &Ready, files: &[String], agent: Option<String>) -> Result<NewRun, EngineError> {
    let (run, started) = (&ready.run, &ready.started);
    let both = (ready.branch.as_str(), files);
    let taken = store::list(&ready.project.journals())?;
    let name = RunName::new(&format!("{run}-settled"))?;
    let named = Some(started.agent.clone()).filter(|agent| !agent.is_empty());
    Ok(NewRun {
        place: Place::OwnTree(Some(ready.head.clone())),
        name: (!taken.contains(&name)).then(|| name.to_string()),
        commands: validation_commands(&ready.project.config()?, started),
        agent: agent.or(named),
        // Whoever approved the work has not seen this.
        autonomy: match started.autonomy {
            Autonomy::Manual => Autonomy::Manual,
            Autonomy::Conservative | Autonomy::Auto => Autonomy::Conservative,
        },
        mode: started.mode,
        settles: Some(started.run.clone()),
        onto: Some(ready.branch.clone()),
        ..task(&ready.peek, started, both)
    })
}

/// The task of bringing a run's work together with a branch that contradicts it in some files.
fn task(
    peek: &Peek<Flow>,
    started: &RunStarted,
    (branch, contradicted): (&str, &[String]),
) -> NewRun {
    // Whole: whoever reviews what comes of it holds it against this.
    let said = sentence(peek).map_or_else(|| message(peek, started), str::to_owned);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let request = format!(
        "{said}: bring the finished work of {} (task/{PATCH}) together with what {branch} says by now; they contradict each other in {}. task/{MERGED} has every file of both together, as FILE{ENDING}, with marks where they do; where {branch} is silent, the finished work holds, its tests as they are",
        started.run,
        contradicted.join(", ")
    );
    let workflow = peek.machine.workflow();
    let own = flow::built_in_names().all(|name| name != started.workflow);
    let keeps = own || started.workflow == KEPT;
    let files = workflow.task.as_ref();
    let takes = !keeps || files.is_some_and(|files| files.request.is_some());
    let fields = ["Change", "Review", "Test command", "Exam"].into_iter();
    let fields = fields.filter(|_| keeps).filter_map(|name| {
        let value = peek.machine.fields().get(name)?;
        Some((flow::field_key(name), value.clone()))
    });
    NewRun {
        workflow: match keeps {
            true => started.workflow.clone(),
            false => OTHERS.to_owned(),
        },
        request: Some(request).filter(|_| takes),
        set: fields.filter(|(_, value)| !value.is_empty()).collect(),
        ..NewRun::default()
    }
}

/// Finished work of a wave that contradicts what was merged before it.
pub(crate) struct Finished<'a> {
    /// The run that did it.
    pub(crate) run: &'a str,
    /// Where it began, and the commit with its work.
    pub(crate) base: &'a str,
    pub(crate) commit: &'a str,
    /// What contradicts it.
    pub(crate) branch: &'a str,
    pub(crate) tip: &'a str,
}

/// The task that brings it together with the tip, after the work itself was put into the folder of that
/// task; none where they do not contradict each other any more, or nobody can tell.
pub(crate) fn again(
    project: &Project,
    finished: &Finished<'_>,
    into: &Path,
) -> Result<Option<NewRun>, EngineError> {
    let project = project.at_top();
    let peek = peek_run(&project, finished.run)?;
    let Some(started) = peek.machine.started().cloned() else {
        return Ok(None);
    };
    let work = Work {
        base: finished.base.to_owned(),
        tip: finished.commit.to_owned(),
        task: task_inside(&started),
    };
    let merged = work.merged(&project, finished.run, finished.tip)?;
    let Merged::Conflict {
        files,
        marked,
        sides,
    } = merged
    else {
        return Ok(None);
    };
    store::write_atomic(&into.join(PATCH), &patch(&project, finished.run, &work)?)?;
    let both = Both {
        head: finished.tip,
        marked: &marked,
        sides: &sides,
        words: [
            format!("branch {}", finished.branch),
            format!("run {}", finished.run),
        ],
    };
    lay_merged(&project, &both, into)?;
    Ok(Some(task(&peek, &started, (finished.branch, &files))))
}
