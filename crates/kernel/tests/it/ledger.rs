//! Fencing and counting: an answer counts once, and only for the effect that asked.

use kernel::budget::{ATTEMPTS, Budgets, MICRO_DOLLARS, REFUSALS, TOKENS, WALL_MILLIS};
use kernel::effect::EffectKind;
use kernel::event::{Body, EffectBegan, Refused};
use kernel::ledger::{LOST, Ledger, RUNNING};
use kernel::outcome::Found;
use kernel::{Class, EffectId, Event, Outcome, Refusal, Time, Usage, What};
use std::collections::BTreeMap;

fn ledger() -> Ledger {
    Ledger {
        budgets: Budgets::with_caps(&BTreeMap::new()),
        ..Ledger::default()
    }
}

fn begin(ledger: &mut Ledger, at: u64, effect: u32, kind: EffectKind, wall_millis: u64) {
    let body = Body::EffectBegan(EffectBegan {
        effect: EffectId(effect),
        kind,
        state: "build".into(),
        role: "coder".to_owned(),
        subject: String::new(),
        wall_millis,
    });
    ledger.apply(&Event { at: Time(at), body });
}

fn attempt(effect: u32, usage: Usage) -> What {
    What::AttemptEnded {
        effect: EffectId(effect),
        outcome: Box::new(Outcome {
            usage,
            ..Outcome::bare(Class::Done, "it ended")
        }),
        found: Found::Live,
    }
}

fn gate(effect: u32) -> What {
    What::GateEnded {
        effect: EffectId(effect),
        results: Vec::new(),
        tree: None,
        found: Found::Live,
    }
}

fn checkpoint(effect: u32) -> What {
    What::CheckpointEnded {
        effect: EffectId(effect),
        commit: Err("no git".to_owned()),
    }
}

fn lost(effect: u32) -> What {
    lost_since(effect, None)
}

fn lost_since(effect: u32, seen: Option<Time>) -> What {
    What::Lost {
        seen,
        usage: kernel::Usage::default(),
        effect: EffectId(effect),
        reason: "restart".to_owned(),
    }
}

/// Answers and takes the answer's event in; returns its kind.
fn answer(ledger: &mut Ledger, at: u64, what: &What) -> &'static str {
    let events = ledger.answer(Time(at), what).expect("about an effect");
    assert_eq!(events.len(), 1);
    ledger.apply(&events[0]);
    events[0].body.kind()
}

fn used(ledger: &Ledger, name: &str) -> u64 {
    ledger.budgets.get(name).expect("a known budget").used
}

#[test]
fn an_answer_of_the_wrong_kind_is_dropped_and_the_effect_flies_on() {
    let all: [fn(u32) -> What; 3] = [|id| attempt(id, Usage::default()), gate, checkpoint];
    let kinds = [
        EffectKind::Attempt,
        EffectKind::Gate,
        EffectKind::Checkpoint,
    ];
    let own = ["attempt_ended.v1", "gate_ended.v1", "checkpoint_ended.v1"];
    for (right, kind) in kinds.into_iter().enumerate() {
        let mut ledger = ledger();
        begin(&mut ledger, 0, 1, kind, 100);
        for (wrong, what) in all.iter().enumerate().filter(|(n, _)| *n != right) {
            let said = answer(&mut ledger, 1, &what(1));
            assert_eq!(said, "late_dropped.v1", "{kind:?} answered as {wrong}");
            assert!(ledger.flying.contains_key(&EffectId(1)));
        }
        assert_eq!(answer(&mut ledger, 2, &all[right](1)), own[right]);
        assert!(ledger.flying.is_empty());
    }
}

#[test]
fn a_second_answer_is_dropped_and_not_paid_for() {
    let mut ledger = ledger();
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 5,
        cached_tokens: 0,
        micro_dollars: 7,
    };
    begin(&mut ledger, 0, 1, EffectKind::Attempt, 1_000);
    answer(&mut ledger, 300, &attempt(1, usage));
    let once = ledger.clone();
    assert_eq!(
        answer(&mut ledger, 900, &attempt(1, usage)),
        "late_dropped.v1"
    );
    assert_eq!(answer(&mut ledger, 900, &lost(1)), "late_dropped.v1");
    assert_eq!(
        answer(&mut ledger, 900, &attempt(9, usage)),
        "late_dropped.v1"
    );
    assert_eq!(ledger, once);
    assert_eq!(used(&ledger, TOKENS), 15);
    assert_eq!(used(&ledger, MICRO_DOLLARS), 7);
    assert_eq!(used(&ledger, WALL_MILLIS), 300);
    assert_eq!(used(&ledger, ATTEMPTS), 1);
}

