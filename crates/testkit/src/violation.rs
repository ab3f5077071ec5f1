//! A broken promise: which, and what was seen instead.

/// A broken promise, before anyone knows in which run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The invariant's name.
    pub invariant: &'static str,
    /// What was seen instead.
    pub what: String,
}

impl Violation {
    /// Pairs the two.
    pub fn new(invariant: &'static str, what: impl Into<String>) -> Self {
        Self {
            invariant,
            what: what.into(),
        }
    }
}
