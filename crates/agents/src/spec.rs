//! From a line of configuration to a connector that works.
//!
//! What cannot be built is an error now, not a crashed attempt later.

use crate::agent::Agent;
use crate::api::reach::reach;
use crate::api::{Api, ApiSettings};
use crate::command::{Command, NoProgram};
use crate::error::AgentError;
use crate::external::Connector;
use crate::external::kind::External;
use crate::external::settings::Settings;
use crate::guest::{GUEST, Guest};
use crate::scripted::Scripted;
use crate::table::{self, How};
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
        agent: External,
        /// How it is set up.
        settings: Settings,
    },
    /// A person's own session, which takes the brief and hands the result in; see `docs/guests.md`.
    Guest,
    /// A model over its provider's API, in our own tool loop; see `docs/agents.md`.
    Api(ApiSettings),
}

impl AgentSpec {
    /// Reads what people write: a connector's name, and after a colon what it needs. Relative
    /// files are relative to `base`.
    ///
    /// # Errors
    /// [`AgentError::Unknown`], which lists what can be written.
    pub fn parse(text: &str, base: &Path) -> Result<Self, AgentError> {
        let unknown = |why| AgentError::Unknown {
            text: text.to_owned(),
            why,
            near: table::near(text.trim().split(':').next().unwrap_or_default()),
            known: table::forms(),
        };
        let (name, rest) = match text.trim().split_once(':') {
            Some((name, rest)) => (name, Some(rest.trim())),
            None => (text.trim(), None),
        };
        if rest == Some("") {
            return Err(unknown("nothing follows the colon"));
        }
        let row = table::row(name).ok_or_else(|| unknown("there is no such connector"))?;
        if let How::Coding(kind) = row.how {
            let agent = External::new(row.name, kind, Vec::new());
            let model = rest.map(str::to_owned);
            let settings = Settings {
                model,
                ..Settings::default()
            };
            return Ok(AgentSpec::External { agent, settings });
        }
        if let How::Guest = row.how {
            return match rest {
                None => Ok(AgentSpec::Guest),
                Some(_) => Err(unknown("nothing follows its name")),
            };
        }
        let rest = rest.ok_or_else(|| unknown("it needs a colon and more"))?;
        let words = || -> Vec<String> { rest.split_whitespace().map(str::to_owned).collect() };
        Ok(match row.how {
            How::Coding(kind) | How::Protocol(kind) => AgentSpec::External {
                agent: External::new(row.name, kind, words()),
                settings: Settings::default(),
            },
            How::Model(provider) => {
                let settings = ApiSettings::parse(provider, rest);
                let settings = settings.ok_or_else(|| unknown("it names no model"))?;
                // Before anybody writes the text down.
                reach(&settings.base_url)?;
                AgentSpec::Api(settings)
            }
            How::Guest => AgentSpec::Guest,
            How::Command => AgentSpec::Command {
                argv: words(),
                env: BTreeMap::new(),
                idle: None,
            },
            How::Scripted => AgentSpec::Scripted {
                path: base.join(rest),
            },
        })
    }

    /// The connector's name.
    pub fn name(&self) -> &'static str {
        match self {
            AgentSpec::Scripted { .. } => "scripted",
            AgentSpec::Command { .. } => "command",
            AgentSpec::Guest => GUEST,
            AgentSpec::External { agent, .. } => agent.name(),
            AgentSpec::Api(settings) => settings.provider.name(),
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
            AgentSpec::Guest => Ok(Box::new(Guest)),
            AgentSpec::External { agent, settings } => {
                let connector = Connector::new(&agent, settings);
                if connector.program().is_empty() {
                    return Err(NoProgram.into());
                }
                Ok(Box::new(connector))
            }
            AgentSpec::Api(settings) => Ok(Box::new(Api::new(settings)?.with_tools(tools))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{anthropic, openai};

    #[test]
    fn every_connector_is_read_by_its_form() {
        for row in table::TABLE {
            let follows = row.follows.replace(['[', ']'], "");
            let follows = follows.replace("BASE_URL", "https://h.example");
            let text = format!("{}{follows}", row.name);
            let spec = AgentSpec::parse(&text, Path::new("/")).expect(&text);
            assert_eq!(spec.name(), row.name);
            let bare = AgentSpec::parse(row.name, Path::new("/"));
            assert_eq!(
                bare.is_ok(),
                row.follows.is_empty() || row.follows.starts_with('['),
                "{}",
                row.name
            );
            assert_eq!(table::names().filter(|name| *name == row.name).count(), 1);
        }
    }

    #[test]
    fn models_are_read_with_or_without_an_address() {
        let cases = [
            (
                "anthropic:claude-opus-5",
                (
                    anthropic::PROVIDER,
                    "claude-opus-5",
                    "https://api.anthropic.com",
                ),
            ),
            (
                "openai: gpt-5",
                (openai::RESPONSES, "gpt-5", "https://api.openai.com/v1"),
            ),
            (
                "openai-chat:qwen3:8b@http://localhost:11434/v1/",
                (openai::CHAT, "qwen3:8b", "http://localhost:11434/v1"),
            ),
            (
                "openai-chat:org/m@2@https://openrouter.ai/api/v1",
                (openai::CHAT, "org/m@2", "https://openrouter.ai/api/v1"),
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
            "cluade",
            "scripted:",
            "guest:me",
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
        let said = |text| {
            AgentSpec::parse(text, Path::new("/"))
                .unwrap_err()
                .to_string()
        };
        assert!(said("cluade").contains("did you mean `claude`?"));
        assert!(said("skripted:a").contains("did you mean `scripted`?"));
        assert!(!said("gpt-5").contains("did you mean"), "{}", said("gpt-5"));
        // Nobody who wrote a name as it is meant another.
        assert!(!said("anthropic").contains("did you mean"));
    }
}
