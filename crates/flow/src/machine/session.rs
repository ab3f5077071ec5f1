//! Whose session an attempt may go on in: that of the attempt before it, in the same state and by the same
//! role, if its work was honest and not enough. After anything else an agent begins anew, and so it does
//! after a crash.

use super::state::FlowState;
use crate::workflow::{Sessions, Workflow};
use kernel::{Class, EffectId, Verdict};

/// The attempt whose session the attempt `id` may go on in.
pub(super) fn goes_on_in(workflow: &Workflow, run: &FlowState, id: EffectId) -> Option<EffectId> {
    if workflow.sessions == Sessions::Fresh {
        return None;
    }
    if let Some((effect, _)) = &run.patience.continues {
        return Some(*effect);
    }
    let mut earlier = run.ledger.attempts.iter().rev();
    let last = earlier.find(|one| one.effect != id)?;
    let state = &run.position.state;
    let same = last.state == *state && workflow.states[state].role.as_ref() == Some(&last.role);
    // A refusal with a code of its own is no mere "not yet": weakened tests, forged lines, a broken seal.
    let refused = run.gates.values().any(|memo| {
        let mut failed = memo.results.iter();
        memo.at >= last.began
            && failed.any(|one| one.verdict == Verdict::Fail && one.code.is_some())
    });
    (same && last.ended == Class::Done.as_str() && !refused).then_some(last.effect)
}
