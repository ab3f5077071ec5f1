//! What survives: every fact that is ever written into a journal.
//!
//! Kinds are versioned (`moved.v1`). A stored struct may gain a field with `#[serde(default)]`;
//! anything else is a new version. Readers ignore fields that they do not know, and refuse kinds
//! that they do not know: a record from the future must not be half understood.

use crate::autonomy::{Autonomy, Mode, Weak};
use crate::decision::Decision;
use crate::effect::EffectKind;
use crate::ids::{CounterName, EffectId, RunId, StateName};
use crate::outcome::{CheckResult, Found, Outcome, Usage};
use crate::position::Position;
use crate::refusal::Refusal;
use crate::snapshot::SnapshotTaken;
use crate::table::Actor;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One fact and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event<F = Body> {
    /// When it was decided.
    pub at: Time,
    pub body: F,
}

/// A fact that a journal can hold.
pub trait Stored: Clone + PartialEq + std::fmt::Debug {
    /// The stored kind.
    fn kind(&self) -> &'static str;

    /// The stored body.
    fn to_value(&self) -> Value;

    /// Reads a stored body.
    fn decode(kind: &str, json: &str) -> Result<Self, DecodeError>;
}

/// Makes an enum of stored facts: each kind has one struct and one versioned name. For machines
/// beside this crate too.
#[macro_export]
macro_rules! stored {
    (
        $(#[$outer:meta])* pub enum $facts:ident {
            $($(#[$doc:meta])* $variant:ident($type:ty) = $kind:literal,)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $facts { $($(#[$doc])* $variant($type),)* }

        impl $facts {
            /// Every kind that this version reads and writes.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The stored kind.
            pub fn kind(&self) -> &'static str {
                match self { $($facts::$variant(_) => $kind,)* }
            }

            /// The stored body.
            pub fn to_value(&self) -> serde_json::Value {
                match self {
                    $($facts::$variant(body) => serde_json::to_value(body)
                        .expect("stored structs have string keys and no failing serializers"),)*
                }
            }

            /// Reads a stored body.
            pub fn decode(kind: &str, json: &str) -> Result<Self, $crate::event::DecodeError> {
                match kind {
                    $($kind => serde_json::from_str(json)
                        .map($facts::$variant)
                        .map_err(|error| $crate::event::DecodeError::Malformed {
                            kind: kind.to_owned(),
                            why: error.to_string(),
                        }),)*
                    _ => Err($crate::event::DecodeError::UnknownKind(kind.to_owned())),
                }
            }
        }

        impl $crate::event::Stored for $facts {
            fn kind(&self) -> &'static str {
                self.kind()
            }

            fn to_value(&self) -> serde_json::Value {
                self.to_value()
            }

            fn decode(kind: &str, json: &str) -> Result<Self, $crate::event::DecodeError> {
                $facts::decode(kind, json)
            }
        }
    };
}

stored! {
    /// The fact itself, for every machine that works by attempts, gates and checkpoints.
    pub enum Body {
        /// The run exists.
        RunStarted(Box<RunStarted>) = "run_started.v1",
        /// An engine took it up.
        SessionOpened(SessionOpened) = "session_opened.v1",
        /// A torn last line was cut.
        TailCut(TailCut) = "tail_cut.v1",
        /// An effect is about to start.
        EffectBegan(EffectBegan) = "effect_began.v1",
        /// An attempt ended.
        AttemptEnded(Box<AttemptEnded>) = "attempt_ended.v1",
        /// A gate was run.
        GateEnded(GateEnded) = "gate_ended.v1",
        /// A checkpoint was made or failed.
        CheckpointEnded(CheckpointEnded) = "checkpoint_ended.v1",
        /// A begun effect will never answer.
        EffectLost(EffectLost) = "effect_lost.v1",
        /// An answer came too late and was dropped.
        LateDropped(LateDropped) = "late_dropped.v1",
        /// The run moved, paused or went round again.
        Moved(Box<Moved>) = "moved.v1",
        /// The engine said no.
        Refused(Refused) = "refused.v1",
        /// A person decided.
        Decided(Decision) = "decided.v1",
        /// A person edited the state file.
        FieldsEdited(FieldsEdited) = "fields_edited.v1",
        /// A fact of one kind of machine alone.
        Noted(Note) = "noted.v1",
        /// A context snapshot was taken.
        SnapshotTaken(Box<SnapshotTaken>) = "snapshot_taken.v1",
        /// A person led the run back to one of its commits.
        Rewound(Box<Rewound>) = "rewound.v1",
    }
}

/// Why a stored body could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Written by a newer Proofhouse, or by something else.
    #[error("unknown kind `{0}`: written by a newer version of Proofhouse?")]
    UnknownKind(String),
    /// A known kind with a body that is not of its shape.
    #[error("the body of `{kind}` is malformed: {why}")]
    Malformed {
        kind: String,
        /// What serde says.
        why: String,
    },
}

