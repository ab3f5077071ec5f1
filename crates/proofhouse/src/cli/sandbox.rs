//! `proofhouse sandbox run`: any command under a policy, so that a person can try what an agent
//! could reach. It refuses what the sandbox refuses, with the same codes.

use super::args::{NetArg, SandboxCommand, SandboxRun};
use super::exit;
use super::out::{Out, Tone, plain};
use sandbox::{
    Bounds, Cancel, Ended, Enforcement, Launch, Limits, Listener, Network, Policy, Stream, Talk,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use workspace::EngineError;

/// As `timeout` has it.
const STOPPED: u8 = 124;
const OUTPUT: usize = 16 << 20;

pub(crate) fn sandbox(command: &SandboxCommand, out: &Out) -> Result<u8, EngineError> {
    let SandboxCommand::Run(run) = command;
    let here = std::env::current_dir().map_err(EngineError::io("find", Path::new(".")))?;
    let limits = Limits {
        wall: run.wall,
        idle: run.idle,
        output_bytes: OUTPUT,
    };
    let mut launch = Launch::new(run.command.clone(), &here, sandbox::base_env(), limits);
    launch.policy = Some(policy(run, &here)?);
    let cancel = Cancel::new();
    let switch = cancel.clone();
    // Without it, Ctrl-C ends us, and the kernel ends the command.
    let _ = ctrlc::set_handler(move || switch.cancel());
    let ended = if out.json {
        sandbox::run(&launch, &cancel)?
    } else {
        sandbox::run_with(&launch, &cancel, &mut Passing)?
    };
    report(&ended, run, out);
    Ok(code(&ended))
}

fn policy(run: &SandboxRun, here: &Path) -> Result<Policy, EngineError> {
    let full = |paths: &[PathBuf]| -> Result<Vec<PathBuf>, EngineError> {
        let full = paths.iter().map(|path| {
            let given = here.join(path);
            let mend = "create it, or leave it out";
            given.canonicalize().map_err(|error| {
                let what = format!("the root {}: {error}", path.display());
                EngineError::user("sandbox_policy", what, mend)
            })
        });
        full.collect()
    };
    let (mut read, write) = (full(&run.read)?, full(&run.write)?);
    if !read.iter().chain(&write).any(|root| here.starts_with(root)) {
        read.push(here.to_owned());
    }
    Ok(Policy {
        network: match (run.net, run.endpoint.is_empty()) {
            (_, false) => Network::Endpoints(run.endpoint.clone()),
            (NetArg::None, true) => Network::None,
            (NetArg::Loopback, true) => Network::Loopback,
            (NetArg::Full, true) => Network::Full,
        },
        bounds: Bounds {
            cpu: run.cpu,
            memory: run.memory,
            processes: run.processes,
            file_size: run.file_size,
            ..Bounds::default()
        },
        enforcement: match &run.waive {
            Some(by) => Enforcement::Waived { by: by.clone() },
            None => Enforcement::Required,
        },
        ..Policy::confined(read, write)
    })
}

/// Passes the command's output on as it comes.
struct Passing;

impl Listener for Passing {
    fn heard(&mut self, stream: Stream, bytes: &[u8]) -> Vec<u8> {
        // A reader that went away is the command's to notice, not ours.
        let _ = match stream {
            Stream::Out => std::io::stdout().write_all(bytes),
            Stream::Err => std::io::stderr().write_all(bytes),
        };
        Vec::new()
    }

    fn talk(&self) -> Talk {
        Talk::Ends
    }
}

fn report(ended: &Ended, run: &SandboxRun, out: &Out) {
    let enforced: Vec<String> = ended.enforced.iter().map(ToString::to_string).collect();
    let killed = ended.killed.map(|killed| killed.to_string());
    if out.json {
        let denied: Vec<_> = ended
            .denied
            .iter()
            .map(|one| serde_json::json!({"target": one.target, "times": one.times}))
            .collect();
        out.facts(&serde_json::json!({
            "exit": ended.exit,
            "signal": ended.signal,
            "killed": killed,
            "stdout": String::from_utf8_lossy(&ended.stdout),
            "stderr": String::from_utf8_lossy(&ended.stderr),
            "truncated": ended.truncated,
            "leftover": ended.leftover,
            "millis": ended.millis,
            "enforced": enforced,
            "missing": ended.missing,
            "waived_by": run.waive,
            "denied": denied,
            "unrecorded": ended.unrecorded,
        }));
        return;
    }
    let line = |text: &str| eprintln!("{}", out.paint(Tone::Dim, text));
    line(&format!("sandbox: held by {}", enforced.join(", ")));
    for missing in &ended.missing {
        let by = run.waive.as_deref().unwrap_or_default();
        line(&format!("sandbox: NOT held (waived by {by}): {missing}"));
    }
    for denied in &ended.denied {
        let target = plain(&denied.target);
        line(&format!(
            "sandbox: refused {target} ({} times)",
            denied.times
        ));
    }
    if let Some(why) = &ended.unrecorded {
        line(&format!(
            "sandbox: refused connections past the proxy are not known: {why}"
        ));
    }
    if ended.leftover > 0 {
        line(&format!(
            "sandbox: ended {} processes that it left",
            ended.leftover
        ));
    }
    if let Some(killed) = killed {
        line(&format!("sandbox: {killed}"));
    }
}

fn code(ended: &Ended) -> u8 {
    if ended.killed == Some(sandbox::Killed::Cancelled) {
        return exit::INTERRUPTED;
    }
    if ended.killed.is_some() {
        return STOPPED;
    }
    let code = match (ended.exit, ended.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => return exit::ENVIRONMENT,
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}
