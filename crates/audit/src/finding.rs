//! What an audit says: each thing that does not hold, run by run, and how much was asked for.

use serde::Serialize;

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable, snake_case.
    pub code: String,
    /// The journal's line; 0 where none is meant.
    pub line: u64,
    /// What, and where.
    pub what: String,
}

/// What the audit of one run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAudit {
    pub run: String,
    /// Records read.
    pub records: u64,
    /// The last record.
    pub head: Option<store::Head>,
    /// Commits whose trailers were compared.
    pub claims: usize,
    /// Pieces of evidence whose content was hashed again.
    pub evidence: usize,
    /// Empty: all of it holds.
    pub findings: Vec<Finding>,
}

/// How much an audit asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rigour {
    /// What a run claims must hold.
    Usual,
    /// Besides, where `.proofhouse/approvers` exists, every decision must be signed.
    Ci,
}

pub(crate) fn finding(code: &str, line: u64, what: String) -> Finding {
    Finding {
        code: code.to_owned(),
        line,
        what,
    }
}
