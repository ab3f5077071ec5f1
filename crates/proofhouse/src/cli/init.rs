//! `proofhouse init`: a commented config file, with what was found on this machine.

use super::exit;
use super::out::{Out, Tone};
use engine::config::keys::KEYS;
use engine::{EngineError, Project};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _};

/// Programs that can work as agents, and how each is named in the config.
const AGENTS: [(&str, &str); 5] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("pi", "pi"),
];

pub(crate) fn init(project: &Project, yes: bool, out: &Out) -> Result<u8, EngineError> {
    let path = project.home().join("config.toml");
    if path.exists() {
        return Err(EngineError::user(
            "config_exists",
            format!("{} exists already", path.display()),
            "edit it; `proofhouse config show` says what it sets",
        ));
    }
    let found: Vec<&str> = AGENTS
        .iter()
        .filter(|(program, _)| on_path(program))
        .map(|(_, name)| *name)
        .collect();
    let mut agent = found.first().map(|name| (*name).to_owned());
    if !yes {
        if !std::io::stdin().is_terminal() {
            return Err(EngineError::user(
                "terminal_required",
                "there is no terminal to ask on",
                "give `--yes` to take what was found",
            ));
        }
        let offered = agent.clone().unwrap_or_default();
        let typed = ask(&format!("agent [{offered}]: "))?;
        if !typed.is_empty() {
            agent = Some(typed);
        }
    }
    project.prepare()?;
    engine::project::write_file(&path, &text(agent.as_deref()))?;
    if out.json {
        out.facts(&serde_json::json!({"config": path, "agent": agent, "found": found}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} {}",
        out.paint(Tone::Good, "wrote"),
        path.display()
    ));
    match &agent {
        Some(agent) => out.line(&format!("  agent  {agent}")),
        None => out.line("  no coding agent was found on PATH; set `agent` in the file"),
    }
    out.line("next: proofhouse new phase --dir tasks/NAME --set objective='...'");
    Ok(exit::OK)
}

fn ask(prompt: &str) -> Result<String, EngineError> {
    print!("{prompt}");
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(EngineError::io(
        "read from",
        std::path::Path::new("the terminal"),
    ))?;
    Ok(line.trim().to_owned())
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Every setting with its meaning; only the agent is set.
fn text(agent: Option<&str>) -> String {
    let mut text = String::from(
        "# Proofhouse, for this repository. `proofhouse config show` says what holds and why.\n",
    );
    let mut table = "";
    for key in KEYS {
        let (in_table, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if in_table != table {
            table = in_table;
            let _ = write!(text, "\n[{table}]\n");
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
    text
}
