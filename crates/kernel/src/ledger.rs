//! The bookkeeping that every machine shares: effects in flight, fencing, attempts, spending.

use crate::budget::{self, Budgets};
use crate::effect::{Allowance, EffectKind};
use crate::event::{
    AttemptEnded, Body, CheckpointEnded, EffectBegan, EffectLost, Event, GateEnded, LateDropped,
};
use crate::ids::{EffectId, StateName};
use crate::input::What;
use crate::outcome::Usage;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A begun effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flying {
    /// Attempt, gate or checkpoint.
    pub kind: EffectKind,
    /// When it began.
    pub began: Time,
    /// Its wall limit.
    pub wall_millis: u64,
}

/// One attempt, for the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptNote {
    pub effect: EffectId,
    /// The state that it worked for.
    pub state: StateName,
    pub role: String,
    /// When it began.
    pub began: Time,
    /// How it ended: a class, `lost`, or `running`.
    pub ended: String,
    /// One sentence.
    #[serde(default)]
    pub reason: String,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// Wall time in milliseconds.
    #[serde(default)]
    pub millis: u64,
}

/// The shared bookkeeping of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Ledger {
    /// The next effect's id.
    pub next: EffectId,
    /// Begun and not ended.
    pub flying: BTreeMap<EffectId, Flying>,
    /// What the run may use.
    pub budgets: Budgets,
    /// Every attempt so far. Bounded by the attempts budget.
    pub attempts: Vec<AttemptNote>,
}

/// The word for an attempt that has not ended.
pub const RUNNING: &str = "running";
/// The word for an attempt that never will.
pub const LOST: &str = "lost";
/// How often a gate or a checkpoint may be lost in a row before a person is asked. After each loss
/// somebody has started the engine anew, and nothing was paid: asking early would ask them twice.
pub const MOST_LOSSES: u32 = 20;
/// What the person is told then.
pub const LOST_AGAIN: &str =
    "the same gate or checkpoint was lost again and again; something in it brings the engine down";

impl Ledger {
    /// Answers to effects are the same for every machine: an answer to what is in flight becomes
    /// its event, any other is dropped on record. `None`: the input is not about an effect.
    pub fn answer(&self, at: Time, what: &What) -> Option<Vec<Event>> {
        let (effect, body, said) = match what {
            What::AttemptEnded {
                effect,
                outcome,
                found,
            } => (
                *effect,
                Body::AttemptEnded(Box::new(AttemptEnded {
                    effect: *effect,
                    outcome: (**outcome).clone(),
                    found: *found,
                })),
                format!("attempt {}: {}", outcome.class.as_str(), outcome.reason),
            ),
            What::GateEnded {
                effect,
                results,
                tree,
                found,
            } => (
                *effect,
                Body::GateEnded(GateEnded {
                    effect: *effect,
                    results: results.clone(),
                    tree: tree.clone(),
                    found: *found,
                }),
                format!("gate with {} results", results.len()),
            ),
            What::CheckpointEnded { effect, commit } => (
                *effect,
                Body::CheckpointEnded(CheckpointEnded {
                    effect: *effect,
                    commit: commit.clone().ok(),
                    problem: commit.clone().err(),
                }),
                "checkpoint".to_owned(),
            ),
            What::Lost {
                effect,
                reason,
                usage,
                seen,
            } => (
                *effect,
                Body::EffectLost(EffectLost {
                    effect: *effect,
                    reason: reason.clone(),
                    usage: *usage,
                    seen: *seen,
                }),
                format!("lost: {reason}"),
            ),
            _ => return None,
        };
        let kind = match &body {
            Body::AttemptEnded(_) => Some(EffectKind::Attempt),
            Body::GateEnded(_) => Some(EffectKind::Gate),
            Body::CheckpointEnded(_) => Some(EffectKind::Checkpoint),
            _ => None,
        };
        let in_flight = self
            .flying
            .get(&effect)
            .is_some_and(|flying| kind.is_none_or(|kind| kind == flying.kind));
        let body = if in_flight {
            body
        } else {
            Body::LateDropped(LateDropped { effect, said })
        };
        Some(vec![Event { at, body }])
    }

