//! What was lost is counted, a late answer is dropped on record, and any prefix of a journal goes on.

use super::Hand;
use crate::workflow;
use flow::Flow;
use kernel::effect::Effect;
use kernel::outcome::Found;
use kernel::{Body, CheckResult, Class, Machine, Outcome, Verdict, What};

#[test]
fn a_lost_attempt_is_counted_and_a_late_answer_is_dropped_on_record() {
    let mut hand = Hand::auto();
    let Effect::Attempt(old) = hand.begin() else {
        panic!()
    };
    hand.feed(What::Lost {
        seen: None,
        usage: kernel::Usage::default(),
        effect: old.id,
        reason: "killed".into(),
    })
    .unwrap();
    let Effect::Attempt(new) = hand.begin() else {
        panic!()
    };
    assert!(new.id > old.id);
    assert_eq!(new.nth, 1, "a lost attempt is not an ended one");
    let outcome = Box::new(Outcome::bare(Class::Done, "late"));
    hand.feed(What::AttemptEnded {
        effect: old.id,
        outcome,
        found: Found::Live,
    })
    .unwrap();
    assert!(
        matches!(&hand.journal.last().unwrap().body, Body::LateDropped(late) if late.effect == old.id)
    );
    let status = hand.flow.status();
    assert_eq!(status.budgets["attempts"].used, 2);
    assert_eq!(status.attempts[0].ended, "lost");
    assert_eq!(status.attempts[1].ended, "running");
}

/// Loses whatever effect is wanted, and says whether one still is.
fn lose(hand: &mut Hand) -> bool {
    let effect = hand.begin();
    assert!(
        !matches!(effect, Effect::Attempt(_)),
        "an attempt is bounded by its budget"
    );
    hand.feed(What::Lost {
        seen: None,
        usage: kernel::Usage::default(),
        effect: effect.id(),
        reason: "killed".into(),
    })
    .unwrap();
    !hand.flow.wanted().is_empty()
}

#[test]
fn a_gate_or_checkpoint_that_is_lost_again_and_again_becomes_a_persons() {
    // Up to its first gate.
    let at_gate = || {
        let mut hand = Hand::auto();
        let effect = hand.begin().id();
        let outcome = Box::new(Outcome::bare(Class::Done, "done"));
        hand.feed(What::AttemptEnded {
            effect,
            outcome,
            found: Found::Live,
        })
        .unwrap();
        hand
    };
    let pass_gate = |hand: &mut Hand| {
        let effect = hand.begin().id();
        let results = vec![CheckResult::new("tests", Verdict::Pass, "")];
        hand.feed(What::GateEnded {
            effect,
            results,
            tree: None,
            found: Found::Live,
        })
        .unwrap();
    };
    let most = kernel::ledger::MOST_LOSSES;
    let want: Vec<bool> = (1..=most).map(|loss| loss < most).collect();
    let mut hand = at_gate();
    let again: Vec<bool> = (0..most).map(|_| lose(&mut hand)).collect();
    assert_eq!(again, want);
    assert_eq!(hand.waits(), "trouble");
    let mut hand = at_gate();
    pass_gate(&mut hand);
    assert!(matches!(hand.flow.wanted()[0], Effect::Checkpoint(_)));
    let again: Vec<bool> = (0..most).map(|_| lose(&mut hand)).collect();
    assert_eq!(again, want);
    assert_eq!(hand.waits(), "trouble");
    // One that answers starts the count anew.
    let mut hand = at_gate();
    for _ in 0..4 {
        assert!(lose(&mut hand));
    }
    pass_gate(&mut hand);
    assert!(lose(&mut hand), "a checkpoint's own count");
}

#[test]
fn every_prefix_of_a_journal_goes_on_to_done() {
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::Fail);
    hand.pass("verify", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    let journal = hand.journal.clone();
    for length in 1..journal.len() {
        let mut again = Hand {
            flow: Flow::new(workflow("phase")),
            now: hand.now,
            journal: Vec::new(),
        };
        for event in &journal[..length] {
            again.flow.apply(event);
        }
        // A restart: settle, mark what was in flight as lost, go on.
        again
            .feed(What::Open {
                session: "s".into(),
                version: "v".into(),
            })
            .unwrap();
        let begun: Vec<_> = again
            .flow
            .status()
            .in_flight
            .iter()
            .map(|flying| flying.effect)
            .collect();
        for effect in begun {
            again
                .feed(What::Lost {
                    seen: None,
                    usage: kernel::Usage::default(),
                    effect,
                    reason: "restart".into(),
                })
                .unwrap();
        }
        for _ in 0..40 {
            again.checkpoint();
            match again.flow.wanted().first() {
                Some(Effect::Gate(order)) => {
                    let effect = order.id;
                    again.begin();
                    let results = vec![CheckResult::new("tests", Verdict::Pass, "")];
                    again
                        .feed(What::GateEnded {
                            effect,
                            results,
                            tree: None,
                            found: Found::Live,
                        })
                        .unwrap();
                }
                Some(Effect::Attempt(order)) => {
                    let next = match order.state.as_str() {
                        "implement" | "repair" => "verify",
                        _ => "",
                    };
                    again.pass(next, Verdict::Pass);
                }
                _ => break,
            }
        }
        assert_eq!(again.state(), "done", "from a prefix of {length} events");
    }
}

#[test]
fn a_snapshot_is_the_whole_state() {
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::Fail);
    let mut other = Flow::new(workflow("phase"));
    other.restore(&hand.flow.snapshot()).unwrap();
    assert_eq!(other.snapshot(), hand.flow.snapshot());
    assert_eq!(other.wanted(), hand.flow.wanted());
    assert_eq!(other.status(), hand.flow.status());
}
