//! Why a script cannot be loaded: what, where, and how to mend it.

use std::io;

/// A script that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("script {file} cannot be read: {source}; check the path and its permissions")]
    Missing {
        /// The script's file.
        file: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The text is not a script.
    #[error("script {file}, line {line}: {what}; {mend}")]
    Malformed {
        /// The script's file or name.
        file: String,
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// How to mend it.
        mend: String,
    },
}

impl ScriptError {
    /// The error's stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ScriptError::Missing { .. } => "script_missing",
            ScriptError::Malformed { .. } => "script_malformed",
        }
    }
}
