//! Findings that are open: each keeps its id and stays until whoever may say so has said what became
//! of it. Silence in the next review settles nothing.

use kernel::StateName;
use kernel::finding::{Finding, FindingKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A finding that nobody has settled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) finding: Finding,
    /// The state in which it was raised.
    pub(crate) raised_in: StateName,
    /// What others said to it since.
    pub(crate) said: Vec<String>,
}

/// The open findings of a run, by id. Ids are never given twice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) open: BTreeMap<String, Open>,
    pub(super) given: u32,
    /// What was found without holding a gate, and in which state; oldest first.
    #[serde(default)]
    pub(crate) remarks: Vec<(StateName, String)>,
}

impl Findings {
    /// The first open one of these kinds.
    pub(super) fn open_of(&self, kinds: &[FindingKind]) -> Option<String> {
        let mut open = self.open.iter();
        let (id, open) = open.find(|(_, open)| kinds.contains(&open.finding.kind))?;
        Some(format!("{id} {}", open.finding))
    }
}

/// Does this result raise something of the kind?
pub(super) fn raises(result: Option<&Value>, kind: FindingKind) -> bool {
    let findings = result.and_then(|result| result[kernel::finding::FINDINGS].as_array());
    let mut findings = findings.into_iter().flatten();
    findings.any(|finding| Finding::kind_of(finding) == Some(kind))
}
