//! Two runs of one suite held against each other: facts, by which a gate judges.

use super::{Ending, Status, TestResult, TestRun};
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
    /// Where files of tests were moved, a test that ends in the same name and ran as it did before is the one
    /// that is missing under its old name.
    pub fn follow(&mut self, earlier: &TestRun, later: &TestRun) {
        let own = |name: &str| {
            let parts = ["::", " > ", "."].into_iter();
            let mut parts = parts.filter_map(|mark| name.rsplit_once(mark));
            parts.next().map_or(name, |(_, own)| own).to_owned()
        };
        let left_out = |run: &TestRun, name: &String| {
            let test = run.tests.iter().find(|test| test.name == *name);
            test.is_none_or(|test| test.status == Status::Skipped)
        };
        let mut added = self.added.clone();
        self.missing.retain(|missing| {
            let is_it = |name: &String| {
                own(name) == own(missing) && (!left_out(later, name) || left_out(earlier, missing))
            };
            let at = added.iter().position(is_it);
            at.map(|at| added.remove(at)).is_none()
        });
    }

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

/// What is wrong with a later run, where the same was wrong with the earlier one already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AsBefore {
    /// The tests that fail, and what cannot be loaded.
    pub still: Vec<String>,
    /// Those of them that say something else than before.
    pub otherwise: Vec<String>,
}

/// Is a later run wrong only where the earlier one was? What cannot be loaded counts where others were run.
pub fn as_before(earlier: &TestRun, later: &TestRun, ending: Ending) -> Option<AsBefore> {
    match ending {
        Ending::Red => {}
        Ending::NotBuilt if later.executed() > 0 => {}
        _ => return None,
    }
    let mut found = AsBefore::default();
    let mut note = |name: &str, was: &str, is: &str| {
        found.still.push(name.to_owned());
        if !was.is_empty() && !say_the_same(was, is) {
            found
                .otherwise
                .push(format!("{name} (was: {was}; is: {is})"));
        }
    };
    for test in later.with(Status::Failed) {
        let before = earlier
            .with(Status::Failed)
            .find(|one| one.name == test.name)?;
        let said = |one: &TestResult| one.message.clone().unwrap_or_default();
        note(&test.name, &said(before), &said(test));
    }
    for fault in &later.faults {
        let before = earlier.faults.iter().find(|one| one.is_that_of(fault))?;
        let (name, is) = fault.parts();
        note(name, before.parts().1, is);
    }
    Some(found)
}

/// Do two messages say the same, but for what is another in every run? One that was cut is compared as far as
/// it goes: a longer name of a folder leaves less of the rest.
fn say_the_same(was: &str, is: &str) -> bool {
    let (mut was, mut is) = (steady(was), steady(is));
    let cut = |words: &[&str]| words.last().is_some_and(|word| word.ends_with('…'));
    if cut(&was) || cut(&is) {
        let both = was.len().min(is.len()).saturating_sub(1);
        was.truncate(both);
        is.truncate(both);
    }
    was == is
}

/// A message without what is another in every run: addresses, long numbers, and folders of a moment.
fn steady(message: &str) -> Vec<&str> {
    let words = message.split_whitespace().map(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let moment = word.contains('/') || word.contains("0x") || digits >= 6;
        match moment && !word.ends_with('…') {
            true => "#",
            false => word,
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::super::Fault;
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

    #[test]
    fn who_was_wrong_before_is_told_from_who_is_wrong_otherwise() {
        let says = |message: &str| {
            let mut run = run(&[("a", Status::Failed), ("b", Status::Passed)]);
            run.tests[0].message = Some(message.to_owned());
            run
        };
        let before = says("3 != 4 at 0x7f00");
        let same = as_before(&before, &says("3 != 4 at 0x7f99"), Ending::Red).unwrap();
        assert_eq!((same.still.len(), same.otherwise.len()), (1, 0));
        // A longer folder, and less of what follows.
        let short = says("known bug File \"tests/z.py\", line 3, in test_z self.fail() Assertion…");
        let long = says("known bug File \"/tmp/room-1-2/tests/z.py\", line 3, in test_z self.f…");
        let same = as_before(&short, &long, Ending::Red).unwrap();
        assert!(same.otherwise.is_empty(), "{same:?}");
        let long = says("another bug File \"/tmp/room-1-2/tests/z.py\", line 3, in test_z self.f…");
        let other = as_before(&short, &long, Ending::Red).unwrap();
        assert_eq!(other.otherwise.len(), 1);
        let other = as_before(&before, &says("it has no total"), Ending::Red).unwrap();
        assert_eq!(
            other.otherwise,
            ["a (was: 3 != 4 at 0x7f00; is: it has no total)"]
        );
        let new = run(&[("a", Status::Failed), ("b", Status::Failed)]);
        assert_eq!(as_before(&before, &new, Ending::Red), None);
    }

    #[test]
    fn what_could_not_be_loaded_before_is_nobodys_fault_beside_tests_that_ran() {
        let fault = |what: &str| vec![Fault::not_built(what, "")];
        let with = |status, what: &str| {
            let mut one = run(&[("a", status)]);
            one.faults = fault(what);
            one
        };
        let before = with(Status::Passed, "`x` could not be collected: no yaml");
        let ends = |now: &TestRun| as_before(&before, now, Ending::NotBuilt);
        assert!(ends(&before).unwrap().otherwise.is_empty());
        let otherwise = ends(&with(
            Status::Passed,
            "`x` could not be collected: no total",
        ));
        assert_eq!(otherwise.unwrap().otherwise.len(), 1);
        assert_eq!(
            ends(&with(Status::Passed, "`y` could not be collected: no yaml")),
            None
        );
        let mut alone = before.clone();
        alone.tests.clear();
        assert_eq!(ends(&alone), None);
    }
}
