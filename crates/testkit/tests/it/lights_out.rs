//! The pipeline of `lights-out`, crashed at every place that it has: each lost session is recovered
//! to the phase that it dropped out of, and nothing is done twice or left out.

use flow::{Flow, Workflow, built_in, load};
use kernel::effect::{AttemptOrder, CheckSpec, CheckpointOrder, GateOrder};
use kernel::machine::Waiting;
use kernel::{Autonomy, CheckResult, Class, EffectId, Mode, Outcome, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use testkit::start::drawn_start;
use testkit::{Cast, Simulation, crash_everywhere_counting, machine_invariants, table_invariants};

/// From the first phase on: the steps before it are a person's.
static WORKFLOW: LazyLock<Arc<Workflow>> = LazyLock::new(|| {
    let mut source = built_in("lights-out").expect("a built-in workflow");
    let text = source.files.get_mut("workflow.toml").expect("its text");
    *text = text.replace("initial = \"Ideating\"", "initial = \"Expanding\"");
    Arc::new(load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")))
});

/// The scope is refused once, one builder crashes, the build is refused once.
#[derive(Default)]
struct Script {
    nth: BTreeMap<EffectId, u32>,
}

impl Script {
    fn verdict(&self, order: &GateOrder, spec: &CheckSpec) -> Verdict {
        let nth = order.attempt.and_then(|attempt| self.nth.get(&attempt));
        let stands = |name: &str| order.standing.iter().any(|state| state.as_str() == name);
        match (order.state.as_str(), spec.check.as_str(), nth) {
            ("Expanding", "ids", Some(1)) | ("Building", "tests", Some(2)) => Verdict::Fail,
            (_, "stands", _) if !spec.with["gate"].as_str().is_some_and(stands) => Verdict::Fail,
            _ => Verdict::Pass,
        }
    }
}

impl Cast for Script {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        self.nth.insert(order.id, order.nth);
        let class = match (order.state.as_str(), order.nth) {
            ("Building", 1) => Class::Crashed,
            _ => Class::Done,
        };
        Outcome::bare(class, format!("{} {}", order.state, order.nth))
    }

    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        let judge = |spec: &CheckSpec| {
            let verdict = self.verdict(order, spec);
            let mut result = CheckResult::new(&spec.check, verdict, "scripted");
            result.weight = spec.weight;
            if verdict != Verdict::Pass {
                result.shows.extend(spec.shows.clone());
            }
            result
        };
        order.checks.iter().map(judge).collect()
    }

    fn checkpoint(&mut self, _: &CheckpointOrder) -> Result<String, String> {
        Ok("commit".to_owned())
    }

    fn person(&mut self, waiting: &Waiting) -> String {
        waiting.options[0].clone()
    }
}

#[test]
fn a_crash_everywhere_in_the_pipeline_leads_to_the_same_delivery() {
    let mut rows = machine_invariants();
    rows.extend(table_invariants());
    let mut start = drawn_start(0);
    start.workflow_hash = WORKFLOW.hash.clone();
    start.budgets = BTreeMap::new();
    start.autonomy = Autonomy::Conservative;
    start.mode = Mode::default();
    let run = || {
        Simulation::new(0, || Flow::new(Arc::clone(&WORKFLOW)), &rows)
            .start(start.clone())
            .cast(Script::default())
    };
    let tried = crash_everywhere_counting(run, &["drops"]);
    let tried = tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tried.calm.status.state.as_str(), "PipelineComplete");
    let reports = tried.crashed.iter().map(|(_, report)| report);
    let moves: BTreeSet<String> = reports
        .flat_map(|report| &report.journal)
        .filter_map(|event| match &event.body {
            kernel::Body::Moved(moved) => Some(moved.action.clone()),
            _ => None,
        })
        .collect();
    let phases = ["Expand", "Design", "Analyze", "Build", "Review"].into_iter();
    for phase in phases.chain(["Reconcile", "Verify", "Deploy"]) {
        let action = format!("RecoverTo{phase}");
        assert!(moves.contains(&action), "no {action} in {moves:?}");
    }
}
