//! What a person needs when a seed fails: which promise broke, how to see it again, the journal.

use crate::journal;
use crate::violation::Violation;
use kernel::Event;
use std::fmt;

/// A broken promise with everything that is needed to see it again.
#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    /// What broke.
    pub violation: Violation,
    /// The planned crash, for a systematic run.
    pub plan: String,
    /// The command that runs just this seed.
    pub command: String,
    /// The journal up to and with the event that broke it.
    pub journal: Vec<Event>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "seed {} breaks `{}`: {}",
            self.seed, self.violation.invariant, self.violation.what
        )?;
        if !self.plan.is_empty() {
            writeln!(f, "  planned: {}", self.plan)?;
        }
        writeln!(f, "  again: {}", self.command)?;
        writeln!(f, "  journal:")?;
        for (index, event) in self.journal.iter().enumerate() {
            writeln!(f, "  {:>4} {}", index + 1, journal::readable(event))?;
        }
        Ok(())
    }
}
