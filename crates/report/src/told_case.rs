//! Cases of an exam that did not hold, as a person sees them who has to say whether they are right: with what
//! they claim. No page that lies in the task's folder has them, for whoever builds may read those.

use crate::history::History;
use kernel::exam::{ANSWERS, TOLD};
use kernel::outcome::EvidenceRef;
use serde::{Deserialize, Serialize};
use workspace::Project;

/// A case that did not hold when the product was asked last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldCase {
    pub name: String,
    /// The sentence of the task that says so, in the examiner's eyes.
    pub clause: String,
    /// Each call, and what was answered.
    pub calls: Vec<String>,
    /// What must hold of the answers.
    pub claims: Vec<String>,
}

impl ToldCase {
    /// A line each, behind the name and the clause.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let calls = self.calls.iter().enumerate();
        let calls = calls.map(|(at, call)| format!("call {}: {call}", at + 1));
        let claims = self.claims.iter().map(|claim| format!("claimed: {claim}"));
        calls.chain(claims)
    }
}

/// Those of the last sitting. None where they are on another machine.
pub fn told_cases(project: &Project, run: &str, history: &History) -> Vec<ToldCase> {
    let gates = history.gates(None);
    let mut sittings = gates.iter().rev().flat_map(|gate| &gate.checks);
    let named = |pieces: &[EvidenceRef], name: &str| {
        let mut pieces = pieces.iter();
        pieces.find(|piece| piece.name == name).cloned()
    };
    let last = sittings.find(|check| named(&check.evidence, ANSWERS).is_some());
    let Some(told) = last.and_then(|check| named(&check.evidence, TOLD)) else {
        return Vec::new();
    };
    let sealed = workspace::sealed::vault(project, run).ok().flatten();
    let sealed = sealed.and_then(|vault| vault.get(&told.hash).ok());
    let opened = || project.vault().ok()?.get(&told.hash).ok();
    let bytes = sealed.or_else(opened).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
