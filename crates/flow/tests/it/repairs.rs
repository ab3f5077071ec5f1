//! Repairs: who changes nothing is told so and then asked about, and what a person said is not forgotten.

use crate::phase::Hand;
use crate::sessions::{BUILT, begun, begun_on};
use kernel::effect::Effect;
use kernel::outcome::{CheckResult, Found, Verdict};
use kernel::{Class, Machine, Outcome, What};

/// The attempt that is due ends, and has changed this: its brief.
fn works(hand: &mut Hand, class: Class, changed: &[&str]) -> String {
    let order = hand.order();
    let mut outcome = Outcome::bare(class, "as it ended");
    outcome.changed = changed.iter().map(|path| (*path).to_owned()).collect();
    hand.feed(What::AttemptEnded {
        effect: order.id,
        outcome: Box::new(outcome),
        found: Found::Live,
    })
    .unwrap();
    order.brief
}

/// After a failed gate two attempts change nothing, or something.
fn idling(text: &str, changed: &[&str]) -> (Hand, Vec<String>) {
    let mut hand = begun(text);
    hand.refused(None);
    let mut briefs = Vec::new();
    for _ in 0..2 {
        briefs.push(works(&mut hand, Class::Done, changed));
        if !matches!(hand.flow.wanted().first(), Some(Effect::Attempt(_))) {
            break;
        }
    }
    (hand, briefs)
}

#[test]
fn a_gate_is_not_run_again_on_what_nobody_has_changed() {
    let stops = BUILT.replace("initial =", "idle_stops = true\ninitial =");
    let (mut hand, briefs) = idling(&stops, &[]);
    assert_eq!(
        (hand.state().as_str(), hand.waits().as_str()),
        ("build", "stall")
    );
    let nothing = "the agent changed nothing since the gate of `prove` failed";
    assert!(!briefs[0].contains(nothing), "{}", briefs[0]);
    for part in [nothing, "said so"] {
        assert!(briefs[1].contains(part), "no {part} in {}", briefs[1]);
    }
    let waiting = hand.flow.status().waiting_for.unwrap();
    assert!(waiting.why.contains(nothing), "{}", waiting.why);
    // A person says that it is to be looked at once more: it is.
    hand.decide("continue").unwrap();
    let order = hand.order();
    hand.ends(order.id, Class::Done);
    assert!(matches!(hand.begin(), Effect::Gate(_)));

    // Who changes something is judged, and so is everybody where a workflow does not ask for it.
    for (text, changed) in [(stops.as_str(), &["repo/a"][..]), (BUILT, &[])] {
        let (hand, briefs) = idling(text, changed);
        assert_eq!((briefs.len(), hand.state().as_str()), (1, "prove"));
    }
}

/// `prove` reads a field of the state file, and the attempt that is due gives it this value.
fn proves(gate: &str) -> Hand {
    let task = "[task]\nstate_file = 'S.md'\nphase_field = 'Phase'\nfiles = ['S.md']\n[[task.field]]\nname = 'Phase'\nengine = 'state'\n[[task.field]]\nname = 'Gate'\n[[task.field]]\nname = 'Note'\n";
    let text = BUILT
        .replace("initial =", "idle_stops = true\ninitial =")
        .replace("gate = [\"tests\"]", gate);
    let mut source = crate::source(&format!("{text}{task}"));
    let state_file = "Phase: build\nGate: old\nNote:\n".to_owned();
    source.files.insert("task/S.md".to_owned(), state_file);
    let workflow = flow::load(&source, &|_, _| Ok(()));
    let workflow = workflow.unwrap_or_else(|error| panic!("{error}"));
    let (rung, mode) = (kernel::Autonomy::Auto, kernel::Mode::default());
    Hand::of(std::sync::Arc::new(workflow), rung, mode, &[])
}

/// A gate that is another one by now says something else of the same files.
#[test]
fn who_has_changed_what_a_gate_reads_has_changed_something() {
    let gate = "gate = [{ check = \"tests\", field = \"Gate\" }]";
    for (field, value, stands) in [
        ("Gate", "new", "prove"),
        ("Gate", "old", "build"),
        ("Note", "new", "build"),
    ] {
        let mut hand = proves(gate);
        hand.refused(None);
        let order = hand.order();
        let mut outcome = Outcome::bare(Class::Done, "as it ended");
        outcome.fields = [(field.to_owned(), value.to_owned())].into();
        hand.feed(What::AttemptEnded {
            effect: order.id,
            outcome: Box::new(outcome),
            found: Found::Live,
        })
        .unwrap();
        assert_eq!(hand.state().as_str(), stands, "{field}: {value}");
    }
}

