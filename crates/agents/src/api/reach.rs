//! Whether settings can work: how far a request travels, which key goes with it, what it costs.
//!
//! No key goes where others can read it, and nothing works without a price.

use super::error::ApiError;
use super::settings::{ApiSettings, KeySource};
use crate::prices::Price;
use std::fmt;

/// How far a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It stays on this machine.
    Local,
    /// It leaves it.
    Remote,
}

/// A key in memory. It prints as a mark.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(store::redact::MARK)
    }
}

impl ApiSettings {
    pub(super) fn reach(&self) -> Result<Reach, ApiError> {
        reach(&self.base_url)
    }

    /// The key, if there is one; a provider on this machine need not have one.
    pub(super) fn secret(&self, reach: Reach) -> Result<Option<Secret>, ApiError> {
        secret(&self.base_url, &self.key, reach)
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

/// How far a request to this address travels.
pub(crate) fn reach(url: &str) -> Result<Reach, ApiError> {
    let bad = || ApiError::BadUrl { url: shown(url) };
    let (scheme, rest) = url.split_once("://").ok_or_else(bad)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A password in a URL would be in every log, and so would a key in its query.
    let more = authority.contains('@') || rest.contains(['?', '#']);
    if !matches!(scheme, "http" | "https") || authority.is_empty() || more {
        return Err(bad());
    }
    Ok(if is_local(authority) {
        Reach::Local
    } else {
        Reach::Remote
    })
}

/// An address without what may be a password or a key in it.
fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let cut = rest.find(['?', '#']);
    let path = &rest[..cut.unwrap_or(rest.len())];
    let (who, place) = match path.rsplit_once('@') {
        Some((_, place)) => ("...@", place),
        None => ("", path),
    };
    let between = if scheme.is_empty() { "" } else { "://" };
    let query = if cut.is_some() { "?..." } else { "" };
    format!("{scheme}{between}{who}{place}{query}")
}

/// The key for this address, if there is one; a host on this machine need not have one.
pub(crate) fn secret(url: &str, key: &KeySource, reach: Reach) -> Result<Option<Secret>, ApiError> {
    let found = match key {
        KeySource::None => return Ok(None),
        KeySource::Variable(name) => std::env::var(name).ok(),
        KeySource::File(path) => std::fs::read_to_string(path).ok(),
    };
    let found = found
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty());
    match (found, reach, key) {
        (Some(_), Reach::Remote, _) if !url.starts_with("https://") => Err(ApiError::Unencrypted {
            url: url.to_owned(),
        }),
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
    use crate::openai;

    fn at(base_url: &str) -> ApiSettings {
        let settings = ApiSettings::new(openai::CHAT, "nobody-knows-it");
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
            "http://user:hidden@localhost",
            "https://host/v1?key=hidden",
            "https://host/v1#hidden",
            "user:hidden@host/v1",
        ] {
            let error = at(url).reach().unwrap_err();
            assert_eq!(error.code(), "agent_bad_url", "{url}");
            assert!(!error.to_string().contains("hidden"), "{error}");
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
}
