//! What names a module: its id, with a version (`MM-0001@2.0.0`) or with a range of them. One place
//! for the whole tree.
//!
//! It refuses everything that would not do as a part of a path.

use crate::form::{Form, Formed, Id, LONGEST, Rule, Tail, Wrong};
pub use crate::version::{Bump, Malformed, Range, Version, Wanted};
use crate::version::{PATTERN, as_text, malformed};
use crate::{name, words};
use std::fmt;

name!(
    /// A micro module, whatever its version: `MM-...`.
    ModuleId
);

impl ModuleId {
    /// Reads an id.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let wrong = |why| Err(malformed(text, Wanted::Reference, why));
        match text.strip_prefix("MM-") {
            None => wrong("a module id begins with MM-"),
            Some(rest) if !is_word(rest) => {
                wrong("after MM- come letters, digits, dashes and underscores")
            }
            Some(_) if text.len() > LONGEST => wrong("a module id has at most 128 characters"),
            Some(_) => Ok(Self::new(text)),
        }
    }
}

fn is_word(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !text.is_empty() && text.bytes().all(good)
}

/// One version of a module: `MM-...@x.y.z`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleRef {
    pub module: ModuleId,
    pub version: Version,
}

fn halves(text: &str) -> Result<(&str, &str), Malformed> {
    let why = "there is no @ after the id";
    let halves = text.split_once('@');
    halves.ok_or_else(|| malformed(text, Wanted::Reference, why))
}

impl ModuleRef {
    /// Reads `MM-...@x.y.z`.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let (module, version) = halves(text)?;
        Ok(Self {
            module: ModuleId::parse(module)?,
            version: Version::parse(version)?,
        })
    }
}

impl fmt::Display for ModuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.module, self.version)
    }
}

as_text!(ModuleRef);

/// A module, and the versions of it that will do: `MM-...@range`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub module_id: ModuleId,
    /// Its versions.
    pub range: Range,
}

impl Dependency {
    /// Reads `MM-...@range`.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let (id, range) = halves(text)?;
        Ok(Self {
            module_id: ModuleId::parse(id)?,
            range: Range::parse(range)?,
        })
    }
}

impl Formed for Version {
    const FORM: Form = Form::Text(Rule {
        pattern: PATTERN,
        most: 0,
        judge: |text| match Version::parse(text) {
            Ok(_) => None,
            Err(error) => Wrong::content("bad_version", error.to_string()),
        },
    });
}

words! {
    /// Whether a version should be used: from SHIPPED to one of the others, and never back
    /// (rules F14.1 and F19.5).
    pub enum ModuleStatus {
        /// Fit for reuse.
        Shipped = "SHIPPED",
        /// Not to be used for new work.
        Deprecated = "DEPRECATED",
        /// Another version stands in for it.
        Superseded = "SUPERSEDED",
    }
}

impl ModuleStatus {
    /// Found by a search that does not ask for more.
    pub fn is_active(self) -> bool {
        self == ModuleStatus::Shipped
    }
}

/// The ids of modules.
pub const MODULE: Id = Id::new("MM-", Tail::Word);

impl Formed for ModuleId {
    const FORM: Form = Form::Id(MODULE);
}

impl Formed for ModuleRef {
    const FORM: Form = Form::Versioned(Some(MODULE));
}

/// The form of `MM-...@range`. What a range is, a pattern says only from afar.
pub const DEPENDENCY: Form = Form::Text(Rule {
    pattern: r"^MM-[A-Za-z0-9_-]{1,125}@[0-9xX*.,<>=^~ ]+$",
    most: 0,
    judge: |text| match Dependency::parse(text) {
        Ok(_) => None,
        Err(_) => Wrong::content("bad_reference", "should be `MM-...@range`"),
    },
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_reads_what_it_prints() {
        let reference = ModuleRef::parse("MM-a_b-1@10.0.2").unwrap();
        assert_eq!(reference.to_string(), "MM-a_b-1@10.0.2");
        let long = format!("MM-{}@1.0.0", "x".repeat(126));
        for text in [
            "MM-a",
            "MM-@1.0.0",
            "XX-a@1.0.0",
            "MM-a/b@1.0.0",
            "MM-a@1",
            &long,
        ] {
            assert!(ModuleRef::parse(text).is_err(), "{text}");
        }
    }
}
