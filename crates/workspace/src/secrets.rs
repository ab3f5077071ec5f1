//! Keeps keys out of everything that is kept: journal, evidence, transcripts, pages.
//!
//! What looks like a key is taken out by its shape, and the keys that this process itself holds
//! are taken out to the letter, and in the spellings that programs have for them (JSON, addresses,
//! hexadecimal, base 64). It does not guess what else might be secret.

use crate::config::Config;
use crate::error::Error;
use kernel::event::RunStarted;
use kernel::outcome::CheckResult;
use serde_json::Value;
use std::path::Path;

/// Endings of environment variables that hold secrets.
const ENDINGS: [&str; 5] = ["_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_ACCESS_KEY"];
/// What the name of a variable with a secret holds, if a person passes it on to an agent.
const HINTS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];
/// Shorter values are words, not keys.
const SHORTEST: usize = 8;

/// Takes secrets out.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    exact: Vec<String>,
}

impl Secrets {
    /// The secrets in our own environment, in the key files that the config names, and in the
    /// variables that it passes on.
    pub fn of(config: &Config, repo: &Path) -> Self {
        let mut secrets = Self::of_environment();
        let files = config.key_files(repo).into_iter();
        let keys = files.filter_map(|file| std::fs::read_to_string(file).ok());
        let passed = config.passed_on().into_iter().filter(|name| {
            let name = name.to_uppercase();
            HINTS.iter().any(|hint| name.contains(hint))
        });
        let values = passed.filter_map(|name| std::env::var(name).ok());
        // Where a person says that a key is, there is one, whatever the variable is called.
        let named = ["search.key_env", "index.key_env"].into_iter();
        let named = named.filter_map(|name| std::env::var(config.text(name)?).ok());
        let shipping = config.texts("deploy.credentials").unwrap_or_default();
        let shipping = shipping
            .into_iter()
            .filter_map(|name| std::env::var(name).ok());
        let more = keys.chain(values).chain(named).chain(shipping);
        let more = more.map(|value| value.trim().to_owned());
        secrets
            .exact
            .extend(more.filter(|value| value.len() >= SHORTEST));
        secrets.exact = secrets
            .exact
            .iter()
            .flat_map(|one| agents::spellings(one))
            .collect();
        secrets
    }

    fn of_environment() -> Self {
        let secret = |name: &str| {
            ENDINGS
                .iter()
                .any(|ending| name.to_uppercase().ends_with(ending))
        };
        let exact = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| secret(name) && value.len() >= SHORTEST)
            .map(|(_, value)| value)
            .collect();
        Self { exact }
    }

    fn exact(&self) -> Vec<&str> {
        self.exact.iter().map(String::as_str).collect()
    }

    /// Refuses a person's words that hold a key. They are signed, so nothing can be taken out of
    /// them, and the journal keeps them for ever.
    pub fn refuse(&self, because: &str, with: &Value) -> Result<(), Error> {
        if self.text(because) == because && self.json(with.clone()) == *with {
            return Ok(());
        }
        Err(Error::user(
            "decision_holds_key",
            "the decision holds what looks like a key or a password",
            "take it out: the journal keeps every word for ever",
        ))
    }

    /// Refuses a run whose beginning holds a key: commands, fields, the request. They are what the
    /// run is held to, so nothing can be taken out of them.
    pub fn refuse_start(&self, started: &RunStarted) -> Result<(), Error> {
        let value = serde_json::to_value(started).unwrap_or_default();
        let Value::Object(members) = value else {
            return Ok(());
        };
        // Who may sign is named by public keys, which are for everybody to see.
        for (name, value) in members.into_iter().filter(|(name, _)| name != "signers") {
            if self.json(value.clone()) != value {
                return Err(Error::user(
                    "start_holds_key",
                    format!(
                        "what the run is given (`{name}`) holds what looks like a key or a password"
                    ),
                    "take it out: the journal keeps every word for ever; let commands read keys from the environment or a file",
                ));
            }
        }
        Ok(())
    }

    /// Takes them out of a check's answer: what it says, and what its command said to others.
    pub fn result(&self, result: &mut CheckResult) {
        result.reason = self.text(&result.reason);
        result.details = self.text(&result.details);
        for target in result.ran.iter_mut().flat_map(|ran| &mut ran.denied) {
            *target = self.text(target);
        }
    }

    /// The text without secrets.
    pub fn text(&self, text: &str) -> String {
        agents::redact(text, &self.exact())
    }

    /// The bytes without secrets.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        agents::redact_bytes(bytes, &self.exact())
    }

    /// The value with every text in it, keys too, without secrets.
    pub fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::Object(map) => map
                .into_iter()
                .map(|(key, item)| (self.text(&key), self.json(item)))
                .collect(),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_out_of_every_corner() {
        let secrets = Secrets {
            exact: vec!["hunter2-hunter2".to_owned()],
        };
        let key = format!("sk-ant-{}", "api03-abcdefghijabcdefghij");
        let value = serde_json::json!({"a": ["x hunter2-hunter2 y"], key: 5});
        let text = secrets.json(value).to_string();
        assert!(
            !text.contains("hunter2") && !text.contains("abcdefghij"),
            "{text}"
        );
        assert!(
            !String::from_utf8(secrets.bytes(b"key=hunter2-hunter2\n"))
                .unwrap()
                .contains("hunter2")
        );
        assert_eq!(secrets.text("nothing to hide"), "nothing to hide");
    }
}
