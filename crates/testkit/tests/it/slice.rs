//! What is true of every run with context snapshots, tried on `slice`: at random, and with a crash at
//! every place that a run has.

use flow::{Flow, Workflow, built_in, load};
use kernel::effect::{AttemptOrder, CheckSpec, CheckpointOrder, GateOrder};
use kernel::event::RunStarted;
use kernel::machine::{Activity, Waiting};
use kernel::snapshot::SnapshotTaken;
use kernel::{Autonomy, Body, CheckResult, Class, Event, Mode, Outcome, StateName, Usage, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use testkit::invariants::Verdict as Holds;
use testkit::start::drawn_start;
use testkit::{
    Cast, Fact, Invariant, SeededCast, Simulation, Vocabulary, crash_everywhere, hold, invariants,
    machine_invariants, table_invariants,
};

fn workflow() -> Arc<Workflow> {
    static SLICE: LazyLock<Arc<Workflow>> = LazyLock::new(|| {
        let source = built_in("slice").expect("a built-in workflow");
        Arc::new(load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")))
    });
    Arc::clone(&SLICE)
}

fn fresh() -> Flow {
    Flow::new(workflow())
}

fn rows() -> Vec<Invariant<Flow>> {
    let mut rows = machine_invariants();
    rows.extend(table_invariants());
    rows.extend(invariants![
        snapshots_follow_each_other,
        counters_follow_the_document,
        nothing_begins_before_a_gate_run_is_recorded,
    ]);
    rows
}

fn taken(journal: &[Event]) -> Vec<&SnapshotTaken> {
    let bodies = journal.iter().map(|event| &event.body);
    bodies
        .filter_map(|body| match body {
            Body::SnapshotTaken(taken) => Some(&**taken),
            _ => None,
        })
        .collect()
}

fn snapshots_follow_each_other(fact: &Fact<'_, Flow>) -> Holds {
    let Body::SnapshotTaken(this) = &fact.event.body else {
        return Ok(());
    };
    let before: Vec<&SnapshotTaken> = taken(fact.journal)
        .into_iter()
        .filter(|one| one.content.iteration < this.content.iteration)
        .collect();
    let serial = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let content = &this.content;
    hold!(
        content.iteration == serial + 1,
        "{} after {serial}",
        content.iteration
    );
    let parent = before.last().map(|one| one.content.iteration);
    hold!(
        content.parent == parent,
        "the parent is {:?}",
        content.parent
    );
    hold!(
        this.text
            .starts_with(&format!("Iteration: {:04}\n", content.iteration)),
        "{}",
        this.text
    );
    for fact in content.facts.iter().flat_map(|fact| &fact.evidence) {
        let known = content.evidence.iter().any(|one| one.id == *fact);
        hold!(known, "{fact} is cited and not there");
    }
    Ok(())
}

/// Rule S3.2 once more, from the journal alone and written another way.
fn counters_follow_the_document(fact: &Fact<'_, Flow>) -> Holds {
    let Body::SnapshotTaken(this) = &fact.event.body else {
        return Ok(());
    };
    let all = taken(fact.journal);
    let mut fails: BTreeMap<&str, u32> = BTreeMap::from([("iteration", 0), ("exit", 0)]);
    let mut id = "";
    for one in &all {
        let content = &one.content;
        if content.id != id {
            fails.values_mut().for_each(|count| *count = 0);
            id = &content.id;
        }
        // Only a gate's own run is new evidence of that gate.
        let ran = content
            .evidence
            .last()
            .and_then(|last| match last.from.as_str() {
                "iteration_gate" => Some(("iteration", last)),
                "exit_gate" => Some(("exit", last)),
                _ => None,
            });
        let before = all
            .iter()
            .find(|other| other.content.iteration + 1 == content.iteration);
        let known = |id: &str| {
            before.is_some_and(|before| before.content.evidence.iter().any(|one| one.id == id))
        };
        if let Some((gate, evidence)) = ran.filter(|(_, evidence)| !known(&evidence.id)) {
            let passed = evidence.lines[0].ends_with("PASS");
            let count = fails.entry(gate).or_default();
            *count = if passed { 0 } else { *count + 1 };
        }
    }
    for (gate, count) in fails {
        let said = this.content.fails.get(gate);
        hold!(
            said == Some(&count),
            "{gate}: {said:?} and not {count}\n{}",
            this.text
        );
    }
    Ok(())
}

fn nothing_begins_before_a_gate_run_is_recorded(fact: &Fact<'_, Flow>) -> Holds {
    let Body::EffectBegan(_) = &fact.event.body else {
        return Ok(());
    };
    let left = fact.journal.iter().rposition(|event| {
        matches!(&event.body, Body::Moved(moved)
            if moved.arrival == kernel::event::Arrival::Entered
                && ["iteration_failed", "iteration_passed", "exit_failed", "exit_passed"]
                    .contains(&moved.action.as_str()))
    });
    let Some(left) = left else { return Ok(()) };
    let recorded = !taken(&fact.journal[left..]).is_empty();
    hold!(
        recorded,
        "a gate was run, no snapshot says so, and work begins"
    );
    Ok(())
}

#[test]
fn at_random_the_counters_follow_the_document() {
    let rows = rows();
    let mut snapshots = 0;
    for seed in 0..24 {
        let mut vocabulary = Vocabulary::of(&workflow().table);
        vocabulary.fields = ["Slice ID", "Slice", "Scope cap"]
            .map(str::to_owned)
            .to_vec();
        let run = Simulation::new(seed, fresh, &rows).cast(SeededCast::new(seed, vocabulary));
        let played = run.run().unwrap_or_else(|failure| panic!("{failure}"));
        snapshots += taken(&played.journal).len();
    }
    assert!(snapshots > 40, "only {snapshots} snapshots were taken");
}

/// A failure, an audit, then all is well. What a gate says follows from the edits alone.
#[derive(Default)]
struct Script {
    edits: u32,
    /// What somebody has to look into.
    unknowns: &'static [&'static str],
}

impl Cast for Script {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        let state = order.state.as_str();
        if state == "edit" {
            self.edits = order.nth;
        }
        let request = match (state, order.nth) {
            ("choose", 1) => "edit",
            ("choose", _) => "exit_gate",
            _ => "",
        };
        let mut outcome = Outcome::bare(Class::Done, format!("{state} {}", order.nth));
        outcome.request = (!request.is_empty()).then(|| StateName::from(request));
        outcome.usage = Usage {
            input_tokens: 10,
            output_tokens: 1,
            cached_tokens: 0,
            micro_dollars: 1,
        };
        if state == "edit" {
            // Who changes nothing is not judged.
            outcome.changed = vec!["repo/code.txt".to_owned()];
        }
        let open = |text: &&str| json!({ "text": text, "next": "re-scout" });
        if state == "intake" && !self.unknowns.is_empty() {
            let open: Vec<Value> = self.unknowns.iter().map(open).collect();
            outcome.result = Some(json!({ "summary": "framed", "snapshot": { "open": open } }));
        }
        if state == "scout" {
            let mut asked = self.unknowns.iter();
            let asked = asked.find(|text| order.brief.contains(**text));
            let note = asked.map_or_else(String::new, |text| format!("answers {text}"));
            let found = json!([{ "path": "code.txt", "line": 1, "snippet": "code", "note": note }]);
            outcome.result = Some(json!({ "summary": "found", "evidence": found }));
        }
        if state == "intake" {
            outcome.fields = BTreeMap::from([("Slice ID".to_owned(), "S-0001".to_owned())]);
        }
        outcome
    }

    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        let fails = match order.state.as_str() {
            "iteration_gate" | "anti_stuck" => self.edits == 1,
            _ => false,
        };
        // Something is unknown at first, so that a scout goes.
        let unknown = |spec: &CheckSpec| {
            let says = spec.shows.as_ref().map(|word| word.as_str());
            order.state.as_str() == "intake" && says == Some("unknown")
        };
        let left = order.known.get("unknowns").map_or(0, |names| names.len());
        let more = |spec: &CheckSpec| {
            let says = spec.shows.as_ref().map(|word| word.as_str());
            says == Some("more") && left > 1
        };
        let checks = order.checks.iter().map(|spec| {
            let fails = fails || unknown(spec) || more(spec);
            let verdict = if fails { Verdict::Fail } else { Verdict::Pass };
            let mut result = CheckResult::new(&spec.check, verdict, "scripted");
            result.weight = spec.weight;
            if fails {
                // The third failure in a row, and not yet the one after the audit.
                let shown = spec.shows.clone().into_iter();
                let shown = shown.filter(|word| word.as_str() != "audited_before");
                result.shows.extend(shown);
            }
            result
        });
        checks.collect()
    }

    fn checkpoint(&mut self, _: &CheckpointOrder) -> Result<String, String> {
        Ok("commit".to_owned())
    }

    fn person(&mut self, waiting: &Waiting) -> String {
        waiting.options[0].clone()
    }
}

