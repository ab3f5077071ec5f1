//! What a user can set about an external agent. Keys are not here: they come from the environment,
//! from a file, or from the user's own login.

use crate::prices::{Price, Prices};
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
    /// The provider's address, if not the agent's usual one.
    pub base_url: Option<String>,
    /// Whose login it uses.
    pub login: Login,
    /// A file that holds nothing but the key; read when an attempt starts.
    pub key_file: Option<PathBuf>,
    /// What tokens cost, where the agent counts tokens alone.
    pub prices: Prices,
    /// How long it may be silent. A long build inside the agent is silence too.
    pub idle: Duration,
    /// Whether a repair goes on in its session.
    pub session: Resuming,
    /// What of the person's own setup it has: `memory`, `skill:NAME`, `mcp:NAME`.
    pub setup: Vec<String>,
}

/// Whether an agent's attempts go on in the session of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resuming {
    /// Inside of one state, after honest work that was not enough.
    #[default]
    Resume,
    /// Each attempt begins anew.
    Fresh,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            program: None,
            model: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            base_url: None,
            login: Login::Key,
            key_file: None,
            prices: Prices::embedded(),
            idle: Duration::from_secs(20 * 60),
            session: Resuming::default(),
            setup: Vec::new(),
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
