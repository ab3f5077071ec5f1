//! Machines that are broken on purpose. A simulator that does not find them proves nothing.

use crate::phase::{all_invariants, fresh, simulation};
use crate::seeds::USUAL;
use flow::Flow;
use kernel::effect::Effect;
use kernel::event::{Arrival, EffectBegan};
use kernel::position::{Hold, Position};
use kernel::table::Table;
use kernel::{Body, Event, Input, Machine, Refusal, StateName, Status, What};
use serde_json::Value;
use std::cell::Cell;
use testkit::{Failure, OnTable};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    ForgetsTheCounter,
    CompletesWithoutAGate,
    CompletesAgainstTheRiskGuard,
    BeginsAFinishedAttemptAgain,
    AppliesOtherwiseOnReplay,
    RefundsLostAttempts,
    ForgetsWhatAnAttemptCost,
    WantsWithoutEnd,
    WantsAnotherThingEachTime,
    TakesLateAnswers,
    StopsInSilence,
}

struct Mutant {
    inner: Flow,
    fault: Fault,
    attempt: Option<Effect>,
    decided: Cell<u32>,
}

impl Mutant {
    fn new(fault: Fault) -> Self {
        Self {
            inner: fresh(),
            fault,
            attempt: None,
            decided: Cell::new(0),
        }
    }

    /// Changes the inner machine behind its own back.
    fn meddle(&mut self, change: impl FnOnce(&mut Value)) {
        let mut snapshot = self.inner.snapshot();
        change(&mut snapshot);
        self.inner.restore(&snapshot).expect("the same shape");
    }

    /// The attempt whose gate is due, as if it had never been made.
    fn once_more(&self) -> Option<Effect> {
        let wanted = self.inner.wanted().pop();
        let gate_due = matches!(wanted, Some(Effect::Gate(_)));
        let idle = self.inner.status().in_flight.is_empty();
        let forgets = self.fault == Fault::BeginsAFinishedAttemptAgain;
        self.attempt.clone().filter(|_| forgets && gate_due && idle)
    }

    fn bend(&self, event: &mut Event) {
        let Body::Moved(moved) = &mut event.body else {
            return;
        };
        let done = StateName::from("done");
        match self.fault {
            Fault::ForgetsTheCounter => moved.position.counts.clear(),
            Fault::CompletesWithoutAGate if moved.action == "review_failed" => {
                moved.action = "review_passed".to_owned();
                moved.position.counts = self.inner.position().counts.clone();
                moved.position.state = done;
                moved.arrival = Arrival::Entered;
            }
            Fault::CompletesAgainstTheRiskGuard if moved.position.hold == Some(Hold::Risk) => {
                moved.position.hold = None;
                moved.position.state = done;
                moved.arrival = Arrival::Entered;
            }
            _ => {}
        }
    }
}

impl Machine for Mutant {
    type What = What;
    type Fact = Body;
    type Want = Effect;
    type Status = Status;

    fn decide(&self, input: &Input) -> Result<Vec<Event>, Refusal> {
        self.decided.set(self.decided.get() + 1);
        if let (What::Begin(id), Some(again)) = (&input.what, self.once_more())
            && again.id() == *id
        {
            let body = Body::EffectBegan(EffectBegan {
                effect: *id,
                kind: again.kind(),
                state: self.inner.position().state.clone(),
                role: String::new(),
                subject: String::new(),
                wall_millis: 1,
            });
            return Ok(vec![Event { at: input.at, body }]);
        }
        let mut events = self.inner.decide(input)?;
        events.iter_mut().for_each(|event| self.bend(event));
        if self.fault == Fault::StopsInSilence {
            events.retain(
                |event| !matches!(&event.body, Body::Moved(moved) if moved.action == "verify_passed"),
            );
        }
        Ok(events)
    }

    fn apply(&mut self, event: &Event) {
        let mut event = event.clone();
        if let (Fault::ForgetsWhatAnAttemptCost, Body::AttemptEnded(ended)) =
            (self.fault, &mut event.body)
        {
            ended.outcome.usage.output_tokens = 0;
        }
        self.inner.apply(&event);
        if let Some(order @ Effect::Attempt(_)) = self.inner.wanted().pop() {
            self.attempt = Some(order);
        }
        match (self.fault, &event.body) {
            (Fault::RefundsLostAttempts, Body::EffectLost(_)) => self.meddle(|snapshot| {
                let used = &mut snapshot["ledger"]["budgets"]["attempts"]["used"];
                *used = used.as_u64().unwrap_or(0).saturating_sub(1).into();
            }),
            (Fault::AppliesOtherwiseOnReplay, Body::FieldsEdited(_)) if self.decided.get() > 0 => {
                self.meddle(|snapshot| snapshot["moves"] = 0.into());
            }
            (Fault::TakesLateAnswers, Body::LateDropped(_)) => self.meddle(|snapshot| {
                snapshot["stage"] =
                    serde_json::json!({"stage": "judged", "passed": true, "stalled": false});
            }),
            _ => {}
        }
    }

