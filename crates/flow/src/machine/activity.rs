//! Whether somebody works, a person is waited for, or it is over.

use super::state::FlowState;
use crate::workflow::Workflow;
use kernel::machine::Activity;
use kernel::table::{Completing, Kind};

pub(super) fn activity(workflow: &Workflow, run: &FlowState) -> Activity {
    let state = workflow.table.state(&run.position.state);
    match state.kind {
        _ if run.position.stopped => Activity::Stopped,
        // A person has spoken; the engine has yet to carry it out.
        _ if run.decision.is_some() => Activity::Working,
        _ if run.position.hold.is_some() => Activity::Waiting,
        Kind::End => Activity::Done,
        Kind::Wait => Activity::Waiting,
        Kind::Rest if state.completing == Completing::Yes => Activity::Done,
        Kind::Rest if workflow.states[&run.position.state].done => Activity::Done,
        Kind::Rest => Activity::Resting,
        Kind::Work | Kind::Gate => Activity::Working,
    }
}
