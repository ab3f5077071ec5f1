//! What a person sets: user file, then repository file, then environment, then flags; the later
//! wins, and every value remembers where it comes from. Agents can reach none of them.

mod agents;
mod deploy;
pub mod keys;
mod read;
mod room;

use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use deploy::deploy;
pub use read::{Value, variable};
pub use room::RoomSettings;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The user's own file.
    User(PathBuf),
    /// `.proofhouse/config.toml`.
    Repository(PathBuf),
    /// An environment variable.
    Environment(String),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::User(path) | Source::Repository(path) => write!(f, "{}", path.display()),
            Source::Environment(name) => write!(f, "${name}"),
        }
    }
}

/// The settings, each with its source.
#[derive(Debug, Clone, Default)]
pub struct Config {
    values: BTreeMap<String, (Value, Source)>,
}

/// What holds where a setting is not set, if that is the same for every run.
pub fn default(name: &str) -> Option<Value> {
    let budget = name.strip_prefix("budgets.");
    let budget = budget.and_then(|budget| {
        let mut all = kernel::budget::DEFAULTS.iter();
        all.find(|(name, _)| *name == budget)
    });
    match budget {
        Some((_, cap)) => Some(Value::Number(*cap)),
        None => keys::default_word(name).map(|word| Value::Text(word.to_owned())),
    }
}

impl Config {
    /// Reads all layers for a repository's file.
    pub fn load(repository: &Path) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Some(path) = user_file() {
            config.lay(read::file(&path)?, Source::User(path));
        }
        config.lay(
            read::file(repository)?,
            Source::Repository(repository.to_owned()),
        );
        for (variable, name, value) in read::environment()? {
            config
                .values
                .insert(name, (value, Source::Environment(variable)));
        }
        Ok(config)
    }

    fn lay(&mut self, values: BTreeMap<String, Value>, source: Source) {
        for (name, value) in values {
            self.values.insert(name, (value, source.clone()));
        }
    }

    /// Every set value and where it comes from.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value, &Source)> {
        self.values
            .iter()
            .map(|(name, (value, source))| (name, value, source))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some((Value::Text(text), _)) => Some(text),
            _ => None,
        }
    }

    /// The same for one of several words, of which one is the default.
    pub(crate) fn word(&self, name: &str) -> String {
        let word = self.text(name).or_else(|| keys::default_word(name));
        word.unwrap_or_default().to_owned()
    }

    /// The number that a key has, from whichever layer.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.values.get(name) {
            Some((Value::Number(number), _)) => Some(*number),
            _ => None,
        }
    }

    /// The agent for everything that names none.
    pub fn agent(&self) -> Option<&str> {
        self.text("agent")
    }

    /// The agent for a role: by its tier, else the general one.
    pub fn agent_for(&self, role: &str, tier: &str) -> Option<&str> {
        let tier = self.text(&format!("roles.{role}")).unwrap_or(tier);
        self.text(&format!("tiers.{tier}")).or_else(|| self.agent())
    }

    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        match self.values.get(name) {
            Some((Value::Texts(texts), _)) => Some(texts.clone()),
            _ => None,
        }
    }

    /// Shell commands that every verification runs.
    pub fn commands(&self) -> Vec<String> {
        self.texts("checks.commands").unwrap_or_default()
    }

    /// Globs that no agent sees.
    pub fn hidden(&self) -> Option<Vec<String>> {
        self.texts("view.hidden")
    }

    /// Do agents have the repository's history? What a repository brings along may not say so: a file
    /// that is hidden now may lie open in it.
    pub fn shows_history(&self) -> Result<bool, Error> {
        Ok(self.own_text("view.history")? == Some("base"))
    }

    /// Where the repository's top is reachable from afar.
    pub fn base_url(&self) -> Option<&str> {
        self.text("evidence.base_url")
    }

    /// A text that only the person's own file and environment may set: a repository comes from
    /// others, and must not choose where a key is sent.
    pub fn own_text(&self, name: &str) -> Result<Option<&str>, Error> {
        self.not_of_repository(name)?;
        Ok(self.text(name))
    }

    /// The same for a list: nor may it choose what is run outside of every sandbox.
    pub fn own_texts(&self, name: &str) -> Result<Option<Vec<String>>, Error> {
        self.not_of_repository(name)?;
        Ok(self.texts(name))
    }

    /// The same for a number: nor may it say what the person pays.
    pub fn own_number(&self, name: &str) -> Result<Option<u64>, Error> {
        self.not_of_repository(name)?;
        Ok(self.number(name))
    }

    /// Is it set where nothing that uses it takes it from? Its row in the table says so.
    pub fn is_refused(&self, name: &str) -> bool {
        let of_person =
            keys::find(name).is_some_and(|key| key.about.contains("not from a repository"));
        let set = self.values.get(name);
        of_person && set.is_some_and(|(_, source)| matches!(source, Source::Repository(_)))
    }

    fn not_of_repository(&self, name: &str) -> Result<(), Error> {
        match self.values.get(name) {
            Some((_, Source::Repository(path))) => Err(Error::user(
                "setting_not_for_repository",
                format!("{} sets {name}, which a repository may not", path.display()),
                "move it to your own config.toml, or to the environment",
            )),
            _ => Ok(()),
        }
    }

    /// A cap for new runs.
    pub fn budget(&self, name: &str) -> Option<u64> {
        self.number(&format!("budgets.{name}"))
    }

    /// Do runs work in the person's own tree?
    pub fn runs_work_here(&self) -> bool {
        self.word("runs.tree") == "here"
    }

    /// What weak evidence is good for in new runs under `auto`.
    pub fn weak(&self) -> kernel::Weak {
        match self.word("approvals.weak").as_str() {
            "suffices" => kernel::Weak::Suffices,
            // The reader lets nothing through but that and the default.
            _ => kernel::Weak::Asks,
        }
    }

    /// Do runs begin without the exam that their workflow has?
    pub fn exam_is_off(&self) -> bool {
        self.word("checks.exam") == "off"
    }

    /// Do new runs take signed decisions alone?
    pub fn signed_alone(&self) -> bool {
        self.word("approvals.decisions") == "signed"
    }

    /// The rung of new runs.
    pub fn autonomy(&self) -> Option<kernel::Autonomy> {
        match self.text("approvals.autonomy")? {
            "manual" => Some(kernel::Autonomy::Manual),
            "conservative" => Some(kernel::Autonomy::Conservative),
            "auto" => Some(kernel::Autonomy::Auto),
            // The reader lets nothing else through.
            _ => None,
        }
    }

    /// Money that all runs may spend in a day.
    pub fn day_micro_dollars(&self) -> Option<u64> {
        self.number("day.micro_dollars")
    }
}

/// `$XDG_CONFIG_HOME/proofhouse/config.toml`, or below `~/.config`.
pub fn user_file() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(base.join("proofhouse").join("config.toml"))
}
