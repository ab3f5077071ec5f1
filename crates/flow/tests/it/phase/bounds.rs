//! Every loop ends: repairs, budgets, and waits for a provider.

use super::Hand;
use kernel::effect::Effect;
use kernel::outcome::Found;
use kernel::{Autonomy, Class, Machine, Mode, Outcome, Verdict, What};

#[test]
fn the_fourth_repair_is_an_escalation_and_a_person_may_extend() {
    let mut hand = Hand::auto();
    hand.to_verify();
    for _ in 0..3 {
        hand.pass("", Verdict::Fail);
        hand.pass("verify", Verdict::Pass);
    }
    hand.pass("", Verdict::Fail);
    assert_eq!(
        (hand.state().as_str(), hand.waits().as_str()),
        ("verify", "budget")
    );
    assert!(hand.flow.wanted().is_empty());
    hand.decide("extend").unwrap();
    assert_eq!(hand.state(), "repair");
}

#[test]
fn budgets_escalate_and_are_never_a_silent_stop() {
    let mut hand = Hand::start(Autonomy::Auto, Mode::default(), &[("attempts", 2)]);
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    assert_eq!(hand.waits(), "budget");
    assert!(
        hand.flow
            .status()
            .waiting_for
            .unwrap()
            .why
            .contains("`attempts`")
    );
    hand.decide("extend").unwrap();
    hand.pass("verify", Verdict::Pass);
    assert_eq!(hand.state(), "verify");
}

#[test]
fn waits_for_a_provider_double_up_to_a_cap_and_its_own_wish_is_kept() {
    let fail = |hand: &mut Hand, asked: Option<u64>| {
        let Effect::Attempt(order) = hand.flow.wanted()[0].clone() else {
            panic!("an attempt is wanted")
        };
        // Wherever the clock of the test is, the wait is over.
        hand.now += 24 * 3_600_000;
        hand.begin();
        let mut outcome = Outcome::bare(Class::Transient, "busy");
        outcome.retry_after_millis = asked;
        hand.feed(What::AttemptEnded {
            effect: order.id,
            outcome: Box::new(outcome),
            found: Found::Live,
        })
        .unwrap();
        let next = hand.flow.wanted().first().cloned();
        let Some(Effect::Attempt(next)) = next else {
            return None;
        };
        next.not_before.map(|until| until.0 - hand.now)
    };
    let mut hand = Hand::auto();
    let waits: Vec<_> = (0..9).map(|_| fail(&mut hand, None)).collect();
    let seconds = [2, 4, 8, 16, 32, 64, 128, 256].map(|one| Some(one * 1_000));
    assert_eq!(waits[..8], seconds);
    assert_eq!(hand.waits(), "trouble", "then a person is asked");
    for asked in [0, 1, 7_000, 86_400_000] {
        let mut hand = Hand::auto();
        assert_eq!(fail(&mut hand, Some(asked)), Some(asked));
    }
}
