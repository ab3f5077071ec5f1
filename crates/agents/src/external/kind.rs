//! What a coding agent's connector says about it: how to start one, where its keys and logins are,
//! and who understands it.

use super::dialect::Dialect;
use super::place::{Logins, Place};
use super::plan::{Plan, Sessions};
use super::settings::Settings;
use super::setup::Places;
use crate::agent::Order;
use std::{fmt, io};

/// How the name of a variable with a provider's address ends.
const BASE_URL: &str = "_BASE_URL";

/// One kind of external agent.
pub(crate) trait Kind: Send + Sync + std::fmt::Debug {
    /// The program, unless the settings name another.
    fn program(&self) -> &str;

    /// Variables of our own environment that the agent needs for its key or its server.
    fn keys(&self) -> &'static [&'static str];

    /// The variable that a key from a file goes into.
    fn key_variable(&self, _: &Settings) -> String {
        self.keys().first().copied().unwrap_or_default().to_owned()
    }

    /// The variable that the provider's address goes into.
    fn base_variable(&self, settings: &Settings) -> String {
        let mut bases = self.keys().iter().filter(|name| name.ends_with(BASE_URL));
        match (bases.next(), bases.next()) {
            (Some(only), None) => (*only).to_owned(),
            // One that can use any provider: that of the model.
            _ => super::key_of_provider(settings.model.as_deref())
                .replace("GEMINI_API_KEY", "GOOGLE_GEMINI_API_KEY")
                .replace("_API_KEY", BASE_URL),
        }
    }

    /// The provider's hosts, where they are known. A base URL in the environment adds its own.
    fn hosts(&self) -> &'static [&'static str] {
        &[]
    }

    /// The files of the user's own login, below the user's home, and where they belong below
    /// the agent's private home.
    fn logins(&self) -> Logins;

    /// Where it keeps what a person may let it have of their own setup.
    fn setup(&self) -> Places {
        Places::default()
    }

    /// Do its sessions survive that their view moves?
    fn sessions(&self) -> Sessions {
        Sessions::Move
    }

    /// What it says about its cost.
    fn counts(&self) -> Counts {
        Counts::Money
    }

    /// How to start it. May write configuration below the place's home, nowhere else.
    ///
    /// # Errors
    /// If such a file cannot be written.
    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan>;

    /// Somebody who understands what it says.
    fn dialect(&self, order: &Order, place: &Place) -> Box<dyn Dialect>;
}

/// What an agent says about its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Tokens and money.
    Money,
    /// Tokens alone: what they cost is for the price table to say.
    Tokens,
}

/// Makes a kind, from the words that followed its name.
pub(crate) type MakeKind = fn(Vec<String>) -> Box<dyn Kind>;

/// A coding agent that has a connector, by its name.
#[derive(Clone)]
pub struct External {
    name: &'static str,
    kind: MakeKind,
    argv: Vec<String>,
}

impl External {
    pub(crate) fn new(name: &'static str, kind: MakeKind, argv: Vec<String>) -> Self {
        Self { name, kind, argv }
    }

    /// The name that people write.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The program and its arguments, where they are a part of the name.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    pub(crate) fn kind(&self) -> Box<dyn Kind> {
        (self.kind)(self.argv.clone())
    }
}

impl PartialEq for External {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.argv) == (other.name, &other.argv)
    }
}

impl Eq for External {}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.argv)
    }
}
