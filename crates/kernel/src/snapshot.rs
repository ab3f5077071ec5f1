//! A context snapshot as the journal keeps it: what a run knows, with its provenance, at one moment.
//! Plain data. It is never changed once it is taken; the next one takes its place. It does not
//! know how a snapshot is composed or laid out: that is the workflow machine's.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A snapshot was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotTaken {
    /// The file, relative to the task folder.
    pub file: String,
    /// SHA-256 of the text.
    pub hash: String,
    /// The whole text. Facts, not deltas: replay does not need the layout of that day.
    pub text: String,
    /// What the text says, for the machine.
    pub content: Snapshot,
}

/// What a snapshot says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// 1, 2, 3, ...
    pub iteration: u32,
    /// The one before; always earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The identity on which the counters hang.
    pub id: String,
    /// The header's fields as they were, in order.
    pub header: Vec<(String, String)>,
    /// The gate that was run last, by its name in the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<GateRun>,
    /// Failures in a row of each gate on this identity.
    pub fails: BTreeMap<String, u32>,
    /// Provenance; not to be planned on.
    pub evidence: Vec<Evidence>,
    /// What may be planned on.
    pub facts: Vec<Fact>,
    /// Unresolved.
    pub open: Vec<Issue>,
    /// Resolved by this very snapshot.
    pub resolved: Vec<Resolved>,
}

/// One run of a gate, as the header tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRun {
    /// The gate's name in the header.
    pub gate: String,
    /// Did it pass?
    pub passed: bool,
}

/// One piece of provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// `E-0001`.
    pub id: String,
    /// Who left it: a state's name.
    pub from: String,
    /// What it says, line by line.
    pub lines: Vec<String>,
}

/// One thing that may be planned on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// `F-0001`.
    pub id: String,
    /// What kind of thing.
    pub kind: FactKind,
    /// In a sentence.
    pub text: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Of a criterion: the command that judges it, or `audit`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Of a criterion that an audit judges: what the last one said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// What of its evidence does not stand in the repository any more, or was said before an edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// What an audit said of a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub met: bool,
    /// Its report.
    pub evidence: String,
}

/// Where a fact comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// What the work must respect, from the request.
    Constraint,
    /// What makes it done, from the request.
    Criterion,
    /// Something about the repository, with evidence.
    Fact,
}

/// Something unresolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// `I-0001`.
    pub id: String,
    /// In a sentence.
    pub text: String,
    /// The one next action.
    pub next: String,
    /// Where the answer is looked for, as globs; empty: wherever scouts may look.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The gate whose failure it is; only that gate's pass resolves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// A person opened it: no agent closes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person: bool,
}

/// Something that was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The issue's id.
    pub id: String,
    pub text: String,
    /// The evidence that closed it.
    pub by: String,
}
