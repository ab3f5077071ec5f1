//! Gates decide, not agents: what agents ask for, what checks could not say, and what a person has set.

use super::Hand;
use kernel::effect::Effect;
use kernel::outcome::Found;
use kernel::{Body, CheckResult, Class, Machine, Outcome, Verdict, What};

#[test]
fn forbidden_requests_are_refused_counted_and_shown_in_the_next_brief() {
    for (from, to) in [
        ("shape", "done"),
        ("implement", "done"),
        ("verify", "implement"),
        ("repair", "done"),
    ] {
        let mut hand = Hand::auto();
        while hand.state() != from {
            match hand.state().as_str() {
                "implement" => hand.pass("verify", Verdict::Pass),
                "verify" => hand.pass("", Verdict::Fail),
                _ => hand.pass("", Verdict::Pass),
            }
        }
        hand.pass(to, Verdict::Pass);
        assert_eq!(hand.state(), from, "{from} -> {to} must not move");
        let status = hand.flow.status();
        assert_eq!(status.last_refusal.unwrap().code, "illegal_transition");
        assert!(status.refusal_stands);
        assert_eq!(status.budgets["refusals"].used, 1);
        let Some(Effect::Attempt(order)) = hand.flow.wanted().first().cloned() else {
            panic!()
        };
        assert!(
            order.brief.contains(&format!("from `{from}` to `{to}`")),
            "{}",
            order.brief
        );
        assert!(
            order.brief.contains("allowed next phases: "),
            "{}",
            order.brief
        );
        // Once a gate has passed it is history.
        hand.pass("", Verdict::Pass);
        assert!(!hand.flow.status().refusal_stands, "after {from}");
    }
}

#[test]
fn an_agent_can_ask_for_the_stricter_way_but_not_for_the_laxer() {
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("repair", Verdict::Pass);
    assert_eq!(
        hand.state(),
        "repair",
        "a passing gate does not overrule the verifier's own doubt"
    );
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("review", Verdict::Fail);
    assert_eq!(
        hand.state(),
        "repair",
        "the request does not overrule the gate"
    );
}

#[test]
fn a_check_that_could_not_run_fails_the_gate() {
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::CouldNotRun);
    assert_eq!(hand.state(), "repair");
}

#[test]
fn agents_cannot_move_the_goal_posts_that_a_person_set() {
    let mut hand = Hand::auto();
    let Effect::Attempt(order) = hand.begin() else {
        panic!()
    };
    let mut outcome = Outcome::bare(Class::Done, "done");
    let fields = [
        ("Objective", "easier"),
        ("Not doing", "much"),
        ("Validator status", "pass"),
    ];
    outcome.fields = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    hand.feed(What::AttemptEnded {
        effect: order.id,
        outcome: Box::new(outcome),
        found: Found::Live,
    })
    .unwrap();
    assert_eq!(hand.flow.fields()["Objective"], "mine");
    assert_eq!(hand.flow.fields()["Not doing"], "much");
    assert!(!hand.flow.fields().contains_key("Validator status"));
}

#[test]
fn a_stalled_pass_halts_and_asks() {
    let mut hand = Hand::auto();
    let Effect::Attempt(order) = hand.begin() else {
        panic!()
    };
    let outcome = Box::new(Outcome::bare(Class::Done, "did nothing"));
    hand.feed(What::AttemptEnded {
        effect: order.id,
        outcome,
        found: Found::Live,
    })
    .unwrap();
    let Effect::Gate(gate) = hand.begin() else {
        panic!()
    };
    let results = vec![
        CheckResult::new("fields", Verdict::Fail, "empty"),
        CheckResult::new("progress", Verdict::Fail, "none"),
    ];
    hand.feed(What::GateEnded {
        effect: gate.id,
        results,
        tree: None,
        found: Found::Live,
    })
    .unwrap();
    assert_eq!(hand.waits(), "stall");
    hand.decide("continue").unwrap();
    assert!(matches!(hand.flow.wanted()[0], Effect::Attempt(_)));
}

#[test]
fn a_check_without_a_sandbox_goes_to_a_person_and_costs_nobody_a_try() {
    let mut hand = Hand::auto();
    hand.to_verify();
    let Effect::Attempt(order) = hand.begin() else {
        panic!("an attempt is wanted")
    };
    hand.feed(What::AttemptEnded {
        effect: order.id,
        outcome: Box::new(Outcome::bare(Class::Done, "done")),
        found: Found::Live,
    })
    .unwrap();
    let gate = |hand: &mut Hand, code: Option<&str>, verdict| {
        let Effect::Gate(order) = hand.begin() else {
            panic!("the gate is wanted")
        };
        let mut result = CheckResult::new("tests", verdict, "no namespaces here");
        result.code = code.map(str::to_owned);
        hand.feed(What::GateEnded {
            effect: order.id,
            results: vec![result, CheckResult::new("progress", Verdict::Pass, "")],
            tree: None,
            found: Found::Live,
        })
        .unwrap();
    };
    let passes = hand.flow.position().passes;
    for _ in 0..3 {
        gate(&mut hand, Some("sandbox_unavailable"), Verdict::CouldNotRun);
        assert_eq!(
            (hand.state(), hand.waits()),
            ("verify".into(), "trouble".into())
        );
        assert!(hand.flow.wanted().is_empty(), "nothing is tried by itself");
        assert_eq!(hand.flow.position().passes, passes);
        hand.decide("retry").unwrap();
    }
    // The attempt is not made again: only its gate is.
    gate(&mut hand, None, Verdict::Pass);
    hand.checkpoint();
    assert_ne!(hand.waits(), "trouble");
    assert_ne!(hand.state(), "repair");
    let began = |kind: &str| {
        let all = hand.journal.iter();
        let began = all.filter(|event| match &event.body {
            Body::EffectBegan(began) => {
                began.state.as_str() == "verify" && format!("{:?}", began.kind) == kind
            }
            _ => false,
        });
        began.count()
    };
    assert_eq!((began("Attempt"), began("Gate")), (1, 4));
    // A check that could not run for another reason is still the agent's.
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::CouldNotRun);
    assert_eq!(hand.state(), "repair");
}
