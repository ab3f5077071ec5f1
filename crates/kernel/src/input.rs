//! Everything that can happen to a machine. Time arrives with it.

use crate::decision::Decision;
use crate::event::{Note, RunStarted};
use crate::ids::EffectId;
use crate::outcome::{CheckResult, Found, Outcome, Usage};
use crate::time::Time;
use std::collections::BTreeMap;

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Input<W = What> {
    /// When.
    pub at: Time,
    pub what: W,
}

impl<W> Input<W> {
    /// Pairs the two.
    pub fn new(at: Time, what: W) -> Self {
        Self { at, what }
    }
}

/// What happened. It can be carried to another process: like stored facts, a variant may gain a
/// member with a default, and a reader ignores members that it does not know.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "what", content = "with", rename_all = "snake_case")]
pub enum What {
    /// A run is to begin.
    Start(Box<RunStarted>),
    /// An engine took the run up, for the first time or after a restart.
    Open {
        /// Tells one engine's life from another's.
        session: String,
        /// The engine's version.
        version: String,
    },
    /// The last line of the journal was torn by a crash and has been cut.
    TailCut {
        bytes: u64,
        /// The file that keeps them.
        kept_in: String,
    },
    /// Settle: take the next step that follows from the state alone, if there is one.
    Advance,
    /// The engine is about to start this effect.
    Begin(EffectId),
    AttemptEnded {
        effect: EffectId,
        outcome: Box<Outcome>,
        /// Found after a restart, or seen live?
        #[serde(default)]
        found: Found,
    },
    /// A gate was run.
    GateEnded {
        effect: EffectId,
        /// Every check's answer.
        results: Vec<CheckResult>,
        /// The tree that it let pass, as git names it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
        /// Found after a restart, or seen live?
        #[serde(default)]
        found: Found,
    },
    /// A checkpoint was made, or could not be.
    CheckpointEnded {
        effect: EffectId,
        /// The commit, or why there is none: a text, since it is stored.
        commit: Result<String, String>,
    },
    /// A begun effect will never answer.
    Lost {
        effect: EffectId,
        /// Why we think so.
        reason: String,
        /// What it had cost by then, as far as anybody knows.
        #[serde(default)]
        usage: Usage,
        /// Its last sign of life, if that was of an earlier engine's.
        #[serde(default)]
        seen: Option<Time>,
    },
    /// A person decided.
    Decide(Decision),
    /// A person edited the task's state file.
    Edited {
        /// The fields that differ.
        fields: BTreeMap<String, String>,
    },
    /// The engine tells something that only this kind of machine knows: the tasks of a project, say.
    /// Never a person's word; that is a decision.
    Note(Note),
}
