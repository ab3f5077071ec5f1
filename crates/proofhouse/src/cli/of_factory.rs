//! `proofhouse factory start|run|status`: a project of the factory, from its spec to its release.

use super::args::FactoryStart;
use super::out::{Out, Tone, count, plain};
use super::progress::Progress;
use super::{decide, exit, figures, questions, run, status};
use ::factory::plan::{Plan, TaskFile};
use ::factory::spec::ProductSpec;
use engine::Ending;
use engine::factory::{Begin, Driving, Peek};
use kernel::machine::Activity;
use kernel::{Machine, Status};
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
        out.facts(
            &serde_json::json!({"project": begun.name, "tasks": begun.tasks, "missing": missing}),
        );
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
    let mut names = engine::factory::projects(project)?;
    names.pop().ok_or_else(|| {
        EngineError::user(
            "no_project",
            "there is no project of the factory here",
            "begin one with `proofhouse factory new SPEC.md`, or with `factory start SPEC.json` from a finished spec",
        )
    })
}

/// Where a project stands, as JSON.
pub(crate) fn facts(name: &str, peek: &Peek) -> serde_json::Value {
    let Peek { machine, head } = peek;
    let open = machine.open_escalations();
    let open: Vec<_> = open.map(|one| one.escalation_id.to_string()).collect();
    serde_json::json!({
        "project": name, "seq": head.seq, "status": machine.status(),
        "state_machine": machine.state_machine(), "escalations": open,
        "questions": questions::facts(name, &machine.questions()), "releases": releases(peek),
        "run_code": engine::approval::run_code(name, &head.hash),
    })
}

fn releases(peek: &Peek) -> Vec<serde_json::Value> {
    let all = peek.machine.releases().iter();
    all.map(|one| one.document()).collect()
}

pub(crate) fn status(project: &Project, name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let name = named(project, name)?;
    let peek = engine::factory::peek(project, &name)?;
    if out.json {
        out.facts(&facts(&name, &peek));
        return Ok(exit::OK);
    }
    let status = peek.machine.status();
    out.line(&format!(
        "{}  {} in `{}`, {}",
        out.paint(Tone::Strong, &name),
        status.workflow,
        status.state,
        status::word(out, project, &name, status.activity)
    ));
    figures::all(out, &status);
    at_work(out, &status);
    let rows: Vec<Vec<String>> = peek
        .machine
        .tasks()
        .iter()
        .map(|task| {
            let modules: Vec<String> = task.modules.iter().map(ToString::to_string).collect();
            let id = task.declared.id.to_string();
            let status = task.status.as_str().to_owned();
            vec![id, status, plain(&task.declared.task), modules.join(", ")]
        })
        .collect();
    if peek.machine.product().is_none() || !rows.is_empty() {
        out.table(&["task", "status", "name", "modules"], &rows);
    }
    questions::print(out, project, &name, &peek);
    if peek.machine.questions().is_empty() && status.activity != Activity::Stopped {
        // A release, a deprecation and a stop are possible at any time.
        out.line(&decide::wants(project, &name, &peek.head.hash));
    }
    if let (true, Some(waiting)) = (peek.machine.questions().is_empty(), &status.waiting_for) {
        out.line(&format!(
            "{} {}",
            out.paint(Tone::Warn, "waiting"),
            plain(&waiting.why)
        ));
    }
    if status.activity == Activity::Stopped {
        out.line(&out.paint(Tone::Warn, "stopped by a person"));
    }
    for release in releases(&peek) {
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
    let page = engine::factory::page_place(project, &name);
    if page.is_file() {
        out.line(&format!("evidence: {}", engine::views::address(&page)));
    }
    if status.activity == Activity::Working && !engine::session::is_driven(project, &name) {
        out.line(&format!("next: proofhouse factory run {name}"));
    }
    Ok(exit::OK)
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
