//! What people said when they decided. Whoever works on it next hears it, and so does everybody who works in
//! that state later: a repair of a repair must not forget what it is for.

use kernel::{Decision, StateName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As many are kept for a state; the last ones.
const MOST: usize = 3;
const MOST_CHARS: usize = 4_000;

/// What people said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Nobody has worked since.
    open: Vec<String>,
    /// By the state in which it was heard first.
    heard: BTreeMap<StateName, Vec<String>>,
}

/// A person's word as a brief has it.
pub(super) fn sentence(decision: &Decision) -> String {
    let said = format!(
        "{} decided `{}`: {}",
        decision.who, decision.option, decision.because
    );
    said.chars().take(MOST_CHARS).collect()
}

impl Told {
    pub(super) fn said(&mut self, text: String) {
        self.open.push(text);
    }

    /// Somebody begins to work in a state.
    pub(super) fn begins(&mut self, state: &StateName) {
        if self.open.is_empty() {
            return;
        }
        let heard = self.heard.entry(state.clone()).or_default();
        heard.append(&mut self.open);
        let many = heard.len().saturating_sub(MOST);
        heard.drain(..many);
    }

    /// What was heard in a state.
    pub(crate) fn of(&self, state: &StateName) -> &[String] {
        self.heard.get(state).map_or(&[], Vec::as_slice)
    }
}
