//! The one refusal: a stable code, what was refused, and how to go on.
//!
//! A refusal is built from what the caller asked for and never from what is on the disk, so it
//! cannot tell a hidden file from one that is not there.

use std::fmt::Display;

/// Why an operation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// There is no such file here.
    NotFound,
    /// The path's text is not a relative path.
    BadPath,
    /// A link, a hard link or a device stands there.
    NotPlain,
    /// Larger than is carried.
    TooLarge,
    /// Not UTF-8 text, where text is needed.
    NotText,
    /// The text to replace is not there.
    NoMatch,
    /// The text to replace is there more than once.
    Ambiguous,
    /// A glob or a regular expression that cannot be read.
    BadPattern,
    /// A folder, where a file is needed.
    IsFolder,
    /// A file, where a folder is needed.
    NotFolder,
    /// The system refused.
    Io,
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
}
