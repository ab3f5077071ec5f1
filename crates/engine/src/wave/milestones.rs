//! Milestones by command: begin one, say which one is meant, put one away. Putting away folds what its
//! tasks have learnt into two files beside its definition. Nothing is removed: its journal stays what
//! an audit reads.

use super::folder::MilestoneFolder;
use super::listed::{DEFINITION, IN_USE, all, in_use, is_archived, names};
use crate::start::{LOOKED_FOR, found_commands};
use ::wave::board::Board;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use store::RunName;
use workspace::error::EngineError;
use workspace::project::Project;

/// What was learnt, and how each task ended, beside the definition.
const DELTAS: &str = "deltas.md";
const SUMMARY: &str = "SUMMARY.md";

/// What is put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// A milestone that has reached its goal.
    Done,
    /// As it is: a person gives it up.
    AsItIs,
}

/// A milestone as a person asks for it.
#[derive(Debug, Clone, Default)]
pub struct NewMilestone {
    pub name: String,
    pub goal: String,
    pub criteria: Vec<String>,
    /// Commands that must pass after each merge; none: the config's.
    pub integration: Vec<String>,
    /// `slug=sentence` each.
    pub tasks: Vec<(String, String)>,
    /// The workflow of all of them; none: the default.
    pub workflow: Option<String>,
    /// How far along the product is; none: nobody says.
    pub stage: Option<String>,
}

/// A task that is added to a milestone.
#[derive(Debug, Clone, Default)]
pub struct Added {
    pub slug: String,
    /// What is asked for, in a sentence.
    pub asks: String,
    /// Tasks that must be merged first.
    pub after: Vec<String>,
    /// Its workflow; none: the default.
    pub workflow: Option<String>,
}

/// Adds a task to a milestone that is not put away; what was written there stays as it is.
pub fn add(project: &Project, name: &str, added: &Added) -> Result<PathBuf, EngineError> {
    let folder = MilestoneFolder::find(project, Some(name))?;
    if is_archived(&folder.project, name) {
        return Err(EngineError::user(
            "milestone_archived",
            format!("`{name}` was put away"),
            "begin another one with `proofhouse milestone new`",
        ));
    }
    let path = folder.folder().join(DEFINITION);
    let mut text = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&task(
        &added.slug,
        &added.asks,
        added.workflow.as_deref(),
        &added.after,
    ));
    let commands = folder.project.config()?.commands();
    // Judged before it is written: what lies there can be run.
    ::wave::milestone::Milestone::parse(name, &text, &commands)?;
    store::write_atomic(&path, text.as_bytes())?;
    Ok(path)
}

/// Takes a task out of a milestone that nobody has begun in it; the rest stays as it is written.
pub fn remove(project: &Project, name: &str, task: &str) -> Result<PathBuf, EngineError> {
    let folder = MilestoneFolder::find(project, Some(name))?;
    let path = folder.folder().join(DEFINITION);
    let mut tasks = folder.milestone.tasks.iter();
    let Some(at) = tasks.position(|one| &*one.slug == task) else {
        return Err(EngineError::user(
            "unknown_task",
            format!("`{name}` has no task `{task}`"),
            format!("`proofhouse wave status {name}` lists those that it has"),
        ));
    };
    if folder.runs()?.iter().any(|(of, _)| of == task) {
        return Err(EngineError::user(
            "task_begun",
            format!("`{task}` of `{name}` was begun, and its run is on record"),
            format!(
                "`proofhouse milestone archive {name} --unfinished` gives the milestone up as it is"
            ),
        ));
    }
    let text = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    let text = without(&text, at);
    let commands = folder.project.config()?.commands();
    // Others may need it: judged before it is written.
    ::wave::milestone::Milestone::parse(name, &text, &commands)?;
    store::write_atomic(&path, text.as_bytes())?;
    Ok(path)
}

/// The definition without the task that stands there as this one, counted from nothing.
fn without(text: &str, at: usize) -> String {
    let is_task = |line: &str| line.trim_start().starts_with("[[task]]");
    let (mut seen, mut inside) = (0, false);
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            inside = is_task(line) && seen == at;
            seen += usize::from(is_task(line));
        }
        if !inside {
            kept.push_str(line);
        }
    }
    kept
}

