//! What a machine says instead of obeying: a stable code, what was wrong, and how to mend it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A typed "no". The code is stable and snake_case; scripts may match on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Refusal {
    /// Stable, snake_case.
    pub code: String,
    /// What was refused, and where.
    pub what: String,
    /// How to mend it.
    pub mend: String,
    /// Known where it is said; nobody asks once it is stored.
    #[serde(skip)]
    pub whose: Whose,
}

/// Whose mistake a refusal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// The asker's.
    #[default]
    Asker,
    /// Ours: only the engine asks for such a thing, and it should have known.
    Engine,
}

impl Refusal {
    /// Builds a refusal; all three parts are required because a "no" without a way on is useless.
    pub fn new(code: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            what: what.into(),
            mend: mend.into(),
            whose: Whose::Asker,
        }
    }

    /// The same, as our own mistake.
    pub fn of_engine(self) -> Self {
        Self {
            whose: Whose::Engine,
            ..self
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.code, self.what, self.mend)
    }
}
