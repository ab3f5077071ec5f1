//! Why code cannot be read: a place that is no code, or a file that is not there.

/// A place where a text is no Rust, or is what no parser should see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NoRust {
    /// From 1.
    pub line: u32,
    pub why: String,
}

/// Why the code of a module cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("{file}:{}: {}", source.line, source.why)]
    NoRust { file: String, source: NoRust },
    #[error("implementation/ has no {0}")]
    NoFile(String),
    #[error("{file}:{line}: `mod {name}` has no file")]
    NoModule {
        file: String,
        line: u32,
        name: String,
    },
    #[error("implementation/ has {one} and {other}: a module is in one language")]
    TwoLanguages { one: String, other: String },
    #[error(
        "implementation/ has neither lib.rs (Rust) nor __init__.py (Python) nor index.mjs (JavaScript)"
    )]
    NoLanguage,
}
