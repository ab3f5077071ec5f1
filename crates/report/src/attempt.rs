//! An attempt of an agent: what it was for, how it ended, what it says of itself, what it cost and
//! what it left.

use crate::transcript::Turn;
use kernel::Outcome;
use kernel::ledger::AttemptNote;
use kernel::outcome::EvidenceRef;
use serde::Serialize;

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// What the run notes of it.
    #[serde(flatten)]
    pub note: AttemptNote,
    /// Who worked: the connector's name.
    pub agent: String,
    /// Its model, where it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it says that it did, or why it ended.
    pub said: String,
    /// Connections that it was refused, in a line; empty if there is nothing to say.
    pub refused: String,
    /// Paths that it changed.
    pub changed: Vec<String>,
    /// Brief, transcript and whatever else was kept.
    pub evidence: Vec<EvidenceRef>,
    /// Its transcript, to be read; empty where nobody has looked into it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
}

/// What an agent says that it did; without such words, why its attempt ended.
pub fn said(outcome: &Outcome) -> &str {
    let result = outcome.result.as_ref();
    let summary = result.and_then(|result| result["summary"].as_str());
    summary.unwrap_or(&outcome.reason)
}

impl Attempt {
    pub(crate) fn of(note: &AttemptNote, outcome: Option<&Outcome>) -> Attempt {
        let result = outcome.and_then(|outcome| outcome.result.as_ref());
        let summary = result.and_then(|result| result["summary"].as_str());
        Attempt {
            note: note.clone(),
            agent: outcome.map_or_else(String::new, |outcome| outcome.agent.clone()),
            model: outcome.and_then(|outcome| outcome.model.clone()),
            said: summary.unwrap_or(&note.reason).to_owned(),
            refused: outcome
                .and_then(Outcome::refused_connections)
                .unwrap_or_default(),
            changed: outcome.map_or_else(Vec::new, |outcome| outcome.changed.clone()),
            evidence: outcome.map_or_else(Vec::new, |outcome| outcome.evidence.clone()),
            turns: Vec::new(),
        }
    }
}
