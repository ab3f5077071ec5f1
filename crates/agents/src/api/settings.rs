//! The settings of a model, and whether they can work.

use crate::prices::{Price, Prices};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Whose format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenAiResponses,
    /// OpenAI Chat Completions: Ollama, vLLM, OpenRouter and most others.
    OpenAiChat,
}

impl Provider {
    /// The name that people write.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAiResponses => "openai",
            Provider::OpenAiChat => "openai-chat",
        }
    }

    fn base_url(self) -> &'static str {
        match self {
            Provider::Anthropic => "https://api.anthropic.com",
            Provider::OpenAiResponses | Provider::OpenAiChat => "https://api.openai.com/v1",
        }
    }

    fn key_variable(self) -> &'static str {
        match self {
            Provider::Anthropic => "ANTHROPIC_API_KEY",
            Provider::OpenAiResponses | Provider::OpenAiChat => "OPENAI_API_KEY",
        }
    }
}

/// Where the key is. Never the key itself: settings are written into files and journals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable of our own process.
    Variable(String),
    /// A file that holds nothing but the key.
    File(PathBuf),
    /// The provider wants none.
    None,
}

/// Everything about one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiSettings {
    /// Whose format is spoken.
    pub provider: Provider,
    /// Where, without a slash at the end.
    pub base_url: String,
    /// The model's name at the provider.
    pub model: String,
    /// Where the key is.
    pub key: KeySource,
    /// The model's window in tokens, if the price table does not know it or is to be overruled.
    pub window: Option<u64>,
    /// The most requests that one attempt may make.
    pub max_turns: u32,
    /// What tokens cost.
    pub prices: Prices,
    /// The longest silence inside one request.
    pub idle: Duration,
    /// The first of the short waits between quick retries.
    pub backoff: Duration,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// There is no key.
    #[error("there is no API key in {place}; {mend}")]
    NoKey {
        /// Where it was looked for.
        place: String,
        /// What to do.
        mend: &'static str,
    },
    /// Nobody knows what the model costs.
    #[error(
        "the price of `{model}` is not known, so no budget could hold; add it to the prices (docs/agents.md, API models)"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// The URL is not one.
    #[error(
        "`{url}` is not a base URL; write something like https://host/v1 or http://localhost:11434/v1"
    )]
    BadUrl {
        /// What was written.
        url: String,
    },
    /// The key would travel in the clear.
    #[error("the key would go to `{url}` unencrypted; use https, or settings without a key")]
    Unencrypted {
        /// Where to.
        url: String,
    },
}

impl ApiError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ApiError::NoKey { .. } => "agent_no_key",
            ApiError::NoPrice { .. } => "agent_no_price",
            ApiError::BadUrl { .. } => "agent_bad_url",
            ApiError::Unencrypted { .. } => "agent_unencrypted",
        }
    }
}

/// How far a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It stays on this machine.
    Local,
    /// It leaves it.
    Remote,
}

/// A key in memory. It prints as a mark.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::redact::MARK)
    }
}

impl ApiSettings {
    /// A model at its provider's own address, with the usual settings.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            base_url: provider.base_url().to_owned(),
            model: model.into(),
            key: KeySource::Variable(provider.key_variable().to_owned()),
            window: None,
            max_turns: 100,
            prices: Prices::embedded(),
            idle: Duration::from_secs(300),
            backoff: Duration::from_millis(500),
        }
    }

    /// `MODEL` or `MODEL@BASE_URL`; none if there is no model.
    pub(crate) fn parse(provider: Provider, text: &str) -> Option<Self> {
        // A model's name may hold an `@` of its own, but no URL.
        let at = text.find("@http://").or_else(|| text.find("@https://"));
        let (model, base_url) = match at {
            Some(at) => (&text[..at], Some(text[at + 1..].trim_end_matches('/'))),
            None => (text, None),
        };
        let settings = Self::new(provider, model.trim());
        (!settings.model.is_empty()).then(|| match base_url {
            Some(base_url) => Self {
                base_url: base_url.to_owned(),
                ..settings
            },
            None => settings,
        })
    }

    /// The address of an endpoint.
    pub(super) fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        // People write the version at the end, or leave it out.
        let base = if path.starts_with("/v1/") {
            base.trim_end_matches("/v1")
        } else {
            base
        };
        format!("{base}{path}")
    }

    pub(super) fn reach(&self) -> Result<Reach, ApiError> {
        let bad = || ApiError::BadUrl {
            url: self.base_url.clone(),
        };
        let (scheme, rest) = self.base_url.split_once("://").ok_or_else(bad)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // A password in a URL would be in every log.
        if !matches!(scheme, "http" | "https") || authority.is_empty() || authority.contains('@') {
            return Err(bad());
        }
        Ok(if is_local(authority) {
            Reach::Local
        } else {
            Reach::Remote
        })
    }

    /// The key, if there is one; a provider on this machine need not have one.
    pub(super) fn secret(&self, reach: Reach) -> Result<Option<Secret>, ApiError> {
        let found = match &self.key {
            KeySource::None => return Ok(None),
            KeySource::Variable(name) => std::env::var(name).ok(),
            KeySource::File(path) => std::fs::read_to_string(path).ok(),
        };
        let key = found
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty());
        match (key, reach, &self.key) {
            (Some(_), Reach::Remote, _) if !self.base_url.starts_with("https://") => {
                Err(ApiError::Unencrypted {
                    url: self.base_url.clone(),
                })
            }
            (Some(key), _, _) => Ok(Some(Secret(key))),
            (None, _, KeySource::File(path)) => Err(ApiError::NoKey {
                place: format!("the file {}", path.display()),
                mend: "write it there, and nothing else",
            }),
            (None, Reach::Local, _) => Ok(None),
            (None, Reach::Remote, KeySource::Variable(name)) => Err(ApiError::NoKey {
                place: format!("the variable {name}"),
                mend: "set it, or name a key file in the settings",
            }),
            (None, Reach::Remote, KeySource::None) => Ok(None),
        }
    }

    /// The model's price; what runs on this machine is free.
    pub(super) fn price(&self, reach: Reach) -> Result<Price, ApiError> {
        match (self.prices.find(&self.model), reach) {
            (Some(price), _) => Ok(price),
            (None, Reach::Local) => Ok(Price::default()),
            (None, Reach::Remote) => Err(ApiError::NoPrice {
                model: self.model.clone(),
            }),
        }
    }
}

