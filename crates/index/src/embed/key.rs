//! Keys for an endpoint: where one is, and whether it may be sent. A key goes to the host that the
//! user named and nowhere else, and never in the clear beyond this machine.

use crate::error::IndexError;
use std::fmt;
use std::path::PathBuf;

/// Where the key is. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable.
    Variable(String),
    /// A file that holds nothing but the key.
    File(PathBuf),
}

/// A key in memory. It prints as a mark.
#[derive(Clone)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// A text of the endpoint without the key: some repeat it in their errors.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// How far a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Local,
    Remote,
}

/// Judges a base URL.
pub(super) fn reach(url: &str) -> Result<Reach, IndexError> {
    let wrong = |why: &str| IndexError::BadEmbedder {
        text: url.to_owned(),
        why: why.to_owned(),
    };
    let (scheme, rest) = url
        .split_once("://")
        .ok_or_else(|| wrong("a URL begins with https://"))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !matches!(scheme, "http" | "https") || authority.is_empty() {
        return Err(wrong("a URL begins with https:// and a host"));
    }
    // A password in a URL would be in every log.
    if authority.contains('@') {
        return Err(wrong("a URL holds no user and no password"));
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let address = host.parse::<std::net::IpAddr>();
    let local = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    if scheme == "http" && !local {
        return Err(wrong("texts and key would travel in the clear; use https"));
    }
    Ok(if local { Reach::Local } else { Reach::Remote })
}

impl KeySource {
    /// The key. An endpoint on this machine need not have one.
    pub(super) fn secret(&self, reach: Reach) -> Result<Option<Secret>, IndexError> {
        let (found, place) = match self {
            KeySource::Variable(name) => (std::env::var(name).ok(), format!("the variable {name}")),
            KeySource::File(path) => (
                std::fs::read_to_string(path).ok(),
                format!("the file {}", path.display()),
            ),
        };
        let key = found
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty());
        match (key, reach, self) {
            (Some(key), _, _) => Ok(Some(Secret(key))),
            (None, Reach::Local, KeySource::Variable(_)) => Ok(None),
            (None, _, _) => Err(IndexError::EmbedderNoKey { place }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_leave_this_machine_only_encrypted() {
        for (url, expected) in [
            ("https://api.example.org/v1", Some(Reach::Remote)),
            ("http://localhost:8080/v1", Some(Reach::Local)),
            ("http://127.0.0.1/v1", Some(Reach::Local)),
            ("http://[::1]:80", Some(Reach::Local)),
            ("http://api.example.org/v1", None),
            ("http://localhost.example.org", None),
            ("https://user:word@example.org", None),
            ("ftp://example.org", None),
            ("example.org", None),
            ("https://", None),
        ] {
            assert_eq!(reach(url).ok(), expected, "{url}");
        }
    }

    #[test]
    fn a_key_does_not_print() {
        let secret = Secret("abcdef".into());
        assert_eq!(format!("{secret:?}"), "[key]");
        assert_eq!(secret.redact("wrong key abcdef"), "wrong key [key]");
    }
}
