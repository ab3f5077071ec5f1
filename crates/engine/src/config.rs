//! `.proofhouse/config.toml`: what a person sets once for a repository. Agents can not reach it.

use crate::error::EngineError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The settings; every one has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The agent for runs that name none: `scripted:FILE` or `command:PROGRAM ARGS`.
    pub agent: Option<String>,
    /// Validation.
    #[serde(default)]
    pub checks: Checks,
    /// The evidence page.
    #[serde(default)]
    pub evidence: Evidence,
    /// Caps for new runs, by budget name.
    #[serde(default)]
    pub budgets: BTreeMap<String, u64>,
}

/// `[checks]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Shell commands that every verification runs, besides the run's own.
    #[serde(default)]
    pub commands: Vec<String>,
}

/// `[evidence]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Where the repository's top is reachable, for links that work from afar.
    pub base_url: Option<String>,
}

impl Config {
    /// Reads the file; a missing one is the default.
    pub fn load(path: &Path) -> Result<Self, EngineError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(EngineError::io("read", path)(error)),
        };
        let config: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            EngineError::user(
                "config_malformed",
                format!("{}:{line}: {}", path.display(), error.message()),
                "correct the line; known keys: agent, checks.commands, evidence.base_url, budgets.NAME",
            )
        })?;
        if let Some(name) = config
            .budgets
            .keys()
            .find(|name| !kernel::budget::Budgets::is_known(name))
        {
            let names: Vec<&str> = kernel::budget::DEFAULTS
                .iter()
                .map(|(name, _)| *name)
                .collect();
            return Err(EngineError::user(
                "config_malformed",
                format!("{}: there is no budget `{name}`", path.display()),
                format!("known budgets: {}", names.join(", ")),
            ));
        }
        Ok(config)
    }
}
