//! What is due in a repository: decisions that wait for a person, risks that somebody has accepted and
//! the day on which that ends, lessons that nobody has taken up, and what to do next. It decides nothing.

use crate::fate::Fate;
use crate::history::history;
use crate::inbox;
use crate::learnt;
use crate::look::{self, Looked, Peek};
use crate::unlanded;
use flow::Flow;
use kernel::lesson::{Lesson, LessonStatus};
use kernel::machine::Activity;
use kernel::{Machine, Time};
use serde::Serialize;
use std::collections::BTreeSet;
use workspace::git::git;
use workspace::{EngineError, Project};

/// All that is due.
#[derive(Debug, Clone, Serialize)]
pub struct Due {
    /// What waits for a person.
    pub decisions: Vec<Step>,
    /// The one that ends first comes first.
    pub waivers: Vec<Waiver>,
    /// Those that are open.
    pub lessons: Vec<Learnt>,
}

/// Something that a person can do, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The run or project that it is about; empty: none yet.
    pub run: String,
    /// A sentence.
    pub what: String,
    /// The commands that do it.
    pub commands: Vec<String>,
}

/// A risk that a person has accepted.
#[derive(Debug, Clone, Serialize)]
pub struct Waiver {
    pub run: String,
    /// What they said.
    pub action: String,
    pub who: String,
    /// When.
    pub at: Time,
    /// The last day.
    pub expiry: String,
    /// Is that day over?
    pub over: bool,
    /// Their whole reason, with the owner and the ticket.
    pub because: String,
}

/// Everything that is due, as of this moment.
pub fn due(project: &Project, now: Time) -> Result<Due, EngineError> {
    let mut waivers = Vec::new();
    for (run, looked) in look::all(project)? {
        if let Ok(Looked::Run(_)) = looked {
            waivers.extend(waived(project, &run, now)?);
        }
    }
    waivers.sort_by(|one, other| (&one.expiry, &one.run).cmp(&(&other.expiry, &other.run)));
    Ok(Due {
        decisions: decisions(project)?,
        waivers,
        lessons: open_lessons(project)?,
    })
}

pub use crate::criterion::ARCHIVED;
pub use crate::learnt::Learnt;

