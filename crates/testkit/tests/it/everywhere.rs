//! One happy-ish script of `phase`, crashed at every place that it has.

use crate::phase::{all_invariants, fresh, workflow};
use kernel::decision::REWIND;
use kernel::effect::{AttemptOrder, CheckpointOrder, GateOrder};
use kernel::machine::{Activity, Waiting};
use kernel::{Autonomy, Body, CheckResult, Class, Mode, Outcome, StateName, Usage, Verdict};
use std::collections::BTreeMap;
use testkit::start::drawn_start;
use testkit::{Cast, Crash, Fate, Simulation, crash_everywhere};

/// The commit that the one who leads the run back goes back to.
const TO: &str = "phase: shape passed its gate";

/// Verify fails once and is repaired, one attempt crashes, one asks a person, one asks for what it
/// may not have, a person approves at the end. Answers follow from the work, never from how often
/// somebody was asked: a gate that runs again says the same.
#[derive(Default)]
struct Script {
    nth: BTreeMap<kernel::EffectId, u32>,
    /// Does a person lead it back when it is first reviewed?
    goes_back: bool,
    reviewed: u32,
}

impl Cast for Script {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        self.nth.insert(order.id, order.nth);
        if order.state.as_str() == "review" {
            self.reviewed = self.reviewed.max(order.nth);
        }
        let (class, request) = match (order.state.as_str(), order.nth) {
            ("shape", 1) => (Class::Crashed, ""),
            ("implement", 1) => (Class::Done, "done"),
            ("implement", 2) => (Class::Done, "needs_user_decision"),
            ("implement" | "repair", _) => (Class::Done, "verify"),
            _ => (Class::Done, ""),
        };
        let mut outcome = Outcome::bare(class, format!("{} {}", order.state, order.nth));
        outcome.request = (!request.is_empty()).then(|| StateName::from(request));
        outcome.usage = Usage {
            input_tokens: 1_000 + u64::from(order.nth),
            output_tokens: 100,
            cached_tokens: 0,
            micro_dollars: 7,
        };
        outcome
    }

    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        let nth = order.attempt.and_then(|attempt| self.nth.get(&attempt));
        let fails = order.state.as_str() == "verify" && nth == Some(&1);
        let checks = order.checks.iter().map(|spec| {
            let verdict = match spec.check.as_str() {
                "command" if fails => Verdict::Fail,
                _ => Verdict::Pass,
            };
            CheckResult::new(&spec.check, verdict, "scripted")
        });
        checks.collect()
    }

    fn checkpoint(&mut self, order: &CheckpointOrder) -> Result<String, String> {
        Ok(order.subject.clone())
    }

    fn person(&mut self, waiting: &Waiting) -> String {
        match self.goes_back && self.reviewed == 1 {
            true => REWIND.to_owned(),
            false => waiting.options[0].clone(),
        }
    }

    fn payload(&mut self, _: &Waiting, option: &str) -> serde_json::Value {
        match option {
            REWIND => serde_json::json!({"commit": TO}),
            _ => serde_json::Value::Null,
        }
    }
}

/// It is led back from its approval, and made once more: wherever it is killed, that comes to the same.
#[test]
fn a_run_that_is_led_back_survives_a_crash_everywhere() {
    let rows = all_invariants();
    let mut start = drawn_start(0);
    start.workflow_hash = workflow().hash.clone();
    start.budgets = BTreeMap::new();
    start.autonomy = Autonomy::Conservative;
    start.mode = Mode::default();
    let tried = crash_everywhere(|| {
        Simulation::new(0, fresh, &rows)
            .start(start.clone())
            .cast(Script {
                goes_back: true,
                ..Script::default()
            })
    });
    let tried = tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tried.calm.status.state.as_str(), "done");
    let back = tried
        .calm
        .journal
        .iter()
        .filter_map(|event| match &event.body {
            Body::Rewound(back) => Some(back),
            _ => None,
        });
    let back: Vec<_> = back.collect();
    assert_eq!((back.len(), back[0].commit.as_str()), (1, TO));
    let committed = |event: &&kernel::Event| matches!(&event.body, Body::CheckpointEnded(ended) if ended.commit.as_deref().is_some_and(|one| one.contains("gone back from")));
    assert_eq!(tried.calm.journal.iter().filter(committed).count(), 1);
    eprintln!(
        "{} crashes around one that is led back",
        tried.crashed.len()
    );
}

#[test]
fn a_crash_everywhere_leads_to_the_same_end_and_pays_for_nothing_twice() {
    let rows = all_invariants();
    let mut start = drawn_start(0);
    start.workflow_hash = workflow().hash.clone();
    start.budgets = BTreeMap::new();
    start.autonomy = Autonomy::Conservative;
    start.mode = Mode::default();
    let tried = crash_everywhere(|| {
        Simulation::new(0, fresh, &rows)
            .start(start.clone())
            .cast(Script::default())
    });
    let tried = tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tried.calm.status.state.as_str(), "done");
    assert_eq!(tried.calm.status.activity, Activity::Done);
    let batches = &tried.calm.batches;
    let count = |of: &dyn Fn(&Crash) -> bool| {
        let crashes = tried.crashed.iter().map(|(crash, _)| crash);
        crashes.filter(|crash| of(crash)).count()
    };
    let before = count(&|crash| matches!(crash, Crash::Append { stored: 0, .. }));
    let inside = count(
        &|crash| matches!(crash, Crash::Append { index, stored } if *stored > 0 && *stored < batches[*index]),
    );
    let after = count(
        &|crash| matches!(crash, Crash::Append { index, stored } if *stored == batches[*index]),
    );
    let died = count(&|crash| {
        matches!(
            crash,
            Crash::Waiting {
                fate: Fate::Died,
                ..
            }
        )
    });
    assert_eq!((before, after), (batches.len(), batches.len()));
    assert_eq!(died, tried.calm.waits);
    assert!(inside > batches.len() / 2, "{inside} inside {batches:?}");
    eprintln!(
        "{} crashes: {before} before, {inside} inside, {after} after an append; {died} at work",
        tried.crashed.len()
    );
}
