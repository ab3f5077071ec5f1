//! What people said when they decided. Everybody who works after it hears it: a repair of a repair must not
//! forget what it is for, and whoever judges must know what was agreed.

use kernel::Decision;
use serde::{Deserialize, Serialize};

/// As many are kept; the last ones.
const MOST: usize = 4;
const MOST_CHARS: usize = 4_000;

/// What people said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    #[serde(default)]
    said: Vec<String>,
}

/// A person's word as a brief has it, with what they were asked, if an agent asked.
pub(super) fn sentence(decision: &Decision, asked: &str) -> String {
    let asked = match asked.trim() {
        "" => String::new(),
        asked => format!("asked: {}\n  ", asked.replace('\n', " ")),
    };
    let said = format!(
        "{asked}{} decided `{}`: {}",
        decision.who, decision.option, decision.because
    );
    said.chars().take(MOST_CHARS).collect()
}

impl Told {
    pub(super) fn said(&mut self, text: String) {
        self.said.push(text);
        let many = self.said.len().saturating_sub(MOST);
        self.said.drain(..many);
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.said
    }
}
