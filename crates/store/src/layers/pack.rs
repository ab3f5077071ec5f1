//! The context pack as it is written down (rule F5.3): what a role was given, how
//! much of it, what was kept from it, and why. Reading one is strict; only the engine makes them.

use super::{Code, Denied, Permission};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A thing and its version: `id@version`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reference {
    id: String,
    version: String,
}

impl Reference {
    /// Reads `id@version`; the version is `major.minor.patch` (rule F8.3).
    pub fn parse(text: &str) -> Result<Reference, Denied> {
        let bad = |why: &str| {
            Denied::new(
                Code::BadPack,
                format!("the reference {text:?} {why}"),
                "write it like MM-parser@1.0.0",
            )
        };
        let (id, version) = text.split_once('@').ok_or_else(|| bad("has no @"))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        // An id becomes a folder's name: it must not climb or hide.
        if !id.starts_with(|c: char| c.is_ascii_alphanumeric())
            || !id.chars().all(plain)
            || id.len() > 128
        {
            return Err(bad("has an id that could not be a folder"));
        }
        let numbers: Vec<&str> = version.split('.').collect();
        let number = |part: &&str| {
            (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if numbers.len() != 3 || !numbers.iter().all(number) {
            return Err(bad("has no version of three numbers"));
        }
        Ok(Reference {
            id: id.to_owned(),
            version: version.to_owned(),
        })
    }

    /// The part before the `@`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The part after it.
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.version)
    }
}

impl TryFrom<String> for Reference {
    type Error = Denied;

    fn try_from(text: String) -> Result<Reference, Denied> {
        Reference::parse(&text)
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> String {
        reference.to_string()
    }
}

/// Whom a pack was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreatedFor {
    /// The role, such as `challenger`.
    pub role: String,
    /// The invocation.
    pub run_id: String,
    pub task_ref: String,
}

/// Something that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Included {
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// How much of it; the pack's default when it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Why, and why at this level.
    pub reason: String,
}

/// Something that was kept away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// Why.
    pub reason: String,
}

/// A context pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// `CP-` and eight hex digits.
    pub context_pack_id: String,
    /// For whom.
    pub created_for: CreatedFor,
    /// What was given.
    pub included_refs: Vec<Included>,
    /// What was kept away. This wins over what was given.
    pub excluded_refs: Vec<Excluded>,
    /// The level of what is given without one.
    #[serde(default)]
    pub default_permission: Permission,
    /// When, as ISO 8601.
    pub created_at: String,
}

impl Pack {
    /// Reads a pack and refuses one that gives no reasons (rule F6.3).
    pub fn parse(bytes: &[u8]) -> Result<Pack, Denied> {
        let bad = |why: String| {
            Denied::new(
                Code::BadPack,
                format!("the context pack cannot be used: {why}"),
                "name each reference with its level and a reason, as rule F5.3 of docs/rules.md says",
            )
        };
        let pack: Pack = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
        let included = pack
            .included_refs
            .iter()
            .map(|one| (&one.reference, &one.reason));
        let excluded = pack
            .excluded_refs
            .iter()
            .map(|one| (&one.reference, &one.reason));
        for (reference, reason) in included.chain(excluded) {
            if reason.trim().is_empty() {
                return Err(bad(format!("{reference} has no reason")));
            }
        }
        Ok(pack)
    }
}
