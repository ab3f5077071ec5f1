//! What a person decided: an input as it arrives, a fact as it is kept.

use serde::{Deserialize, Serialize};

/// What a person says who takes on that the sandbox may be missing or incomplete.
pub const WAIVE: &str = "waive_sandbox";

/// What a person says who leads a run back to one of its commits. It answers no question, so nobody offers it:
/// the commit that it names comes along.
pub const REWIND: &str = "rewind";

/// The id of what a person said when they decided, by which briefs, results and pages refer to it: the first
/// decision of a run that has a reason is `D1`.
pub fn remark(number: u32) -> String {
    format!("D{number}")
}

/// Which one an id means. It was `R1` once, which is also what `add` calls a refusal of its contract.
pub fn remark_of(id: &str) -> Option<u32> {
    id.trim().strip_prefix(['D', 'R'])?.parse().ok()
}

/// A person's decision, as it came through a channel that agents cannot reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// One of the options offered.
    pub option: String,
    /// Why; goes into the next brief.
    pub because: String,
    pub who: String,
    /// Through which channel (`ssh-signature SHA256:..`, `terminal`).
    pub channel: String,
    /// The journal's sequence number that the person saw.
    pub seen_seq: u64,
    /// The tree that a gate had let pass last, which the person looked at; empty where there was none, and in
    /// records of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tree: String,
    /// What the option needs besides its name; null where it needs nothing.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub with: serde_json::Value,
    /// The signature itself, so that an audit elsewhere can check whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}