#[test]
fn an_answer_after_the_loss_comes_too_late() {
    let mut ledger = ledger();
    begin(&mut ledger, 0, 1, EffectKind::Attempt, 1_000);
    assert_eq!(answer(&mut ledger, 10, &lost(1)), "effect_lost.v1");
    let late = attempt(1, Usage::default());
    assert_eq!(answer(&mut ledger, 20, &late), "late_dropped.v1");
    assert_eq!(ledger.attempts[0].ended, LOST);
}

#[test]
fn a_lost_effect_costs_at_most_its_own_limit() {
    let days = 3 * 24 * 60 * 60 * 1_000;
    let mut ledger = ledger();
    begin(&mut ledger, 0, 1, EffectKind::Attempt, 5_000);
    assert_eq!(ledger.attempts[0].ended, RUNNING);
    answer(&mut ledger, days, &lost(1));
    assert_eq!(used(&ledger, WALL_MILLIS), 5_000);
    begin(&mut ledger, days, 2, EffectKind::Gate, 5_000);
    answer(&mut ledger, days - 500, &lost(2));
    assert_eq!(
        used(&ledger, WALL_MILLIS),
        5_000,
        "a clock that went backwards costs nothing"
    );
    assert_eq!(used(&ledger, ATTEMPTS), 1, "a lost attempt is counted");
    assert_eq!(ledger.ended_in(&"build".into()), 0, "but did not end");
}

#[test]
fn ids_are_never_given_twice() {
    let mut ledger = ledger();
    begin(&mut ledger, 0, 7, EffectKind::Gate, 1);
    assert_eq!(ledger.next, EffectId(8));
    begin(&mut ledger, 0, 3, EffectKind::Gate, 1);
    assert_eq!(ledger.next, EffectId(8));
}

#[test]
fn refusals_are_counted_and_the_wall_limit_is_cut_to_what_is_left() {
    let mut ledger = ledger();
    for _ in 0..6 {
        let body = Body::Refused(Refused {
            effect: None,
            refusal: Refusal::new("c", "w", "m"),
        });
        ledger.apply(&Event { at: Time(0), body });
    }
    let spent = ledger.budgets.first_spent().map(|name| name.as_str());
    assert_eq!(spent, Some(REFUSALS));
    let whole = ledger.budgets.get(WALL_MILLIS).expect("known").cap;
    assert_eq!(ledger.wall_limit(1_000), 1_000);
    assert_eq!(ledger.wall_limit(u64::MAX), whole);
    begin(&mut ledger, 0, 1, EffectKind::Gate, u64::MAX);
    answer(&mut ledger, whole, &gate(1));
    assert_eq!(
        ledger.wall_limit(1_000),
        1,
        "never zero, which would mean none"
    );
}

#[test]
fn huge_usage_saturates() {
    let mut ledger = ledger();
    let usage = Usage {
        input_tokens: u64::MAX,
        output_tokens: u64::MAX,
        cached_tokens: 0,
        micro_dollars: u64::MAX,
    };
    for id in 1..3 {
        begin(&mut ledger, 0, id, EffectKind::Attempt, 1);
        answer(&mut ledger, 1, &attempt(id, usage));
    }
    assert_eq!(used(&ledger, TOKENS), u64::MAX);
    assert_eq!(used(&ledger, MICRO_DOLLARS), u64::MAX);
}

#[test]
fn what_is_not_about_an_effect_is_not_the_ledgers() {
    assert_eq!(ledger().answer(Time(0), &What::Advance), None);
}

/// Whoever is killed in the evening and taken up in the morning has not worked all night.
#[test]
fn time_in_which_nobody_worked_is_not_charged() {
    for (seen, charged) in [
        (None, 900),
        (Some(Time(250)), 150),
        // A clock that was set since gains nobody anything.
        (Some(Time(5_000)), 900),
        (Some(Time(0)), 0),
    ] {
        let mut ledger = ledger();
        begin(&mut ledger, 100, 1, EffectKind::Attempt, 2_000);
        answer(&mut ledger, 1_000, &lost_since(1, seen));
        assert_eq!(used(&ledger, WALL_MILLIS), charged, "{seen:?}");
    }
}
