//! The `add` workflow in the simulator: every seed keeps every promise, and a crash at every place
//! that a run has leads to the same end.

use flow::{Flow, Workflow, built_in, load};
use kernel::effect::{AttemptOrder, CheckpointOrder, GateOrder};
use kernel::machine::{Activity, Waiting};
use kernel::{Autonomy, Body, CheckResult, Class, EffectId, Mode, Outcome, StateName, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use testkit::seeds::{one_seed, seeds, sweep};
use testkit::start::drawn_start;
use testkit::{
    Cast, Invariant, OnTable, SeededCast, Simulation, Vocabulary, crash_everywhere,
    machine_invariants, table_invariants,
};

fn workflow() -> Arc<Workflow> {
    static ADD: LazyLock<Arc<Workflow>> = LazyLock::new(|| {
        let source = built_in("add").expect("a built-in workflow");
        Arc::new(load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")))
    });
    Arc::clone(&ADD)
}

fn fresh() -> Flow {
    Flow::new(workflow())
}

fn all_invariants<M: OnTable>() -> Vec<Invariant<M>> {
    let mut rows = machine_invariants();
    rows.extend(table_invariants());
    rows
}

#[test]
fn every_seed_keeps_every_promise() {
    let rows = all_invariants();
    let reports = sweep(seeds(120), |seed| {
        let workflow = workflow();
        let mut vocabulary = Vocabulary::of(&workflow.table);
        vocabulary.progress = workflow.stall_check.clone().unwrap_or_default();
        // What the test files are stays as it is: the one that people open again is among them.
        let fields = ["stage", "Scope (may touch)", "phase"];
        vocabulary.fields = fields.map(str::to_owned).to_vec();
        let cast = SeededCast::new(seed, vocabulary);
        Simulation::new(seed, fresh, &rows).cast(cast).run()
    });
    if one_seed().is_some() {
        return;
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for report in &reports {
        for event in &report.journal {
            if let Body::Moved(moved) = &event.body {
                seen.insert(moved.action.clone());
            }
        }
    }
    for action in ["grounded", "freeze", "tests_red", "heal", "security_found"] {
        assert!(seen.contains(action), "no seed took `{action}`: {seen:?}");
    }
}

/// The build escapes its scope once and cheats once, a person approves the freeze and the gate.
#[derive(Default)]
struct Script {
    nth: BTreeMap<EffectId, u32>,
}

impl Cast for Script {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        self.nth.insert(order.id, order.nth);
        let (class, request) = match (order.state.as_str(), order.nth) {
            ("build", 1) => (Class::OutOfScope, ""),
            ("tests", 1) => (Class::Done, "escalated"),
            _ => (Class::Done, ""),
        };
        let mut outcome = Outcome::bare(class, format!("{} {}", order.state, order.nth));
        outcome.request = (!request.is_empty()).then(|| StateName::from(request));
        outcome
    }

    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        let nth = order.attempt.and_then(|attempt| self.nth.get(&attempt));
        let gamed = order.state.as_str() == "verify" && nth == Some(&1);
        let checks = order.checks.iter().map(|spec| {
            let fails = gamed && spec.check == "tripwire";
            let verdict = if fails { Verdict::Fail } else { Verdict::Pass };
            let mut result = CheckResult::new(&spec.check, verdict, "scripted");
            result.shows.extend(spec.shows.clone().filter(|_| fails));
            result
        });
        checks.collect()
    }

    fn checkpoint(&mut self, _: &CheckpointOrder) -> Result<String, String> {
        Ok("commit".to_owned())
    }

    fn person(&mut self, waiting: &Waiting) -> String {
        let resume = waiting.options.iter().find(|option| *option == "resume");
        resume.unwrap_or(&waiting.options[0]).clone()
    }
}

#[test]
fn a_crash_everywhere_leads_to_the_same_end() {
    let rows = all_invariants();
    let mut start = drawn_start(0);
    start.workflow = "add".to_owned();
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
    assert_eq!(tried.calm.status.budgets["heal"].used, 2);
    assert!(tried.crashed.len() > 100, "{}", tried.crashed.len());
}
