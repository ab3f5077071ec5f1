//! `proofhouse factory start|run|status`: a project of the factory, from its spec to its release.

use super::args::FactoryStart;
use super::out::{Out, Tone, count, plain};
use super::progress::Progress;
use super::{decide, exit, figures, inbox, notify, run, status};
use ::factory::plan::{Plan, TaskFile};
use ::factory::spec::ProductSpec;
use engine::Ending;
use engine::factory::{Begin, Driving};
use kernel::Status;
use kernel::machine::Activity;
use report::Looked;
use report::begun::ProjectBegun;
use report::inbox::Item;
use report::project::ProjectReport;
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
        let mut progress = Progress::new(out);
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

pub(crate) fn status(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let name = named(project, name)?;
    let peek = report::look::peek_project(project, &name)?;
    status::shown(project, &name, &Looked::Project(peek), out)?;
    Ok(exit::OK)
}

/// Where a project stands, below its first line.
pub(crate) fn text(out: &Out, project: &Project, report: &ProjectReport, items: &[Item]) {
    let (name, status) = (&report.project, &report.status);
    figures::all(out, status, &report::spend::summary(&status.attempts));
    at_work(out, status);
    let tasks = report.tasks.iter();
    let rows: Vec<Vec<String>> = tasks
        .map(|one| {
            vec![
                one.task.clone(),
                one.status.clone(),
                plain(&one.name),
                one.modules.join(", "),
            ]
        })
        .collect();
    if !report.drafting {
        out.table(&["task", "status", "name", "modules"], &rows);
    }
    inbox::ask(out, project, items);
    if items.is_empty() && status.activity != Activity::Stopped {
        // A release, a deprecation and a stop are possible at any time.
        out.line(&decide::wants(project, &report.run_code));
    }
    if let (true, Some(waiting)) = (items.is_empty(), &status.waiting_for) {
        let word = out.paint(Tone::Warn, "waiting");
        out.line(&format!("{word} {}", plain(&waiting.why)));
    }
    if status.activity == Activity::Stopped {
        out.line(&out.paint(Tone::Warn, "stopped by a person"));
    }
    for release in &report.releases {
        let passed = release["overall_result"] == "PASS";
        let tone = if passed { Tone::Good } else { Tone::Bad };
        let result = release["overall_result"].as_str().unwrap_or_default();
        let id = release["release_id"].as_str().unwrap_or_default();
        out.line(&format!(
            "{} release {id}: {}",
            out.paint(tone, result),
            plain(release["notes"].as_str().unwrap_or_default())
        ));
    }
    if let Some(address) = &report.evidence {
        out.line(&format!("evidence: {address}"));
    }
    if status.activity == Activity::Working && !report.driven {
        out.line(&format!("next: proofhouse factory run {name}"));
    }
}

/// Who works right now, and on what.
fn at_work(out: &Out, status: &Status) {
    let running = status.attempts.iter().filter(|one| one.ended == "running");
    for attempt in running {
        out.line(&format!(
            "  {}       {} {}, since {}",
            attempt.effect,
            attempt.state,
            attempt.role,
            &attempt.began.to_string()[..19]
        ));
    }
}
