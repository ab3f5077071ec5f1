//! From a line of configuration to a connector that works.
//!
//! The only list of connectors. It refuses to guess: what cannot be built is an error now,
//! not a crashed attempt later.

use crate::agent::Agent;
use crate::api::reach::reach;
use crate::api::{Api, ApiError, ApiSettings, Provider};
use crate::command::Command;
use crate::external::settings::{External, Settings};
use crate::scripted::{ScriptError, Scripted};
use crate::tool_loop::Tool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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
        /// More environment; `PROOFHOUSE_*` cannot be set.
        env: BTreeMap<String, String>,
        /// How long it may be silent; none: as long as its wall.
        idle: Option<Duration>,
    },
    /// Runs a coding agent of somebody else's; see `docs/agents.md`.
    External {
        /// Which one.
        agent: External,
        /// How it is set up.
        settings: Settings,
    },
    /// A model over its provider's API, in our own tool loop; see `docs/agents.md`.
    Api(ApiSettings),
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
    /// The settings of a model are wrong.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// A setting of the config that this connector can not use.
    #[error("`agents.{agent}.{setting}` means nothing for this agent; it takes: {takes}")]
    Unfit {
        /// The connector.
        agent: &'static str,
        /// The setting.
        setting: &'static str,
        /// What it takes instead.
        takes: String,
    },
    /// The text names no connector, or not wholly.
    #[error("`{text}` names no agent: {why}; write one of {KNOWN}")]
    Unknown {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// What can be written, for people.
pub(crate) const KNOWN: &str = "`scripted:FILE`, `command:PROGRAM ARGS`, `claude[:MODEL]`, `codex[:MODEL]`, `codex-app[:MODEL]`, `gemini[:MODEL]`, `opencode[:PROVIDER/MODEL]`, `pi[:PROVIDER/MODEL]`, `acp:PROGRAM ARGS`, `anthropic:MODEL[@BASE_URL]`, `openai:MODEL[@BASE_URL]`, `openai-chat:MODEL[@BASE_URL]`";

impl AgentError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            AgentError::Script(error) => error.code(),
            AgentError::NoProgram => "agent_no_program",
            AgentError::Api(error) => error.code(),
            AgentError::Unfit { .. } => "agent_setting_unfit",
            AgentError::Unknown { .. } => "unknown_agent",
        }
    }
}

impl AgentSpec {
    /// Reads what people write: a connector's name, and after a colon what it needs. Relative
    /// files are relative to `base`.
    ///
    /// # Errors
    /// [`AgentError::Unknown`], which lists what can be written.
    pub fn parse(text: &str, base: &Path) -> Result<Self, AgentError> {
        let unknown = |why| {
            Err(AgentError::Unknown {
                text: text.to_owned(),
                why,
            })
        };
        let (name, rest) = match text.trim().split_once(':') {
            Some((name, rest)) => (name, Some(rest.trim())),
            None => (text.trim(), None),
        };
        let words = || -> Vec<String> {
            let words = rest.unwrap_or_default().split_whitespace();
            words.map(str::to_owned).collect()
        };
        let external = |agent| {
            let settings = Settings {
                model: rest.map(str::to_owned),
                ..Settings::default()
            };
            Ok(AgentSpec::External { agent, settings })
        };
        let api = |provider, text| match ApiSettings::parse(provider, text) {
            Some(settings) => {
                // Before anybody writes the text down.
                reach(&settings.base_url)?;
                Ok(AgentSpec::Api(settings))
            }
            None => unknown("it names no model"),
        };
        match (name, rest) {
            (_, Some("")) => unknown("nothing follows the colon"),
            ("scripted", Some(file)) => Ok(AgentSpec::Scripted {
                path: base.join(file),
            }),
            ("command", Some(_)) => Ok(AgentSpec::Command {
                argv: words(),
                env: BTreeMap::new(),
                idle: None,
            }),
            ("acp", Some(_)) => Ok(AgentSpec::External {
                agent: External::Acp { argv: words() },
                settings: Settings::default(),
            }),
            ("claude", _) => external(External::Claude),
            ("codex", _) => external(External::Codex),
            ("codex-app", _) => external(External::CodexApp),
            ("gemini", _) => external(External::Gemini),
            ("opencode", _) => external(External::Opencode),
            ("pi", _) => external(External::Pi),
            ("anthropic", Some(text)) => api(Provider::Anthropic, text),
            ("openai", Some(text)) => api(Provider::OpenAiResponses, text),
            ("openai-chat", Some(text)) => api(Provider::OpenAiChat, text),
            ("scripted" | "command" | "acp" | "anthropic" | "openai" | "openai-chat", None) => {
                unknown("it needs a colon and more")
            }
            _ => unknown("there is no such connector"),
        }
    }

    /// Builds the connector.
    ///
    /// # Errors
    /// If its settings are wrong; nothing has been started then.
    pub fn build(self) -> Result<Box<dyn Agent>, AgentError> {
        self.build_with(Vec::new())
    }

    /// Builds the connector with the tools that a workflow adds. Only our own tool loop can offer
    /// them; other agents bring their own.
    ///
    /// # Errors
    /// As [`AgentSpec::build`].
    pub fn build_with(self, tools: Vec<Arc<dyn Tool>>) -> Result<Box<dyn Agent>, AgentError> {
        match self {
            AgentSpec::Scripted { path } => Ok(Box::new(Scripted::load(&path)?)),
            AgentSpec::Command { argv, env, idle } => {
                Ok(Box::new(Command::new(argv)?.with(env, idle)))
            }
            AgentSpec::External { agent, settings } => agent.build(settings),
            AgentSpec::Api(settings) => Ok(Box::new(Api::new(settings)?.with_tools(tools))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_read_with_or_without_an_address() {
        let cases = [
            (
                "anthropic:claude-opus-5",
                (
                    Provider::Anthropic,
                    "claude-opus-5",
                    "https://api.anthropic.com",
                ),
            ),
            (
                "openai: gpt-5",
                (
                    Provider::OpenAiResponses,
                    "gpt-5",
                    "https://api.openai.com/v1",
                ),
            ),
            (
                "openai-chat:qwen3:8b@http://localhost:11434/v1/",
                (
                    Provider::OpenAiChat,
                    "qwen3:8b",
                    "http://localhost:11434/v1",
                ),
            ),
            (
                "openai-chat:org/m@2@https://openrouter.ai/api/v1",
                (
                    Provider::OpenAiChat,
                    "org/m@2",
                    "https://openrouter.ai/api/v1",
                ),
            ),
        ];
        for (text, expected) in cases {
            let Ok(AgentSpec::Api(settings)) = AgentSpec::parse(text, Path::new("/")) else {
                panic!("{text} is a model")
            };
            let seen = (
                settings.provider,
                settings.model.as_str(),
                settings.base_url.as_str(),
            );
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn what_names_no_agent_is_an_error_that_lists_all_forms() {
        for text in [
            "",
            "gpt-5",
            "skripted:a",
            "scripted:",
            "anthropic",
            "openai-chat:@http://localhost",
        ] {
            let error = AgentSpec::parse(text, Path::new("/")).unwrap_err();
            assert_eq!(error.code(), "unknown_agent", "{text}");
            assert!(
                error.to_string().contains("`anthropic:MODEL[@BASE_URL]`"),
                "{error}"
            );
        }
    }
}
