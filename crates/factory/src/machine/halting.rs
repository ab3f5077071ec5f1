//! The halt of a task.

use super::facts::TaskHalted;
use super::state::State;
use crate::project::Task;
use crate::project::types::{EscalationId, ExceptionId, mint};

/// How often the task was begun, in the ids of what its halt makes.
pub(super) fn round(task: &Task) -> String {
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
