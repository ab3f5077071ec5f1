//! Everybody who is not the engine: agents, checks, git, people. A script for a systematic run, or
//! drawn from a seed. They answer; they never see the machine.

use kernel::effect::{AttemptOrder, CheckpointOrder, Effect, GateOrder};
use kernel::machine::Waiting;
use kernel::outcome::Found;
use kernel::{CheckResult, Outcome, What};

/// Who answers.
pub trait Cast {
    /// An agent's attempt.
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome;
    /// A gate's checks.
    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult>;
    /// A commit, or why there is none.
    fn checkpoint(&mut self, order: &CheckpointOrder) -> Result<String, String>;
    /// A person's choice among the options.
    fn person(&mut self, waiting: &Waiting) -> String;
    /// What goes with that choice; null where it needs nothing.
    fn payload(&mut self, _waiting: &Waiting, _option: &str) -> serde_json::Value {
        serde_json::Value::Null
    }
}

/// The answer that an effect will give, seen live.
pub fn answer(cast: &mut dyn Cast, effect: &Effect) -> What {
    match effect {
        Effect::Attempt(order) => What::AttemptEnded {
            effect: order.id,
            outcome: Box::new(cast.attempt(order)),
            found: Found::Live,
        },
        Effect::Gate(order) => What::GateEnded {
            effect: order.id,
            results: cast.gate(order),
            tree: None,
            found: Found::Live,
        },
        Effect::Checkpoint(order) => What::CheckpointEnded {
            effect: order.id,
            commit: cast.checkpoint(order),
        },
    }
}

/// The same answer, as it is found on the disk after a restart.
pub fn after_restart(answer: What) -> What {
    match answer {
        What::AttemptEnded {
            effect, outcome, ..
        } => What::AttemptEnded {
            effect,
            outcome,
            found: Found::AfterRestart,
        },
        What::GateEnded {
            effect,
            results,
            tree,
            ..
        } => What::GateEnded {
            effect,
            results,
            tree,
            found: Found::AfterRestart,
        },
        other => other,
    }
}
