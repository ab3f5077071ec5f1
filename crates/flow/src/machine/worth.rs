//! What the evidence of a run is worth: by the words that its last gates show, and nobody's own.

use super::state::FlowState;
use kernel::autonomy::Risk;
use kernel::outcome::Worth;
use kernel::position::{Hold, Position, Step};
use kernel::{Autonomy, Weak};
use std::collections::BTreeSet;

impl FlowState {
    /// What the last gate of each state, where it passed, is worth.
    pub(crate) fn worth(&self) -> BTreeSet<Worth> {
        let passed = self.gates.values().filter(|memo| memo.passed);
        let results = passed.flat_map(|memo| &memo.results);
        results.filter_map(Worth::of).collect()
    }

    /// Is a person to be asked, because nothing shows that the evidence could have failed?
    fn is_too_weak(&self) -> bool {
        let weak = self.started.as_ref().map(|started| started.weak);
        let ladder = (self.position.autonomy, self.mode().risk);
        weak == Some(Weak::Asks)
            && ladder == (Autonomy::Auto, Risk::Normal)
            && is_weak(&self.worth())
    }

    /// The position from which a step is taken: on weak evidence the ladder is asked one rung lower.
    pub(super) fn stands_at(&self, step: &Step) -> Position {
        let mut at = self.position.clone();
        if matches!(step, Step::Fire(_)) && self.is_too_weak() {
            at.autonomy = Autonomy::Conservative;
        }
        at
    }

    /// Why a person is asked though the run is under `auto`; empty where that is not why.
    pub(super) fn too_weak(&self, hold: &Hold) -> &'static str {
        match hold {
            Hold::Approval { .. } if self.is_too_weak() => {
                "nothing shows that the evidence could have failed: "
            }
            _ => "",
        }
    }
}

/// Is there nothing better? A linter beside a suite that could have failed takes nothing from it.
fn is_weak(worth: &BTreeSet<Worth>) -> bool {
    worth.last() == Some(&Worth::Weak)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_that_could_have_failed_is_enough() {
        use Worth::{Observed, Reported, Weak};
        assert!(is_weak(&BTreeSet::from([Weak])));
        assert!(!is_weak(&BTreeSet::from([Weak, Reported])));
        assert!(!is_weak(&BTreeSet::from([Observed, Weak])));
        // Whoever says nothing of it is not asked.
        assert!(!is_weak(&BTreeSet::new()));
    }
}
