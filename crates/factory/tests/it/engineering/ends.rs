//! Rules F11, F6.4 and F13: ships that fail, steps that could not run, attempts that end badly, and
//! exceptions that a role raises. Each is bounded, and none is a way around the debate.

use super::context::scene_after;
use super::{Nothing, checked, done, hear, planned, turn};
use crate::said;
use factory::engineering::debate::At;
use factory::engineering::ship::{Applies, STEPS, ShipStep};
use factory::engineering::work::{Answer, End, Fate, Step, Want};
use kernel::{CheckResult, Class, EffectId, Outcome, Time, Verdict};
use serde_json::{Value, json};

#[test]
fn s11_a_failing_ship_is_a_failing_debate_and_is_bounded_with_it() {
    for (passes, code) in [
        (0, "interface_fingerprint"),
        (1, "public_surface"),
        (2, "black_box_tests"),
        (3, "tests_fail_on_stubs"),
    ] {
        let mut work = planned(&[("MM-a", &[])]);
        for round in 0..3 {
            for answer in [said::proposal(), said::pass(), said::approve()] {
                hear(&mut work, done(answer));
            }
            for _ in 0..passes {
                hear(&mut work, checked(Verdict::Pass));
            }
            hear(&mut work, checked(Verdict::Fail));
            let expected = (round < 2).then_some(At::Revise);
            assert_eq!(turn(&work), expected, "{code} {round}");
        }
        assert_eq!(work.modules[0].fate, Fate::Failed(code.to_owned()));
    }
}

#[test]
fn s11_a_step_that_could_not_run_stops_for_a_person_and_costs_no_revision() {
    let steps = STEPS.iter().filter(|row| row.applies == Applies::Always);
    for (before, row) in steps.enumerate() {
        for answer in [checked(Verdict::CouldNotRun), Answer::Gate(Vec::new())] {
            let mut work = planned(&[("MM-a", &[])]);
            for said in [said::proposal(), said::pass(), said::approve()] {
                hear(&mut work, done(said));
            }
            for _ in 0..before {
                hear(&mut work, checked(Verdict::Pass));
            }
            // The engine's own step is tried again by itself, a few times.
            let mut tries = 0;
            while work.stuck.is_none() {
                hear(&mut work, answer.clone());
                tries += 1;
            }
            let most = if row.step == ShipStep::Record { 3 } else { 1 };
            assert_eq!(tries, most, "{}", row.check);
            assert!(work.want().is_none() && work.next(&Nothing, Time(1)).is_none());
            assert_eq!(work.modules[0].debate.revisions, 0);
            assert_eq!(turn(&work), Some(At::Ship(row.step)));
            // A person mends it: the same step again, and the debate is where it was.
            work.stuck = None;
            assert_eq!(work.want(), Some(Want::Ship(0, row.step)));
            hear(&mut work, checked(Verdict::Pass));
            assert_ne!(turn(&work), Some(At::Ship(row.step)));
            assert_eq!(work.modules[0].debate.revisions, 0);
        }
    }
}

#[test]
fn s11_a_failure_beside_a_check_that_could_not_run_is_a_failure() {
    let mut work = planned(&[("MM-a", &[])]);
    for said in [said::proposal(), said::pass(), said::approve()] {
        hear(&mut work, done(said));
    }
    let result = |verdict| CheckResult::new("black_box_tests", verdict, "so");
    let both = vec![result(Verdict::CouldNotRun), result(Verdict::Fail)];
    hear(&mut work, Answer::Gate(both));
    assert_eq!(turn(&work), Some(At::Revise));
}

#[test]
fn s6_4_attempts_that_end_badly_are_bounded() {
    let ended = |class| Answer::Attempt(EffectId(1), Box::new(Outcome::bare(class, "so")));
    let mut work = planned(&[("MM-a", &[])]);
    for _ in 0..2 {
        hear(&mut work, ended(Class::Crashed));
        assert_eq!(turn(&work), Some(At::Propose));
    }
    hear(&mut work, ended(Class::TimedOut));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("attempt_failed".to_owned())
    );
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::Auth));
    assert!(work.stuck.is_some() && work.want().is_none());
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::Transient));
    assert_eq!(work.patience.not_before, Some(Time(2_000)));
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::InvalidResult));
    assert_eq!(
        work.patience.continues,
        Some((EffectId(1), "so".to_owned()))
    );
}

#[test]
fn s13_2_only_proposer_and_challenger_raise_and_only_upstream() {
    let raise = |before: &[Value], target: &str| {
        let mut work = scene_after(before);
        let steps = hear(&mut work, done(said::exception(target, "BREAKING")));
        (work, steps)
    };
    for before in [vec![], vec![said::proposal()]] {
        let (work, _) = raise(&before, "MM-up@1.0.0");
        assert!(
            matches!(&work.end, Some(End::Halted { code, .. }) if code == "interface_change_exception")
        );
    }
    let arbiter = [said::proposal(), said::pass()];
    for (before, target) in [
        (&arbiter[..], "MM-up@1.0.0"),
        (&[][..], "MM-a@1.0.0"),
        (&[][..], "MM-elsewhere@1.0.0"),
    ] {
        let (work, steps) = raise(before, target);
        assert!(
            matches!(&steps[0], Step::RaiseRefused(faults) if !faults.is_empty()),
            "{target}"
        );
        assert_eq!(work.end, None);
    }
}

#[test]
fn s13_3_an_exception_without_evidence_or_change_is_refused() {
    for (member, value) in [
        ("evidence", json!([])),
        ("proposed_contract_delta", json!({})),
        ("proposed_contract_delta", json!({"renamed_inputs": ["x"]})),
        ("reason", json!("")),
        ("urgency", json!("SOON")),
    ] {
        let mut raised = said::exception("MM-up@1.0.0", "BREAKING");
        raised["interface_change_exception"][member] = value;
        let mut work = scene_after(&[]);
        let steps = hear(&mut work, done(raised));
        assert!(
            matches!(&steps[0], Step::RaiseRefused(_)),
            "{member}: {steps:?}"
        );
    }
}