    fn wanted(&self) -> Vec<Effect> {
        self.decided.set(self.decided.get() + 1);
        let mut wanted = self.inner.wanted();
        match self.fault {
            Fault::WantsAnotherThingEachTime if self.decided.get().is_multiple_of(5) => {
                wanted.clear()
            }
            Fault::WantsWithoutEnd if self.inner.position().stopped => {
                wanted.push(Effect::Checkpoint(kernel::CheckpointOrder {
                    id: kernel::EffectId(10_000),
                    subject: "once more".to_owned(),
                    tree: None,
                    revert: None,
                }));
            }
            _ => {}
        }
        self.once_more().map_or(wanted, |again| vec![again])
    }

    fn status(&self) -> Status {
        self.inner.status()
    }

    fn snapshot(&self) -> Value {
        self.inner.snapshot()
    }

    fn restore(&mut self, snapshot: &Value) -> serde_json::Result<()> {
        self.inner.restore(snapshot)
    }
}

impl OnTable for Mutant {
    fn table(&self) -> &Table {
        &self.inner.workflow().table
    }
    fn position(&self) -> &Position {
        self.inner.position()
    }
}

/// The first seed that finds the fault, by whatever invariant.
fn found(fault: Fault) -> Option<Box<Failure>> {
    let rows = all_invariants();
    (0..USUAL).find_map(|seed| simulation(seed, || Mutant::new(fault), &rows).run().err())
}

/// Does some seed find the fault by this invariant, with no other row to help it?
fn found_by(fault: Fault, invariant: &str) -> bool {
    let mut rows = all_invariants();
    rows.retain(|row| row.name == invariant);
    (0..USUAL).any(|seed| {
        let run = simulation(seed, || Mutant::new(fault), &rows).run();
        run.is_err_and(|failure| failure.violation.invariant == invariant)
    })
}

#[test]
fn every_mutant_is_found_by_the_invariant_that_forbids_it() {
    for (fault, invariant) in [
        (Fault::ForgetsTheCounter, "moves_follow_the_table"),
        (
            Fault::CompletesWithoutAGate,
            "done_is_proven_after_the_last_repair",
        ),
        (
            Fault::CompletesAgainstTheRiskGuard,
            "high_risk_under_auto_never_completes",
        ),
        (
            Fault::BeginsAFinishedAttemptAgain,
            "effect_ids_are_never_reused",
        ),
        (Fault::AppliesOtherwiseOnReplay, "replay_is_exact"),
        (Fault::RefundsLostAttempts, "budgets_never_shrink"),
        (
            Fault::ForgetsWhatAnAttemptCost,
            "spending_is_what_the_attempts_cost",
        ),
        (
            Fault::WantsWithoutEnd,
            "nothing_is_wanted_while_nobody_may_act",
        ),
        (Fault::WantsAnotherThingEachTime, "wanted_is_deterministic"),
        (Fault::TakesLateAnswers, "late_answers_change_nothing"),
        (Fault::StopsInSilence, "a_run_never_stops_in_silence"),
    ] {
        assert!(found(fault).is_some(), "{fault:?} was not found at all");
        assert!(found_by(fault, invariant), "{fault:?} passes {invariant}");
    }
}

#[test]
fn a_failure_says_how_to_see_it_again_and_shows_the_journal() {
    let failure = found(Fault::ForgetsTheCounter).expect("a fault");
    let text = failure.to_string();
    let again = format!(
        "PROOFHOUSE_SIM_SEED={} cargo test -p testkit one_seed -- --nocapture",
        failure.seed
    );
    for part in [
        again.as_str(),
        "run_started.v1",
        "moved.v1",
        "--frame_begun by engine-->",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn a_mutant_without_a_fault_is_not_found() {
    let rows = all_invariants();
    for seed in 0..10 {
        let report = simulation(seed, || Mutant::new(Fault::None), &rows).run();
        assert!(report.is_ok(), "{}", report.expect_err("seen"));
    }
}
