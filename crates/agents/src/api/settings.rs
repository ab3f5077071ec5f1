//! The settings of a model, as people write them. `reach` says whether they can work.

use crate::external::settings::Resuming;
use crate::prices::Prices;
use crate::wire::Provider;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Whether a repair goes on with the conversation.
    pub session: Resuming,
}

impl ApiSettings {
    /// A model at its provider's own address, with the usual settings.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            base_url: provider.base_url.to_owned(),
            model: model.into(),
            key: KeySource::Variable(provider.key_variable.to_owned()),
            window: None,
            max_turns: 100,
            prices: Prices::embedded(),
            idle: Duration::from_secs(300),
            backoff: Duration::from_millis(500),
            session: Resuming::default(),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{anthropic, openai};

    #[test]
    fn the_version_is_not_written_twice() {
        let url = |provider, base_url: &str, path| {
            ApiSettings {
                base_url: base_url.to_owned(),
                ..ApiSettings::new(provider, "m")
            }
            .url(path)
        };
        for base in ["https://h", "https://h/", "https://h/v1", "https://h/v1/"] {
            assert_eq!(
                url(anthropic::PROVIDER, base, "/v1/messages"),
                "https://h/v1/messages"
            );
        }
        assert_eq!(
            url(openai::CHAT, "https://h/v1/", "/chat/completions"),
            "https://h/v1/chat/completions"
        );
    }
}
