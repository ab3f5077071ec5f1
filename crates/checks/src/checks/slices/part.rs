//! Which slice's turn it is, and what a suite must show then. Pure: ids and results in, faults out.

use crate::readers::hash;
use crate::text::first_few;
use documents::idents;
use languages::runners::{Status, TestRun};
use std::collections::{BTreeMap, BTreeSet};

/// What is remembered of a criterion that is built; of others it is the hash of all tests.
fn built() -> String {
    hash::bytes(b"built")
}

/// What passed gates have seen of each criterion: that it is built, or the tests that were red for it.
#[derive(Default)]
pub(super) struct Remembered(pub(super) BTreeMap<String, String>);

impl Remembered {
    fn is_built(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|seen| *seen == built())
    }
}

/// The criteria, as they stand before this gate.
pub(super) struct Plan {
    /// Built by earlier slices.
    built: BTreeSet<String>,
    /// Those of the slice whose turn it is; none where everything is built.
    now: BTreeSet<String>,
    /// Those of slices after it.
    pub(super) later: Vec<BTreeSet<String>>,
    /// How many slices there are.
    count: usize,
    remembered: Remembered,
}

impl Plan {
    /// The slices in their order, what is in none of them last. A criterion counts where it stands first.
    pub(super) fn of(
        ids: &BTreeSet<String>,
        order: Vec<BTreeSet<String>>,
        remembered: Remembered,
    ) -> Self {
        let mut left = ids.clone();
        let mut slices: Vec<BTreeSet<String>> = Vec::new();
        for entry in order {
            let slice: BTreeSet<String> = entry.intersection(&left).cloned().collect();
            left.retain(|id| !slice.contains(id));
            if !slice.is_empty() {
                slices.push(slice);
            }
        }
        if !left.is_empty() {
            slices.push(left);
        }
        let count = slices.len();
        let is_built = |id: &String| remembered.is_built(id);
        let mut open = slices.into_iter().filter_map(|slice| {
            let open: BTreeSet<String> = slice.into_iter().filter(|id| !is_built(id)).collect();
            (!open.is_empty()).then_some(open)
        });
        let now = open.next().unwrap_or_default();
        let later: Vec<BTreeSet<String>> = open.collect();
        let built = ids.iter().filter(|id| is_built(id)).cloned().collect();
        Self {
            built,
            now,
            later,
            count,
            remembered,
        }
    }

    /// Its name for people.
    pub(super) fn named(&self) -> String {
        if self.now.is_empty() {
            return "nothing, for all is built".to_owned();
        }
        let ids: Vec<&String> = self.now.iter().collect();
        format!(
            "slice {} of {} ({})",
            self.count - self.later.len(),
            self.count,
            first_few(&ids, 10)
        )
    }

    /// Has this build passed the gate of a slice already?
    pub(super) fn has_begun(&self) -> bool {
        self.now.iter().any(|id| self.remembered.0.contains_key(id))
    }

    /// Those of this slice whose tests, as they are now, nobody has seen red.
    pub(super) fn unseen(&self, tests: &str) -> Vec<&String> {
        let seen = |id: &&String| self.remembered.0.get(*id).is_some_and(|seen| seen == tests);
        self.now.iter().filter(|id| !seen(id)).collect()
    }

    /// What is known once this gate has passed.
    pub(super) fn remembers(&self, tests: &str) -> BTreeMap<String, String> {
        let known = self.built.iter().chain(&self.now);
        let known = known.map(|id| (id.clone(), built()));
        let red = self.later.iter().flatten();
        let red = red.map(|id| (id.clone(), tests.to_owned()));
        known.chain(red).collect()
    }

    /// What comes next.
    pub(super) fn next(&self) -> String {
        match self.later.first() {
            None => "every criterion is built, in its order".to_owned(),
            Some(next) => {
                let next: Vec<&String> = next.iter().collect();
                let left = self.later.len();
                format!(
                    "{} stands, and those after it are red; next is {} ({left} left): build it and nothing of the others",
                    self.named(),
                    first_few(&next, 10)
                )
            }
        }
    }
}

/// Do the tests of this criterion pass, and none fail?
pub(super) fn green(run: &TestRun, id: &str) -> bool {
    let of = |status| run.with(status).any(|test| idents::names(&test.name, id));
    of(Status::Passed) && !of(Status::Failed)
}

