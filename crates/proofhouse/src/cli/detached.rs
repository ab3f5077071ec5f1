//! `proofhouse run --detach`, `wave run --detach`, `attach` and `stop`: an engine that goes on without a
//! terminal, somebody who looks on, and its end. What it does is what `run` does; stopping it stops no run.

use super::args::{Log, Run};
use super::out::Out;
use super::{exit, log, run, which};
use engine::Ending;
use engine::session::Ended;
use kernel::Machine;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use workspace::{EngineError, Project};

/// How long an engine has to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Of another process nobody is told when it takes or leaves its lock: it is looked at.
const PAUSE: Duration = Duration::from_millis(20);
/// What somebody who looks on is shown of what was before.
const BEFORE: usize = 5;

fn said(project: &Project, scratch: &str) -> PathBuf {
    project.work(scratch).join("detached.log")
}

/// An engine that was started.
pub(crate) enum Begun {
    /// It drives the run.
    Drives(u32),
    /// It had little to do, or could not begin: what it said, and how it ended.
    Ended(String, u8),
}

/// Starts an engine for the run, and leaves it.
pub(crate) fn start(project: &Project, args: &Run, out: &Out) -> Result<u8, EngineError> {
    let name = which::named(project, args.run.as_deref())?;
    let begun = begin(project, name, args)?;
    let ways = [
        (format!("proofhouse attach {name}"), "look on"),
        (
            format!("proofhouse stop {name}"),
            "end the engine; the run can go on later",
        ),
    ];
    left(project, ("run", name, name), &begun, &ways, out)
}

/// Starts an engine for a milestone, and leaves it. `scratch` is the folder of its own that it locks.
pub(crate) fn start_wave(
    project: &Project,
    (name, scratch): (&str, &str),
    jobs: Option<u16>,
    out: &Out,
) -> Result<u8, EngineError> {
    let mut argv = vec!["wave".to_owned(), "run".to_owned(), name.to_owned()];
    argv.extend(jobs.map(|jobs| format!("--jobs={jobs}")));
    let begun = launch(project, (name, scratch), argv)?;
    let ways = [
        (
            format!("proofhouse wave status {name}"),
            "where every task stands",
        ),
        ("proofhouse log --follow".to_owned(), "what its runs do"),
        (
            format!("proofhouse wave stop {name}"),
            "end the engine; the wave can go on later",
        ),
    ];
    left(project, ("milestone", name, scratch), &begun, &ways, out)
}

/// Says what was started, and how to look at it.
fn left(
    project: &Project,
    (what, name, scratch): (&str, &str, &str),
    begun: &Begun,
    ways: &[(String, &str)],
    out: &Out,
) -> Result<u8, EngineError> {
    let process = match begun {
        Begun::Ended(said, code) => {
            out.line(said.trim_end());
            return Ok(*code);
        }
        Begun::Drives(process) => process,
    };
    if out.json {
        out.line(&serde_json::json!({ what: name, "process": process }).to_string());
        return Ok(exit::OK);
    }
    out.line(&format!(
        "`{name}` goes on by itself (process {process}); what it says is in {}",
        said(project, scratch).display()
    ));
    let wide = ways.iter().map(|(way, _)| way.len()).max().unwrap_or(0);
    for (way, why) in ways {
        out.line(&format!("  {way:wide$}  {why}"));
    }
    Ok(exit::OK)
}

/// Starts an engine for the run.
pub(crate) fn begin(project: &Project, name: &str, args: &Run) -> Result<Begun, EngineError> {
    report::look::run_name(project, name)?;
    // Refuses where another engine is at work; it is free again for the one that is started.
    drop(engine::session::lock(project, name)?);
    let mut argv = Vec::new();
    if report::look::is_project(project, name) {
        argv.push("factory".to_owned());
    }
    argv.extend(["run".to_owned(), name.to_owned()]);
    argv.extend(args.once.then(|| "--once".to_owned()));
    argv.extend(args.restore_views.then(|| "--restore-views".to_owned()));
    let agent = args.agent.iter();
    argv.extend(agent.flat_map(|agent| ["--agent".to_owned(), agent.clone()]));
    launch(project, (name, name), argv)
}

