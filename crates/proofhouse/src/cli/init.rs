//! `proofhouse init`: a commented config file, with what was found on this machine.

use super::exit;
use super::out::{Out, Tone};
use agents::{GUEST, Login, Readiness, readiness};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use workspace::config::keys::KEYS;
use workspace::project::Records;
use workspace::{EngineError, Project};

/// Must a person lock the setup before anything is begun?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setup {
    Open,
    AwaitsLock,
}

pub(crate) fn init(
    project: &Project,
    named: Option<String>,
    yes: bool,
    setup: Setup,
    out: &Out,
) -> Result<u8, EngineError> {
    let path = project.home().join("config.toml");
    // What an `init` without an agent wrote, and nobody has touched since, says nothing that would be lost.
    let untouched = || std::fs::read_to_string(&path).is_ok_and(|now| now == text(None, None));
    if path.exists() && !(named.is_some() && untouched()) {
        return Err(EngineError::user(
            "config_exists",
            format!("{} exists already", path.display()),
            "edit it; `proofhouse config show` says what it sets",
        ));
    }
    let found: Vec<Readiness> = readiness()
        .into_iter()
        .filter(|ready| ready.program.is_some())
        .collect();
    // One that can log in goes before one that is only installed.
    let best = found.iter().find(|ready| ready.way_in().is_some());
    let best = best.or(found.first());
    let asks = !yes && named.is_none();
    if let Some(named) = &named {
        // A name that nobody has would be refused by every command from now on.
        workspace::agent::spec(project, &project.config()?, named)?;
    }
    let mut agent = named.or_else(|| best.map(|ready| ready.agent.to_owned()));
    if asks {
        if !std::io::stdin().is_terminal() {
            return Err(EngineError::user(
                "terminal_required",
                "there is no terminal to ask on",
                "name who works with `--agent`, or give `--yes` to take what was found",
            ));
        }
        for ready in &found {
            eprintln!("found {:<9} {}", ready.agent, way_in(ready));
        }
        if found.is_empty() {
            eprintln!("no coding agent was found on PATH");
        }
        eprintln!("others: {}", agents::other_forms().replace('`', ""));
        let offered = agent.as_deref().unwrap_or("none yet");
        let typed = ask(&format!("who works [{offered}]: "))?;
        if !typed.is_empty() {
            workspace::agent::spec(project, &project.config()?, &typed)?;
            agent = Some(typed);
        }
    }
    project.prepare(Records::OnRef)?;
    let login = found
        .iter()
        .find(|ready| agent.as_deref() == Some(ready.agent))
        .and_then(Readiness::way_in);
    workspace::project::write_file(&path, &text(agent.as_deref(), login))?;
    if setup == Setup::AwaitsLock {
        engine::setup::await_lock(project)?;
    }
    // As `doctor` says it: a program can be installed later, and a name that was mistyped cannot.
    let missing = match &agent {
        Some(agent) => workspace::agent::spec(project, &project.config()?, agent)?.missing(),
        None => Vec::new(),
    };
    if out.json {
        let found: Vec<_> = found
            .iter()
            .map(|ready| {
                let login = match ready.way_in() {
                    Some(Login::Key) => Some("key"),
                    Some(Login::User) => Some("user"),
                    None => None,
                };
                serde_json::json!({"agent": ready.agent, "program": ready.program, "login": login})
            })
            .collect();
        out.facts(&serde_json::json!({"config": path, "agent": agent, "found": found, "missing": missing}));
        return Ok(exit::OK);
    }
    out.prose(&format!(
        "{} {}",
        out.paint(Tone::Good, "wrote"),
        path.display()
    ));
    match &agent {
        Some(agent) => {
            let ready = found.iter().find(|ready| ready.agent == agent);
            let how = ready.map_or(String::new(), |ready| format!("  ({})", way_in(ready)));
            out.line(&format!("  agent  {agent}{how}"));
        }
        None => out.prose("  no agent is set; set `agent` in the file, or give `--agent` to `new`"),
    }
    out.prose("  it is yours to commit; what runs write beside it is ignored, but for `--here`, which keeps records in the tree");
    out.warn(&missing);
    if setup == Setup::AwaitsLock {
        out.line("first: read the file, then proofhouse lock --because '...'");
    }
    out.prose(match agent.as_deref() {
        Some(GUEST) => "next: `proofhouse serve --decide` for your passkey, commit .proofhouse/config.toml and .proofhouse/approvers, then proofhouse init --for CLIENT (docs/guests.md)",
        Some(_) => "next: proofhouse do 'what you want'",
        None => "next: proofhouse do 'what you want' --agent AGENT",
    });
    Ok(exit::OK)
}

/// Does whoever sits there agree? Refuses where nobody does.
pub(crate) fn agrees(prompt: &str) -> Result<bool, EngineError> {
    if !std::io::stdin().is_terminal() {
        return Err(EngineError::user(
            "terminal_required",
            "there is no terminal to ask on, and nothing was changed",
            "look at what was shown, and give `--yes`",
        ));
    }
    Ok(matches!(ask(prompt)?.as_str(), "y" | "yes"))
}

fn ask(prompt: &str) -> Result<String, EngineError> {
    // Not on standard output: that is for facts.
    eprint!("{prompt}");
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(EngineError::io(
        "read from",
        std::path::Path::new("the terminal"),
    ))?;
    Ok(line.trim().to_owned())
}

/// How an agent could log in, without a word of what the login is.
fn way_in(ready: &Readiness) -> String {
    match (ready.key, &ready.login) {
        (Some(variable), _) => format!("installed, with a key in ${variable}"),
        (None, Some(file)) => format!("installed and logged in ({})", file.display()),
        (None, None) => "installed, but neither a key nor a login was found".to_owned(),
    }
}

/// What people change; the others are shown by `config show --all`.
const SHOWN: [&str; 9] = [
    "agent",
    "tiers.top",
    "notify.command",
    "budgets.attempts",
    "day.micro_dollars",
    "approvals.autonomy",
    "checks.commands",
    "network.hosts",
    "sandbox.read",
];

/// What people change, with its meaning; only the agent is set, and its login where there is no key.
fn text(agent: Option<&str>, login: Option<Login>) -> String {
    let mut text = String::from(
        "# Proofhouse, for this repository. `proofhouse config show` says what holds and why;\n# `proofhouse config show --all` has every setting there is.\n",
    );
    let mut table = "";
    for key in KEYS.iter().filter(|key| SHOWN.contains(&key.name)) {
        let (in_table, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if in_table != table {
            table = in_table;
            let _ = match table.rsplit_once(".*") {
                // A table of the user's own naming: there is none yet.
                Some((of, _)) => write!(text, "\n# [{of}.NAME]\n"),
                None => write!(text, "\n[{table}]\n"),
            };
        }
        let name = name.replace('*', "NAME");
        let _ = writeln!(text, "# {}", key.about);
        match (key.name, agent) {
            ("agent", Some(agent)) => {
                let _ = writeln!(text, "agent = {}", serde_json::Value::from(agent));
            }
            _ => {
                let _ = writeln!(text, "# {name} = {}", key.example);
            }
        }
    }
    if let (Some(agent), Some(Login::User)) = (agent, login) {
        let _ = write!(text, "\n[agents.{agent}]\nlogin = \"user\"\n");
    }
    text
}
