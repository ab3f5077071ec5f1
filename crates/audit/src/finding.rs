//! What an audit says: each thing that does not hold, run by run, and how much was asked for.

use crate::span::Span;
use serde::Serialize;
use store::FindingCode;

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable, snake_case.
    pub code: String,
    /// The journal's line; 0 where none is meant.
    pub line: u64,
    /// What, and where.
    pub what: String,
    /// What it bears on.
    #[serde(skip)]
    pub about: About,
}

/// What a finding bears on: may the work of its run land all the same?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum About {
    /// The journal, the evidence, the commits or who decided: what the run claims is not proven.
    #[default]
    Evidence,
    /// A view, a cache, a ref or somebody's commit: what the run claims does not hang on it.
    Beside,
}

/// What the audit of one run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunAudit {
    pub run: String,
    /// Its journal, from the repository's top.
    pub file: String,
    /// Records read.
    pub records: u64,
    /// The last record.
    pub head: Option<store::Head>,
    /// Commits whose trailers were compared.
    pub claims: usize,
    /// Pieces of evidence whose content was hashed again.
    pub evidence: usize,
    /// What that is worth, by the words that its gates show: `observed`, `reported`, `weak`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worth: String,
    /// Empty: all of it holds.
    pub findings: Vec<Finding>,
    /// What is odd, and breaks nothing: a clock that was set back or ahead.
    pub notes: Vec<Finding>,
}

/// What an audit is to look at, and how.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// One run; none: all of them.
    pub run: Option<&'a str>,
    pub rigour: Rigour,
    /// The change that runs are to vouch for. Who may decide is then who may where it is to go, whatever
    /// the change or a run says of it.
    pub span: Option<&'a Span>,
}

/// How much an audit asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rigour {
    /// What a run claims must hold.
    Usual,
    /// Besides, where `.proofhouse/approvers` exists, every decision must be signed.
    Ci,
}

impl RunAudit {
    /// Nothing read yet.
    pub(crate) fn new(run: String, file: String, claims: usize) -> Self {
        Self {
            run,
            file,
            records: 0,
            head: None,
            claims,
            evidence: 0,
            worth: String::new(),
            findings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes in what the store found in a journal. A clock is no proof of anything.
    pub(crate) fn of_store(&mut self, found: &[store::Finding]) {
        for one in found {
            let clock = matches!(
                one.code,
                FindingCode::TimeWentBack | FindingCode::FromTheFuture
            );
            let list = match clock {
                true => &mut self.notes,
                false => &mut self.findings,
            };
            list.push(finding(one.code.as_str(), one.line, one.what.clone()));
        }
    }
}

/// What is odd, in words that may be a journal's own: nothing in them moves a cursor or begins another line.
pub(crate) fn finding(code: &str, line: u64, what: String) -> Finding {
    let mut told = String::with_capacity(what.len());
    for c in what.chars() {
        match c {
            '\n' | '\r' | '\t' => told.push(' '),
            c if kernel::unseen::is_unseen(c) => {
                told.push_str(&format!("\\u{{{:x}}}", u32::from(c)))
            }
            c => told.push(c),
        }
    }
    Finding {
        code: code.to_owned(),
        line,
        what: told,
        about: About::Evidence,
    }
}

/// The same, of something that no claim of the run hangs on.
pub(crate) fn beside(code: &str, what: String) -> Finding {
    Finding {
        about: About::Beside,
        ..finding(code, 0, what)
    }
}
