//! Cases of an exam: those that did not hold, as a person sees them who has to say whether they are right, with
//! what they claim; and, when a run is over, all that were asked last. No page that lies in the task's folder
//! has them, for whoever builds may read those.

use crate::gate::Check;
use crate::history::History;
use kernel::exam::{ANSWERS, TOLD};
use kernel::outcome::EvidenceRef;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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

fn named<'a>(check: &'a Check, name: &str) -> Option<&'a EvidenceRef> {
    check.evidence.iter().find(|piece| piece.name == name)
}

fn opened(project: &Project, piece: &EvidenceRef) -> Option<Vec<u8>> {
    project.vault().ok()?.get(&piece.hash).ok()
}

/// Those of the last sitting. None where they are on another machine.
pub fn told_cases(project: &Project, run: &str, history: &History) -> Vec<ToldCase> {
    let gates = history.gates(None);
    let mut sittings = gates.iter().rev().flat_map(|gate| &gate.checks);
    let last = sittings.find(|check| named(check, ANSWERS).is_some());
    let Some(told) = last.and_then(|check| named(check, TOLD)) else {
        return Vec::new();
    };
    let sealed = workspace::sealed::vault(project, run).ok().flatten();
    let sealed = sealed.and_then(|vault| vault.get(&told.hash).ok());
    let bytes = sealed.or_else(|| opened(project, told)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Every case that a sitting asked, each with what did not hold. None as long as they are under seal: what is
/// shown here leaves the machine.
pub fn sat_cases(project: &Project, check: &Check) -> Vec<(String, Option<ToldCase>)> {
    #[derive(Deserialize)]
    struct Sat {
        answers: BTreeMap<String, IgnoredAny>,
    }
    let open = |name| opened(project, named(check, name)?);
    let sat = open(ANSWERS).and_then(|bytes| serde_json::from_slice::<Sat>(&bytes).ok());
    let told = open(TOLD).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut told: Vec<ToldCase> = told.unwrap_or_default();
    let names = sat.into_iter().flat_map(|sat| sat.answers.into_keys());
    names
        .map(|name| {
            let at = told.iter().position(|case| case.name == name);
            let failed = at.map(|at| told.swap_remove(at));
            (name, failed)
        })
        .collect()
}
