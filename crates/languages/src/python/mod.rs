//! Modules in Python. Only Python can parse Python well, so that a script of ours reads them; what it
//! says is in `asked.rs`.

mod product;

pub use product::product;

/// `python3 -c SCRIPT surface|stub|nothing|anything|tests FOLDER PACKAGE [USED...]`; prints one [`crate::asked::Said`].
pub const SCRIPT: &str = include_str!("surface.py");
/// Runs `tests/test_*.py` with unittest, and writes a JUnit report.
pub const RUNNER: &str = include_str!("run_tests.py");