/// The run exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The run's id.
    pub run: RunId,
    /// The workflow's name.
    pub workflow: String,
    /// Hash over the workflow's files, so that a changed workflow is noticed.
    pub workflow_hash: String,
    /// The rung that it starts on.
    pub autonomy: Autonomy,
    /// Pace and risk.
    pub mode: Mode,
    /// Caps that differ from the hard defaults.
    #[serde(default)]
    pub budgets: BTreeMap<CounterName, u64>,
    /// Document fields as the person set them.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// The task folder, relative to the repository where it lies inside.
    #[serde(default)]
    pub task: String,
    /// Validation commands that the person set.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Those were found in the repository, and nobody named them: settings stand in their place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commands_found: bool,
    /// Which agent works, as the person named it (`scripted:FILE`, `command:PROGRAM`).
    #[serde(default)]
    pub agent: String,
    /// Who took on that the sandbox may be missing or incomplete for this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_waived_by: Option<String>,
    /// Through which channel that came: `terminal`, or `ssh-signature SHA256:...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_waived_through: Option<String>,
    /// The armored signature, if that was signed: an audit checks it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_waiver_signature: Option<String>,
    /// The tree that it works in, if that is not the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_tree: Option<OwnTree>,
    /// What weak evidence is good for under `auto`.
    #[serde(default, skip_serializing_if = "Weak::suffices")]
    pub weak: Weak,
    /// Who may sign its decisions, where it takes signed ones alone: the approvers file as it read then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signers: Option<String>,
    /// Does somebody work in it whom nothing confines? Then only a key that wants a touch decides, and no
    /// edit of a file counts as a person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// Where it left another run: the records up to there are copies of that run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
    /// Is the workflow a folder of the person's that stands in the place of a built-in one?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub instead_of_built_in: bool,
}

/// The place where a run left another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// The other run.
    pub run: RunId,
    /// Its last record that both have.
    pub seq: u64,
    /// The hash of that record, in the other run's journal.
    pub hash: String,
    /// The commit that the work went on from.
    pub commit: String,
    /// The tree that a gate had let pass and nobody had committed yet, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// When.
    pub at: Time,
}

/// A worktree that a run has to itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTree {
    /// The commit that it began with.
    pub base: String,
    /// The branch that the person had checked out: what was made is to land there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The run whose finished work it brings together with a branch that contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settles: Option<RunId>,
    /// The milestone whose wave merges what it makes; none where a person lands it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
}

/// An engine took the run up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// Tells one engine's life from another's.
    pub session: String,
    /// The engine's version.
    pub version: String,
    /// The hash of the workflow that it goes on with; none in journals of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_hash: Option<String>,
}

/// A torn last line was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TailCut {
    pub bytes: u64,
    /// The file that keeps them.
    pub kept_in: String,
}

/// The subject of a gate that is tried on what is there, before an agent has worked in the state.
pub const WHAT_IS_THERE: &str = "what is there";

/// An effect is about to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectBegan {
    pub effect: EffectId,
    /// Attempt, gate or checkpoint.
    pub kind: EffectKind,
    pub state: StateName,
    /// The role, for an attempt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// What of the run it is for; empty where the run is one piece of work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The wall limit that it was given.
    #[serde(default)]
    pub wall_millis: u64,
}

/// An attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptEnded {
    pub effect: EffectId,
    pub outcome: Outcome,
    /// Seen live, or found after a restart?
    #[serde(default)]
    pub found: Found,
}

/// A gate was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateEnded {
    pub effect: EffectId,
    /// Every check's answer.
    pub results: Vec<CheckResult>,
    /// The tree that it let pass, as git names it: what the checkpoint after it commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Seen live, or found after a restart?
    #[serde(default)]
    pub found: Found,
}

/// A checkpoint was made or failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointEnded {
    pub effect: EffectId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A begun effect will never answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectLost {
    pub effect: EffectId,
    /// Why we think so.
    pub reason: String,
    /// What it had cost by then, as far as anybody knows.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// Its last sign of life, where that was before this: nobody worked since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Time>,
}

/// An answer came too late and was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateDropped {
    pub effect: EffectId,
    /// What it would have said, in a line.
    pub said: String,
}

/// The run moved, paused or went round again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The transition's action, the engine's step (`again`, `stall`, ..) or the person's answer.
    pub action: String,
    /// What it means for the work in hand.
    #[serde(default)]
    pub arrival: Arrival,
    /// Who moved it.
    pub by: Actor,
    /// The state that it was in.
    pub from: StateName,
    /// Where it stands now. Facts, not deltas: replay does not need the table of that day.
    pub position: Position,
    /// Why, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A person led the run back to one of its commits. It is a kind of its own, so that a version that would take
/// it for a step of the table refuses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewound {
    /// The run's own commit to which its work goes back.
    pub commit: String,
    /// The state that it was in.
    pub from: StateName,
    /// Where it stands now.
    pub position: Position,
    /// Why, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What a move means for the work in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// A state was entered: its work begins.
    Entered,
    /// The same state, another pass.
    Again,
    /// Nothing of the work in hand is lost: a hold came or went.
    #[default]
    Stayed,
}

/// The engine said no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The attempt that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
    pub refusal: Refusal,
}

/// A person edited the state file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldsEdited {
    /// The fields that differ, and were taken.
    pub fields: BTreeMap<String, String>,
    /// Those that were not, each with what was said to it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, Refusal>,
}

/// A fact of one kind of machine alone. The kernel carries it and does not look inside; the machine
/// refuses names that it does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A name and a version of its own, such as `task_shipped.v1`.
    pub name: String,
    /// The fact.
    #[serde(default)]
    pub body: Value,
}
