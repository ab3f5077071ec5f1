//! Ids of the project's things as types of their own, so that a module can never be passed for a
//! task. Ids that the document wants random are derived from the run and the thing: a machine that
//! is replayed must give the same ones again.

use kernel::name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

name!(
    /// A task: `T-{pillar}-{epic}-{story}-{seq}`.
    TaskId
);
name!(
    /// A micro module, whatever its version: `MM-...`.
    ModuleId
);
name!(
    /// An escalation: `ESC-` and eight hexadecimal digits.
    EscalationId
);
name!(
    /// An interface change exception: `ICE-` and eight hexadecimal digits.
    ExceptionId
);

/// `major.minor.patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Breaking changes.
    pub major: u32,
    /// Additions.
    pub minor: u32,
    /// The same contract.
    pub patch: u32,
}

impl Version {
    /// What every new module starts at.
    pub const FIRST: Version = Version {
        major: 1,
        minor: 0,
        patch: 0,
    };

    /// Reads exactly what it prints.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let good = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            good.then(|| part.parse().ok()).flatten()
        });
        let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self {
            major,
            minor,
            patch,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// One version of a module: `MM-...@x.y.z`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleRef {
    /// The module.
    pub module: ModuleId,
    /// Its version.
    pub version: Version,
}

impl ModuleRef {
    /// Reads exactly what it prints; none if it is not a module with a version.
    pub fn parse(text: &str) -> Option<Self> {
        let (module, version) = text.split_once('@')?;
        is_module_id(module).then_some(())?;
        Some(Self {
            module: ModuleId::from(module),
            version: Version::parse(version)?,
        })
    }
}

/// `MM-` and at least one letter, digit, hyphen or underscore.
pub fn is_module_id(text: &str) -> bool {
    text.strip_prefix("MM-").is_some_and(|rest| {
        let good = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        !rest.is_empty() && rest.bytes().all(good)
    })
}

impl fmt::Display for ModuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.module, self.version)
    }
}

macro_rules! as_text {
    ($type:ident, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                $type::parse(&text)
                    .ok_or_else(|| serde::de::Error::custom(format!("not {}: {text:?}", $what)))
            }
        }
    };
}
as_text!(Version, "a version `x.y.z`");
as_text!(ModuleRef, "a module reference `MM-...@x.y.z`");

/// An id `PREFIX-` and eight hexadecimal digits that follows from the run and the thing named.
pub fn mint(prefix: &str, run: &str, thing: &str) -> String {
    let mut hash = Sha256::new();
    for part in [prefix, run, thing] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let hex: String = digest[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{prefix}-{hex}")
}
