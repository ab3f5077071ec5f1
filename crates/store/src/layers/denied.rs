//! The one refusal of every layer: a stable code, what was refused, and how to go on.
//!
//! A refusal is built from what the caller asked for and never from what is on the disk, so it
//! cannot tell a hidden file from one that is not there.

use std::fmt::Display;

/// Why an operation was refused. Added to, never renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// There is no such file here. What the pack excludes is not here either.
    NotFound,
    /// The path's text is not a relative path.
    BadPath,
    /// A link, a hard link or a device stands there.
    NotPlain,
    /// The content is sealed; [`Denied::message`] holds the text of rule F12.5.
    Sealed,
    /// The thing was shipped, or may be written once only.
    Immutable,
    /// The thing may be seen, not changed.
    ReadOnly,
    /// A new file was wanted, and there is one.
    Exists,
    /// Larger than a layer carries.
    TooLarge,
    /// Not UTF-8 text, where text is needed.
    NotText,
    /// The text to replace is not there.
    NoMatch,
    /// The text to replace is there more than once.
    Ambiguous,
    /// A glob or a regular expression that cannot be read.
    BadPattern,
    /// A context pack or a reference that cannot be used.
    BadPack,
    /// A folder, where a file is needed.
    IsFolder,
    /// A file, where a folder is needed.
    NotFolder,
    /// The system refused.
    Io,
}

impl Code {
    /// The stable text of the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::NotFound => "not_found",
            Code::BadPath => "bad_path",
            Code::NotPlain => "not_plain",
            Code::Sealed => "sealed",
            Code::Immutable => "immutable",
            Code::ReadOnly => "read_only",
            Code::Exists => "exists",
            Code::TooLarge => "too_large",
            Code::NotText => "not_text",
            Code::NoMatch => "no_match",
            Code::Ambiguous => "ambiguous",
            Code::BadPattern => "bad_pattern",
            Code::BadPack => "bad_pack",
            Code::IsFolder => "is_folder",
            Code::NotFolder => "not_folder",
            Code::Io => "io",
        }
    }
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Denied {
    code: Code,
    what: String,
    mend: &'static str,
}

impl Denied {
    pub(super) fn new(code: Code, what: impl Into<String>, mend: &'static str) -> Denied {
        Denied {
            code,
            what: what.into(),
            mend,
        }
    }

    /// The answer for what is not there, and for what may not be known to be there.
    pub fn not_found(path: impl Display) -> Denied {
        Denied::new(
            Code::NotFound,
            format!("there is no {path} here"),
            "list the folder to see what there is",
        )
    }

    /// The answer of a sealed implementation: rule F12.5, word for word.
    pub fn sealed(path: impl Display) -> Denied {
        Denied::new(
            Code::Sealed,
            format!(
                "ACCESS DENIED: '{path}' is a sealed implementation directory. This module is a \
                 closed-source service — integrate via contract.json, examples.md, and ship.json \
                 only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for \
                 rationale. If the contract is insufficient, raise an Interface Change Exception \
                 (§13)."
            ),
            "use contract.json, examples.md and ship.json",
        )
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What was refused, in one sentence.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// How to go on, in one sentence.
    pub fn mend(&self) -> &'static str {
        self.mend
    }

    /// Whether this is an answer to hand to the agent word for word, and not a failure (rule F12.5).
    pub fn is_message(&self) -> bool {
        self.code == Code::Sealed
    }

    /// The text to hand over word for word, when this is one.
    pub fn message(&self) -> Option<&str> {
        self.is_message().then_some(self.what.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rel;
    use super::*;

    #[test]
    fn s12_5_the_exact_text() {
        let path = Rel::parse("modules/MM-a/1.0.0/implementation/main.rs").unwrap();
        let denied = Denied::sealed(&path);
        assert!(denied.is_message());
        assert_eq!(
            denied.message(),
            Some(
                "ACCESS DENIED: 'modules/MM-a/1.0.0/implementation/main.rs' is a sealed implementation directory. This module is a closed-source service — integrate via contract.json, examples.md, and ship.json only. See §12 (Opaque Implementation Rule) and §6.8 (Black-Box Integration) for rationale. If the contract is insufficient, raise an Interface Change Exception (§13)."
            )
        );
        assert!(!Denied::not_found(&path).is_message());
    }
}