/// What does not hold in the turn of a slice that others follow.
pub(super) fn faults(plan: &Plan, run: &TestRun) -> Vec<String> {
    let later: Vec<&String> = plan.later.iter().flatten().collect();
    let mut wrong = Vec::new();
    let of = |id: &str, status| run.with(status).any(|test| idents::names(&test.name, id));
    let all = plan
        .built
        .iter()
        .chain(&plan.now)
        .chain(later.iter().copied());
    let without: Vec<&String> = all
        .filter(|id| !of(id, Status::Passed) && !of(id, Status::Failed))
        .collect();
    if !without.is_empty() {
        wrong.push(format!(
            "no test that ran names {}: the first slice brings a failing test for every criterion",
            first_few(&without, 10)
        ));
    }
    let ahead: Vec<&&String> = later.iter().filter(|id| green(run, id)).collect();
    if !ahead.is_empty() {
        wrong.push(format!(
            "green at first sight, before its turn: {}; its test must fail until its own slice",
            first_few(&ahead, 10)
        ));
    }
    let excused = |name: &str| {
        let mut built = plan.built.iter().chain(&plan.now);
        let names_built = built.any(|id| idents::names(name, id));
        !names_built && later.iter().any(|id| idents::names(name, id))
    };
    let failed: Vec<&str> = run
        .with(Status::Failed)
        .map(|test| test.name.as_str())
        .filter(|name| !excused(name))
        .collect();
    if !failed.is_empty() {
        wrong.push(format!("red: {}", first_few(&failed, 5)));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use languages::runners::TestResult;

    fn ids(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn run(tests: &[(&str, Status)]) -> TestRun {
        let test = |(name, status): &(&str, Status)| TestResult {
            name: (*name).to_owned(),
            file: None,
            status: *status,
            message: None,
        };
        TestRun::of(tests.iter().map(test).collect(), Vec::new())
    }

    fn plan(remembered: &[(&str, &str)]) -> Plan {
        let remembered = remembered
            .iter()
            .map(|(id, seen)| ((*id).to_owned(), (*seen).to_owned()))
            .collect();
        Plan::of(
            &ids(&["AC-1", "AC-2", "AC-3", "AC-4"]),
            vec![
                ids(&["AC-2"]),
                ids(&["AC-1", "AC-2"]),
                ids(&["AC-9"]),
                ids(&["AC-3"]),
            ],
            Remembered(remembered),
        )
    }

    #[test]
    fn slices_come_in_their_order_and_what_is_in_none_comes_last() {
        let first = plan(&[]);
        assert_eq!(first.named(), "slice 1 of 4 (AC-2)");
        assert_eq!(
            first.later,
            [ids(&["AC-1"]), ids(&["AC-3"]), ids(&["AC-4"])]
        );
        assert!(!first.has_begun());
        let second = plan(&[
            ("AC-2", &*built()),
            ("AC-1", "t1"),
            ("AC-3", "t1"),
            ("AC-4", "t1"),
        ]);
        assert_eq!(second.named(), "slice 2 of 4 (AC-1)");
        assert!(second.has_begun());
        // Seen red as they are now, or changed since.
        assert!(second.unseen("t1").is_empty());
        assert_eq!(second.unseen("t2"), ["AC-1"]);
        let known = second.remembers("t2");
        assert_eq!(known["AC-1"], built());
        assert_eq!(known["AC-3"], "t2");
    }

    #[test]
    fn what_is_green_before_its_turn_or_red_after_it_is_refused() {
        use Status::{Failed, Passed};
        let honest = run(&[
            ("ac_1_a", Failed),
            ("ac_2_a", Passed),
            ("ac_3_a", Failed),
            ("ac_4_a", Failed),
            ("other", Passed),
        ]);
        assert!(faults(&plan(&[]), &honest).is_empty());
        for (change, wrong) in [
            (("ac_1_a", Passed), "before its turn: AC-1"),
            (("ac_2_a", Failed), "red: ac_2_a"),
            (("other", Failed), "red: other"),
            (("ac_3_a", Status::Skipped), "no test that ran names AC-3"),
        ] {
            let mut tests = honest.clone();
            let test = tests.tests.iter_mut().find(|test| test.name == change.0);
            test.unwrap().status = change.1;
            let found = faults(&plan(&[]), &tests).join("; ");
            assert!(found.contains(wrong), "{found}");
        }
    }

    #[test]
    fn one_slice_for_everything_has_none_after_it() {
        let plan = Plan::of(
            &ids(&["AC-1", "AC-2"]),
            vec![ids(&["AC-1", "AC-2"])],
            Remembered::default(),
        );
        assert!(plan.later.is_empty());
        assert_eq!(plan.next(), "every criterion is built, in its order");
    }
}
