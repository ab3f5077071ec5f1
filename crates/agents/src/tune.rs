//! What a person sets about a connector beside its spec, whichever it is.
//!
//! What a connector cannot use is an error: a setting that is silently ignored is one that somebody
//! relies on. Values of variables and keys are never held here, only where they are.

use crate::api::{ApiSettings, KeySource};
use crate::error::AgentError;
use crate::external::settings::{Login, Resuming, Settings};
use crate::prices::Prices;
use crate::spec::AgentSpec;
use crate::table;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What can be set about any connector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The program, if not the agent's usual one.
    pub program: Option<String>,
    /// More arguments, after ours.
    pub args: Option<Vec<String>>,
    /// Names of variables of our own environment that it gets.
    pub env: Option<Vec<String>>,
    /// The provider's address.
    pub base_url: Option<String>,
    /// Whose login it uses.
    pub login: Option<Login>,
    /// A file that holds nothing but its key.
    pub key_file: Option<PathBuf>,
    /// How long it may be silent.
    pub idle: Option<Duration>,
    /// Whether a repair goes on in its session.
    pub session: Option<Resuming>,
    /// What of the person's own setup it has.
    pub setup: Option<Vec<String>>,
    /// The user's own prices, over the embedded ones.
    pub prices: Prices,
}

impl Tuning {
    /// The settings that are set, by name.
    fn set(&self) -> Vec<&'static str> {
        let set = [
            ("program", self.program.is_some()),
            ("args", self.args.is_some()),
            ("env", self.env.is_some()),
            ("base_url", self.base_url.is_some()),
            ("login", self.login.is_some()),
            ("key_file", self.key_file.is_some()),
            ("idle_seconds", self.idle.is_some()),
            ("session", self.session.is_some()),
            ("setup", self.setup.is_some()),
        ];
        let set = set.into_iter().filter(|(_, set)| *set);
        set.map(|(name, _)| name).collect()
    }

    fn variables(&self) -> BTreeMap<String, String> {
        let names = self.env.iter().flatten();
        let known = names.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        known.collect()
    }
}

impl AgentSpec {
    /// Does the connector itself know this setting, which others of its kind know?
    fn has(&self, setting: &str) -> bool {
        match self {
            AgentSpec::External { agent, .. } if setting == "setup" => {
                !agent.kind().setup().is_empty()
            }
            _ => true,
        }
    }

    /// The same connector with what a person set.
    ///
    /// # Errors
    /// [`AgentError::Unfit`] for a setting that it cannot use.
    pub fn tuned(self, tuning: &Tuning) -> Result<Self, AgentError> {
        let takes = table::row(self.name()).map_or(&[][..], |row| row.how.settings());
        let takes: Vec<&str> = takes.iter().copied().filter(|it| self.has(it)).collect();
        if let Some(setting) = tuning.set().into_iter().find(|set| !takes.contains(set)) {
            return Err(AgentError::Unfit {
                agent: self.name(),
                setting,
                takes: if takes.is_empty() {
                    "none".to_owned()
                } else {
                    takes.join(", ")
                },
            });
        }
        let prices = Prices::embedded().with_overrides(tuning.prices.clone());
        Ok(match self {
            AgentSpec::Scripted { path } => AgentSpec::Scripted { path },
            AgentSpec::Guest => AgentSpec::Guest,
            AgentSpec::Command { argv, .. } => AgentSpec::Command {
                argv,
                env: tuning.variables(),
                idle: tuning.idle,
            },
            AgentSpec::External { agent, settings } => AgentSpec::External {
                agent,
                settings: Settings {
                    program: tuning.program.clone().or(settings.program),
                    args: [settings.args, tuning.args.clone().unwrap_or_default()].concat(),
                    env: tuning.variables(),
                    base_url: tuning.base_url.clone(),
                    login: tuning.login.unwrap_or(settings.login),
                    key_file: tuning.key_file.clone(),
                    idle: tuning.idle.unwrap_or(settings.idle),
                    session: tuning.session.unwrap_or(settings.session),
                    setup: tuning.setup.clone().unwrap_or_default(),
                    prices,
                    ..settings
                },
            },
            AgentSpec::Api(settings) => AgentSpec::Api(ApiSettings {
                key: match &tuning.key_file {
                    Some(file) => KeySource::File(file.clone()),
                    None => settings.key,
                },
                idle: tuning.idle.unwrap_or(settings.idle),
                session: tuning.session.unwrap_or(settings.session),
                prices,
                ..settings
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn tuned(text: &str, tuning: &Tuning) -> Result<AgentSpec, AgentError> {
        AgentSpec::parse(text, Path::new("/"))
            .unwrap()
            .tuned(tuning)
    }

    #[test]
    fn what_is_set_arrives_and_what_cannot_be_used_is_refused() {
        let tuning = Tuning {
            key_file: Some("/k".into()),
            idle: Some(Duration::from_secs(7)),
            ..Tuning::default()
        };
        let Ok(AgentSpec::Api(api)) = tuned("anthropic:m", &tuning) else {
            panic!("a model")
        };
        assert_eq!(api.key, KeySource::File("/k".into()));
        assert_eq!(api.idle, Duration::from_secs(7));
        let Ok(AgentSpec::External { settings, .. }) = tuned("claude", &tuning) else {
            panic!("an agent")
        };
        assert_eq!(settings.key_file, Some("/k".into()));
        for text in ["acp:x", "command:x", "scripted:x"] {
            let error = tuned(text, &tuning).unwrap_err();
            assert_eq!(error.code(), "agent_setting_unfit", "{text}");
            assert!(error.to_string().contains("key_file"), "{error}");
        }
    }

    #[test]
    fn only_an_agent_that_can_have_something_of_the_persons_own_is_let_have_it() {
        let tuning = Tuning {
            setup: Some(vec!["memory".into()]),
            ..Tuning::default()
        };
        for text in ["claude", "codex", "gemini"] {
            let Ok(AgentSpec::External { settings, .. }) = tuned(text, &tuning) else {
                panic!("{text}")
            };
            assert_eq!(settings.setup, ["memory"], "{text}");
        }
        for text in ["opencode", "pi", "codex-app", "acp:x", "anthropic:m"] {
            let error = tuned(text, &tuning).unwrap_err();
            assert_eq!(error.code(), "agent_setting_unfit", "{text}");
            assert!(!error.to_string().contains(
                "takes: program, args, env, base_url, login, key_file, idle_seconds, session, setup"
            ));
        }
    }

    #[test]
    fn only_names_of_variables_that_are_set_are_passed_on() {
        let tuning = Tuning {
            env: Some(vec!["PATH".into(), "PROOFHOUSE_NO_SUCH_VARIABLE".into()]),
            ..Tuning::default()
        };
        let Ok(AgentSpec::Command { env, .. }) = tuned("command:x", &tuning) else {
            panic!("a command")
        };
        assert_eq!(env.keys().collect::<Vec<_>>(), ["PATH"]);
    }

    #[test]
    fn the_users_price_goes_before_ours() {
        let rates = crate::prices::Rates {
            input: 1,
            ..Default::default()
        };
        let price = crate::prices::Price {
            rates,
            ..Default::default()
        };
        let tuning = Tuning {
            prices: Prices::none().with("gpt-5", price),
            ..Tuning::default()
        };
        let Ok(AgentSpec::Api(api)) = tuned("openai:gpt-5", &tuning) else {
            panic!("a model")
        };
        assert_eq!(api.prices.find("gpt-5"), Some(price));
        assert!(
            api.prices.find("claude-opus-5").is_some(),
            "the others stay"
        );
    }
}
