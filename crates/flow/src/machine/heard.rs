//! What was found in a state before, and what was said to it since: whoever looks again should not have
//! to find it anew, and should see whether it was dealt with.

use serde::{Deserialize, Serialize};

/// Findings of one visit, and what those who worked after it said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Heard {
    pub(crate) findings: String,
    pub(crate) answers: Vec<String>,
}
