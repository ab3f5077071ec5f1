//! Who looks into one of several unknowns beside whoever's turn it is: they only read, so they go at
//! once. What they find is kept until its turn, as if they had gone one after the other; nothing here
//! judges anything.

use kernel::EffectId;
use kernel::event::AttemptEnded;
use kernel::outcome::Class;
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

    /// Who was sent for this one.
    pub(super) fn of(&self, issue: &str) -> Option<EffectId> {
        let mut sent = self.0.iter();
        sent.find_map(|(effect, sent)| (sent.issue == issue).then_some(*effect))
    }

    /// Its turn has come: it is none of them any more. Its end, if it has ended.
    pub(super) fn take(&mut self, effect: EffectId) -> Option<Box<AttemptEnded>> {
        self.0.remove(&effect)?.ended
    }
}
