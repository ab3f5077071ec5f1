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

impl Hand {
    /// A gate of a state in which nobody works: it passes or not, and shows these words.
    fn answered(&mut self, passes: bool, shown: &[&str]) {
        let Effect::Gate(order) = self.begin() else {
            panic!("a gate is wanted in {}", self.state())
        };
        let answer = |check: &CheckSpec| {
            let shows = check
                .shows
                .iter()
                .filter(|word| shown.contains(&word.as_str()));
            let shows: std::collections::BTreeSet<_> = shows.cloned().collect();
            let fails = !shows.is_empty() || (!passes && check.weight.is_binding());
            CheckResult {
                weight: check.weight,
                shows,
                ..CheckResult::new(
                    &check.check,
                    if fails { Verdict::Fail } else { Verdict::Pass },
                    "said so",
                )
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

/// A run of `quick` whose exam has told all its cases: it stands before the last sitting, and a person was
/// asked on the way whether other cases are to be written.
fn contested() -> Hand {
    let mut hand = questioned();
    hand.decide("examine_anew").unwrap();
    assert_eq!(hand.state(), "examine");
    hand
}

/// The same, where the person is asked.
fn questioned() -> Hand {
    let mut hand = begun("quick");
    hand.answered(true, &["exam"]);
    assert_eq!(hand.state(), "examine");
    hand.shows("none", "");
    hand.shows("none", "");
    assert_eq!(hand.state(), "prove");
    hand.answered(true, &["exam"]);
    assert_eq!(hand.state(), "exam");
    hand.answered(false, &[]);
    assert_eq!(hand.state(), "work");
    hand.says(pass(), "contested");
    assert_eq!(hand.state(), "contested");
    hand
}

/// Whoever works after it has not worked before, and must see what does not hold.
#[test]
fn who_goes_on_after_a_contest_hears_again_what_does_not_hold() {
    let brief = |mut hand: Hand| match hand.begin() {
        Effect::Attempt(order) => order.brief,
        other => panic!("{other:?}"),
    };
    let mut hand = questioned();
    hand.decide("stand").unwrap();
    assert_eq!(hand.state(), "work");
    let told = brief(hand);
    assert!(told.contains("check `exam` fail: said so"), "{told}");
    let examiner = brief(contested());
    assert!(!examiner.contains("said so"), "{examiner}");
}

#[test]
fn who_waives_the_exam_is_not_sent_to_write_another() {
    let mut hand = contested();
    hand.says(pass(), "no_exam");
    hand.decide("waive_exam").unwrap();
    assert_eq!(hand.state(), "prove");
    hand.answered(true, &["exam"]);
    assert_eq!(hand.state(), "exam");
    hand.answered(true, &["anew"]);
    assert_eq!(hand.state(), "done");

    // Where nobody waived it, cases that were all told are written anew.
    let mut hand = contested();
    hand.shows("none", "");
    assert_eq!(hand.state(), "prove");
    hand.answered(true, &["exam"]);
    hand.answered(true, &["anew"]);
    assert_eq!(hand.state(), "examine");
}

/// What was never judged is not passed by an answer that is about something else.
#[test]
fn an_answer_to_a_refusal_is_offered_where_there_was_one() {
    let mut hand = begun("quick");
    hand.answered(true, &[]);
    assert_eq!(hand.state(), "work");
    for option in ["unchanged", "allow_tests"] {
        let refusal = hand.decide(option).unwrap_err();
        assert_eq!(refusal.code.as_str(), "nothing_refused", "{option}");
    }
    hand.shows("none", "");
    assert_eq!(hand.state(), "prove");
    let Effect::Gate(order) = hand.begin() else {
        panic!("a gate is wanted")
    };
    let mut result = CheckResult::new("red_green", Verdict::Fail, "no test shows it");
    result.code = Some("green_without_code".to_owned());
    hand.feed(What::GateEnded {
        effect: order.id,
        results: vec![result],
        tree: None,
        found: Found::Live,
    })
    .unwrap();
    hand.checkpoint();
    assert_eq!(hand.state(), "work");
    let refusal = hand.decide("allow_tests").unwrap_err();
    assert_eq!(refusal.code.as_str(), "nothing_refused");
    hand.decide("unchanged").unwrap();
    assert_eq!(hand.state(), "prove_unchanged");
}

/// Who has used up the repairs need not buy more of them to say so.
#[test]
fn an_answer_to_a_refusal_is_offered_where_repairs_are_spent() {
    let mut hand = begun("quick");
    hand.answered(true, &[]);
    while hand.state() != "prove" || hand.waits().is_empty() {
        match hand.state().as_str() {
            "work" => hand.shows("none", ""),
            _ => {
                let Effect::Gate(order) = hand.begin() else {
                    panic!("a gate is wanted")
                };
                let mut result = CheckResult::new("red_green", Verdict::Fail, "a test is gone");
                result.code = Some("tests_weakened".to_owned());
                let (effect, results) = (order.id, vec![result]);
                hand.feed(What::GateEnded {
                    effect,
                    results,
                    tree: None,
                    found: Found::Live,
                })
                .unwrap();
                hand.checkpoint();
            }
        }
    }
    assert_eq!(hand.waits(), "budget");
    hand.decide("allow_tests").unwrap();
    assert_eq!(hand.state(), "prove_adapted");
}
