//! Where the machine stops for a person, on each rung and in each mode.

use super::Hand;
use kernel::effect::Effect;
use kernel::{Autonomy, Machine, Mode, Pace, Risk, Verdict};

#[test]
fn lower_rungs_stop_for_a_person_before_done() {
    for rung in [Autonomy::Manual, Autonomy::Conservative] {
        let mut hand = Hand::start(rung, Mode::default(), &[]);
        hand.to_verify();
        hand.pass("", Verdict::Pass);
        hand.pass("", Verdict::Pass);
        assert_eq!(
            (hand.state().as_str(), hand.waits().as_str()),
            ("review", "approval")
        );
        hand.decide("approve").unwrap();
        assert_eq!(hand.state(), "done");
    }
    let mut hand = Hand::start(Autonomy::Manual, Mode::default(), &[]);
    hand.to_verify();
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    hand.decide("reject").unwrap();
    assert_eq!(hand.state(), "repair", "a person's no is a failed review");
}

#[test]
fn high_risk_under_auto_is_refused_until_a_person_lowers_it_and_stopping_is_never_blocked() {
    let mode = Mode {
        risk: Risk::High,
        pace: Pace::Flowing,
    };
    let mut hand = Hand::start(Autonomy::Auto, mode, &[]);
    hand.to_verify();
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    assert_eq!(
        (hand.state().as_str(), hand.waits().as_str()),
        ("review", "risk")
    );
    let waiting = hand.flow.status().waiting_for.unwrap();
    assert!(waiting.why.contains("unguarded_high_risk_auto"));
    assert!(waiting.options.contains(&"stop".to_owned()));
    hand.decide("lower").unwrap();
    assert_eq!(hand.waits(), "approval");
    hand.decide("approve").unwrap();
    assert_eq!(hand.state(), "done");
}

#[test]
fn a_stepped_run_pauses_after_each_passed_gate() {
    let mut hand = Hand::start(
        Autonomy::Auto,
        Mode {
            pace: Pace::Stepped,
            risk: Risk::Normal,
        },
        &[],
    );
    hand.pass("", Verdict::Pass);
    assert_eq!(
        (hand.state().as_str(), hand.waits().as_str()),
        ("shape", "step")
    );
    assert!(hand.flow.wanted().is_empty());
    hand.decide("continue").unwrap();
    assert!(matches!(hand.flow.wanted()[0], Effect::Attempt(_)));
}
