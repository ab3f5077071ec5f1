//! Were amendments applied (section 9.6)? By the Proposer's word, which can only say no, and by the
//! elements of the deliverable before and after, which decide.

use super::artifacts::{Amended, Amendment, AmendmentAction, Failure};
use std::collections::BTreeMap;

/// The elements of a deliverable by name (functions, contract fields, tests), each with a hash.
pub type Elements = BTreeMap<String, String>;

/// Amendments that the Proposer says it did not apply, or says nothing about.
pub fn unapplied(amendments: &[Amendment], said: &Amended) -> Vec<Failure> {
    let mut faults = Vec::new();
    for (at, amendment) in amendments.iter().enumerate() {
        let mut records = said
            .amendments
            .iter()
            .filter(|one| one.amendment_index == at);
        let why = match records.next() {
            Some(record) if record.applied => continue,
            Some(record) => record.note.as_str(),
            None => "the Proposer says nothing of it",
        };
        faults.push(not_applied(at, amendment, why));
    }
    faults
}

/// Amendments that the deliverable itself contradicts.
pub fn contradicted(amendments: &[Amendment], before: &Elements, after: &Elements) -> Vec<Failure> {
    let mut faults = Vec::new();
    for (at, amendment) in amendments.iter().enumerate() {
        let (was, is) = (before.get(&amendment.target), after.get(&amendment.target));
        let why = match (amendment.action, was, is) {
            (AmendmentAction::Add, _, None) => "the target is not there",
            (AmendmentAction::Remove, _, Some(_)) => "the target is still there",
            (AmendmentAction::Modify, None, _) => "there was no such target",
            (AmendmentAction::Modify, _, None) => "the target is gone",
            (AmendmentAction::Modify, Some(was), Some(is)) if was == is => "the target is the same",
            _ => continue,
        };
        faults.push(not_applied(at, amendment, why));
    }
    faults
}

fn not_applied(at: usize, amendment: &Amendment, why: &str) -> Failure {
    let what = serde_json::to_string(amendment).unwrap_or_default();
    Failure::new(
        "amendment_applied",
        format!("amendment {at} {what} was not applied: {why}"),
        &amendment.detail,
    )
}
