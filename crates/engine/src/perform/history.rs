//! One history of snapshots for a repository: their numbers, and the names of slices, are given out here
//! under a lock, whichever run asks. What was taken is in the journals; what is kept here is only what
//! was promised, and is read from the journals anew where it is lost.

use flow::Workflow;
use kernel::effect::{CheckSpec, GateOrder, Known};
use kernel::outcome::{CheckResult, Verdict, passes};
use kernel::{Body, Word};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{Journal, Replay};
use workspace::Project;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::lock;

/// The name under which a number is told to the machine. No check has it.
pub(crate) const NAME: &str = "history";

/// What was given out.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ledger {
    /// The highest number.
    iteration: u32,
    /// By run: the number that it has promised for the snapshot behind this one.
    promised: BTreeMap<String, (u32, u32)>,
    /// Slices, each with the run whose it is.
    slices: BTreeMap<String, String>,
}

/// Reads and changes the ledger while nobody else does.
fn with<T>(project: &Project, change: impl FnOnce(&mut Ledger) -> T) -> Result<T, EngineError> {
    let folder = project.work("_snapshots");
    std::fs::create_dir_all(&folder).map_err(EngineError::io("create", &folder))?;
    let _turn = lock::turn(&folder.join("lock"))?;
    let path = folder.join("ledger.json");
    let kept = std::fs::read(&path).ok();
    let kept = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut ledger = match kept {
        Some(ledger) => ledger,
        None => taken(project)?,
    };
    let answer = change(&mut ledger);
    let bytes = serde_json::to_vec(&ledger)
        .map_err(|error| EngineError::io("write", &path)(error.into()))?;
    store::write_atomic(&path, &bytes)?;
    Ok(answer)
}

/// What the journals say was taken.
fn taken(project: &Project) -> Result<Ledger, EngineError> {
    let mut ledger = Ledger::default();
    for run in store::list(&project.journals())? {
        // One that cannot be read has its own finding, and hides no other.
        let _ = Journal::read(&project.journals(), &run, Replay::default(), |record| {
            if record.kind == "snapshot_taken.v1"
                && let Body::SnapshotTaken(taken) = report::look::event(&record)?.body
            {
                ledger.iteration = ledger.iteration.max(taken.content.iteration);
                let of = ledger.slices.entry(taken.content.id.clone());
                of.or_insert_with(|| run.to_string());
            }
            Ok(())
        });
    }
    Ok(ledger)
}

/// The file that says which names of slices are taken.
pub(super) const TAKEN: &str = "slices.md";

/// Which names are taken, and the next free one, for whoever gives a slice its name; none for others. It is
/// said of the moment: what another run takes meanwhile is refused at the gate.
pub(super) fn taken_names(context: &Context, state: &str) -> Result<Option<String>, EngineError> {
    let Some(spec) = &context.workflow.snapshot else {
        return Ok(None);
    };
    let field = &spec.id;
    let Some(pattern) = pattern(&context.workflow, state, field) else {
        return Ok(None);
    };
    let run = &context.run;
    let mut taken = with(&context.project, |ledger| ledger.slices.clone())?;
    // Ledgers of old have what a gate had refused as well.
    taken.retain(|id, _| checks::is_id(pattern, id));
    let mut text = format!("# `{field}`\n\n");
    for (id, of) in &taken {
        let whose = match of == run {
            true => "of this run; it stays as long as the slice is the same",
            false => "taken by another run",
        };
        text.push_str(&format!("- `{id}`: {whose}\n"));
    }
    text.push_str(&match checks::free_id(taken.keys()) {
        Some(free) => format!("\nThe next free one: `{free}`.\n"),
        None => "None is taken yet.\n".to_owned(),
    });
    Ok(Some(text))
}

/// The form that a slice's name has, where the gate of this state holds it to one.
fn pattern<'w>(workflow: &'w Workflow, state: &str, field: &str) -> Option<&'w str> {
    let gate = &workflow.states.get(state)?.gate;
    let of_field = |check: &&CheckSpec| check.check == "stable_id" && check.with["field"] == *field;
    gate.iter().find(of_field)?.with["pattern"].as_str()
}

