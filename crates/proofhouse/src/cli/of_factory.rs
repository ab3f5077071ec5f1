//! `proofhouse factory start|run|status`: a project of the factory, from its spec to its release.

use super::args::FactoryStart;
use super::live_trace::Live;
use super::out::{Out, Tone, count, plain};
use super::progress::Progress;
use super::{exit, notify, run, status};
use ::factory::plan::{Plan, TaskFile};
use ::factory::spec::ProductSpec;
use engine::Ending;
use engine::factory::{Begin, Driving};
use kernel::machine::Activity;
use report::Looked;
use report::begun::ProjectBegun;
use std::path::Path;
use workspace::{EngineError, Project};

pub(crate) fn start(
    project: &Project,
    asked: &FactoryStart,
    spec: &ProductSpec,
    plan: &Plan,
    files: &[TaskFile],
    out: &Out,
) -> Result<u8, EngineError> {
    let begin = Begin {
        spec,
        name: asked.making.name.as_deref(),
        agent: asked.making.agent.as_deref(),
        jobs: u32::from(asked.making.jobs),
        budgets: &asked.making.budget,
    };
    let begun = engine::factory::start(project, &begin, plan, files)?;
    let missing = engine::factory::missing(project, begin.agent)?;
    if out.json {
        out.facts(&ProjectBegun {
            project: begun.name,
            tasks: Some(begun.tasks),
            missing,
        });
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} project `{}` with {}",
        out.paint(Tone::Good, "started"),
        begun.name,
        count(begun.tasks as u64, "task"),
    ));
    out.warn(&missing);
    out.line(&format!("next: proofhouse factory run {}", begun.name));
    Ok(exit::OK)
}

pub(crate) fn run(
    project: &Project,
    name: Option<&str>,
    agent: Option<&str>,
    out: &Out,
) -> Result<u8, EngineError> {
    let name = &named(project, name)?;
    let driving = Driving {
        project,
        name,
        agent,
    };
    let ended = {
        let mut progress = Live::of(Progress::new(out), project, name)?;
        engine::factory::drive(&driving, &mut progress, &run::on_interrupt)?
    };
    if ended.ending == Ending::Interrupted {
        eprintln!(
            "interrupted; what was in flight is on record as lost. Go on with:\n  proofhouse factory run {name}"
        );
        return Ok(exit::INTERRUPTED);
    }
    // First, so that what is printed can point to it.
    engine::factory::page(project, name)?;
    notify::project(project, name, &ended.status, out);
    status(project, Some(name), out)?;
    Ok(match ended.status.activity {
        Activity::Done | Activity::Resting | Activity::Working => exit::OK,
        Activity::Waiting => exit::WAITING,
        Activity::Stopped => exit::USER,
    })
}

/// The project that is meant: the named one, or the only one.
pub(crate) fn named(project: &Project, name: Option<&str>) -> Result<String, EngineError> {
    if let Some(name) = name {
        return Ok(name.to_owned());
    }
    let mut names = report::look::projects(project)?;
    names.pop().ok_or_else(|| {
        EngineError::user(
            "no_project",
            "there is no project of the factory here",
            "begin one with `proofhouse factory new SPEC.md`, or with `factory start SPEC.json` from a finished spec",
        )
    })
}

/// Writes the product of the last release into a folder.
pub(crate) fn export(
    project: &Project,
    name: Option<&str>,
    dir: &Path,
    out: &Out,
) -> Result<u8, EngineError> {
    let name = named(project, name)?;
    let exported = engine::factory::export(project, &name, dir)?;
    if out.json {
        out.facts(&exported);
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} {} of {} into {}",
        out.paint(Tone::Good, "wrote"),
        count(exported.files as u64, "file"),
        exported.release,
        dir.display()
    ));
    out.line(&plain(&exported.what));
    out.line(&format!("next: cd {}", dir.display()));
    Ok(exit::OK)
}

/// What the roles were given to read, against what was shipped.
pub(crate) fn cost(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let name = named(project, name)?;
    let reading = report::reading::reading(project, &name)?;
    if out.json {
        out.facts(&reading);
        return Ok(exit::OK);
    }
    let row = |who: &str, read: &report::reading::Read| {
        let each = read
            .each
            .map_or("-".to_owned(), |each| format!("{each:.1}"));
        let (briefs, characters) = (read.briefs.to_string(), read.characters.to_string());
        vec![plain(who), briefs, characters, each]
    };
    let roles = reading.roles.iter();
    let mut rows: Vec<Vec<String>> = roles.map(|(role, read)| row(role, read)).collect();
    rows.push(row("all", &reading.all));
    rows.push(row("repairs, beside that", &reading.repairs));
    out.table(&["role", "briefs", "characters", "for each shipped"], &rows);
    let shipped = count(reading.shipped, "character");
    out.line(&format!("{shipped} of code are shipped"));
    Ok(exit::OK)
}

pub(crate) fn status(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let name = named(project, name)?;
    let peek = report::look::peek_project(project, &name)?;
    status::shown(project, &name, &Looked::Project(peek), out)?;
    Ok(exit::OK)
}
