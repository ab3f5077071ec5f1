//! `proofhouse status`.

use super::out::{Out, Tone, dollars, plain};
use super::{decide, exit, figures, land, of_factory};
use engine::decide::Decided;
use engine::start::runs;
use engine::{Peek, Run};
use kernel::machine::{Activity, Waiting};
use kernel::{Machine, Status};
use workspace::{EngineError, Kind, Project};

pub(crate) fn status(project: &Project, run: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    match run {
        Some(run) if engine::factory::is_project(project, run) => {
            return of_factory::status(project, Some(run), out);
        }
        Some(run) => print(project, run, out)?,
        None => all(project, out)?,
    }
    Ok(exit::OK)
}

fn facts(project: &Project, run: &str, peek: &Peek) -> Result<serde_json::Value, EngineError> {
    let status = peek.machine.status();
    let mut facts = serde_json::to_value(&status).unwrap_or_default();
    if let Some(map) = facts.as_object_mut() {
        let spend = workspace::spend::summary(&status.attempts);
        map.insert("spend".into(), serde_json::json!(spend));
        map.insert("head".into(), serde_json::json!(peek.head));
        map.insert(
            "driven".into(),
            engine::session::is_driven(project, run).into(),
        );
        map.insert(
            "run_code".into(),
            engine::approval::run_code(run, &peek.head.hash).into(),
        );
        map.insert("evidence".into(), evidence_link(project, run)?.into());
        map.insert("task".into(), task(project, peek).into());
    }
    Ok(facts)
}

/// Where a run or a project stands after a person's decision.
pub(crate) fn after(
    project: &Project,
    decided: &Decided,
) -> Result<serde_json::Value, EngineError> {
    let (name, status) = (&decided.name, &decided.status);
    match Run::peek(project, name) {
        Ok(peek) => facts(project, name, &peek),
        Err(error) if error.kind == Kind::FactoryProject => {
            Ok(serde_json::json!({"project": name, "status": status}))
        }
        Err(error) => Err(error),
    }
}

fn task(project: &Project, peek: &Peek) -> String {
    let started = peek.machine.started();
    started.map_or_else(String::new, |started| {
        workspace::context::task_folder(&project.of_run(started.run.as_str()), started)
            .display()
            .to_string()
    })
}

pub(crate) fn evidence_link(project: &Project, run: &str) -> Result<String, EngineError> {
    let peek = Run::peek(project, run)?;
    engine::views::link(&project.of_run(run), &peek.machine)
}

pub(crate) fn print(project: &Project, run: &str, out: &Out) -> Result<(), EngineError> {
    let peek = Run::peek(project, run)?;
    if out.json {
        out.facts(&facts(project, run, &peek)?);
        return Ok(());
    }
    let status = peek.machine.status();
    out.line(&format!(
        "{}  {} in `{}`, {}",
        out.paint(Tone::Strong, run),
        status.workflow,
        status.state,
        word(out, project, run, status.activity)
    ));
    let files = peek.machine.workflow().task.as_ref();
    let promise = files.and_then(|files| files.promise.first());
    if let Some((name, text)) = promise.and_then(|name| status.fields.get_key_value(name)) {
        let name = name.to_lowercase();
        out.line(&format!("  {name:<11} {}", plain(text)));
    }
    out.line(&format!(
        "  autonomy    {}{}{}",
        status.autonomy,
        pace(&status),
        risk(&status)
    ));
    figures::all(out, &status);
    for attempt in status.attempts.iter().rev().take(5).rev() {
        out.line(&format!(
            "  {}       {:<10} {:<9} {:<14} {:<8} {}",
            attempt.effect,
            attempt.state.as_str(),
            attempt.role,
            attempt.ended,
            match attempt.usage.micro_dollars {
                0 => String::new(),
                paid => dollars(paid),
            },
            plain(&attempt.reason)
        ));
    }
    if let Some(refusal) = &status.last_refusal {
        out.line(&format!(
            "  {} {}",
            out.paint(Tone::Warn, "last refusal"),
            plain(&refusal.to_string())
        ));
    }
    out.line(&format!(
        "  head        {}:{}",
        peek.head.seq,
        &peek.head.hash[..16.min(peek.head.hash.len())]
    ));
    out.line(&format!("  task        {}", task(project, &peek)));
    out.line(&format!("  evidence    {}", evidence_link(project, run)?));
    match &status.waiting_for {
        Some(waiting_for) => {
            waiting(out, project, run, waiting_for, &peek.head.hash);
        }
        None if status.activity == Activity::Working => {
            // It can be stopped at any time, and that asks for the code.
            out.line(&decide::wants(project, run, &peek.head.hash));
            if !engine::session::is_driven(project, run) {
                out.line(&format!("next: proofhouse run {run}"));
            }
        }
        None => may_begin(out, project, run, &peek),
    }
    Ok(())
}

