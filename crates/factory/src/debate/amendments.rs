//! The APPROVE_WITH_AMENDMENTS flow (section 9.6): amendments that can be carried out, and the proof
//! that each of them was. What the proposer says it did is compared with what is there.

use super::{Adjudication, Amendment, AmendmentAction, Decision, ShipDirective, target};
use crate::deficiency::{Deficiency, Report};
use crate::findings::{id, said};
use crate::ids;
use crate::schema::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Words that ask for something without saying what.
const VAGUE: [&str; 44] = [
    "a",
    "add",
    "all",
    "and",
    "better",
    "bit",
    "case",
    "cases",
    "clean",
    "cleanup",
    "code",
    "coverage",
    "docs",
    "documentation",
    "edge",
    "error",
    "errors",
    "fix",
    "for",
    "good",
    "handle",
    "handling",
    "improve",
    "in",
    "issues",
    "it",
    "make",
    "more",
    "naming",
    "needs",
    "of",
    "please",
    "quality",
    "refactor",
    "robust",
    "some",
    "test",
    "testing",
    "tests",
    "the",
    "to",
    "tweak",
    "up",
    "update",
];

impl Judged for Adjudication {
    fn judge(&self) -> Report {
        let mut found = Vec::new();
        let own = &self.adjudication_id;
        id(&mut found, "$", "adjudication_id", ids::ADJUDICATION, own);
        target(&mut found, &self.target_artifact_id);
        said(&mut found, "$", "rationale", &self.rationale);
        let mut say = |code, field, message| {
            found.push(Deficiency::error(code, "$", field, message));
        };
        let amends = self.decision == Decision::ApproveWithAmendments;
        if amends && self.amendments.is_empty() {
            let message = "APPROVE_WITH_AMENDMENTS names at least one amendment";
            say("too_few", "amendments", message);
        }
        if !amends && !self.amendments.is_empty() {
            let message = "only APPROVE_WITH_AMENDMENTS has amendments";
            say("decision_contradicts", "amendments", message);
        }
        let ships = self.ship_directive == ShipDirective::Ship;
        if ships == (self.decision == Decision::Reject) {
            let message = "REJECT goes with NO_SHIP, both approvals with SHIP";
            say("decision_contradicts", "ship_directive", message);
        }
        for (index, amendment) in self.amendments.iter().enumerate() {
            let path = format!("$.amendments[{index}]");
            said(&mut found, &path, "target", &amendment.target);
            said(&mut found, &path, "detail", &amendment.detail);
            if is_vague(amendment) {
                let message = "say the exact change; this could mean anything";
                found.push(Deficiency::error(
                    "vague_amendment",
                    path,
                    "detail",
                    message,
                ));
            }
        }
        found.into_iter().collect()
    }
}

/// To remove something, naming it is exact enough.
fn is_vague(amendment: &Amendment) -> bool {
    let words = amendment
        .detail
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    let specific = words.filter(|word| !VAGUE.contains(&word.as_str())).count();
    let needed = match amendment.action {
        AmendmentAction::Remove => 1,
        AmendmentAction::Modify | AmendmentAction::Add => 2,
    };
    specific < needed
}

/// What the proposer says about one amendment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmendmentRecord {
    /// Its place in the list, from 0.
    pub amendment_index: usize,
    /// Whether it was applied.
    pub applied: bool,
    /// How, or why not.
    pub note: String,
}

/// Why an amendment does not count as applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unapplied {
    /// Its place in the list, from 0.
    pub amendment_index: usize,
    /// What is wrong.
    pub reason: String,
    /// What the proposer wrote.
    pub note: String,
}

/// Compares the deliverable before and after with the amendments. Both are maps from the names that
/// amendments may target to content, or to its hash. Empty means that it may ship; anything else
/// halts the task.
pub fn unapplied(
    amendments: &[Amendment],
    records: &[AmendmentRecord],
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Unapplied> {
    let mut found = Vec::new();
    for (index, amendment) in amendments.iter().enumerate() {
        let own: Vec<&AmendmentRecord> = records
            .iter()
            .filter(|record| record.amendment_index == index)
            .collect();
        let reason = match own.as_slice() {
            [record] if !record.applied => Some("the proposer could not apply it"),
            [_] => missing_in(amendment, before, after),
            [] => Some("there is no record of it"),
            _ => Some("there is more than one record of it"),
        };
        if let Some(reason) = reason {
            found.push(Unapplied {
                amendment_index: index,
                reason: reason.to_owned(),
                note: own.first().map_or_else(String::new, |r| r.note.clone()),
            });
        }
    }
    for record in records {
        if record.amendment_index >= amendments.len() {
            found.push(Unapplied {
                amendment_index: record.amendment_index,
                reason: "there is no such amendment".to_owned(),
                note: record.note.clone(),
            });
        }
    }
    found
}

fn missing_in(
    amendment: &Amendment,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let (old, new) = (before.get(&amendment.target), after.get(&amendment.target));
    match (amendment.action, old, new) {
        (AmendmentAction::Add, _, None) => Some("what was to be added is not there"),
        (AmendmentAction::Remove, _, Some(_)) => Some("what was to be removed is still there"),
        (AmendmentAction::Modify, None, _) => Some("what was to be changed was never there"),
        (AmendmentAction::Modify, _, None) => Some("what was to be changed is gone"),
        (AmendmentAction::Modify, Some(old), Some(new)) if old == new => {
            Some("what was to be changed is the same as before")
        }
        (AmendmentAction::Modify | AmendmentAction::Add | AmendmentAction::Remove, _, _) => None,
    }
}
