//! `proofhouse report`, `deltas` and `guide`: what is due, what was learnt, and what to do now.

use super::exit;
use super::out::{Out, Tone, count, plain};
use report::due::{Learnt, Step, due, next, open_lessons};
use workspace::{EngineError, Project};

pub(crate) fn report(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let due = due(project, workspace::clock::now())?;
    if out.json {
        out.facts(&due);
        return Ok(exit::OK);
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
            out.line(&format!(
                "  {tag}  {}: {}",
                one.run,
                plain(&one.lesson.text)
            ));
        }
    }
}

pub(crate) fn guide(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let mut steps = next(project)?;
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
