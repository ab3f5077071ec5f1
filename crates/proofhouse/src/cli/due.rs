//! `proofhouse report`, `deltas` and `guide`: what is due, what was learnt, and what to do now.

use super::args::DeltasCommand;
use super::out::{Out, Tone, count, plain};
use super::{exit, standing};
use ::report::Looked;
use engine::wave::milestones;
use engine::wave::verify::reported;
use kernel::lesson::LessonStatus;
use report::due::{Learnt, Step, due, next, open_lessons};
use report::learnt;
use serde_json::json;
use workspace::{EngineError, Project};

pub(crate) fn report(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let mut due = due(project, workspace::clock::now())?;
    let folder = name.and_then(|name| standing::milestone(project, name));
    if let Some(name) = name {
        let runs = match &folder {
            Some(folder) => folder.runs()?.into_iter().map(|(_, run)| run).collect(),
            None => {
                ::report::look(project, name)?;
                vec![name.to_owned()]
            }
        };
        due.decisions.retain(|one| runs.contains(&one.run));
        due.waivers.retain(|one| runs.contains(&one.run));
        due.lessons.retain(|one| runs.contains(&one.run));
    }
    if out.json {
        let mut facts = json!(due);
        if let Some(folder) = &folder {
            let (board, _) = folder.peek()?;
            facts["milestone"] = json!(reported(folder, &board));
        }
        out.facts(&facts);
        return Ok(exit::OK);
    }
    if let Some(folder) = &folder {
        standing::print(folder, out)?;
    }
    let head = |what: String| out.line(&out.paint(Tone::Strong, &what));
    head(count(due.decisions.len() as u64, "decision") + " due");
    for one in &due.decisions {
        out.line(&format!("  {}", plain(&one.what)));
    }
    head(count(due.waivers.len() as u64, "accepted risk"));
    for one in &due.waivers {
        let over = match one.over {
            true => out.paint(Tone::Bad, " (over)"),
            false => String::new(),
        };
        let (run, because) = (&one.run, plain(&one.because));
        out.line(&format!("  {}{over}  {run}: {because}", one.expiry));
    }
    head(count(due.lessons.len() as u64, "open lesson"));
    told(out, &due.lessons);
    Ok(exit::OK)
}

/// What is said of a run with which nothing can be done now.
fn nothing(project: &Project, run: &str, looked: &Looked) -> Step {
    let status = looked.status();
    let driven = ::report::look::is_driven(project, run);
    let (what, command) = match driven {
        true => ("is at work", "attach"),
        false => ("needs nothing", "log"),
    };
    Step {
        run: run.to_owned(),
        what: format!("`{run}` {what}; it is in `{}`", status.state),
        commands: vec![format!("proofhouse {command} {run}")],
    }
}

pub(crate) fn settle(
    project: &Project,
    command: &DeltasCommand,
    out: &Out,
) -> Result<u8, EngineError> {
    let (args, status, word) = match command {
        DeltasCommand::Fold(args) => (args, LessonStatus::Folded, "folded"),
        DeltasCommand::Reject(args) => (args, LessonStatus::Rejected, "rejected"),
    };
    let open = open_lessons(project)?;
    let settled = learnt::settle(project, &open, &args.lessons, (status, &args.because))?;
    if out.json {
        out.facts(&settled);
        return Ok(exit::OK);
    }
    for one in &settled {
        out.line(&format!("{word} {}: {}", one.id, plain(&one.lesson.text)));
    }
    Ok(exit::OK)
}

pub(crate) fn deltas(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let lessons = open_lessons(project)?;
    if out.json {
        out.facts(&lessons);
        return Ok(exit::OK);
    }
    if lessons.is_empty() {
        out.line("no lesson is open");
    }
    told(out, &lessons);
    Ok(exit::OK)
}

fn told(out: &Out, lessons: &[Learnt]) {
    for tag in kernel::lesson::TAGS {
        for one in lessons.iter().filter(|one| one.lesson.tag == tag) {
            let shown = one.lesson.evidence.as_deref().map(plain);
            let shown = shown.map_or_else(String::new, |shown| format!(" (evidence: {shown})"));
            let (id, run, text) = (&one.id, &one.run, plain(&one.lesson.text));
            out.line(&format!("  {tag}  {id}  {run}: {text}{shown}"));
        }
    }
}

pub(crate) fn guide(project: &Project, run: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let milestones = milestones::standing(project);
    let asked = run.and_then(|run| standing::milestone(project, run));
    let of = |one: &&::report::wave::Report| match &asked {
        Some(asked) => one.milestone == asked.milestone.name,
        None => true,
    };
    let milestones: Vec<Step> = milestones
        .iter()
        .filter(of)
        .filter_map(|one| one.step())
        .collect();
    let mut steps = next(project, milestones.clone())?;
    if let Some(asked) = &asked {
        let runs = asked.runs()?;
        steps.retain(|step| {
            milestones.contains(step) || runs.iter().any(|(_, run)| *run == step.run)
        });
    } else if let Some(run) = run {
        let looked = ::report::look(project, run)?;
        steps.retain(|step| step.run == run);
        if steps.is_empty() {
            steps.push(nothing(project, run, &looked));
        }
    }
    // Nothing else that is named here could be begun.
    if let Err(unlocked) = engine::setup::hold(project) {
        let lock = Step {
            run: String::new(),
            what: unlocked.what,
            commands: vec!["proofhouse lock --because '...'".to_owned()],
        };
        steps.insert(0, lock);
    }
    if out.json {
        out.facts(&steps);
        return Ok(exit::OK);
    }
    for Step { what, commands, .. } in &steps {
        out.line(&plain(what));
        for command in commands {
            out.line(&format!("  {command}"));
        }
    }
    Ok(exit::OK)
}
