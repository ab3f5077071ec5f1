//! Why a run goes back, stays or is held, in the journal and to people.

use kernel::position::Hold;

/// The reason of a pass whose gate did not pass.
pub(super) const GATE_FAILED: &str = "the gate failed";
/// The reason of work that passed its gate and not the person who looked at it.
pub(super) const SENT_BACK: &str = "sent back by a person";
/// The same, of a pass that came to nothing.
pub(super) const NO_PROGRESS: &str = "the pass made no material progress";

/// What the next attempt is told of the work of one that was not taken.
pub(super) const UNFINISHED: &str = "If `unfinished.patch` lies in your folder, it is the diff of what that one had begun: take over what is good (`patch -p1 < ../unfinished.patch` in `repo/` lays all of it in; `git apply` may act on another repository around the folder, and skip it without a word). Nothing of it was judged, and nothing of it is in the repository";

/// What the next attempt is told of work that left its bounds.
pub(super) const REFUSED: &str = "All that it had made was thrown away with that, also what was in order: `refused.patch` in your folder is the diff of all of it. Take over what is yours to change, and leave out the rest";

/// What a person is told of a hold.
pub(crate) fn hold_sentence(hold: &Hold) -> String {
    match hold {
        Hold::Approval { to, .. } => format!("a person must approve before the run reaches `{to}`"),
        Hold::Step => "the run is stepped: a gate passed, and a person says when to go on".to_owned(),
        Hold::Budget { name } => format!("the budget `{name}` is used up: a person may extend it or stop the run"),
        Hold::Stall => "the last pass made no material progress: a person must say how to go on".to_owned(),
        Hold::Risk => "`risk: high` under `autonomy: auto` may not complete (unguarded_high_risk_auto): a person must lower the autonomy".to_owned(),
        Hold::Trouble => "the engine could not do its own part".to_owned(),
    }
}