    /// Takes an event in. Machines call it first, for every event.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            Body::EffectBegan(began) => self.begin(event.at, began),
            Body::AttemptEnded(ended) => {
                let outcome = &ended.outcome;
                self.pay(outcome.usage);
                self.end(
                    event.at,
                    ended.effect,
                    outcome.class.as_str(),
                    &outcome.reason,
                );
                if let Some(note) = self.note(ended.effect) {
                    note.usage = outcome.usage;
                }
            }
            Body::GateEnded(ended) => self.end(event.at, ended.effect, "", ""),
            Body::CheckpointEnded(ended) => self.end(event.at, ended.effect, "", ""),
            Body::EffectLost(lost) => {
                self.pay(lost.usage);
                let last = lost.seen.map_or(event.at, |seen| seen.min(event.at));
                self.end(last, lost.effect, LOST, &lost.reason);
                if let Some(note) = self.note(lost.effect) {
                    note.usage = lost.usage;
                }
            }
            Body::Refused(_) => self.budgets.spend(budget::REFUSALS, 1),
            _ => {}
        }
    }

    fn pay(&mut self, usage: Usage) {
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        self.budgets.spend(budget::TOKENS, tokens);
        self.budgets
            .spend(budget::MICRO_DOLLARS, usage.micro_dollars);
    }

    fn begin(&mut self, at: Time, began: &EffectBegan) {
        self.next = self.next.max(began.effect.next());
        self.flying.insert(
            began.effect,
            Flying {
                kind: began.kind,
                began: at,
                wall_millis: began.wall_millis,
            },
        );
        if began.kind == EffectKind::Attempt {
            self.budgets.spend(budget::ATTEMPTS, 1);
            self.attempts.push(AttemptNote {
                effect: began.effect,
                state: began.state.clone(),
                role: began.role.clone(),
                began: at,
                ended: RUNNING.to_owned(),
                reason: String::new(),
                usage: Usage::default(),
                millis: 0,
            });
        }
    }

    fn end(&mut self, at: Time, effect: EffectId, ended: &str, reason: &str) {
        let Some(flying) = self.flying.remove(&effect) else {
            return;
        };
        // A lost effect may be found days later: it cannot have used more than its own limit.
        let millis = at.since(flying.began).min(flying.wall_millis);
        self.budgets.spend(budget::WALL_MILLIS, millis);
        if let Some(note) = self.note(effect) {
            note.ended = ended.to_owned();
            note.reason = reason.to_owned();
            note.millis = millis;
        }
    }

    fn note(&mut self, effect: EffectId) -> Option<&mut AttemptNote> {
        self.attempts
            .iter_mut()
            .rev()
            .find(|note| note.effect == effect)
    }

    /// Attempts that ended in this state, lost ones not counted.
    pub fn ended_in(&self, state: &StateName) -> u32 {
        let ended = self
            .attempts
            .iter()
            .filter(|note| note.state == *state && note.ended != LOST && note.ended != RUNNING);
        u32::try_from(ended.count()).unwrap_or(u32::MAX)
    }

    /// A wall limit, cut to what the run has left.
    pub fn wall_limit(&self, asked: u64) -> u64 {
        let left = self
            .budgets
            .get(budget::WALL_MILLIS)
            .map_or(asked, |budget| budget.left());
        asked.min(left).max(1)
    }

    /// What the budgets leave for an attempt.
    pub fn allowance(&self) -> Allowance {
        let left = |name| self.budgets.get(name).map_or(u64::MAX, |one| one.left());
        Allowance {
            micro_dollars: left(budget::MICRO_DOLLARS),
            tokens: left(budget::TOKENS),
        }
    }
}
