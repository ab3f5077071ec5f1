//! Decisions that have a command of their own, with words that fit them. They refuse to be anything
//! else than decisions: each becomes one, and goes the same way.

use super::{Decide, Signing};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct AgentFiles {
    /// Write agents and slash commands for your editor, from a workflow's briefs, and nothing else
    #[arg(long, conflicts_with_all = ["agent", "yes", "await_lock"])]
    pub(crate) agents: bool,
    /// The workflow that they are written from (default: lights-out)
    #[arg(long, value_name = "WORKFLOW", requires = "agents")]
    pub(crate) workflow: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ClientFiles {
    /// Write what your own agent reads to work here: its MCP entry, a skill, a slash command, a hook; shown first
    #[arg(long = "for", value_name = "CLIENT", conflicts_with_all = ["agent", "await_lock", "agents"])]
    pub(crate) clients: Vec<ClientArg>,
    /// Take away what `--for` has written, for every client; shown first
    #[arg(long, conflicts_with_all = ["agent", "await_lock", "agents", "clients"])]
    pub(crate) remove: bool,
}

/// A coding agent that a person works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClientArg {
    Claude,
    Codex,
    Opencode,
    Cursor,
    Gemini,
}

impl ClientArg {
    pub(crate) const ALL: [Self; 5] = [
        Self::Claude,
        Self::Codex,
        Self::Opencode,
        Self::Cursor,
        Self::Gemini,
    ];
}

#[derive(Debug, clap::Args)]
pub(crate) struct Lock {
    /// What you read; it is kept
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    /// Sign with this unencrypted SSH key
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Heal {
    /// The run
    pub(crate) run: String,
    /// What was found; it is journaled, and goes into the next brief
    #[arg(
        long,
        visible_alias = "because",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

impl Heal {
    /// It is the decision `heal`, with the finding as its reason.
    pub(crate) fn decision(&self) -> Decide {
        Decide {
            payload: None,
            set: Vec::new(),
            run: self.run.clone(),
            option: "heal".to_owned(),
            because: self.reason.clone(),
            go_on: false,
            signing: self.signing.clone(),
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reopen {
    /// The run
    pub(crate) run: String,
    /// The phase to go back to, where the workflow has several
    #[arg(long, value_name = "PHASE")]
    pub(crate) to: Option<String>,
    /// Why; it is journaled, and goes into the next brief
    #[arg(
        long,
        visible_alias = "because",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) signing: Signing,
}

impl Reopen {
    /// It is the decision `reopen_PHASE`, or `reopen` where nothing is named.
    pub(crate) fn decision(&self) -> Decide {
        let option = match &self.to {
            Some(phase) => format!("reopen_{phase}"),
            None => "reopen".to_owned(),
        };
        Decide {
            payload: None,
            set: Vec::new(),
            run: self.run.clone(),
            option,
            because: self.reason.clone(),
            go_on: false,
            signing: self.signing.clone(),
        }
    }
}
