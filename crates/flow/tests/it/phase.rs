//! The `phase` machine, driven by hand: the hand, and the way from intake to done and back.

mod bounds;
mod brief;
mod crashes;
mod gates;
mod people;
mod requests;

use crate::workflow;
use flow::{Flow, Workflow};
use kernel::effect::Effect;
use kernel::event::RunStarted;
use kernel::machine::Activity;
use kernel::outcome::Found;
use kernel::{
    Autonomy, CheckResult, Class, Decision, Event, Input, Machine, Mode, Outcome, Refusal, RunId,
    StateName, Time, Verdict, What,
};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) struct Hand {
    pub(crate) flow: Flow,
    now: u64,
    journal: Vec<Event>,
}

impl Hand {
    fn start(autonomy: Autonomy, mode: Mode, caps: &[(&str, u64)]) -> Self {
        Self::of(workflow("phase"), autonomy, mode, caps)
    }

    /// Of any workflow.
    pub(crate) fn of(
        workflow: Arc<Workflow>,
        autonomy: Autonomy,
        mode: Mode,
        caps: &[(&str, u64)],
    ) -> Self {
        Self::asking(workflow, (autonomy, kernel::Weak::Suffices), mode, caps)
    }

    /// The same, where a person may be asked about weak evidence.
    pub(crate) fn asking(
        workflow: Arc<Workflow>,
        (autonomy, weak): (Autonomy, kernel::Weak),
        mode: Mode,
        caps: &[(&str, u64)],
    ) -> Self {
        let started = RunStarted {
            run: RunId::from("r"),
            workflow: workflow.name.clone(),
            workflow_hash: workflow.hash.clone(),
            autonomy,
            mode,
            budgets: caps
                .iter()
                .map(|(name, cap)| ((*name).into(), *cap))
                .collect(),
            fields: BTreeMap::from([("Objective".to_owned(), "mine".to_owned())]),
            task: "t".into(),
            commands: Vec::new(),
            agent: String::new(),
            sandbox_waived_by: None,
            sandbox_waived_through: None,
            sandbox_waiver_signature: None,
            own_tree: None,
            signers: None,
            forked: None,
            commands_found: false,
            unconfined: false,
            instead_of_built_in: false,
            weak,
        };
        let mut hand = Hand {
            flow: Flow::new(workflow),
            now: 0,
            journal: Vec::new(),
        };
        hand.feed(What::Start(Box::new(started))).unwrap();
        hand
    }

    fn auto() -> Self {
        Self::start(Autonomy::Auto, Mode::default(), &[])
    }

    pub(crate) fn feed(&mut self, what: What) -> Result<(), Refusal> {
        self.now += 1_000;
        let mut events = self.flow.decide(&Input::new(Time(self.now), what))?;
        loop {
            for event in &events {
                self.flow.apply(event);
                self.journal.push(event.clone());
            }
            events = self
                .flow
                .decide(&Input::new(Time(self.now), What::Advance))?;
            if events.is_empty() {
                return Ok(());
            }
        }
    }

    pub(crate) fn begin(&mut self) -> Effect {
        let wanted = self.flow.wanted();
        assert_eq!(wanted.len(), 1, "{wanted:?} in {}", self.state());
        self.feed(What::Begin(wanted[0].id())).unwrap();
        wanted[0].clone()
    }

    /// One attempt that asks for `next`, and its gate with this verdict, checkpoints on the way.
    fn pass(&mut self, next: &str, gate: Verdict) {
        let Effect::Attempt(order) = self.begin() else {
            panic!("an attempt is wanted")
        };
        let mut outcome = Outcome::bare(Class::Done, "done");
        outcome.request = (!next.is_empty()).then(|| StateName::from(next));
        let outcome = Box::new(outcome);
        self.feed(What::AttemptEnded {
            effect: order.id,
            outcome,
            found: Found::Live,
        })
        .unwrap();
        if let Some(Effect::Gate(order)) = self.flow.wanted().first().cloned() {
            self.begin();
            let results = vec![
                CheckResult::new("tests", gate, "said so"),
                CheckResult::new("progress", Verdict::Pass, ""),
            ];
            self.feed(What::GateEnded {
                effect: order.id,
                results,
                tree: None,
                found: Found::Live,
            })
            .unwrap();
        }
        self.checkpoint();
    }

    pub(crate) fn checkpoint(&mut self) {
        if let Some(Effect::Checkpoint(order)) = self.flow.wanted().first().cloned() {
            self.begin();
            self.feed(What::CheckpointEnded {
                effect: order.id,
                commit: Ok("c".into()),
            })
            .unwrap();
        }
    }

    fn to_verify(&mut self) {
        self.pass("", Verdict::Pass);
        self.pass("", Verdict::Pass);
        self.pass("verify", Verdict::Pass);
        assert_eq!(self.state(), "verify");
    }

    pub(crate) fn decide(&mut self, option: &str) -> Result<(), Refusal> {
        self.decide_because(option, "I say so")
    }

    pub(crate) fn decide_because(&mut self, option: &str, because: &str) -> Result<(), Refusal> {
        self.feed(What::Decide(Decision {
            option: option.into(),
            because: because.into(),
            who: "ann".into(),
            channel: "terminal".into(),
            seen_seq: 0,
            tree: String::new(),
            with: serde_json::Value::Null,
            signature: None,
        }))
    }

    pub(crate) fn state(&self) -> String {
        self.flow.status().state.to_string()
    }

    pub(crate) fn waits(&self) -> String {
        self.flow
            .status()
            .waiting_for
            .map_or_else(String::new, |waiting| waiting.reason)
    }
}

#[test]
fn a_failed_verify_is_repaired_and_verified_again_before_done() {
    let mut hand = Hand::auto();
    hand.to_verify();
    hand.pass("", Verdict::Fail);
    assert_eq!(hand.state(), "repair");
    let Some(Effect::Attempt(order)) = hand.flow.wanted().first().cloned() else {
        panic!()
    };
    assert!(
        order.brief.contains("check `tests` fail: said so"),
        "{}",
        order.brief
    );
    assert!(order.brief.contains("NOT an open-ended build phase"));
    hand.pass("verify", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    hand.pass("", Verdict::Pass);
    assert_eq!(hand.state(), "done");
    assert_eq!(hand.flow.status().activity, Activity::Done);
    let document: BTreeMap<_, _> = hand.flow.document("file:///e").into_iter().collect();
    for (field, value) in [
        ("Phase", "done"),
        ("Candidate done", "yes"),
        ("Validator status", "pass"),
        ("Repair applied", "yes"),
        ("Revalidation status", "pass"),
        ("Evidence link", "file:///e"),
    ] {
        assert_eq!(document[field], value, "{field}");
    }
}

#[test]
fn a_detour_comes_back_to_exactly_the_state_it_left() {
    for from in ["shape", "verify"] {
        let mut hand = Hand::auto();
        while hand.state() != from {
            hand.pass(
                if hand.state() == "implement" {
                    "verify"
                } else {
                    ""
                },
                Verdict::Pass,
            );
        }
        hand.pass("blocked", Verdict::Pass);
        assert_eq!(hand.state(), "blocked");
        assert_eq!(hand.flow.status().return_to, Some(StateName::from(from)));
        assert!(hand.flow.wanted().is_empty());
        assert_eq!(hand.decide("approve").unwrap_err().code, "unknown_option");
        hand.decide("reopen").unwrap();
        assert_eq!(hand.state(), from);
        let Some(Effect::Attempt(order)) = hand.flow.wanted().first().cloned() else {
            panic!()
        };
        assert!(order.brief.contains("ann decided `reopen`: I say so"));
    }
}
