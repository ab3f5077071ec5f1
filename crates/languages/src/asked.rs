//! What a script of ours says of a module in a language that only its own interpreter reads well. The
//! engine runs it, confined, with the interpreter that is there; it parses and never imports.

use crate::{Extracted, Language, javascript, python};
use serde::Deserialize;

/// What the script prints.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Said {
    Surface {
        /// What is public.
        surface: Extracted,
        /// What there is to run tests with.
        runner: String,
    },
    /// Of `stub`, `nothing` and `anything`.
    Stubbed {
        /// How many functions.
        stubs: u32,
    },
    Tests {
        /// Where they reach past the surface.
        reaches: Vec<Reached>,
    },
    /// A file that cannot be parsed.
    Broken {
        /// Which, where and why.
        broken: String,
    },
}

/// A place where a test reaches past the surface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reached {
    /// Below `tests/`.
    pub file: String,
    /// From 1.
    pub line: u32,
    pub by: String,
}

/// Reads what the script printed.
pub fn read(output: &[u8]) -> serde_json::Result<Said> {
    serde_json::from_slice(output)
}

/// The command of the script, before `surface|stub|nothing|anything|tests FOLDER NAME [USED...]`, where `!NAME`
/// is a module that only those use. None: we read the language ourselves.
pub fn command(language: Language) -> Option<&'static [&'static str]> {
    match language {
        Language::Rust => None,
        Language::Python => Some(&["python3", "-I", "-B", "-c", python::SCRIPT]),
        Language::JavaScript => Some(&["node", "--expose-internals", "-e", javascript::SCRIPT]),
    }
}
