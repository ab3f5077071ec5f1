//! What is true of the `phase` workflow alone, and how its runs are simulated.

use flow::{Flow, Workflow, built_in, load};
use kernel::outcome::passes;
use kernel::{Body, EffectId, Event};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use testkit::invariants::Verdict;
use testkit::{
    Fact, Invariant, OnTable, SeededCast, Simulation, Vocabulary, hold, invariants,
    machine_invariants, table_invariants,
};

/// The workflow, loaded once: loading is not what is tried here.
pub(crate) fn workflow() -> Arc<Workflow> {
    static PHASE: LazyLock<Arc<Workflow>> = LazyLock::new(|| {
        let source = built_in("phase").expect("a built-in workflow");
        Arc::new(load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")))
    });
    Arc::clone(&PHASE)
}

pub(crate) fn fresh() -> Flow {
    Flow::new(workflow())
}

/// Everything that must hold of a run of `phase`.
pub(crate) fn all_invariants<M: OnTable>() -> Vec<Invariant<M>> {
    let mut rows = machine_invariants();
    rows.extend(table_invariants());
    rows.extend(invariants![
        done_is_proven_after_the_last_repair,
        a_passed_gate_is_what_passed
    ]);
    rows
}

/// The run of a seed, with agents that know the workflow's words.
pub(crate) fn simulation<'a, M: OnTable + 'a>(
    seed: u64,
    make: impl Fn() -> M + 'a,
    rows: &'a [Invariant<M>],
) -> Simulation<'a, M> {
    let workflow = workflow();
    let mut vocabulary = Vocabulary::of(&workflow.table);
    vocabulary.progress = workflow.stall_check.clone().unwrap_or_default();
    vocabulary.fields = ["Objective", "Not doing", "Phase"]
        .map(str::to_owned)
        .to_vec();
    Simulation::new(seed, make, rows).cast(SeededCast::new(seed, vocabulary))
}

/// What counts of a journal: whoever led the run back to a commit went back from all that came behind it.
fn standing(journal: &[Event]) -> Vec<&Event> {
    let mut all: Vec<&Event> = Vec::new();
    for event in journal {
        if let Body::Rewound(back) = &event.body {
            let made = |one: &&Event| matches!(&one.body, Body::CheckpointEnded(ended) if ended.commit.as_ref() == Some(&back.commit));
            let behind = all.iter().rposition(made).map_or(0, |at| at + 1);
            all.truncate(behind);
        }
        all.push(event);
    }
    all
}

/// The last gate of each state, by where it stands in the journal. Read from the journal alone.
fn last_gates<'a>(journal: &[&'a Event]) -> BTreeMap<&'a str, (usize, bool)> {
    let progress = workflow().stall_check.clone().unwrap_or_default();
    let mut states: BTreeMap<EffectId, &str> = BTreeMap::new();
    let mut gates = BTreeMap::new();
    for (index, event) in journal.iter().enumerate() {
        match &event.body {
            Body::EffectBegan(began) => {
                states.insert(began.effect, began.state.as_str());
            }
            Body::GateEnded(ended) => {
                let results = ended.results.iter();
                let judged = results.filter(|result| result.check != progress).cloned();
                let passed = passes(&judged.collect::<Vec<_>>());
                if let Some(state) = states.get(&ended.effect) {
                    gates.insert(*state, (index, passed));
                }
            }
            _ => {}
        }
    }
    gates
}

fn done_is_proven_after_the_last_repair<M>(fact: &Fact<'_, M>) -> Verdict {
    let Body::Moved(moved) = &fact.event.body else {
        return Ok(());
    };
    if moved.position.state.as_str() != "done" {
        return Ok(());
    }
    let journal = standing(fact.journal);
    let repaired = journal.iter().rposition(
        |event| matches!(&event.body, Body::EffectBegan(began) if began.state.as_str() == "repair"),
    );
    let gates = last_gates(&journal);
    let mut since = repaired.unwrap_or(0);
    for state in ["verify", "review"] {
        let Some((index, passed)) = gates.get(state) else {
            return Err(format!("no gate of `{state}` was ever run"));
        };
        hold!(*passed, "the last gate of `{state}` failed");
        hold!(*index > since, "the last gate of `{state}` is too old");
        since = *index;
    }
    Ok(())
}

/// A move that rests on a passed gate follows a gate of that state that passed, and no attempt
/// came in between.
fn a_passed_gate_is_what_passed<M: OnTable>(fact: &Fact<'_, M>) -> Verdict {
    use kernel::table::{Guard, Target};
    let Body::Moved(moved) = &fact.event.body else {
        return Ok(());
    };
    if moved.position.state == moved.from {
        return Ok(());
    }
    let table = fact.before.machine.table();
    let mut taken = table
        .leaving(&moved.from)
        .map(|(_, way)| way)
        .filter(|way| {
            way.to == Target::State(moved.position.state.clone())
                && (way.action.as_str() == moved.action || moved.action == "approve")
        });
    if !taken.any(|way| way.when.contains(&Guard::GatePass)) {
        return Ok(());
    }
    let journal = standing(fact.journal);
    let gates = last_gates(&journal);
    let from = moved.from.as_str();
    let Some((gate, true)) = gates.get(from) else {
        return Err(format!("`{from}` was left as passed, its gate did not"));
    };
    let newer = journal[*gate..].iter().any(
        |event| matches!(&event.body, Body::EffectBegan(began) if began.kind == kernel::effect::EffectKind::Attempt),
    );
    hold!(!newer, "an attempt began after the gate of `{from}`");
    Ok(())
}
