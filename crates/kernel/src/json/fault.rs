//! What can be wrong with a JSON text. A syntax error ends the reading; a fault does not, because
//! the rest of the document can still be judged.

/// The text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what} [{code}]")]
pub struct SyntaxError {
    /// Stable, snake_case: `invalid_json`, `invalid_unicode`, `too_deep` or `too_large`.
    pub code: &'static str,
    /// What was found.
    pub what: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// In bytes, from 0.
    pub offset: usize,
}

/// JSON, but not to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// Where, in bytes.
    pub offset: usize,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// An object has the key twice; readers disagree on which one counts.
    DuplicateKey,
    /// A number that readers round: beyond 2^53, or not finite.
    NumberBeyond,
    /// Half of a surrogate pair: no character.
    LoneSurrogate,
}

impl FaultKind {
    /// Stable, snake_case.
    pub fn code(self) -> &'static str {
        match self {
            FaultKind::DuplicateKey => "duplicate_key",
            FaultKind::NumberBeyond => "number_beyond_2_53",
            FaultKind::LoneSurrogate => "invalid_unicode",
        }
    }

    /// What is wrong, and how to mend it.
    pub fn message(self) -> &'static str {
        match self {
            FaultKind::DuplicateKey => "the key stands here twice; remove one of the two",
            FaultKind::NumberBeyond => {
                "a number beyond 2^53, which JSON readers round; write it as a string"
            }
            FaultKind::LoneSurrogate => {
                "half of a surrogate pair is no character; write both halves, or the character itself"
            }
        }
    }
}
