//! The person's own command that is run when they are needed and when something is over. It gets the
//! facts as JSON on its standard input and the short ones in its environment. It runs as the person,
//! outside of any sandbox, so only they may name it: never a repository.

use crate::error::Error as EngineError;
use crate::project::Project;
use kernel::machine::Activity;
use sandbox::{Cancel, Launch, Limits};
use serde::Serialize;
use std::time::Duration;

/// The setting.
pub const COMMAND: &str = "notify.command";
/// A notice that takes longer is not waited for.
const WALL: Duration = Duration::from_secs(20);

/// Why somebody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Nothing moves until a person answers.
    Needed,
    /// It is done, or was stopped.
    Over,
}

impl Why {
    fn as_str(self) -> &'static str {
        match self {
            Why::Needed => "needed",
            Why::Over => "over",
        }
    }
}

/// What is told.
#[derive(Debug, Clone, Serialize)]
pub struct Told {
    pub why: Why,
    /// `run`, `project` or `milestone`.
    pub kind: &'static str,
    pub name: String,
    pub workflow: String,
    pub state: String,
    pub activity: Activity,
    /// A stable word for what it waits for; empty if it waits for nobody.
    pub reason: String,
    /// The question; empty if it waits for nobody.
    pub text: String,
    /// What may be answered.
    pub options: Vec<String>,
    /// What it has cost so far, in millionths of a US dollar.
    pub micro_dollars: u64,
    /// The command that shows more.
    pub next: String,
}

/// Runs the person's command, if there is one.
pub fn tell(project: &Project, told: &Told) -> Result<(), EngineError> {
    let Some(argv) = project
        .config()?
        .own_texts(COMMAND)?
        .filter(|argv| !argv.is_empty())
    else {
        return Ok(());
    };
    let mut env: std::collections::BTreeMap<String, String> = std::env::vars().collect();
    for (name, value) in [
        ("PROOFHOUSE_NOTIFY_WHY", told.why.as_str()),
        ("PROOFHOUSE_NOTIFY_KIND", told.kind),
        ("PROOFHOUSE_NOTIFY_NAME", &told.name),
        ("PROOFHOUSE_NOTIFY_STATE", &told.state),
        ("PROOFHOUSE_NOTIFY_REASON", &told.reason),
        ("PROOFHOUSE_NOTIFY_NEXT", &told.next),
    ] {
        // A zero byte would end it, and the start of the program with it.
        env.insert(name.to_owned(), value.replace('\0', ""));
    }
    let limits = Limits {
        wall: WALL,
        idle: None,
        output_bytes: 64 * 1024,
    };
    let mut launch = Launch::new(argv.clone(), project.top(), env, limits);
    launch.stdin = serde_json::to_vec(told).unwrap_or_default();
    let ended = sandbox::run(&launch, &Cancel::new())?;
    if ended.exited_with(0) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    Err(EngineError::environment(
        "notify_failed",
        format!("`{}` did not succeed: {}", argv.join(" "), said.trim()),
        "try it by hand; `notify.command` in your own config.toml names it",
    ))
}
