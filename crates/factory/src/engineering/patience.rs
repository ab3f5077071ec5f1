//! What follows from an attempt that ended badly: the same question again, later or at once, until
//! that has been tried often enough. Counted in the journal, so a crash resets nothing.
//!
//! It does not tell one question from another: whoever asks a new one starts with a new patience.

use kernel::outcome::{Class, Outcome};
use kernel::{EffectId, Time};
use serde::{Deserialize, Serialize};

/// How often an attempt that ends badly is made again, for one question.
const MOST_BAD_ENDS: u32 = 2;
const MOST_REASKS: u32 = 2;
const MOST_WAITS: u32 = 8;
const FIRST_WAIT_MILLIS: u64 = 2_000;
const LONGEST_WAIT_MILLIS: u64 = 5 * 60_000;

/// What is remembered of attempts that ended badly, for the present question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Patience {
    bad_ends: u32,
    reasks: u32,
    waits: u32,
    pub not_before: Option<Time>,
    /// The attempt to go on with, and what was wrong with its result.
    pub continues: Option<(EffectId, String)>,
    /// What the next brief must say about the last answer.
    pub complaint: Vec<String>,
}

/// What follows from one bad end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// The same question again.
    Again {
        why: String,
        not_before: Option<Time>,
        /// Go on with this attempt.
        continues: Option<EffectId>,
    },
    /// More attempts would change nothing: a person must mend the environment.
    Stuck(String),
    /// It was tried often enough.
    Spent(String),
}

impl Patience {
    /// How often the question was asked again.
    pub fn asked(&self) -> u32 {
        self.bad_ends + self.reasks + self.waits
    }

    /// What follows from an attempt that left no result.
    pub fn after(&self, effect: EffectId, outcome: &Outcome, at: Time) -> After {
        let why = format!(
            "the attempt ended as {}: {}",
            outcome.class.as_str(),
            outcome.reason
        );
        match outcome.class {
            Class::Transient | Class::Quota if self.waits < MOST_WAITS => {
                let doubled = FIRST_WAIT_MILLIS << self.waits;
                let wait = outcome
                    .retry_after_millis
                    .unwrap_or(doubled.min(LONGEST_WAIT_MILLIS));
                After::Again {
                    why,
                    not_before: Some(Time(at.0.saturating_add(wait))),
                    continues: None,
                }
            }
            Class::InvalidResult if self.reasks < MOST_REASKS => After::Again {
                why: outcome.reason.clone(),
                not_before: None,
                continues: Some(effect),
            },
            Class::CouldNotRun | Class::Auth | Class::Transient | Class::Quota => After::Stuck(why),
            _ if self.bad_ends < MOST_BAD_ENDS => After::Again {
                why,
                not_before: None,
                continues: None,
            },
            _ => After::Spent(why),
        }
    }

    /// Remembers that the question is asked again.
    pub fn again(&mut self, why: &str, not_before: Option<Time>, continues: Option<EffectId>) {
        match (not_before, continues) {
            (Some(_), _) => self.waits += 1,
            (None, Some(_)) => self.reasks += 1,
            (None, None) => self.bad_ends += 1,
        }
        self.not_before = not_before;
        self.continues = continues.map(|effect| (effect, why.to_owned()));
        self.complaint = vec![why.to_owned()];
    }
}
