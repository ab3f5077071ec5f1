//! The surface of a Python package, as a script of ours reports it. Only Python can parse Python
//! well, so the engine runs [`SCRIPT`] with the interpreter that is there, confined; here is what it
//! says. The script parses and never imports.

mod product;

pub use product::product;

use crate::Extracted;
use serde::Deserialize;

/// `python3 -c SCRIPT surface|stub|nothing|anything|tests FOLDER PACKAGE [USED...]`; prints one [`Said`].
pub const SCRIPT: &str = include_str!("surface.py");
/// Runs `tests/test_*.py` with unittest, and writes a JUnit report.
pub const RUNNER: &str = include_str!("run_tests.py");

/// What the script prints.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Said {
    Surface {
        /// What is public.
        surface: Extracted,
        python: String,
        /// What there is to run tests with: `pytest` or `unittest`.
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