/// What was made by somebody who was refused for a word of theirs, or who crashed, has been judged by nobody.
#[test]
fn what_a_refused_attempt_has_left_is_judged_with_the_next() {
    let stops = BUILT.replace("initial =", "idle_stops = true\ninitial =");
    for refused in [Class::InvalidResult, Class::Crashed] {
        let mut hand = begun(&stops);
        hand.refused(None);
        for (class, changed) in [(refused, &["repo/a"][..]), (Class::Done, &[])] {
            works(&mut hand, class, changed);
        }
        assert_eq!(hand.state().as_str(), "prove", "{refused:?}");
    }
}

/// A person rejects what was proven, and an attempt changes nothing, or something.
fn rejected(changed: &[&str]) -> Hand {
    let stops = BUILT.replace("initial =", "idle_stops = true\nrules = 2\ninitial =");
    let mut hand = begun_on(&stops, kernel::Autonomy::Conservative);
    works(&mut hand, Class::Done, &["repo/a"]);
    let Effect::Gate(gate) = hand.begin() else {
        panic!("a gate is wanted")
    };
    hand.feed(What::GateEnded {
        effect: gate.id,
        results: vec![CheckResult::new("tests", Verdict::Pass, "green")],
        tree: None,
        found: Found::Live,
    })
    .unwrap();
    assert_eq!(hand.waits(), "approval");
    hand.decide("reject").unwrap();
    works(&mut hand, Class::Done, changed);
    if matches!(hand.flow.wanted().first(), Some(Effect::Attempt(_))) {
        let brief = works(&mut hand, Class::Done, changed);
        let told = "changed nothing since a person rejected the work";
        assert!(brief.contains(told), "{brief}");
    }
    hand
}

/// Under `auto`: weak work is rejected, and what comes then could have failed.
#[test]
fn who_rejected_work_sees_what_became_of_it() {
    for (rules, waits) in [("rules = 2\n", "approval"), ("", "")] {
        let text = BUILT.replace("initial =", &format!("{rules}initial ="));
        let workflow = flow::load(&crate::source(&text), &|_, _| Ok(()));
        let workflow = workflow.unwrap_or_else(|error| panic!("{error}"));
        let mut hand = Hand::asking(
            std::sync::Arc::new(workflow),
            (kernel::Autonomy::Auto, kernel::Weak::Asks),
            kernel::Mode::default(),
            &[],
        );
        for worth in ["weak", "reported"] {
            let order = hand.order();
            hand.ends(order.id, Class::Done);
            let Effect::Gate(gate) = hand.begin() else {
                panic!("a gate is wanted")
            };
            let mut result = CheckResult::new("tests", Verdict::Pass, "green");
            result.shows.insert(kernel::Word::from(worth));
            hand.feed(What::GateEnded {
                effect: gate.id,
                results: vec![result],
                tree: None,
                found: Found::Live,
            })
            .unwrap();
            if worth == "weak" {
                assert_eq!(hand.waits(), "approval");
                hand.decide("reject").unwrap();
            }
        }
        assert_eq!(hand.waits(), waits, "{rules}");
        if let Some(waiting) = hand.flow.status().waiting_for {
            assert!(waiting.why.contains("rejected before"), "{}", waiting.why);
            hand.decide("approve").unwrap();
        }
        assert_eq!(hand.state(), "end");
    }
}

#[test]
fn what_a_person_rejected_is_not_proven_again_as_it_is() {
    let hand = rejected(&[]);
    assert_eq!(
        (hand.state().as_str(), hand.waits().as_str()),
        ("build", "stall")
    );
    // Who did something about it is judged.
    let mut hand = rejected(&["repo/a"]);
    assert!(matches!(hand.begin(), Effect::Gate(_)));
}

#[test]
fn what_a_person_said_stands_in_every_later_brief_of_that_state() {
    let mut hand = begun(&BUILT.replace("cap = 9", "cap = 2"));
    for _ in 0..3 {
        hand.refused(None);
    }
    assert_eq!(hand.waits(), "budget");
    hand.decide_because("extend", "use the table").unwrap();
    let said = "ann decided `extend`: use the table";
    for _ in 0..2 {
        let brief = match hand.flow.wanted().first() {
            Some(Effect::Attempt(order)) => order.brief.clone(),
            other => panic!("an attempt is wanted, not {other:?}"),
        };
        assert_eq!(brief.matches(said).count(), 1, "{brief}");
        hand.refused(None);
    }
}
