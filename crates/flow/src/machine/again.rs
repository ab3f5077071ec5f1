//! A gate that judges once more what it has refused, because a person says that what it needs was mended.

use super::state::{FlowState, Stage};
use crate::workflow::Workflow;
use kernel::outcome::{CheckResult, passes};
use kernel::position::Hold;

/// May a person have the gate judge once more what it has refused, before anybody works? Only where something
/// that the engine executed has failed: what a role said would be the same again, and so would what only
/// looks at files that nobody has touched.
pub(super) fn looks_again(workflow: &Workflow, run: &FlowState) -> bool {
    let held = matches!(run.position.hold, Some(Hold::Budget { .. }));
    let refused = matches!(run.stage, Stage::Judged { passed: false, .. });
    let gate = run.gates.get(&run.position.state);
    let mut results = gate.into_iter().flat_map(|gate| &gate.results);
    workflow.looks_again
        && held
        && refused
        && results.any(|one| !passes(std::slice::from_ref(one)) && executes(one))
}

/// Did the engine start something to find it out?
fn executes(result: &CheckResult) -> bool {
    result.ran.is_some() || !result.evidence.is_empty()
}
