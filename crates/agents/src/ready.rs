//! Can an agent work on this machine as it is? Looks for its program, its key and its login.
//!
//! No secret is read: that a variable is set or a file is there is all that is said. Nothing is
//! started, so "ready" is a good guess and not a proof.

use crate::api::Api;
use crate::external::kind::{Counts, External, Kind};
use crate::external::settings::{Login, Settings};
use crate::program::{find_program, no_program};
use crate::scripted::Scripted;
use crate::spec::AgentSpec;
use crate::table::{How, TABLE};
use std::path::PathBuf;

/// What this machine has of a coding agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The connector's name.
    pub agent: &'static str,
    /// Where its program is.
    pub program: Option<PathBuf>,
    /// The variable that holds its key.
    pub key: Option<&'static str>,
    /// The file of the user's own login.
    pub login: Option<PathBuf>,
}

impl Readiness {
    /// Looks for one agent's usual program, key and login.
    fn of(agent: &'static str, kind: &dyn Kind) -> Self {
        let set = |name: &&&'static str| std::env::var_os(name).is_some_and(|key| !key.is_empty());
        let keys = kind.keys().iter().filter(|name| !is_address(name));
        let home = std::env::home_dir();
        let logins = kind.logins().iter();
        let files = logins.filter_map(|(file, _)| Some(home.as_ref()?.join(file)));
        Self {
            agent,
            program: find_program(kind.program()),
            key: keys.copied().find(|name| set(&name)),
            login: files.into_iter().find(|file| file.is_file()),
        }
    }

    /// Which login it could work with; a key goes first, because it is what is meant for programs.
    pub fn way_in(&self) -> Option<Login> {
        match (self.key, &self.login) {
            (Some(_), _) => Some(Login::Key),
            (None, Some(_)) => Some(Login::User),
            (None, None) => None,
        }
    }
}

/// What this machine has of each coding agent that has a connector of its own; the first of those
/// that share a program.
pub fn readiness() -> Vec<Readiness> {
    let mut programs: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for row in TABLE {
        let How::Coding(kind) = row.how else { continue };
        let kind = kind(Vec::new());
        if !programs.iter().any(|known| known == kind.program()) {
            programs.push(kind.program().to_owned());
            found.push(Readiness::of(row.name, &*kind));
        }
    }
    found
}

impl AgentSpec {
    /// What the agent lacks on this machine right now, a sentence each, with a mend. Nothing of it
    /// is for ever: a key can be set and a program installed before the run goes on.
    pub fn missing(&self) -> Vec<String> {
        match self {
            AgentSpec::Scripted { path } => Scripted::load(path)
                .err()
                .map(|error| error.to_string())
                .into_iter()
                .collect(),
            AgentSpec::Command { argv, .. } => argv
                .first()
                .and_then(|program| {
                    no_program(
                        program,
                        "name one on PATH, or one that is there by its full path",
                    )
                })
                .into_iter()
                .collect(),
            // Whoever it is comes by themselves.
            AgentSpec::Guest => Vec::new(),
            AgentSpec::External { agent, settings } => external(agent, settings),
            AgentSpec::Api(settings) => Api::new(settings.clone())
                .err()
                .map(|error| error.to_string())
                .into_iter()
                .collect(),
        }
    }
}

