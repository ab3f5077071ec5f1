//! Who looks into one of several unknowns beside whoever's turn it is: they only read, so they go at
//! once. What they find is judged in its turn, as if they had gone one after the other; nothing here
//! judges anything, and nobody who edits is ever sent ahead.

use super::state::{FlowState, Stage};
use super::wanted::attempt;
use crate::workflow::Workflow;
use kernel::effect::{Access, Effect};
use kernel::event::AttemptEnded;
use kernel::outcome::Class;
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Attempts that were begun before their turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Ahead(BTreeMap<EffectId, Sent>);

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sent {
    /// The issue that it looks into.
    issue: String,
    /// Its end, if it has ended well.
    ended: Option<Box<AttemptEnded>>,
}

impl Ahead {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn begun(&mut self, effect: EffectId, issue: &str) {
        let (issue, ended) = (issue.to_owned(), None);
        self.0.insert(effect, Sent { issue, ended });
    }

    /// Keeps what one of them found. Who came to nothing is sent anew when it is their turn.
    pub(super) fn ended(&mut self, ended: &AttemptEnded) {
        match ended.outcome.class {
            Class::Done => {
                if let Some(sent) = self.0.get_mut(&ended.effect) {
                    sent.ended = Some(Box::new(ended.clone()));
                }
            }
            _ => {
                self.0.remove(&ended.effect);
            }
        }
    }

    /// Was it one of them? Then it is none any more.
    pub(super) fn lost(&mut self, effect: EffectId) -> bool {
        self.0.remove(&effect).is_some()
    }

    fn of(&self, issue: &str) -> Option<EffectId> {
        let mut sent = self.0.iter();
        sent.find_map(|(effect, sent)| (sent.issue == issue).then_some(*effect))
    }
}

/// Attempts that should be in flight beside the one whose turn it is.
pub(super) fn wanted(workflow: &Workflow, run: &FlowState) -> Vec<Effect> {
    let spec = workflow.snapshot.as_ref();
    let role = workflow.states[&run.position.state].role.as_ref();
    let role = role.and_then(|role| workflow.roles.get(role));
    if role.is_none_or(|role| role.access() != Access::ReadOnly) {
        return Vec::new();
    }
    let waiting = run.snapshots.waiting(spec, &run.position.state);
    let at_once = run.snapshots.to_be_sent(spec, &run.position.state);
    let (first, sends) = match run.stage {
        Stage::Fresh => (run.ledger.next.next(), true),
        Stage::Attempting { .. } => (run.ledger.next, true),
        _ => (run.ledger.next, false),
    };
    let sends = sends && run.checkpoint_due.is_none() && run.ledger.budgets.first_spent().is_none();
    let (mut next, mut wanted) = (first, Vec::new());
    for (at, issue) in waiting.iter().enumerate() {
        let begun = run.ahead.of(issue);
        let flies = begun.is_some_and(|effect| run.ledger.flying.contains_key(&effect));
        let id = match begun {
            Some(id) if flies => id,
            None if sends => next,
            _ => continue,
        };
        if begun.is_none() {
            next = next.next();
        }
        let mut then = run.clone();
        then.snapshots = run.snapshots.until(issue);
        then.patience = Default::default();
        if let Effect::Attempt(mut order) = attempt(workflow, &then, id) {
            order.subject.clone_from(issue);
            order.allowance = run.ledger.allowance().shared(at_once);
            order.nth += at as u32 + 1;
            wanted.push(Effect::Attempt(order));
        }
    }
    wanted
}

impl FlowState {
    /// It is the turn of the next unknown: whoever was sent ahead for it works on as if sent now, or has
    /// ended already.
    pub(super) fn take_turn(&mut self, workflow: &Workflow, at: Time) {
        let (spec, state) = (workflow.snapshot.as_ref(), self.position.state.clone());
        let Some(issue) = self.snapshots.question(spec, &state) else {
            return;
        };
        let Some(effect) = self.ahead.of(&issue.id.clone()) else {
            return;
        };
        let sent = self.ahead.0.remove(&effect);
        self.turn_of(effect);
        if let Some(ended) = sent.and_then(|sent| sent.ended) {
            self.attempt_ended(workflow, &ended, at);
        }
    }
}
