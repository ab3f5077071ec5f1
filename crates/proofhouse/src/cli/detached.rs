//! `proofhouse run --detach`, `attach` and `stop`: an engine that goes on without a terminal, somebody
//! who looks on, and its end. What it does is what `run` does; stopping it stops no run.

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

fn said(project: &Project, name: &str) -> PathBuf {
    project.work(name).join("detached.log")
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
    let process = match begin(project, name, args)? {
        Begun::Ended(said, code) => {
            out.line(said.trim_end());
            return Ok(code);
        }
        Begun::Drives(process) => process,
    };
    if out.json {
        out.line(&serde_json::json!({ "run": name, "process": process }).to_string());
        return Ok(exit::OK);
    }
    out.line(&format!(
        "`{name}` goes on by itself (process {process}); what it says is in {}",
        said(project, name).display()
    ));
    out.line(&format!("  proofhouse attach {name}    look on"));
    out.line(&format!(
        "  proofhouse stop {name}      end the engine; the run can go on later"
    ));
    Ok(exit::OK)
}

/// Starts an engine for the run.
pub(crate) fn begin(project: &Project, name: &str, args: &Run) -> Result<Begun, EngineError> {
    report::look::run_name(project, name)?;
    // Refuses where another engine is at work; it is free again for the one that is started.
    drop(engine::session::lock(project, name)?);
    let program = std::env::current_exe().map_err(EngineError::io("find", project.repo()))?;
    let mut argv = vec![program.to_string_lossy().into_owned()];
    argv.extend(["--repo".to_owned(), project.repo().display().to_string()]);
    if report::look::is_project(project, name) {
        argv.push("factory".to_owned());
    }
    argv.extend(["run".to_owned(), name.to_owned()]);
    argv.extend(args.once.then(|| "--once".to_owned()));
    argv.extend(args.restore_views.then(|| "--restore-views".to_owned()));
    let agent = args.agent.iter();
    argv.extend(agent.flat_map(|agent| ["--agent".to_owned(), agent.clone()]));
    let path = said(project, name);
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
        if report::look::is_driven(project, name) {
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
    if !report::look::is_driven(project, name) {
        return Ok((format!("nobody drives `{name}`"), exit::OK));
    }
    let path = engine::session::driver_file(project, name);
    let pid = std::fs::read_to_string(&path).map_err(EngineError::io("read", &path))?;
    let no_process = |_| EngineError::io("read", &path)(std::io::ErrorKind::InvalidData.into());
    let pid: u32 = pid.trim().parse().map_err(no_process)?;
    ::sandbox::interrupt(pid).map_err(EngineError::io("interrupt", &path))?;
    let asked = Instant::now();
    while report::look::is_driven(project, name) {
        if asked.elapsed() > PATIENCE {
            let text =
                format!("the engine of `{name}` (process {pid}) was asked to end, and has not yet");
            return Ok((text, exit::ENVIRONMENT));
        }
        std::thread::sleep(PAUSE);
    }
    let text = format!(
        "the engine of `{name}` has ended; what was in flight is on record as lost. Go on with: proofhouse run {name}"
    );
    Ok((text, exit::OK))
}
