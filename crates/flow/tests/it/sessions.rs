//! Whose session an attempt may go on in: inside of one state, after honest work that was not enough, and
//! after nothing else.

use crate::phase::Hand;
use crate::source;
use flow::load;
use kernel::effect::{AttemptOrder, Effect};
use kernel::outcome::Found;
use kernel::{Autonomy, CheckResult, Class, EffectId, Mode, Outcome, Usage, Verdict, What};
use std::sync::Arc;

/// One builds, and a gate of its own proves it.
pub(crate) const BUILT: &str = r#"name = "t"
about = "built and proven"
initial = "build"
[role.coder]
can = ["edit"]
about = "codes"
[counter.tries]
cap = 9
renewal = "never"
[state.build]
kind = "work"
role = "coder"
brief = "b.md"
[state.prove]
kind = "gate"
gate = ["tests"]
[state.end]
kind = "end"
[[transition]]
action = "built"
from = "build"
to = "prove"
by = "engine"
when = "gate.pass"
[[transition]]
action = "proven"
from = "prove"
to = "end"
by = "engine"
when = "gate.pass"
[[transition]]
action = "not_proven"
from = "prove"
to = "build"
by = "engine"
when = "gate.fail"
count = "tries"
"#;

pub(crate) fn begun(text: &str) -> Hand {
    begun_on(text, Autonomy::Auto)
}

/// The same on another rung.
pub(crate) fn begun_on(text: &str, rung: Autonomy) -> Hand {
    let workflow = load(&source(text), &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}"));
    Hand::of(Arc::new(workflow), rung, Mode::default(), &[])
}

impl Hand {
    pub(crate) fn order(&mut self) -> AttemptOrder {
        match self.begin() {
            Effect::Attempt(order) => order,
            other => panic!("an attempt is wanted, not {other:?}"),
        }
    }

    pub(crate) fn ends(&mut self, effect: EffectId, class: Class) {
        let outcome = Box::new(Outcome::bare(class, "so it ended"));
        let found = Found::Live;
        self.feed(What::AttemptEnded {
            effect,
            outcome,
            found,
        })
        .unwrap();
    }

    /// An attempt that is done, and a gate that refuses it.
    pub(crate) fn refused(&mut self, code: Option<&str>) -> EffectId {
        let order = self.order();
        self.ends(order.id, Class::Done);
        let Effect::Gate(gate) = self.begin() else {
            panic!("a gate is wanted")
        };
        let mut result = CheckResult::new("tests", Verdict::Fail, "said so");
        result.code = code.map(str::to_owned);
        let (effect, results, found) = (gate.id, vec![result], Found::Live);
        self.feed(What::GateEnded {
            effect,
            results,
            tree: None,
            found,
        })
        .unwrap();
        order.id
    }
}

#[test]
fn a_repair_goes_on_in_the_session_of_what_it_repairs() {
    let mut hand = begun(BUILT);
    let first = hand.refused(None);
    let second = hand.order();
    assert_eq!(second.session, Some(first));
    assert_eq!((second.continues, second.again), (None, None));
    // As long as it is in flight it is the same order: recovery asks for it once more.
    hand.ends(second.id, Class::InvalidResult);
    let third = hand.order();
    assert_eq!(
        (third.session, third.continues),
        (Some(second.id), Some(second.id))
    );
    let again = third.again.unwrap();
    assert!(again.starts_with("# Your result was not valid"), "{again}");
    // It says where this is, and shows a result that would do.
    for part in ["Phase `build` of `t`, role `coder`", "{\"summary\": "] {
        assert!(again.contains(part), "no {part} in {again}");
    }
    // Who cannot go on is told everything.
    assert!(third.brief.starts_with(&again), "{}", third.brief);
    assert!(third.brief.contains("# Phase `build`"), "{}", third.brief);
}

#[test]
fn nothing_goes_on_in_a_session_after_a_cheat_or_a_crash() {
    let mut hand = begun(BUILT);
    hand.refused(Some("tests_weakened"));
    assert_eq!(hand.order().session, None);
    for class in [Class::OutOfScope, Class::Crashed, Class::Overflow] {
        let mut hand = begun(BUILT);
        let order = hand.order();
        hand.ends(order.id, class);
        assert_eq!(hand.order().session, None, "{class:?}");
    }
    let mut hand = begun(BUILT);
    hand.refused(None);
    let lost = hand.order();
    let (effect, reason, usage) = (lost.id, "a crash".to_owned(), Usage::default());
    hand.feed(What::Lost {
        seen: None,
        effect,
        reason,
        usage,
    })
    .unwrap();
    assert_eq!(hand.order().session, None);
}

#[test]
fn a_workflow_may_want_every_attempt_to_begin_anew() {
    let fresh = BUILT.replace("initial =", "sessions = \"fresh\"\ninitial =");
    let mut hand = begun(&fresh);
    hand.refused(None);
    let order = hand.order();
    assert_eq!(order.session, None);
    hand.ends(order.id, Class::InvalidResult);
    let again = hand.order();
    assert_eq!((again.session, again.continues), (None, Some(order.id)));
    let slice = flow::built_in("slice").expect("a built-in workflow");
    let slice = load(&slice, &|_, _| Ok(())).unwrap();
    assert_eq!(slice.sessions, flow::Sessions::Fresh);
}
