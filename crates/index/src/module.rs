//! What names a module: its id, its version, and both together (`MM-0001@2.0.0`). Nothing else is
//! taken for one: these texts end up in paths and in other people's files.

use crate::error::IndexError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest module id.
const LONGEST: usize = 128;

/// `MM-` and letters, digits, `_`, `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleId(String);

impl ModuleId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let wrong = |why| IndexError::BadReference {
            text: shown(text),
            why,
        };
        let rest = text
            .strip_prefix("MM-")
            .ok_or_else(|| wrong("a module id begins with MM-"))?;
        let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if rest.is_empty() || !rest.bytes().all(good) {
            return Err(wrong(
                "after MM- come letters, digits, dashes and underscores",
            ));
        }
        if text.len() > LONGEST {
            return Err(wrong("a module id has at most 128 characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The bare text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ModuleId {
    type Error = IndexError;
    fn try_from(text: String) -> Result<Self, IndexError> {
        Self::parse(&text)
    }
}

impl From<ModuleId> for String {
    fn from(id: ModuleId) -> String {
        id.0
    }
}

/// `major.minor.patch` (section 8.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    /// Breaking changes.
    pub major: u32,
    /// Additions.
    pub minor: u32,
    /// Corrections.
    pub patch: u32,
}

impl Version {
    /// Reads a version: three numbers without leading zeros.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let mut numbers = text.split('.').map(number);
        match (
            numbers.next(),
            numbers.next(),
            numbers.next(),
            numbers.next(),
        ) {
            (Some(Some(major)), Some(Some(minor)), Some(Some(patch)), None) => Ok(Self {
                major,
                minor,
                patch,
            }),
            _ => Err(IndexError::BadReference {
                text: shown(text),
                why: "a version is three numbers, as in 1.0.0",
            }),
        }
    }
}

/// A number as a version may hold it.
pub(crate) fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    (plain && !leading).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl TryFrom<String> for Version {
    type Error = IndexError;
    fn try_from(text: String) -> Result<Self, IndexError> {
        Self::parse(&text)
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.to_string()
    }
}

/// One version of one module: the key of an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModuleRef {
    /// The module.
    pub module_id: ModuleId,
    /// Its version.
    pub version: Version,
}

impl ModuleRef {
    /// Reads `MM-...@x.y.z`.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let (id, version) = text
            .split_once('@')
            .ok_or_else(|| IndexError::BadReference {
                text: shown(text),
                why: "there is no @ between id and version",
            })?;
        Ok(Self {
            module_id: ModuleId::parse(id)?,
            version: Version::parse(version)?,
        })
    }
}

impl fmt::Display for ModuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.module_id, self.version)
    }
}

impl TryFrom<String> for ModuleRef {
    type Error = IndexError;
    fn try_from(text: String) -> Result<Self, IndexError> {
        Self::parse(&text)
    }
}

impl From<ModuleRef> for String {
    fn from(reference: ModuleRef) -> String {
        reference.to_string()
    }
}

/// Enough of a wrong text to recognise it.
fn shown(text: &str) -> String {
    text.chars().take(160).collect()
}
