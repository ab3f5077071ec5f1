//! The halt of a task, the same whether its loop or a person's answer leads to it.

use super::facts::TaskHalted;
use super::state::State;
use crate::project::graph::Task;
use crate::project::types::{EscalationId, ExceptionId, mint};

/// A task's name in ids that are new with each round.
pub(crate) fn round(task: &Task) -> String {
    format!("{}/{}", task.declared.id, task.rounds)
}

/// The halt of a task, with the escalation that it raises (rule F17.1).
pub(crate) fn halting(
    state: &State,
    task: &Task,
    code: &str,
    exception: Option<ExceptionId>,
) -> TaskHalted {
    TaskHalted {
        task: task.declared.id.clone(),
        code: code.to_owned(),
        escalation: EscalationId::new(mint("ESC", state.run(), &round(task))),
        exception,
    }
}
