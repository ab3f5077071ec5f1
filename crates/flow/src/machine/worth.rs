//! What the evidence of a run is worth: by the words that its last gates show, and nobody's own.

use super::state::{FlowState, GateMemo};
use kernel::autonomy::Risk;
use kernel::outcome::{PROOFS, UNASKED, Verdict, Worth};
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

    /// What the last look found changed that nobody asked for.
    fn unasked(&self) -> Option<&str> {
        unasked(self.gates.values())
    }

    /// What makes the evidence weak, where a check says so itself.
    fn why_weak(&self) -> Option<&str> {
        let passed = self.gates.values().filter(|memo| memo.passed);
        let mut reasons = passed.flat_map(|memo| &memo.results).filter(|one| {
            Worth::of(one) == Some(Worth::Weak) && one.reason.starts_with(Worth::Weak.as_str())
        });
        reasons.next().map(|one| &*one.reason)
    }

    /// Is a person to be asked, because nothing shows that the evidence could have failed, or because of
    /// something that nobody asked for?
    fn is_too_weak(&self) -> bool {
        let weak = self.started.as_ref().map(|started| started.weak);
        let ladder = (self.position.autonomy, self.mode().risk);
        weak == Some(Weak::Asks)
            && ladder == (Autonomy::Auto, Risk::Normal)
            && (is_weak(&self.worth()) || is_weak(&self.not_chosen()) || self.unasked().is_some())
    }

    /// The same without what ran because a role of the run has named it: that shows what its author looked
    /// for, and takes nothing from what a weak suite leaves open.
    fn not_chosen(&self) -> BTreeSet<Worth> {
        let passed = self.gates.values().filter(|memo| memo.passed);
        let results = passed.flat_map(|memo| &memo.results);
        let others = results.filter(|one| !is_chosen(&one.check));
        others.filter_map(Worth::of).collect()
    }

    /// The position from which a step is taken: on weak evidence, and where a person has rejected the work,
    /// the ladder is asked one rung lower.
    pub(super) fn stands_at(&self, step: &Step) -> Position {
        let mut at = self.position.clone();
        let asks = self.rejected || self.is_too_weak();
        if matches!(step, Step::Fire(_)) && asks && at.autonomy == Autonomy::Auto {
            at.autonomy = Autonomy::Conservative;
        }
        at
    }

    /// What a person who is to approve should know first: what nobody asked for, and why they are asked
    /// though the run is under `auto`.
    pub(super) fn too_weak(&self, hold: &Hold) -> String {
        match (hold, self.unasked()) {
            (Hold::Approval { .. }, Some(what)) => format!("{what}: "),
            (Hold::Approval { .. }, None) if self.is_too_weak() => match self.why_weak() {
                Some(why) => format!("{why}: "),
                None => "nothing shows that the evidence could have failed: ".to_owned(),
            },
            (Hold::Approval { .. }, None) if self.asks_again() => {
                "it was rejected before: ".to_owned()
            }
            _ => String::new(),
        }
    }

    /// Is a person asked under `auto` because they have rejected it?
    fn asks_again(&self) -> bool {
        self.rejected && self.position.autonomy == Autonomy::Auto
    }
}

/// What the last of these gates that looked for it found changed though nobody asked: what was put back
/// since is not told.
fn unasked<'g>(gates: impl Iterator<Item = &'g GateMemo>) -> Option<&'g str> {
    let looks = |memo: &&GateMemo| memo.results.iter().any(|one| one.check == UNASKED);
    let last = gates.filter(|memo| memo.passed).filter(looks);
    let last = last.max_by_key(|memo| memo.moves)?;
    let mut found = last.results.iter().filter(|one| one.check == UNASKED);
    let found = found.find(|one| one.verdict == Verdict::Fail)?;
    Some(&found.reason)
}

/// Does this check run what a role of the run has chosen?
fn is_chosen(check: &str) -> bool {
    let rest = check.strip_prefix(PROOFS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Is there nothing better? A linter beside a suite that could have failed takes nothing from it.
fn is_weak(worth: &BTreeSet<Worth>) -> bool {
    worth.last() == Some(&Worth::Weak)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Time;
    use kernel::outcome::CheckResult;

    #[test]
    fn what_nobody_asked_for_is_told_until_it_is_put_back() {
        let gate = |moves, check: &str, verdict| GateMemo {
            passed: true,
            results: vec![CheckResult::new(check, verdict, "ci.yml was changed")],
            moves,
            at: Time(0),
        };
        let first = gate(3, UNASKED, Verdict::Fail);
        assert_eq!(unasked([&first].into_iter()), Some("ci.yml was changed"));
        let other = gate(4, "fields", Verdict::Fail);
        assert!(unasked([&first, &other].into_iter()).is_some());
        let put_back = gate(5, UNASKED, Verdict::Pass);
        assert_eq!(unasked([&put_back, &first].into_iter()), None);
        // A gate may look twice, and be content once.
        let mut twice = gate(6, UNASKED, Verdict::Pass);
        twice.results.extend(first.results.clone());
        assert!(unasked([&put_back, &twice].into_iter()).is_some());
        assert_eq!(unasked(std::iter::empty()), None);
    }

    /// Whoever wrote the code has a tool for its proofs as well: a suite that says why it is weak is not made
    /// strong by them. An exam makes it so.
    #[test]
    fn proofs_that_a_role_has_chosen_do_not_hide_a_weak_suite() {
        use Worth::{Observed, Weak};
        let shown = |check: &str, worth: Worth| {
            let mut result = CheckResult::new(check, Verdict::Pass, "seen");
            result.shows.insert(kernel::Word::from(worth.as_str()));
            result
        };
        let of = |results: Vec<CheckResult>| {
            let source = crate::built_in("lights-out").expect("it is built in");
            let workflow = crate::load(&source, &|_, _| Ok(())).expect("it is sound");
            let mut run = FlowState::blank(&workflow);
            let memo = GateMemo {
                passed: true,
                results,
                moves: 1,
                at: Time(0),
            };
            run.gates.insert("Verifying".into(), memo);
            is_weak(&run.worth()) || is_weak(&run.not_chosen())
        };
        let (suite, proof) = (shown("tests", Weak), shown("proofs: AC-1", Observed));
        assert!(of(vec![suite.clone(), proof.clone()]));
        assert!(!of(vec![
            suite.clone(),
            proof.clone(),
            shown("exam", Observed)
        ]));
        assert!(!of(vec![suite, shown("health", Observed)]));
        // Where there is nothing but proofs, they are what there is.
        assert!(!of(vec![proof]));
    }

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
