//! Why a connector cannot be built.

use crate::api::ApiError;
use crate::command::NoProgram;
use crate::scripted::ScriptError;

/// Why a connector cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The script is missing or malformed.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// There is no program to run.
    #[error(transparent)]
    NoProgram(#[from] NoProgram),
    /// The settings of a model are wrong.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// A setting of the config that this connector cannot use.
    #[error("`agents.{agent}.{setting}` means nothing for this agent; it takes: {takes}")]
    Unfit {
        /// The connector.
        agent: &'static str,
        setting: &'static str,
        /// What it takes instead.
        takes: String,
    },
    /// The text names no connector, or not wholly.
    #[error("`{text}` names no agent: {why}{}; write one of {known}", meant(.near))]
    Unknown {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: &'static str,
        /// The name that it looks like.
        near: Option<&'static str>,
        /// What can be written.
        known: String,
    },
}

fn meant(near: &Option<&'static str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

impl AgentError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            AgentError::Script(error) => error.code(),
            AgentError::NoProgram(_) => "agent_no_program",
            AgentError::Api(error) => error.code(),
            AgentError::Unfit { .. } => "agent_setting_unfit",
            AgentError::Unknown { .. } => "unknown_agent",
        }
    }
}
