//! Versions as section 8.3 has them: three whole numbers, always rising. It refuses labels and
//! build metadata, which the document's pattern has no place for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// `major.minor.patch`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = r"^\d+\.\d+\.\d+$"))]
pub struct Version {
    /// Rises with breaking changes.
    pub major: u64,
    /// Rises with additions.
    pub minor: u64,
    /// Rises with everything else.
    pub patch: u64,
}

/// Which number rises.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Bump {
    /// The contract is the same.
    Patch,
    /// The contract has more, and nothing less.
    Minor,
    /// Somebody who relied on the old contract may break.
    Major,
}

impl Version {
    /// Where everything begins (section 7).
    pub const FIRST: Version = Version {
        major: 1,
        minor: 0,
        patch: 0,
    };

    /// The next version of that kind; none if a number is at its end.
    pub fn bumped(self, bump: Bump) -> Option<Version> {
        let Version {
            major,
            minor,
            patch,
        } = self;
        let of = |major, minor, patch| Version {
            major,
            minor,
            patch,
        };
        Some(match bump {
            Bump::Patch => of(major, minor, patch.checked_add(1)?),
            Bump::Minor => of(major, minor.checked_add(1)?, 0),
            Bump::Major => of(major.checked_add(1)?, 0, 0),
        })
    }

    /// Whether it may follow all of these (section 8.3: versions never fall).
    pub fn may_follow(self, lineage: &[Version]) -> bool {
        lineage.iter().all(|earlier| *earlier < self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// No version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no version; write three whole numbers such as `1.0.0`")]
pub struct NoVersion(pub String);

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let refuse = || NoVersion(text.chars().take(80).collect());
        let mut parts = text.split('.');
        let mut next = || {
            let part = parts.next()?;
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            if digits { part.parse().ok() } else { None }
        };
        let (Some(major), Some(minor), Some(patch)) = (next(), next(), next()) else {
            return Err(refuse());
        };
        if parts.next().is_some() {
            return Err(refuse());
        }
        Ok(Version {
            major,
            minor,
            patch,
        })
    }
}

impl TryFrom<String> for Version {
    type Error = NoVersion;

    fn try_from(text: String) -> Result<Self, NoVersion> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.to_string()
    }
}
