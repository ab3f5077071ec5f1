//! Two runs of one suite held against each other: facts, by which a gate judges.

use super::{Status, TestResult, TestRun};
use std::collections::BTreeMap;

/// What differs between an earlier and a later run, by name. Every list is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Tests that ran before and after.
    pub executed: (usize, usize),
    /// Known before, unknown now.
    pub missing: Vec<String>,
    /// Unknown before, known now.
    pub added: Vec<String>,
    /// Not skipped before (or unknown), skipped now.
    pub newly_skipped: Vec<String>,
    /// Not passing before (or unknown), passing now.
    pub newly_passing: Vec<String>,
    /// Passing before, failing now.
    pub newly_failing: Vec<String>,
    /// Failing before and now.
    pub still_red: Vec<String>,
}

impl Comparison {
    /// Did fewer tests run than before?
    pub fn fewer(&self) -> bool {
        self.executed.1 < self.executed.0
    }
}

/// Compares an earlier run with a later one.
pub fn compare(earlier: &TestRun, later: &TestRun) -> Comparison {
    let by_name = |run: &TestRun| -> BTreeMap<String, Status> {
        let pair = |test: &TestResult| (test.name.clone(), test.status);
        run.tests.iter().map(pair).collect()
    };
    let (before, after) = (by_name(earlier), by_name(later));
    let mut found = Comparison {
        executed: (earlier.executed(), later.executed()),
        missing: before
            .keys()
            .filter(|name| !after.contains_key(*name))
            .cloned()
            .collect(),
        ..Comparison::default()
    };
    for (name, now) in after {
        let then = before.get(&name).copied();
        if then.is_none() {
            found.added.push(name.clone());
        }
        let list = match (then, now) {
            (Some(Status::Skipped), Status::Skipped) | (Some(Status::Passed), Status::Passed) => {
                continue;
            }
            (_, Status::Skipped) => &mut found.newly_skipped,
            (_, Status::Passed) => &mut found.newly_passing,
            (Some(Status::Passed), Status::Failed) => &mut found.newly_failing,
            (Some(Status::Failed), Status::Failed) => &mut found.still_red,
            (None | Some(Status::Skipped), Status::Failed) => continue,
        };
        list.push(name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tests: &[(&str, Status)]) -> TestRun {
        let one = |(name, status): &(&str, Status)| TestResult {
            name: (*name).to_owned(),
            file: None,
            status: *status,
            message: None,
        };
        TestRun::of(tests.iter().map(one).collect(), Vec::new())
    }

    #[test]
    fn every_difference_has_its_list() {
        use Status::{Failed, Passed, Skipped};
        let earlier = run(&[
            ("deleted", Failed),
            ("fixed", Failed),
            ("hidden", Failed),
            ("off", Skipped),
            ("on", Skipped),
            ("red", Failed),
            ("broken", Passed),
            ("same", Passed),
        ]);
        let later = run(&[
            ("fixed", Passed),
            ("hidden", Skipped),
            ("new", Passed),
            ("new_skip", Skipped),
            ("new_red", Failed),
            ("off", Skipped),
            ("on", Failed),
            ("red", Failed),
            ("broken", Failed),
            ("same", Passed),
        ]);
        let found = compare(&earlier, &later);
        assert_eq!(found.executed, (6, 7));
        assert!(!found.fewer());
        assert_eq!(found.missing, ["deleted"]);
        assert_eq!(found.added, ["new", "new_red", "new_skip"]);
        assert_eq!(found.newly_skipped, ["hidden", "new_skip"]);
        assert_eq!(found.newly_passing, ["fixed", "new"]);
        assert_eq!(found.newly_failing, ["broken"]);
        assert_eq!(found.still_red, ["red"]);
        let back = compare(&later, &earlier);
        assert!(back.fewer());
        assert_eq!(back.missing, ["new", "new_red", "new_skip"]);
    }

    #[test]
    fn a_run_does_not_differ_from_itself() {
        let one = run(&[("a", Status::Failed), ("b", Status::Passed)]);
        let found = compare(&one, &one);
        let nothing = Comparison {
            executed: (2, 2),
            still_red: vec!["a".to_owned()],
            ..Comparison::default()
        };
        assert_eq!(found, nothing);
    }
}
