//! What a user can set about an external agent. It refuses to hold keys by itself: they come
//! from the environment, or from the user's own login.

use super::Connector;
use super::dialect::Kind;
use crate::acp::Acp;
use crate::agent::Agent;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::codex_app::CodexApp;
use crate::gemini::Gemini;
use crate::opencode::Opencode;
use crate::pi::Pi;
use crate::prices::{Price, Prices};
use crate::spec::AgentError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How an external agent is set up. The default is the agent's own program and model, with a
/// private, empty configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The program, if not the agent's usual name looked up in `PATH`.
    pub program: Option<String>,
    /// The model, in the agent's own spelling; none for the agent's default.
    pub model: Option<String>,
    /// More arguments, after ours.
    pub args: Vec<String>,
    /// More environment, over ours; `PROOFHOUSE_*` cannot be set.
    pub env: BTreeMap<String, String>,
    /// Whose login it uses.
    pub login: Login,
    /// A file that holds nothing but the key; read when an attempt starts.
    pub key_file: Option<PathBuf>,
    /// What tokens cost, where the agent counts tokens alone.
    pub prices: Prices,
    /// How long it may be silent. A long build inside the agent is silence too.
    pub idle: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            program: None,
            model: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            login: Login::Key,
            key_file: None,
            prices: Prices::embedded(),
            idle: Duration::from_secs(20 * 60),
        }
    }
}

/// Whose login an external agent uses. Its home and configuration are private to the attempt
/// in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Login {
    /// An API key in the environment. Nothing of the user's own configuration is seen.
    #[default]
    Key,
    /// The user's own login: the agent's login files, and no others, are linked from the user's
    /// home.
    User,
}

impl Settings {
    /// The price of the model that is named, if it is known.
    pub(crate) fn price(&self) -> Option<Price> {
        self.prices.find(self.model.as_deref()?)
    }

    /// That, or the price of the model that the agent says it uses.
    pub(crate) fn price_of(&self, heard: Option<&str>) -> Option<Price> {
        self.price().or_else(|| self.prices.find(heard?))
    }
}

/// The external agents that have a connector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum External {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Codex with approvals, through its app-server.
    CodexApp,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
    /// Any agent that speaks the Agent Client Protocol on its standard streams.
    Acp {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

impl External {
    /// The name that people write.
    pub fn name(&self) -> &'static str {
        match self {
            External::Claude => "claude",
            External::Codex => "codex",
            External::CodexApp => "codex-app",
            External::Gemini => "gemini",
            External::Opencode => "opencode",
            External::Pi => "pi",
            External::Acp { .. } => "acp",
        }
    }

    pub(crate) fn kind(&self) -> Box<dyn Kind> {
        match self {
            External::Claude => Box::new(Claude),
            External::Codex => Box::new(Codex),
            External::CodexApp => Box::new(CodexApp),
            External::Gemini => Box::new(Gemini),
            External::Opencode => Box::new(Opencode),
            External::Pi => Box::new(Pi),
            External::Acp { argv } => Box::new(Acp { argv: argv.clone() }),
        }
    }

    /// Builds the connector.
    pub(crate) fn build(self, settings: Settings) -> Result<Box<dyn Agent>, AgentError> {
        let kind = self.kind();
        if settings
            .program
            .as_deref()
            .unwrap_or(kind.program())
            .is_empty()
        {
            return Err(AgentError::NoProgram);
        }
        Ok(Box::new(Connector::new(kind, settings)))
    }
}