fn external(agent: &External, settings: &Settings) -> Vec<String> {
    let kind = agent.kind();
    let name = agent.name();
    let ready = Readiness::of(name, &*kind);
    let program = settings.program.as_deref().unwrap_or(kind.program());
    let mend = format!("install it, or set `agents.{name}.program`");
    let mut missing: Vec<String> = no_program(program, &mend).into_iter().collect();
    let somewhere_else = kind.keys().iter().any(|name| {
        is_address(name) && std::env::var_os(name).is_some_and(|address| !address.is_empty())
    });
    match (settings.login, &settings.key_file) {
        (Login::Key, Some(file)) if !file.is_file() => missing.push(format!(
            "the key file {} is not there; write the key there, and nothing else",
            file.display()
        )),
        (Login::Key, Some(_)) => {}
        (Login::Key, None) if ready.key.is_none() && !somewhere_else => {
            let known = kind.keys().iter().filter(|name| !is_address(name));
            let names: Vec<&str> = known.copied().take(3).collect();
            missing.push(format!(
                "{name} has no key: set {}, or `agents.{name}.key_file`, or log in and set `agents.{name}.login = \"user\"`",
                names.join(" or ")
            ));
        }
        (Login::User, _) if ready.login.is_none() => missing.push(format!(
            "you are not logged in to {name}: start it once and log in, or use a key"
        )),
        (Login::Key, None) | (Login::User, _) => {}
    }
    if kind.counts() == Counts::Tokens && settings.price().is_none() {
        missing.push(unpriced(name, settings.model.as_deref()));
    }
    missing
}

/// Said before anything is spent: a budget of money that counts nothing would be a false comfort.
fn unpriced(agent: &str, model: Option<&str>) -> String {
    let (what, mend) = match model {
        Some(model) => (
            format!("the price of `{model}` is not known"),
            format!("set `[prices.\"{model}\"]` in the config"),
        ),
        None => (
            "no model is named".to_owned(),
            format!("name a model that has a price, as in `{agent}:MODEL`"),
        ),
    };
    format!(
        "{agent} counts tokens and no money, and {what}: its cost counts as $0, and no budget of money holds; {mend}"
    )
}

/// Variables that say where a provider is, not who you are.
fn is_address(name: &str) -> bool {
    name.ends_with("_BASE_URL")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn missing(text: &str) -> String {
        let spec = AgentSpec::parse(text, Path::new("/")).unwrap();
        spec.missing().join("\n")
    }

    #[test]
    fn what_is_not_there_is_named_with_a_mend() {
        assert_eq!(missing("command:sh -c true"), "");
        let cases = [
            ("command:proofhouse-no-such-program", "is not on PATH"),
            ("command:/nowhere/at/all", "there is no program"),
            ("scripted:nowhere.toml", "nowhere.toml"),
        ];
        for (text, part) in cases {
            let said = missing(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        let said = missing("openai-chat:nobody-knows-it@https://h.example");
        assert!(said.contains("API key") || said.contains("price"), "{said}");
        let spec = AgentSpec::External {
            agent: External::named("claude", Vec::new()).unwrap(),
            settings: Settings {
                program: Some("/nowhere/claude".to_owned()),
                key_file: Some("/nowhere/key".into()),
                ..Settings::default()
            },
        };
        let said = spec.missing().join("\n");
        assert!(
            said.contains("`agents.claude.program`") && said.contains("/nowhere/key"),
            "{said}"
        );
    }

    #[test]
    fn an_agent_whose_money_nobody_counts_says_so() {
        let unknown = "its cost counts as $0, and no budget of money holds";
        for (text, unpriced) in [
            ("codex", "no model is named"),
            ("codex:nobody-knows-it", "`nobody-knows-it` is not known"),
            ("codex-app:x", "set `[prices.\"x\"]` in the config"),
            ("gemini:x", "counts tokens and no money"),
            ("acp:sh", "counts tokens and no money"),
        ] {
            let said = missing(text);
            assert!(
                said.contains(unknown) && said.contains(unpriced),
                "{text}: {said}"
            );
        }
        for text in [
            "codex:gpt-5.5",
            "codex:gpt-5.5-2026-04-23",
            "claude",
            "opencode",
            "pi",
        ] {
            let said = missing(text);
            assert!(!said.contains(unknown), "{text}: {said}");
        }
    }

    #[test]
    fn a_key_goes_before_a_login() {
        let ready = |key, login: Option<&str>| Readiness {
            agent: "claude",
            program: None,
            key,
            login: login.map(PathBuf::from),
        };
        assert_eq!(ready(Some("K"), Some("/f")).way_in(), Some(Login::Key));
        assert_eq!(ready(None, Some("/f")).way_in(), Some(Login::User));
        assert_eq!(ready(None, None).way_in(), None);
    }
}