/// The runs of milestones that were put away.
fn folded(project: &Project) -> BTreeSet<String> {
    let all = project.milestones().map(std::fs::read_dir);
    let marks = all.into_iter().flatten().flatten().flatten();
    let marks = marks.filter_map(|one| std::fs::read_to_string(one.path().join(ARCHIVED)).ok());
    marks
        .flat_map(|mark| mark.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The open lessons of all runs; what a person has folded is open no more.
pub fn open_lessons(project: &Project) -> Result<Vec<Learnt>, EngineError> {
    let folded = folded(project);
    let mut lessons = lessons(project)?;
    lessons.retain(|one| !folded.contains(&one.run));
    Ok(lessons)
}

/// The lessons of all runs that nobody has folded or rejected, in the run's own file or by command.
pub fn lessons(project: &Project) -> Result<Vec<Learnt>, EngineError> {
    let mut lessons = Vec::new();
    for (run, looked) in look::all(project)? {
        let Ok(Looked::Run(peek)) = looked else {
            continue;
        };
        let text = state_file(project, &run, &peek).unwrap_or_default();
        let items = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- "));
        let open = items
            .filter_map(Lesson::of)
            .filter(|lesson| lesson.status == LessonStatus::Open);
        lessons.extend(open.map(|lesson| Learnt {
            id: learnt::id(&run, &lesson),
            run: run.clone(),
            lesson,
        }));
    }
    let settled = learnt::settled(project)?;
    lessons.retain(|one| !settled.contains(&one.id));
    Ok(lessons)
}

/// What to do now: decisions first, then runs that nobody drives, then finished work that nobody has
/// taken, then milestones, then something new.
pub fn next(project: &Project, milestones: Vec<Step>) -> Result<Vec<Step>, EngineError> {
    let mut steps = decisions(project)?;
    let mut at_work = Vec::new();
    for (run, looked) in look::all(project)? {
        let Ok(looked) = looked else { continue };
        if let Looked::Run(peek) = &looked {
            steps.extend(stopped(project, &run, &peek.machine));
        }
        let works = looked.status().activity == Activity::Working;
        if works && look::is_driven(project, &run) {
            at_work.push(run);
        } else if works {
            let verb = match looked {
                Looked::Run(_) => "run",
                Looked::Project(_) => "factory run",
            };
            steps.push(Step {
                what: format!("`{run}` can go on, and nobody drives it"),
                commands: vec![format!("proofhouse {verb} {run}")],
                run,
            });
        }
    }
    for (run, finished) in unlanded::all(project)? {
        steps.push(Step {
            what: finished.words(&run),
            commands: match finished.commands.len() {
                1 => finished.commands,
                _ => [vec![diff(&run)], finished.commands].concat(),
            },
            run,
        });
    }
    steps.extend(milestones);
    if steps.is_empty() && !at_work.is_empty() {
        let runs = at_work.iter().map(|run| format!("`{run}`"));
        let runs = runs.collect::<Vec<_>>().join(", ");
        steps.push(Step {
            what: format!("nothing waits for you; {runs} at work"),
            commands: at_work
                .iter()
                .map(|run| format!("proofhouse attach {run}"))
                .collect(),
            run: String::new(),
        });
    }
    if steps.is_empty() {
        steps.push(begin(project)?);
    }
    Ok(steps)
}

fn diff(run: &str) -> String {
    format!("proofhouse diff {run}")
}

/// A run that a person stopped, and whose tree still lies there.
fn stopped(project: &Project, run: &str, machine: &Flow) -> Option<Step> {
    let own = machine.started()?.own_tree.as_ref();
    let left = machine.status().activity == Activity::Stopped
        && own.is_some_and(|own| own.milestone.is_none())
        && project.worktree(run).join(".git").exists()
        && Fate::of(project, run, machine).is_none();
    left.then(|| Step {
        run: run.to_owned(),
        what: format!("`{run}` was stopped by a person; what it made is kept until you leave it"),
        commands: vec![diff(run), format!("proofhouse discard {run}")],
    })
}

/// What to begin with. Where nobody has said yet who works, that comes first.
fn begin(project: &Project) -> Result<Step, EngineError> {
    let fresh = store::list(&project.journals())?.is_empty();
    let set = project.config()?.agent().is_some();
    let (what, commands): (&str, &[&str]) = match set || !fresh {
        true => (
            "nothing waits for you, and nothing is under way",
            &["proofhouse do '...'", "proofhouse add '...'"],
        ),
        false => (
            "nothing is set up here yet: say which agent works, then what you want",
            &["proofhouse init", "proofhouse do '...'"],
        ),
    };
    Ok(Step {
        run: String::new(),
        what: what.to_owned(),
        commands: commands.iter().map(|one| (*one).to_owned()).collect(),
    })
}

fn decisions(project: &Project) -> Result<Vec<Step>, EngineError> {
    let items = inbox::inbox(project)?;
    let step = |item: &inbox::Item| {
        let worded = item.worded()?;
        let answers = worded.answers.into_iter().map(|way| way.command);
        let change = match item {
            inbox::Item::Run { grounds, .. } => grounds.change.as_ref(),
            _ => None,
        };
        let look = change.filter(|change| !change.files.is_empty());
        let look = look.map(|_| diff(item.run()));
        Some(Step {
            run: item.run().to_owned(),
            what: worded.headline,
            commands: look.into_iter().chain(answers).collect(),
        })
    };
    Ok(items.iter().filter_map(step).collect())
}

/// Decisions of a run that hold until a day.
pub fn waived(project: &Project, run: &str, now: Time) -> Result<Vec<Waiver>, EngineError> {
    let decided = history(project, run)?.decisions().into_iter();
    let waiver = |one: crate::history::Decided| {
        let expiry = expiry(&one.decision.because)?;
        let end = Time::parse(&format!("{expiry}T23:59:59.999Z"))?;
        Some(Waiver {
            run: run.to_owned(),
            action: one.decision.option,
            who: one.decision.who,
            at: one.at,
            expiry,
            over: end < now,
            because: one.decision.because,
        })
    };
    Ok(decided.filter_map(waiver).collect())
}

impl Waiver {
    /// Until when, in whose name.
    pub fn sentence(&self) -> String {
        let over = if self.over { ", which is over" } else { "" };
        format!("risk accepted by {} until {}{over}", self.who, self.expiry)
    }
}

/// The day behind `expiry:` in a reason.
fn expiry(because: &str) -> Option<String> {
    let mut parts = because.split([';', ',', '\n']);
    parts.find_map(|part| {
        let (label, value) = part.split_once([':', '='])?;
        let day = value.split_whitespace().next()?;
        label
            .trim()
            .eq_ignore_ascii_case("expiry")
            .then(|| day.to_owned())
    })
}

/// The text of a run's state file: where it lies, or else as its last commit has it.
fn state_file(project: &Project, run: &str, peek: &Peek<Flow>) -> Option<String> {
    let started = peek.machine.started()?;
    let file = &peek.machine.workflow().task.as_ref()?.state_file;
    let folder = workspace::context::task_folder(&project.of_run(run), started);
    if let Ok(text) = std::fs::read_to_string(folder.join(file)) {
        return Some(text);
    }
    let commit = peek.machine.last_commit()?;
    let name = format!("{commit}:{}/{file}", started.task);
    let bytes = git(project.top(), &["show", &name], &[]).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_ends_on_the_day_that_its_reason_names() {
        let because = "owner: ann; ticket: T-1; Expiry: 2031-12-24 at noon";
        assert_eq!(expiry(because).as_deref(), Some("2031-12-24"));
        assert_eq!(expiry("the expiry is soon"), None);
    }
}
