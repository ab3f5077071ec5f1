//! Recomputing everything a journal claims, and going on after a fault so that one report names
//! them all. It refuses to trust a checkpoint, and to mend.

mod report;

pub use report::{AuditReport, Finding, FindingCode};

use crate::fault::Fault;
use crate::lines::{Line, Lines};
use crate::parse::{canonical, parse};
use crate::read::{open_error, settled_length};
use crate::record::{Head, Objection, RecordRef};
use crate::{NO_HASH, RunName, StoreError};
use kernel::Time;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// What to hold a journal against.
#[derive(Debug, Clone, Copy, Default)]
pub struct Audit<'a> {
    /// Sequence numbers and hashes that somebody noted elsewhere, as in git trailers.
    pub claims: &'a [(u64, String)],
    /// A record dated later than this is a finding.
    pub not_after: Option<Time>,
}

/// Audits one run's journal; `decode` says whether a record means something to the caller.
pub fn audit(
    dir: &Path,
    run: &RunName,
    against: Audit<'_>,
    mut decode: impl FnMut(&RecordRef<'_>) -> Result<(), Objection>,
) -> Result<AuditReport, StoreError> {
    let path = run.journal(dir);
    let io = || StoreError::io("read", &path);
    let file = File::open(&path).map_err(open_error(run, &path))?;
    let end = settled_length(&file).map_err(io())?;
    let mut lines = Lines::new(&file, 0, end).map_err(io())?;
    let mut pass = Pass::new(run, against);
    let mut number = 0;
    loop {
        number += 1;
        match lines.next().map_err(io())? {
            Line::Whole(line) => pass.line(number, line, &mut decode),
            Line::Torn(tail) => {
                let what = format!("{} bytes without a newline at the end", tail.len());
                pass.report.find(FindingCode::TornTail, number, what);
                break;
            }
            Line::TooLong => {
                pass.report
                    .find(FindingCode::LineTooLong, number, Fault::TooLong.to_string());
                break;
            }
            Line::End => break,
        }
    }
    Ok(pass.settle_claims())
}

struct Pass<'a> {
    against: Audit<'a>,
    last_at: Time,
    report: AuditReport,
}

impl<'a> Pass<'a> {
    fn new(run: &RunName, against: Audit<'a>) -> Pass<'a> {
        Pass {
            against,
            last_at: Time(0),
            report: AuditReport {
                run: run.to_string(),
                head: Head {
                    seq: 0,
                    hash: NO_HASH.to_owned(),
                },
                records: 0,
                findings: Vec::new(),
                left_out: 0,
                heads: BTreeMap::new(),
            },
        }
    }

    fn line(
        &mut self,
        number: u64,
        line: &[u8],
        decode: &mut dyn FnMut(&RecordRef<'_>) -> Result<(), Objection>,
    ) {
        let report = &mut self.report;
        let mut find = |code, what| report.find(code, number, what);
        let parsed = match parse(line) {
            Ok(parsed) => parsed,
            Err(fault) => return find(FindingCode::BadRecord, fault.to_string()),
        };
        let record = parsed.record;
        let again = std::str::from_utf8(line).ok().and_then(canonical);
        if again.as_deref() != Some(line) {
            find(FindingCode::NotCanonical, "not in RFC 8785 form".to_owned());
        }
        let computed = parsed.computed_hash();
        if computed.as_str() != record.hash {
            find(
                FindingCode::BadHash,
                Fault::BadHash {
                    found: record.hash.to_owned(),
                    computed: computed.as_str().to_owned(),
                }
                .to_string(),
            );
        }
        if record.at < self.last_at {
            let what = format!(
                "dated {}, before {} of the record above",
                record.at, self.last_at
            );
            find(FindingCode::TimeWentBack, what);
        }
        match self.against.not_after {
            Some(limit) if record.at > limit => {
                let at = record.at;
                let late = Fault::TooLate { at, limit };
                find(FindingCode::FromTheFuture, late.to_string());
            }
            Some(_) | None => {}
        }
        if let Err(reason) = decode(&record) {
            find(FindingCode::Undecodable, reason.to_string());
        }
        self.link(number, record);
    }

    /// Compares with the record before, then goes on from what this record says of itself, so that
    /// one fault is one finding and not one on every line after it.
    fn link(&mut self, number: u64, record: RecordRef<'_>) {
        let report = &mut self.report;
        let expected = report.head.seq.saturating_add(1);
        if record.seq != expected {
            report.find(
                FindingCode::WrongSeq,
                number,
                Fault::WrongSeq {
                    expected,
                    found: record.seq,
                }
                .to_string(),
            );
        }
        if record.prev != report.head.hash {
            let what = Fault::BrokenChain {
                expected: report.head.hash.clone(),
                found: record.prev.to_owned(),
            }
            .to_string();
            report.find(FindingCode::BrokenChain, number, what);
        }
        if self
            .against
            .claims
            .iter()
            .any(|(seq, _)| *seq == record.seq)
        {
            report.heads.insert(record.seq, record.hash.to_owned());
        }
        report.records += 1;
        report.head.seq = record.seq;
        report.head.hash.replace_range(.., record.hash);
        self.last_at = record.at;
    }

    fn settle_claims(mut self) -> AuditReport {
        let report = &mut self.report;
        for (seq, hash) in self.against.claims {
            let what = match report.heads.get(seq) {
                Some(found) if found == hash => continue,
                Some(found) => {
                    format!("record {seq} was noted with hash {hash} and has {found}: rewritten")
                }
                None => format!("record {seq} was noted with hash {hash} and is missing: cut off"),
            };
            report.find(FindingCode::HeadMismatch, *seq, what);
        }
        self.report
    }
}
