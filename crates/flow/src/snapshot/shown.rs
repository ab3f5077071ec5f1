//! What a person is shown of the latest snapshot who decides on the work: the criteria, and the risks that
//! audits flagged.

use super::{Snapshots, is_report};
use kernel::snapshot::{Fact, FactKind};

/// A risk that an audit flagged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// In the audit's words.
    pub text: String,
    /// The report.
    pub evidence: String,
    /// Was the code edited since?
    pub overtaken: bool,
}

/// How a report's line begins that flags a risk.
const FLAGS: &str = "risk flags: ";

impl Snapshots {
    /// What makes the work done.
    pub(crate) fn criteria(&self) -> impl Iterator<Item = &Fact> {
        let facts = self.latest.iter().flat_map(|latest| &latest.facts);
        facts.filter(|fact| fact.kind == FactKind::Criterion)
    }

    /// What audits flagged, oldest first; what a later one flags in the same words is one risk.
    pub(crate) fn risks(&self) -> Vec<Risk> {
        let evidence = self.latest.iter().flat_map(|latest| &latest.evidence);
        let reports = evidence.filter(|one| is_report(&one.lines));
        let risks = reports.flat_map(|one| {
            let flags = one.lines.iter();
            let flags = flags.filter_map(|line| line.strip_prefix(FLAGS));
            flags.map(|text| Risk {
                text: text.to_owned(),
                evidence: one.id.clone(),
                overtaken: self.overtaken.contains(&one.id),
            })
        });
        let mut once: Vec<Risk> = Vec::new();
        for risk in risks {
            once.retain(|before| !same(&before.text, &risk.text));
            once.push(risk);
        }
        once
    }
}

/// Do two audits say the same, but for case, stops and blanks?
fn same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    words(one) == words(other)
}
