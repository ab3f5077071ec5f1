//! What a journal says, summed up without the machine: the other side of every comparison. It
//! refuses to share code with the ledger, or both could be wrong in the same way.

use kernel::event::{EffectBegan, RunStarted};
use kernel::{Body, Class, EffectId, Event};
use std::collections::BTreeMap;

/// How a begun effect ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// An attempt, with its class.
    Attempt(Class),
    Gate,
    Checkpoint,
    /// It never answered.
    Lost,
}

/// The sums of a journal up to some event.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// How the run was started.
    pub started: Option<RunStarted>,
    /// Every effect that ever began.
    pub begun: BTreeMap<EffectId, EffectBegan>,
    /// Every effect that ever ended.
    pub ended: BTreeMap<EffectId, End>,
    /// Attempts begun.
    pub attempts: u64,
    /// Tokens of all ended attempts.
    pub tokens: u64,
    /// Money of all ended attempts.
    pub micro_dollars: u64,
    /// Refusals on record.
    pub refusals: u64,
    /// A decision that no move has carried out yet.
    pub open_decision: Option<String>,
    /// An attempt that ended well, and no move has followed from it yet.
    pub unused: Option<EffectId>,
}

impl History {
    /// Adds one event.
    pub fn note(&mut self, event: &Event) {
        match &event.body {
            Body::RunStarted(started) => self.started = Some((**started).clone()),
            Body::EffectBegan(began) => {
                self.attempts += u64::from(began.kind == kernel::effect::EffectKind::Attempt);
                self.begun.insert(began.effect, began.clone());
            }
            Body::AttemptEnded(ended) => {
                let usage = ended.outcome.usage;
                self.tokens += usage.input_tokens + usage.output_tokens;
                self.micro_dollars += usage.micro_dollars;
                // What somebody found who was sent ahead is used in its turn.
                let begun = self.begun.get(&ended.effect);
                let in_turn = begun.is_none_or(|began| began.subject.is_empty());
                if ended.outcome.class == Class::Done && in_turn {
                    self.unused = Some(ended.effect);
                }
                let end = End::Attempt(ended.outcome.class);
                self.ended.insert(ended.effect, end);
            }
            Body::GateEnded(ended) => {
                self.ended.insert(ended.effect, End::Gate);
            }
            Body::CheckpointEnded(ended) => {
                // A part of the work that its gate let pass goes on without a move.
                self.unused = None;
                self.ended.insert(ended.effect, End::Checkpoint);
            }
            Body::EffectLost(lost) => {
                self.ended.insert(lost.effect, End::Lost);
            }
            Body::Refused(_) => self.refusals += 1,
            Body::Decided(decision) => self.open_decision = Some(decision.option.clone()),
            Body::Moved(_) | Body::Noted(_) | Body::Rewound(_) => {
                self.open_decision = None;
                self.unused = None;
            }
            Body::SessionOpened(_)
            | Body::TailCut(_)
            | Body::LateDropped(_)
            | Body::FieldsEdited(_)
            | Body::SnapshotTaken(_) => {}
        }
    }

    /// Begun and not ended.
    pub fn in_flight(&self) -> Vec<EffectId> {
        let begun = self.begun.keys().copied();
        begun.filter(|id| !self.ended.contains_key(id)).collect()
    }
}