fn start() -> RunStarted {
    let mut start = drawn_start(0);
    start.workflow_hash = workflow().hash.clone();
    start.budgets = BTreeMap::new();
    start.autonomy = Autonomy::Auto;
    start.mode = Mode::default();
    start
}

/// Three scouts are sent at once; wherever it crashes, and whoever comes back first, each question has
/// its answer, in the order of the questions.
#[test]
fn scouts_go_at_once_and_are_judged_in_turn_wherever_it_crashes() {
    let rows = rows();
    let tried = crash_everywhere(|| {
        Simulation::new(0, fresh, &rows)
            .start(start())
            .cast(Script {
                edits: 0,
                unknowns: &["who calls it?", "where is it tested?", "what is it named?"],
            })
    });
    let tried = tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tried.calm.status.activity, Activity::Done);
    let (mut at_once, mut most) = (0_i32, 0);
    for event in &tried.calm.journal {
        match &event.body {
            Body::EffectBegan(began) if began.role == "scout" => at_once += 1,
            Body::AttemptEnded(_) => at_once = (at_once - 1).max(0),
            _ => {}
        }
        most = most.max(at_once);
    }
    assert_eq!(most, 3, "all of them are in flight at once");
    let found = |journal: &[Event]| -> Vec<(String, String)> {
        let all = taken(journal);
        let evidence = all[1].content.evidence.iter();
        let told = evidence.map(|one| (one.from.clone(), one.lines.join(" ")));
        told.filter(|(from, _)| from.starts_with("scout")).collect()
    };
    let want = found(&tried.calm.journal);
    assert_eq!(want.len(), 3, "{want:?}");
    for (nth, question) in ["who calls", "where is it", "what is it"]
        .iter()
        .enumerate()
    {
        let (from, lines) = &want[nth];
        assert_eq!(*from, format!("scout, I-000{}", nth + 1));
        assert!(lines.contains(&format!("answers {question}")), "{lines}");
    }
    for (crash, run) in &tried.crashed {
        assert_eq!(found(&run.journal), want, "{crash:?}");
    }
}

#[test]
fn a_crash_everywhere_leads_to_the_same_snapshots() {
    let rows = rows();
    let tried = crash_everywhere(|| {
        Simulation::new(0, fresh, &rows)
            .start(start())
            .cast(Script::default())
    });
    let tried = tried.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tried.calm.status.activity, Activity::Done);
    let texts = |journal: &[Event]| -> Vec<String> {
        taken(journal).iter().map(|one| one.text.clone()).collect()
    };
    let want = texts(&tried.calm.journal);
    assert_eq!(
        want.len(),
        6,
        "intake, consolidate, a failure, weigh, two passes"
    );
    for (crash, run) in &tried.crashed {
        assert_eq!(texts(&run.journal), want, "{crash:?}");
    }
}