/// What the run knows, with the slices of other runs among those that were used. A new name is the
/// run's own from here on.
pub(super) fn known(context: &Context, order: &GateOrder) -> Result<Known, EngineError> {
    let mut known = order.known.clone();
    let Some(spec) = &context.workflow.snapshot else {
        return Ok(known);
    };
    let id = order.fields.get(&spec.id).map_or("", |id| id.trim());
    let pattern = pattern(&context.workflow, order.state.as_str(), &spec.id);
    // What this very gate is about to refuse is nobody's name.
    let is_name = !id.is_empty() && pattern.is_none_or(|pattern| checks::is_id(pattern, id));
    let run = &context.run;
    let others = with(&context.project, |ledger| {
        if is_name && spec.after.contains(&order.state) {
            let of = ledger.slices.entry(id.to_owned());
            of.or_insert_with(|| run.clone());
        }
        let others = ledger.slices.iter().filter(|(_, of)| *of != run);
        others.map(|(id, _)| id.clone()).collect::<Vec<_>>()
    })?;
    known.entry("ids".to_owned()).or_default().extend(others);
    Ok(known)
}

/// The number of the snapshot that follows this gate, if one does.
pub(super) fn number(
    context: &Context,
    order: &GateOrder,
    results: &[CheckResult],
) -> Option<CheckResult> {
    let spec = context.workflow.snapshot.as_ref()?;
    let counted = spec.gates.iter().any(|(_, state)| *state == order.state);
    let follows = counted || (spec.after.contains(&order.state) && passes(results));
    if !follows {
        return None;
    }
    let latest = order.known.get("iteration").and_then(|one| one.first());
    let latest: Option<u32> = latest.and_then(|one| one.parse().ok());
    let run = &context.run;
    let given = with(&context.project, |ledger| {
        let before = ledger.iteration;
        let behind = latest.unwrap_or(0);
        // A gate that was lost and is run again has its number already.
        match ledger.promised.get(run) {
            Some((of, number)) if *of == behind => (*number, number.saturating_sub(1)),
            _ => {
                ledger.iteration = before.max(behind) + 1;
                let promise = (behind, ledger.iteration);
                ledger.promised.insert(run.clone(), promise);
                (ledger.iteration, before)
            }
        }
    });
    Some(match given {
        Ok((number, before)) => {
            let reason = format!("the next snapshot is iter-{number:04}");
            let mut result = CheckResult::new(NAME, Verdict::Pass, reason);
            result
                .shows
                .insert(Word::from(format!("iter-{number:04}").as_str()));
            if latest.is_none() && before > 0 {
                result
                    .shows
                    .insert(Word::from(format!("after-{before:04}").as_str()));
            }
            result
        }
        Err(error) => CheckResult::new(NAME, Verdict::CouldNotRun, error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_what_the_gate_lets_pass_is_a_name() {
        let source = flow::built_in("slice").unwrap();
        let workflow = flow::load(&source, &|_, _| Ok(())).unwrap();
        let pattern = |state| pattern(&workflow, state, "Slice ID");
        assert_eq!(
            (pattern("intake"), pattern("plan")),
            (Some("S-[0-9]{4}"), None)
        );
        let is_name = |id: &str| checks::is_id("S-[0-9]{4}", id);
        assert!(is_name("S-0001") && !is_name("S-1") && !is_name("S-00010"));
        let mut taken = vec!["S-0002".to_owned(), "S-1".to_owned(), "S-7".to_owned()];
        taken.retain(|id| is_name(id));
        assert_eq!(checks::free_id(taken.iter()).as_deref(), Some("S-0003"));
    }

    #[test]
    fn numbers_are_given_out_once_whoever_asks() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("code.txt"), "code\n").unwrap();
        workspace::git::first_commit(folder.path(), "first").unwrap();
        let project = Project::find(folder.path()).unwrap();
        let next = || {
            let given = with(&project, |ledger| {
                ledger.iteration += 1;
                ledger.iteration
            });
            given.unwrap()
        };
        let given: Vec<u32> = std::thread::scope(|scope| {
            let askers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..5).map(|_| next()).collect::<Vec<_>>()))
                .collect();
            let given = askers.into_iter().map(|asker| asker.join().unwrap());
            given.flatten().collect()
        });
        assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), 20);
        assert_eq!(given.iter().max(), Some(&20));
    }
}
