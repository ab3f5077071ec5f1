//! What an audit says. It does not grow with the damage: findings beyond a limit are counted.

use crate::Head;
use serde::Serialize;
use std::collections::BTreeMap;

/// Findings that are written out; the rest are counted, so that a wholly broken file of millions
/// of lines does not fill the memory.
const MOST_FINDINGS: usize = 1_000;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingCode {
    /// A line that is no record.
    BadRecord,
    /// A line that is not in RFC 8785 form.
    NotCanonical,
    /// A record whose content gives another hash.
    BadHash,
    /// A record that does not name the one before it.
    BrokenChain,
    /// A sequence number is missing or twice there.
    WrongSeq,
    /// A record dated before the one that precedes it.
    TimeWentBack,
    /// A record dated after the caller's limit.
    FromTheFuture,
    /// The caller could not decode it.
    Undecodable,
    /// Bytes without a newline at the end.
    TornTail,
    /// A line beyond the limit; what follows was not read.
    LineTooLong,
    /// A record that was noted elsewhere is missing or has another hash.
    HeadMismatch,
}

impl FindingCode {
    /// The stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingCode::BadRecord => "bad_record",
            FindingCode::NotCanonical => "not_canonical",
            FindingCode::BadHash => "bad_hash",
            FindingCode::BrokenChain => "broken_chain",
            FindingCode::WrongSeq => "wrong_seq",
            FindingCode::TimeWentBack => "time_went_back",
            FindingCode::FromTheFuture => "from_the_future",
            FindingCode::Undecodable => "undecodable",
            FindingCode::TornTail => "torn_tail",
            FindingCode::LineTooLong => "line_too_long",
            FindingCode::HeadMismatch => "head_mismatch",
        }
    }
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind.
    pub code: FindingCode,
    /// The line, from 1; for a claim, the line where its record should be.
    pub line: u64,
    /// One sentence.
    pub what: String,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    pub run: String,
    /// The last record as it names itself.
    pub head: Head,
    /// How many lines are records.
    pub records: u64,
    /// The first faults, in the order of lines; claims come last.
    pub findings: Vec<Finding>,
    /// Faults beyond those.
    pub left_out: u64,
    /// The hash of each claimed sequence number that is there.
    pub heads: BTreeMap<u64, String>,
}

impl AuditReport {
    pub(crate) fn find(&mut self, code: FindingCode, line: u64, what: String) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(Finding { code, line, what });
        } else {
            self.left_out += 1;
        }
    }

    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}