fn is_local(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let address: Option<std::net::IpAddr> = host.parse().ok();
    host.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base_url: &str) -> ApiSettings {
        let settings = ApiSettings::new(Provider::OpenAiChat, "nobody-knows-it");
        ApiSettings {
            base_url: base_url.to_owned(),
            key: KeySource::None,
            ..settings
        }
    }

    #[test]
    fn only_this_machine_is_free() {
        for url in [
            "http://localhost:11434/v1",
            "http://127.0.0.1:1",
            "http://[::1]:8000/v1",
            "https://LOCALHOST",
        ] {
            let settings = at(url);
            assert_eq!(settings.reach(), Ok(Reach::Local), "{url}");
            assert_eq!(settings.price(Reach::Local), Ok(Price::default()));
        }
        for url in [
            "https://localhost.evil.example",
            "http://192.168.1.2:8000",
            "https://api.openai.com/v1",
        ] {
            let settings = at(url);
            assert_eq!(settings.reach(), Ok(Reach::Remote), "{url}");
            assert_eq!(
                settings.price(Reach::Remote).unwrap_err().code(),
                "agent_no_price"
            );
        }
        for url in [
            "",
            "localhost:1",
            "ftp://localhost",
            "http://",
            "http://user:pw@localhost",
        ] {
            assert_eq!(
                at(url).reach().unwrap_err().code(),
                "agent_bad_url",
                "{url}"
            );
        }
    }

    #[test]
    fn a_key_is_found_or_its_place_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let with = |base_url: &str| ApiSettings {
            key: KeySource::File(path.clone()),
            ..at(base_url)
        };
        let missing = with("https://host/v1").secret(Reach::Remote).unwrap_err();
        assert_eq!(missing.code(), "agent_no_key");
        assert!(
            missing.to_string().contains("key; write it there"),
            "{missing}"
        );
        std::fs::write(&path, " the-key-itself\n").unwrap();
        let secret = with("https://host/v1")
            .secret(Reach::Remote)
            .unwrap()
            .unwrap();
        assert_eq!(secret.expose(), "the-key-itself");
        assert_eq!(format!("{secret:?}"), "[redacted]");
        let clear = with("http://host/v1").secret(Reach::Remote).unwrap_err();
        assert_eq!(clear.code(), "agent_unencrypted");
        let unset = ApiSettings {
            key: KeySource::Variable("PROOFHOUSE_NO_SUCH_KEY".into()),
            ..at("https://host")
        };
        assert_eq!(
            unset.secret(Reach::Remote).unwrap_err().code(),
            "agent_no_key"
        );
        assert_eq!(unset.secret(Reach::Local), Ok(None));
    }

    #[test]
    fn the_version_is_not_written_twice() {
        let url = |provider, base_url: &str, path| {
            ApiSettings {
                provider,
                ..at(base_url)
            }
            .url(path)
        };
        for base in ["https://h", "https://h/", "https://h/v1", "https://h/v1/"] {
            assert_eq!(
                url(Provider::Anthropic, base, "/v1/messages"),
                "https://h/v1/messages"
            );
        }
        assert_eq!(
            url(Provider::OpenAiChat, "https://h/v1/", "/chat/completions"),
            "https://h/v1/chat/completions"
        );
    }
}