/// Writes its definition, and means it from now on.
pub fn begin(project: &Project, asked: &NewMilestone) -> Result<PathBuf, EngineError> {
    let project = project.at_top();
    let name = RunName::fresh(&asked.name).map_err(|error| {
        let mut error = EngineError::from(error);
        error.what = format!("{:?} is not a milestone name", asked.name);
        error
    })?;
    let name = name.to_string();
    let folder = all(&project).join(&name);
    let path = folder.join(DEFINITION);
    if path.exists() || names(&project).contains(&name) {
        return Err(EngineError::user(
            "milestone_exists",
            format!("there is a milestone `{name}` already"),
            format!(
                "take another name, or edit {}",
                project.milestone(&name).join(DEFINITION).display()
            ),
        ));
    }
    let config = project.config()?;
    let mut asked = asked.clone();
    if asked.integration.is_empty() && config.commands().is_empty() {
        asked.integration = found_commands(&project);
        if asked.integration.is_empty() {
            return Err(EngineError::user(
                "no_check",
                format!(
                    "nothing was found here that could prove a merged tree; looked for: {LOOKED_FOR}"
                ),
                "say what does: `--integration COMMAND`, or `[checks] commands = [\"COMMAND\"]` in .proofhouse/config.toml",
            ));
        }
    }
    let text = definition(&asked);
    // Judged before it is written: what lies there can be run.
    ::wave::milestone::Milestone::parse(&name, &text, &config.commands())?;
    std::fs::create_dir_all(&folder).map_err(EngineError::io("create", &folder))?;
    store::write_atomic(&path, text.as_bytes())?;
    store::write_atomic(&all(&project).join(IN_USE), name.as_bytes())?;
    Ok(path)
}

/// As a person would write it. A JSON string is a TOML string.
fn definition(asked: &NewMilestone) -> String {
    let list = |name: &str, all: &[String]| match all {
        [] => String::new(),
        all => format!("{name} = {}\n", json!(all)),
    };
    let mut text = format!("goal = {}\n", json!(asked.goal));
    text.push_str(&list("criteria", &asked.criteria));
    text.push_str(&list("integration", &asked.integration));
    if let Some(stage) = &asked.stage {
        text.push_str(&format!("stage = {}\n", json!(stage)));
    }
    for (slug, asks) in &asked.tasks {
        text.push_str(&task(slug, asks, asked.workflow.as_deref(), &[]));
    }
    text
}

fn task(slug: &str, asks: &str, workflow: Option<&str>, after: &[String]) -> String {
    let mut text = format!("\n[[task]]\nslug = {}\n", json!(slug));
    if let Some(workflow) = workflow {
        text.push_str(&format!("workflow = {}\n", json!(workflow)));
    }
    if !after.is_empty() {
        text.push_str(&format!("depends_on = {}\n", json!(after)));
    }
    text.push_str(&format!("asks = {}\n", json!(asks)));
    text
}

/// Every milestone that nobody has put away, as it stands; one that cannot be read is left out.
pub fn standing(project: &Project) -> Vec<report::wave::Report> {
    let project = project.at_top();
    let open = names(&project).into_iter();
    let open = open.filter(|name| !is_archived(&project, name));
    open.filter_map(|name| {
        let folder = MilestoneFolder::find(&project, Some(&name)).ok()?;
        let (board, _) = folder.peek().ok()?;
        Some(super::verify::reported(&folder, &board))
    })
    .collect()
}

/// Means this one wherever a command names none.
pub fn use_it(project: &Project, name: &str) -> Result<(), EngineError> {
    let folder = MilestoneFolder::find(project, Some(name))?;
    let place = all(&folder.project).join(IN_USE);
    Ok(store::write_atomic(&place, name.as_bytes())?)
}

/// Those that nobody has put away, and which of them is meant.
pub fn listed(project: &Project) -> Vec<(String, bool)> {
    let project = project.at_top();
    let meant = in_use(&project);
    let open = names(&project).into_iter();
    let open = open.filter(|name| !is_archived(&project, name));
    open.map(|name| (name.clone(), meant.as_deref() == Some(&name)))
        .collect()
}

/// What came of putting one away.
#[derive(Debug, Clone, Serialize)]
pub struct Archived {
    pub milestone: String,
    pub summary: PathBuf,
    pub deltas: PathBuf,
    /// How many lessons were folded.
    pub lessons: usize,
}

