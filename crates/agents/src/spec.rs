//! From a line of configuration to a connector that works.
//!
//! The only list of connectors. It refuses to guess: what cannot be built is an error now,
//! not a crashed attempt later.

use crate::agent::Agent;
use crate::command::Command;
use crate::scripted::{ScriptError, Scripted};
use std::path::PathBuf;

/// Which connector, with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSpec {
    /// Replays a script; see `docs/scripted-agent.md`.
    Scripted {
        /// The script's file.
        path: PathBuf,
    },
    /// Runs any program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

/// Why a connector cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The script is missing or malformed.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// There is no program to run.
    #[error("the command agent has no program; give it one, such as [\"my-agent\", \"--flag\"]")]
    NoProgram,
}

impl AgentError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            AgentError::Script(error) => error.code(),
            AgentError::NoProgram => "agent_no_program",
        }
    }
}

impl AgentSpec {
    /// Builds the connector.
    ///
    /// # Errors
    /// If its settings are wrong; nothing has been started then.
    pub fn build(self) -> Result<Box<dyn Agent>, AgentError> {
        match self {
            AgentSpec::Scripted { path } => Ok(Box::new(Scripted::load(&path)?)),
            AgentSpec::Command { argv } => Ok(Box::new(Command::new(argv)?)),
        }
    }
}
