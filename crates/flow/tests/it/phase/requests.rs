//! What a person asks for in the state file, what it shows of a detour, and a pass without progress.

use super::Hand;
use kernel::effect::Effect;
use kernel::outcome::Found;
use kernel::{CheckResult, Class, Machine, Outcome, StateName, Verdict, What};
use std::collections::BTreeMap;

impl Hand {
    fn asks_in_the_file(&mut self, phase: &str) {
        let fields = BTreeMap::from([("Phase".to_owned(), phase.to_owned())]);
        self.feed(What::Edited { fields }).unwrap();
    }

    fn last_refused(&self) -> (String, String) {
        let refusal = self.flow.status().last_refusal.expect("a refusal");
        (refusal.code.to_string(), refusal.mend.to_string())
    }

    /// The gate that is wanted now says this.
    fn judged(&mut self, results: Vec<CheckResult>) {
        let Effect::Gate(order) = self.begin() else {
            panic!("a gate is wanted")
        };
        self.feed(What::GateEnded {
            effect: order.id,
            results,
            tree: None,
            found: Found::Live,
        })
        .unwrap();
        self.checkpoint();
    }
}

fn gate(verdict: Verdict, progress: Verdict) -> Vec<CheckResult> {
    vec![
        CheckResult::new("tests", verdict, "said so"),
        CheckResult::new("progress", progress, ""),
    ]
}

#[test]
fn a_phase_that_a_person_asks_for_in_the_file_is_gone_to_or_refused_and_never_dropped() {
    let mut hand = Hand::auto();
    hand.asks_in_the_file("done");
    assert_eq!(hand.last_refused().0, "illegal_transition");
    assert_eq!(hand.state(), "intake");

    // What needs no gate is done at once.
    hand.pass("", Verdict::Pass);
    hand.asks_in_the_file("needs_user_decision");
    assert_eq!(hand.state(), "needs_user_decision");
    // What only a decision gives is refused, with the decision.
    hand.asks_in_the_file("shape");
    let (code, mend) = hand.last_refused();
    assert_eq!(code, "header_not_taken");
    assert!(mend.contains("decide r reopen"), "{mend}");
    hand.decide("reopen").unwrap();
    assert_eq!(hand.state(), "shape");

    // What needs a gate has it run on what is there.
    hand.pass("", Verdict::Pass);
    hand.asks_in_the_file("verify");
    assert_eq!(hand.state(), "implement");
    hand.judged(vec![CheckResult::new(
        "fields",
        Verdict::Fail,
        "`Current result` is empty",
    )]);
    let (code, _) = hand.last_refused();
    assert_eq!(
        (code.as_str(), hand.state().as_str()),
        ("header_not_taken", "implement")
    );
    hand.asks_in_the_file("verify");
    hand.judged(vec![CheckResult::new("fields", Verdict::Pass, "")]);
    assert_eq!(hand.state(), "verify");
}

#[test]
fn a_request_that_comes_while_an_agent_works_is_answered_with_its_gate() {
    let mut hand = Hand::auto();
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    let Effect::Attempt(order) = hand.begin() else {
        panic!("an attempt is wanted")
    };
    hand.asks_in_the_file("verify");
    let outcome = Box::new(Outcome::bare(Class::Done, "done"));
    let (effect, found) = (order.id, Found::Live);
    hand.feed(What::AttemptEnded {
        effect,
        outcome,
        found,
    })
    .unwrap();
    hand.judged(gate(Verdict::Pass, Verdict::Pass));
    assert_eq!(hand.state(), "verify");
}

#[test]
fn who_opens_the_state_file_of_a_blocked_run_reads_why() {
    let mut hand = Hand::auto();
    hand.pass("", Verdict::Pass);
    let Effect::Attempt(order) = hand.begin() else {
        panic!("an attempt is wanted")
    };
    let mut outcome = Outcome::bare(Class::Done, "done");
    outcome.request = Some(StateName::from("blocked"));
    outcome.result = Some(serde_json::json!({ "summary": "there is no database here" }));
    let (effect, found, outcome) = (order.id, Found::Live, Box::new(outcome));
    hand.feed(What::AttemptEnded {
        effect,
        outcome,
        found,
    })
    .unwrap();
    assert_eq!(hand.state(), "blocked");
    let document: BTreeMap<_, _> = hand.flow.document("").into_iter().collect();
    assert_eq!(document["Blockers"], "there is no database here");
    let waiting = hand.flow.status().waiting_for.unwrap();
    assert!(
        waiting.why.starts_with("there is no database here"),
        "{}",
        waiting.why
    );
}

#[test]
fn a_pass_without_progress_stops_the_run_with_one_verdict() {
    for gate_says in [Verdict::Pass, Verdict::Fail] {
        let mut hand = Hand::auto();
        hand.to_verify();
        let Effect::Attempt(order) = hand.begin() else {
            panic!("an attempt is wanted")
        };
        let outcome = Box::new(Outcome::bare(Class::Done, "done"));
        let (effect, found) = (order.id, Found::Live);
        hand.feed(What::AttemptEnded {
            effect,
            outcome,
            found,
        })
        .unwrap();
        hand.judged(gate(gate_says, Verdict::Fail));
        assert_eq!(
            (hand.state().as_str(), hand.waits().as_str()),
            ("verify", "stall")
        );
        let document: BTreeMap<_, _> = hand.flow.document("").into_iter().collect();
        assert_eq!(document["Validator status"], "fail");
    }
    // The honest twin goes on, and shows no failed gate.
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::Pass);
    assert_eq!(hand.state(), "review");
    let document: BTreeMap<_, _> = hand.flow.document("").into_iter().collect();
    assert_eq!(document["Validator status"], "pass");
}
