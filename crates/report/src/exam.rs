//! What an exam may cost, and what it has cost. Whoever writes it is paid like every role; asking the
//! product is the engine's own work.

use crate::spend::{self, Spend};
use flow::{Flow, field_key};
use kernel::Machine;
use kernel::exam::EXAM;
use serde::Serialize;

/// What those cost who write the exam of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExamCost {
    /// So far.
    #[serde(flatten)]
    pub spent: Spend,
    /// How many attempts they have at most, each time that one is written.
    pub most_attempts: u32,
}

impl ExamCost {
    /// None where the run has no exam.
    pub fn of(machine: &Flow) -> Option<Self> {
        let (status, workflow) = (machine.status(), machine.workflow());
        let asked = |(name, said): (&String, &String)| {
            field_key(name) == EXAM && said.trim().eq_ignore_ascii_case("yes")
        };
        if !status.fields.iter().any(asked) {
            return None;
        }
        let writing = workflow.states.keys();
        let writing = writing.filter(|state| workflow.is_sealed_in(state));
        let most = writing.map(|state| workflow.table.state(state).passes);
        let attempts = status.attempts.iter();
        let own = attempts.filter(|note| workflow.is_sealed_in(&note.state));
        Some(Self {
            spent: spend::summary(own).run,
            most_attempts: most.max()?,
        })
    }
}
