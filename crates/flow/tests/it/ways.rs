//! Ways of `lights-out` and `slice` that no play takes, driven by hand: what is mended after a verification,
//! the next version over its design or past it, and a slice in which nothing is unknown.

use crate::phase::Hand;
use crate::workflow;
use kernel::effect::{CheckSpec, Effect};
use kernel::outcome::Found;
use kernel::{Autonomy, CheckResult, Class, Machine, Mode, Outcome, StateName, Verdict, What};
use serde_json::{Value, json};

fn pass() -> Value {
    json!({"summary": "yes", "verdict": "pass"})
}

fn begun(name: &str) -> Hand {
    Hand::of(workflow(name), Autonomy::Auto, Mode::default(), &[])
}

impl Hand {
    /// Works on, with every check passing, until somebody works in this state.
    fn works_in(&mut self, state: &str) {
        for _ in 0..80 {
            let next = self.flow.wanted().first().cloned();
            match next {
                Some(Effect::Attempt(_)) if self.state() == state => return,
                Some(Effect::Attempt(_)) => self.says(pass(), ""),
                Some(Effect::Gate(_)) => self.gate(&pass()),
                Some(Effect::Checkpoint(_)) => self.checkpoint(),
                None => panic!("nothing is wanted in {}", self.state()),
            }
        }
        panic!("{state} is not reached from {}", self.state());
    }

    /// An attempt that asks for `next`, and its gate, which passes but for what shows this.
    fn shows(&mut self, shown: &str, next: &str) {
        let Effect::Attempt(order) = self.begin() else {
            panic!("an attempt is wanted in {}", self.state())
        };
        let outcome = Box::new(Outcome {
            request: (!next.is_empty()).then(|| StateName::from(next)),
            result: Some(pass()),
            changed: vec!["repo/src/a".to_owned()],
            ..Outcome::bare(Class::Done, "done")
        });
        self.feed(What::AttemptEnded {
            effect: order.id,
            outcome,
            found: Found::Live,
        })
        .unwrap();
        let Effect::Gate(order) = self.begin() else {
            panic!("a gate is wanted in {}", self.state())
        };
        let answer = |check: &CheckSpec| {
            let fails = check.shows.iter().any(|word| word.as_str() == shown);
            let verdict = match fails {
                true => Verdict::Fail,
                false => Verdict::Pass,
            };
            CheckResult {
                weight: check.weight,
                shows: check.shows.iter().filter(|_| fails).cloned().collect(),
                ..CheckResult::new(&check.check, verdict, "said so")
            }
        };
        let results = order.checks.iter().map(answer).collect();
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

/// A product that is on its way, in this state.
fn product_in(state: &str) -> Hand {
    let mut hand = begun("lights-out");
    for says in [
        "CommitToBuild",
        "CloneRepo",
        "OpenInEditor",
        "ConfigurePreferences",
        "RequestBuild",
    ] {
        hand.decide(says).unwrap();
    }
    hand.works_in(state);
    hand
}

#[test]
fn what_a_verification_had_mended_is_reconciled_where_its_names_changed() {
    for (shown, then) in [("reconcile", "Reconciling"), ("nothing", "Verifying")] {
        let mut hand = product_in("Verifying");
        hand.says(json!({"summary": "it is wrong", "verdict": "fail"}), "");
        hand.works_in("VerifyFixing");
        hand.shows(shown, "");
        assert_eq!(hand.state(), then, "{shown}");
    }
}

#[test]
fn what_a_review_had_mended_is_read_again_and_then_reconciled() {
    let mut hand = product_in("Reviewing");
    hand.says(json!({"summary": "it is wrong", "verdict": "fail"}), "");
    hand.works_in("ReviewFixing");
    hand.says(pass(), "");
    hand.checkpoint();
    assert_eq!(hand.state(), "Reviewing");
    hand.works_in("Reconciling");
}

#[test]
fn the_next_version_goes_over_the_design_where_its_author_says_so() {
    for next in ["Designing", "Analyzing"] {
        let mut hand = product_in("Deploying");
        hand.says(pass(), "");
        hand.checkpoint();
        assert_eq!(hand.state(), "PipelineComplete");
        hand.decide("StartIteration").unwrap();
        hand.says(pass(), "");
        hand.checkpoint();
        hand.decide_because("ConfirmIteration", "all of it")
            .unwrap();
        hand.says(pass(), next);
        hand.checkpoint();
        assert_eq!(hand.state(), next);
    }
}

#[test]
fn no_scout_goes_where_nothing_is_unknown() {
    for (shown, next, then) in [
        ("unknown", "", "scout"),
        ("nothing", "", "plan"),
        ("unknown", "plan", "plan"),
    ] {
        let mut hand = begun("slice");
        hand.shows(shown, next);
        assert_eq!(hand.state(), then, "{shown} {next}");
    }
}