/// Starts this program with these arguments, and waits until it drives what has this scratch folder.
fn launch(
    project: &Project,
    (name, scratch): (&str, &str),
    arguments: Vec<String>,
) -> Result<Begun, EngineError> {
    let program = std::env::current_exe().map_err(EngineError::io("find", project.repo()))?;
    let mut argv = vec![program.to_string_lossy().into_owned()];
    argv.extend(["--repo".to_owned(), project.repo().display().to_string()]);
    argv.extend(arguments);
    let path = said(project, scratch);
    let file = File::create(&path).map_err(EngineError::io("create", &path))?;
    let mut child = ::sandbox::detach(&argv, project.repo(), &file)
        .map_err(EngineError::io("start", &program))?;
    let begun = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Begun::Ended(text, code.unwrap_or(exit::ENVIRONMENT)));
        }
        if report::look::is_driven(project, scratch) {
            let process = child.id();
            // Whoever started it may live longer, and is told of its end.
            std::thread::spawn(move || child.wait());
            return Ok(Begun::Drives(process));
        }
        if begun.elapsed() > PATIENCE {
            return Err(EngineError::environment(
                "not_begun",
                format!(
                    "the engine of `{name}` (process {}) was started, and drives nothing yet",
                    child.id()
                ),
                format!("what it says is in {}", path.display()),
            ));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Shows what a run's engine does until it has ended, and answers as `run` would.
pub(crate) fn attach(project: &Project, name: &str, out: &Out) -> Result<u8, EngineError> {
    report::look::run_name(project, name)?;
    let driven = || report::look::is_driven(project, name);
    if driven() {
        let follow = Log {
            runs: vec![name.to_owned()],
            last: Some(BEFORE),
            from: None,
            follow: true,
            attempt: None,
        };
        log::follow(project, &follow, out, &driven)?;
    }
    let status = report::look::peek_run(project, name)?.machine.status();
    let ending = Ending::Rested;
    run::report(project, &Ended { ending, status }, out)
}

/// Ends the engine of a run, as Ctrl-C would.
pub(crate) fn stop(project: &Project, name: &str, out: &Out) -> Result<u8, EngineError> {
    let (text, code) = end(project, name)?;
    match out.json {
        true => out.line(&serde_json::json!({ "run": name, "said": text }).to_string()),
        false => out.line(&text),
    }
    Ok(code)
}

/// Ends the engine of a run; says what became of it, and how a command that asked for it ends.
pub(crate) fn end(project: &Project, name: &str) -> Result<(String, u8), EngineError> {
    report::look::run_name(project, name)?;
    let go_on = format!("proofhouse run {name}");
    end_engine(project, (name, name), &go_on)
}

/// Ends the engine of a milestone, as Ctrl-C would.
pub(crate) fn stop_wave(
    project: &Project,
    (name, scratch): (&str, &str),
    out: &Out,
) -> Result<u8, EngineError> {
    let go_on = format!("proofhouse wave run {name}");
    let (text, code) = end_engine(project, (name, scratch), &go_on)?;
    match out.json {
        true => out.line(&serde_json::json!({ "milestone": name, "said": text }).to_string()),
        false => out.line(&text),
    }
    Ok(code)
}

fn end_engine(
    project: &Project,
    (name, scratch): (&str, &str),
    go_on: &str,
) -> Result<(String, u8), EngineError> {
    if !report::look::is_driven(project, scratch) {
        return Ok((format!("nobody drives `{name}`"), exit::OK));
    }
    let path = workspace::lock::driver_file(&project.work(scratch));
    let pid = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    let no_process = |_| EngineError::io("read", &path)(std::io::ErrorKind::InvalidData.into());
    let pid: u32 = pid.trim().parse().map_err(no_process)?;
    ::sandbox::interrupt(pid).map_err(EngineError::io("interrupt", &path))?;
    let asked = Instant::now();
    while report::look::is_driven(project, scratch) {
        if asked.elapsed() > PATIENCE {
            let text =
                format!("the engine of `{name}` (process {pid}) was asked to end, and has not yet");
            return Ok((text, exit::ENVIRONMENT));
        }
        std::thread::sleep(PAUSE);
    }
    let text = format!(
        "the engine of `{name}` has ended; what was in flight is on record as lost. Go on with: {go_on}"
    );
    Ok((text, exit::OK))
}
