//! `proofhouse doctor`: what this machine has of what Proofhouse needs, tried and not guessed.

use super::args::Args;
use super::exit;
use super::out::{Out, Tone, plain};
use sandbox::{Cancel, CapabilityState, Launch, LaunchError, Limits};
use serde::Serialize;
use std::time::Duration;
use workspace::{EngineError, Project};

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
}

#[derive(Serialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Note,
    Missing,
}

pub(crate) fn doctor(args: &Args, out: &Out) -> Result<u8, EngineError> {
    let mut findings = vec![
        program("git", &["git", "--version"], State::Missing),
        tree_kill(),
    ];
    findings.extend(confinement());
    match super::project(args) {
        Ok(project) => in_project(&project, &mut findings),
        Err(error) => findings.push(Finding {
            what: "repository",
            state: State::Note,
            detail: error.to_string(),
        }),
    }
    // For the demo, and for whoever works in Rust.
    findings.push(program("cargo", &["cargo", "--version"], State::Note));
    findings.push(program("ssh-keygen", &["ssh-keygen", "-?"], State::Note));
    let terminal = std::fs::File::open("/dev/tty").is_ok();
    findings.push(Finding {
        what: "terminal",
        state: if terminal { State::Ok } else { State::Note },
        detail: if terminal {
            "decisions can be typed here"
        } else {
            "no terminal: decisions must be signed (.proofhouse/approvers)"
        }
        .to_owned(),
    });
    let broken = findings
        .iter()
        .any(|finding| finding.state == State::Missing);
    if out.json {
        out.facts(&serde_json::json!({"ok": !broken, "findings": findings}));
    } else {
        for finding in &findings {
            let word = match finding.state {
                State::Ok => out.paint(Tone::Good, "ok     "),
                State::Note => out.paint(Tone::Warn, "note   "),
                State::Missing => out.paint(Tone::Bad, "missing"),
            };
            out.hanging(&format!("{word}  {:<13} ", finding.what), &finding.detail);
        }
    }
    Ok(if broken { exit::ENVIRONMENT } else { exit::OK })
}

/// What a program of the machine says, for at most ten seconds.
pub(super) fn try_run(argv: &[&str]) -> Result<sandbox::Ended, LaunchError> {
    let argv = argv.iter().map(|arg| (*arg).to_owned()).collect();
    let limits = Limits {
        wall: Duration::from_secs(10),
        idle: None,
        output_bytes: 1 << 16,
    };
    let launch = Launch::new(argv, std::env::temp_dir(), sandbox::base_env(), limits);
    sandbox::run(&launch, &Cancel::new())
}

fn program(what: &'static str, argv: &[&str], without: State) -> Finding {
    match try_run(argv) {
        Ok(ended) if argv.contains(&"--version") && !ended.exited_with(0) => Finding {
            what,
            state: without,
            detail: String::from_utf8_lossy(&ended.output)
                .lines()
                .next()
                .map_or_else(|| "it does not start".to_owned(), plain),
        },
        Ok(ended) => {
            let said = String::from_utf8_lossy(&ended.output);
            let version = said
                .lines()
                .next()
                .filter(|line| line.contains("version"))
                .unwrap_or("found")
                .to_owned();
            Finding {
                what,
                state: State::Ok,
                detail: version,
            }
        }
        Err(error) => Finding {
            what,
            state: without,
            detail: error.to_string(),
        },
    }
}

/// A child that leaves a grandchild in a session of its own: is the whole tree gone afterwards?
fn tree_kill() -> Finding {
    let what = "tree kill";
    match try_run(&["sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & exit 0"]) {
        Ok(ended) if ended.survivors == 0 && ended.exited_with(0) => Finding {
            what,
            state: State::Ok,
            detail: "no process outlives its attempt".to_owned(),
        },
        Ok(ended) => Finding {
            what,
            state: State::Missing,
            detail: format!("{} processes survived", ended.survivors),
        },
        Err(error) => Finding {
            what,
            state: State::Missing,
            detail: error.to_string(),
        },
    }
}

/// What can hold an agent, each mechanism tried. Only a machine where nothing can is broken.
fn confinement() -> Vec<Finding> {
    let findings = sandbox::probe().into_iter().map(|capability| Finding {
        what: capability.name,
        state: match capability.state {
            CapabilityState::Ok => State::Ok,
            CapabilityState::Note => State::Note,
            CapabilityState::Missing => State::Missing,
        },
        detail: capability.detail,
    });
    findings.collect()
}

fn in_project(project: &Project, findings: &mut Vec<Finding>) {
    findings.push(Finding {
        what: "repository",
        state: State::Ok,
        detail: project.repo().display().to_string(),
    });
    let home = project.home();
    let probe = home.join("work").join("doctor");
    let writable = if home.exists() {
        let tried = std::fs::create_dir_all(home.join("work"))
            .and_then(|()| std::fs::write(&probe, b"x"))
            .and_then(|()| std::fs::remove_file(&probe));
        tried.map_err(|error| error.to_string())
    } else {
        Ok(())
    };
    findings.push(match writable {
        Ok(()) if home.exists() => Finding {
            what: ".proofhouse",
            state: State::Ok,
            detail: "writable".to_owned(),
        },
        Ok(()) => Finding {
            what: ".proofhouse",
            state: State::Note,
            detail: "not there yet; `proofhouse new` makes it".to_owned(),
        },
        Err(error) => Finding {
            what: ".proofhouse",
            state: State::Missing,
            detail: error,
        },
    });
    match ::audit::gc::left_over() {
        0 => {}
        many => findings.push(Finding {
            what: "temporary",
            state: State::Note,
            detail: format!(
                "killed checks left {}; `proofhouse gc` removes them",
                super::out::count(many as u64, "folder")
            ),
        }),
    }
    findings.push(match project.config() {
        Ok(config) => agent(project, &config),
        Err(error) => Finding {
            what: "config",
            state: State::Missing,
            detail: error.to_string(),
        },
    });
    let (state, detail) = match project.read_approvers() {
        Ok(Some(_)) => (
            State::Ok,
            "by SSH signature (.proofhouse/approvers)".to_owned(),
        ),
        Ok(None) => (
            State::Ok,
            "by terminal and typed run code; make .proofhouse/approvers for signatures".to_owned(),
        ),
        Err(error) => (State::Missing, error.to_string()),
    };
    findings.push(Finding {
        what: "approvals",
        state,
        detail,
    });
}

/// The configured agent, and what it lacks.
fn agent(project: &Project, config: &workspace::config::Config) -> Finding {
    let what = "agent";
    let Some(text) = config.agent() else {
        return Finding {
            what,
            state: State::Note,
            detail: "none set; give `--agent` or set `agent` in .proofhouse/config.toml".to_owned(),
        };
    };
    let (state, detail) = match workspace::agent::spec(project, config, text) {
        Ok(spec) => match spec.missing() {
            missing if missing.is_empty() => (State::Ok, text.to_owned()),
            missing => (State::Note, format!("{text}: {}", missing.join("; "))),
        },
        Err(error) => (State::Missing, error.to_string()),
    };
    Finding {
        what,
        state,
        detail,
    }
}