/// What a person may begin in a run that rests.
fn may_begin(out: &Out, project: &Project, run: &str, peek: &Peek) {
    let (workflow, position) = (peek.machine.workflow(), peek.machine.position());
    let mode = peek.machine.status().mode;
    if position.stopped || position.is_over(&workflow.table) {
        return;
    }
    if let Some(def) = workflow.states.get(&position.state) {
        out.line(&format!("  {}", plain(&def.about)));
    }
    for option in workflow.table.options(position, mode) {
        out.line(&format!(
            "  proofhouse decide {run} {option} --because \"...\""
        ));
    }
    out.line(&decide::wants(project, run, &peek.head.hash));
}

fn pace(status: &Status) -> &'static str {
    match status.mode.pace {
        kernel::Pace::Stepped => ", stepped",
        kernel::Pace::Flowing => "",
    }
}

fn risk(status: &Status) -> &'static str {
    match status.mode.risk {
        kernel::Risk::High => ", risk: high",
        kernel::Risk::Normal => "",
    }
}

/// What a run or a project does right now, in a word or two.
pub(crate) fn word(out: &Out, project: &Project, run: &str, activity: Activity) -> String {
    match activity {
        Activity::Working => working(project, run).to_owned(),
        Activity::Waiting => out.paint(Tone::Warn, "waiting for a person"),
        Activity::Resting => "resting".to_owned(),
        Activity::Done => out.paint(Tone::Good, "done"),
        Activity::Stopped => out.paint(Tone::Warn, "stopped"),
    }
}

/// There is work to do; is somebody at it?
fn working(project: &Project, run: &str) -> &'static str {
    match engine::session::is_driven(project, run) {
        true => "working",
        false => "ready to run",
    }
}

/// What a person is asked, the commands that answer, and what those want besides.
pub(crate) fn waiting(out: &Out, project: &Project, run: &str, waiting: &Waiting, head: &str) {
    // Each line is shown, and cut, for itself: a long one does not take the last from view.
    let mut lines = waiting.why.lines().map(plain);
    out.line(&format!(
        "{} `{run}` waits for a person ({}): {}",
        out.paint(Tone::Warn, "waiting"),
        waiting.reason,
        lines.next().unwrap_or_default()
    ));
    for line in lines {
        out.line(&format!("  {line}"));
    }
    land::stat(project, run, out);
    for option in &waiting.options {
        out.line(&format!(
            "  proofhouse decide {run} {option} --because \"...\""
        ));
    }
    out.line(&decide::wants(project, run, head));
}

/// Where a run stands, or a project of the factory.
fn stands(
    project: &Project,
    name: &str,
    peek: &Result<Peek, EngineError>,
) -> Result<Status, EngineError> {
    match peek {
        Ok(peek) => Ok(peek.machine.status()),
        Err(error) if error.kind == Kind::FactoryProject => {
            let peek = engine::factory::peek(project, name)?;
            Ok(peek.machine.status())
        }
        Err(error) => Err(error.clone()),
    }
}

fn all(project: &Project, out: &Out) -> Result<(), EngineError> {
    let runs = runs(project)?;
    if out.json {
        let mut list = Vec::new();
        for (name, peek) in &runs {
            list.push(match peek {
                Ok(peek) => facts(project, name, peek)?,
                Err(error) if error.kind == Kind::FactoryProject => {
                    of_factory::facts(name, &engine::factory::peek(project, name)?)
                }
                Err(error) => serde_json::json!({"run": name, "error": {"code": error.code, "what": error.what, "mend": error.mend}}),
            });
        }
        out.facts(&list);
        return Ok(());
    }
    if runs.is_empty() {
        out.line(
            "no runs yet; start one: proofhouse new phase --dir tasks/NAME --set objective='...'",
        );
        return Ok(());
    }
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|(name, peek)| match stands(project, name, peek) {
            Ok(status) => {
                let doing = match &status.waiting_for {
                    Some(waiting) => format!("waiting: {}", waiting.reason),
                    None if status.activity == Activity::Working => {
                        working(project, name).to_owned()
                    }
                    None => format!("{:?}", status.activity).to_lowercase(),
                };
                vec![
                    name.clone(),
                    status.workflow,
                    status.state.to_string(),
                    doing,
                    status.attempts.len().to_string(),
                    dollars(
                        workspace::spend::summary(&status.attempts)
                            .run
                            .usage
                            .micro_dollars,
                    ),
                ]
            }
            Err(error) => vec![
                name.clone(),
                String::new(),
                String::new(),
                error.to_string(),
                String::new(),
                String::new(),
            ],
        })
        .collect();
    let head = ["run", "workflow", "state", "activity", "attempts", "spent"];
    out.table(&head, &rows);
    Ok(())
}