/// Puts it away: its tasks are summed up and their lessons folded. Refused while a wave is live.
pub fn archive(project: &Project, name: &str, what: Put) -> Result<Archived, EngineError> {
    let folder = MilestoneFolder::find(project, Some(name))?;
    let (board, _) = folder.peek()?;
    if board.wave.is_some() {
        return Err(EngineError::user(
            "wave_already_live",
            format!("a wave of `{name}` is live"),
            format!("end it: `proofhouse wave run {name}` or `proofhouse wave close {name}`"),
        ));
    }
    if what == Put::Done {
        let report =
            report::wave::report(&folder.project, &folder.milestone, &folder.branch(), &board);
        if let Some(open) = report::wave::unmet(&report) {
            return Err(EngineError::user(
                &open.code,
                open.what,
                format!(
                    "`proofhouse wave status {name}` shows what is left; `proofhouse milestone archive {name} --unfinished` puts it away as it is"
                ),
            ));
        }
    }
    let runs = folder.runs()?;
    let learnt = report::due::lessons(&folder.project)?;
    let learnt: Vec<_> = learnt
        .into_iter()
        .filter(|one| runs.iter().any(|(_, run)| *run == one.run))
        .collect();
    let mut deltas = format!("# What was learnt in {name}\n");
    for tag in kernel::lesson::TAGS {
        let of_tag = learnt.iter().filter(|one| one.lesson.tag == tag);
        let lines: String = of_tag
            .map(|one| format!("- {} ({})\n", one.lesson.text, one.run))
            .collect();
        if !lines.is_empty() {
            deltas.push_str(&format!("\n## {tag}\n\n{lines}"));
        }
    }
    let place = folder.folder();
    let archived = Archived {
        milestone: name.to_owned(),
        summary: place.join(SUMMARY),
        deltas: place.join(DELTAS),
        lessons: learnt.len(),
    };
    store::write_atomic(
        &archived.summary,
        summary(&folder, &board, &runs).as_bytes(),
    )?;
    store::write_atomic(&archived.deltas, deltas.as_bytes())?;
    let names: Vec<&str> = runs.iter().map(|(_, run)| run.as_str()).collect();
    let mark = place.join(report::due::ARCHIVED);
    store::write_atomic(&mark, names.join("\n").as_bytes())?;
    if in_use(&folder.project).as_deref() == Some(name) {
        let place = all(&folder.project).join(IN_USE);
        std::fs::remove_file(&place).map_err(EngineError::io("remove", &place))?;
    }
    Ok(archived)
}

/// Moves one that was put away out of the way of those that are worked on. What it holds stays as it is,
/// and an audit and `deltas` find it there; moving the folder back undoes it.
pub fn compact(project: &Project, name: &str) -> Result<PathBuf, EngineError> {
    let folder = MilestoneFolder::find(project, Some(name))?;
    let project = &folder.project;
    let [here, away] = project.milestones();
    if !is_archived(project, name) {
        return Err(EngineError::user(
            "milestone_not_archived",
            format!("`{name}` was not put away, and what it has learnt is not folded"),
            format!("`proofhouse milestone archive {name}` first"),
        ));
    }
    let (from, to) = (here.join(name), away.join(name));
    if !from.exists() {
        return Err(EngineError::user(
            "already_compacted",
            format!("`{name}` lies in {} already", to.display()),
            "there is nothing left to do",
        ));
    }
    if to.exists() {
        return Err(EngineError::user(
            "archive_destination_exists",
            format!("something else lies in {}", to.display()),
            "move it away first: nothing is written over it",
        ));
    }
    std::fs::create_dir_all(&away).map_err(EngineError::io("create", &away))?;
    std::fs::rename(&from, &to).map_err(EngineError::io("move", &from))?;
    Ok(to)
}

/// How each task ended, by its last run.
fn summary(folder: &MilestoneFolder, board: &Board, runs: &[(String, String)]) -> String {
    let milestone = &folder.milestone;
    let last: BTreeMap<&str, &str> = runs
        .iter()
        .map(|(task, run)| (task.as_str(), run.as_str()))
        .collect();
    let rows: String = milestone
        .tasks
        .iter()
        .map(|task| {
            let run = last.get(task.slug.as_str()).copied().unwrap_or("none");
            let outcome = match (board.merged.get(&*task.slug), board.failed.get(&*task.slug)) {
                (Some(commit), _) => format!("merged, {}", &commit[..commit.len().min(12)]),
                (None, Some(failed)) => format!("not merged, {}: {}", failed.code, failed.reason),
                (None, None) => "never merged".to_owned(),
            };
            let worth = report::look::peek_run(&folder.project, run);
            let worth = worth.map_or_else(|_| String::new(), |peek| peek.machine.worth());
            let accepted = report::due::waived(&folder.project, run, workspace::clock::now());
            let accepted = accepted.unwrap_or_default();
            let said = accepted.iter().map(report::due::Waiver::sentence);
            let shown = Some(worth).filter(|worth| !worth.is_empty());
            let shown: Vec<String> = shown.into_iter().chain(said).collect();
            format!(
                "| {} | {outcome} | {run} | {} |\n",
                task.slug,
                shown.join("; ")
            )
        })
        .collect();
    let criteria: String =
        report::wave::report(&folder.project, milestone, &folder.branch(), board)
            .criteria
            .iter()
            .map(|one| format!("- {}: {}\n", one.text, one.stands))
            .collect();
    format!(
        "# {}: {}\n\n| task | outcome | run | evidence |\n|---|---|---|---|\n{rows}\n## Criteria\n\n{criteria}",
        milestone.name, milestone.goal
    )
}
