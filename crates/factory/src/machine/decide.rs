//! What happens next in a project: the one place. Each step follows from the state alone, so a
//! journal that ends after any event goes on from there.

use super::around::{Around, outdated, unneeded};
use super::facts::{
    ChangeStepped, DecisionVoid, EngineeringStepped, Fact, ModulesRetired, ReleaseBegan,
    TaskDispatched, TaskShipped, TasksReopened,
};
use super::halting::{halting, round};
use super::people::{carry, everything, missing, release_id};
use super::product;
use super::state::{Phase, State};
use super::wanted::{begin, may_begin};
use crate::delivery::gates;
use crate::delivery::manifest::{
    Manifest, ProductJudged, Released, Scope, engine_violations, gates_of,
};
use crate::engineering::kind::{CONTINUES, TELLS};
use crate::engineering::work::{End, Work};
use crate::project::declare;
use crate::project::graph::Task;
use crate::project::types::{ExceptionId, mint};
use kernel::event::Body;
use kernel::opening::Begun;
use kernel::{Event, Input, Note, Refusal, Time, What};

pub(crate) fn decide(state: &State, input: &Input) -> Result<Vec<Event>, Refusal> {
    let event = |body| Event { at: input.at, body };
    let begun = Begun {
        workflow_hash: None,
        started: state.started.as_ref(),
        ledger: &state.ledger,
        pending: state.decision.as_ref(),
    };
    if let Some(answer) = begun.answer(input) {
        return answer;
    }
    match &input.what {
        What::Advance => {
            let next = advance(state, input.at);
            Ok(next.map_or_else(Vec::new, |fact| vec![event(Body::Noted(fact.note()))]))
        }
        What::Begin(effect) => begin(state, *effect).map(|body| vec![event(body)]),
        What::Decide(decision) => {
            carry(state, decision, input.at)?;
            Ok(vec![event(Body::Decided(decision.clone()))])
        }
        What::Note(note) => told(state, note).map(|note| vec![event(Body::Noted(note))]),
        What::Start(_)
        | What::Open { .. }
        | What::TailCut { .. }
        | What::Edited { .. }
        | What::AttemptEnded { .. }
        | What::GateEnded { .. }
        | What::CheckpointEnded { .. }
        | What::Lost { .. } => {
            Ok(Vec::new()) // answered above, as by every machine
        }
    }
}

/// What the engine may tell: the tasks, and that they are all. Everything else follows from work
/// and people, and cannot be told.
fn told(state: &State, note: &Note) -> Result<Note, Refusal> {
    let fact = Fact::read(note)?;
    // With a product loop the tasks are those of the spec that a person approved.
    let declaring = state.phase == Phase::Declaring && state.product.is_none();
    match &fact {
        Fact::ProductBegan(began) if declaring || began.released.is_some() => {
            product::may_begin(state, began)?;
        }
        Fact::TasksDeclared(_) if declaring => {}
        Fact::ProjectOpened(opened) if declaring => {
            if opened.jobs == 0 {
                return Err(Refusal::new(
                    "no_jobs",
                    "a project with no task at a time never ends",
                    "give at least one job",
                ));
            }
            if state.declaring.is_empty() {
                return Err(Refusal::new(
                    "no_tasks",
                    "the project has no tasks",
                    "declare at least one",
                ));
            }
            declare::judge(&state.declaring)?;
        }
        _ => {
            return Err(Refusal::new(
                "note_not_yours",
                format!("`{}` cannot be told now", note.name),
                "only `product_began.v1`, `tasks_declared.v1` and `project_opened.v1` can, before the project is open",
            ));
        }
    }
    Ok(fact.note())
}

/// The next step that follows from the state alone.
pub(crate) fn advance(state: &State, at: Time) -> Option<Fact> {
    if let Some(decision) = &state.decision {
        return Some(
            carry(state, decision, at)
                .unwrap_or_else(|refusal| Fact::DecisionVoid(DecisionVoid { refusal })),
        );
    }
    match state.phase {
        Phase::Specifying | Phase::Declaring => return product::advance(state, at),
        Phase::Stopped => return None,
        Phase::Open => {}
    }
    for task in state.graph.in_progress() {
        let Some(work) = state.work.get(&task.declared.id) else {
            continue;
        };
        if let Some(end) = &work.end {
            return Some(ended(state, task, work, end));
        }
        let around = Around {
            state,
            task: &task.declared.id,
        };
        if let Some(step) = work.next(&around, at) {
            return Some(Fact::EngineeringStepped(Box::new(EngineeringStepped {
                task: task.declared.id.clone(),
                step,
            })));
        }
    }
    for (id, change) in &state.changes {
        if let Some(step) = change.next(state.briefs) {
            return Some(Fact::ChangeStepped(Box::new(ChangeStepped {
                exception: id.clone(),
                step,
            })));
        }
    }
    if let Some(manifest) = judged(state, at) {
        return Some(Fact::ReleaseJudged(Box::new(manifest)));
    }
    if state.briefs >= TELLS && state.releasing.is_none() {
        let tasks = outdated(state);
        if !tasks.is_empty() {
            return Some(Fact::TasksReopened(TasksReopened { tasks }));
        }
    }
    if may_begin(state)
        && state.graph.in_progress().count() < state.jobs as usize
        && let Some(task) = state.graph.next()
    {
        let task = task.declared.id.clone();
        return Some(Fact::TaskDispatched(TaskDispatched { task }));
    }
    if state.briefs >= CONTINUES && state.releasing.is_none() && state.graph.is_complete() {
        let modules = unneeded(state);
        if !modules.is_empty() {
            let note = format!(
                "deprecated at {at}: no task of the spec {} needs it",
                state.head.spec_version
            );
            return Some(Fact::ModulesRetired(ModulesRetired { modules, note }));
        }
    }
    // Nobody asks for the full release. What failed is tried again when a person says so, or when what
    // was released is not the same any more.
    let mut all = state.of_this_version().iter().rev();
    let full = all.find(|one| one.scope == Scope::Full);
    let due = full.is_none_or(|last| {
        state.briefs >= TELLS && !last.passed() && state.failed_as_it_is().is_none()
    });
    let automatic =
        due && state.releasing.is_none() && state.graph.is_complete() && missing(state).is_empty();
    automatic.then(|| {
        Fact::ReleaseBegan(ReleaseBegan {
            release_id: release_id(state),
            scope: Scope::Full,
            modules: everything(state),
            product: state.building(None),
        })
    })
}

fn ended(state: &State, task: &Task, work: &Work, end: &End) -> Fact {
    let id = task.declared.id.clone();
    match end {
        End::Shipped(modules) => Fact::TaskShipped(TaskShipped {
            task: id,
            modules: modules.clone(),
        }),
        End::Halted { code, .. } => {
            let round = round(task);
            let raised = work.raised.as_ref();
            let exception = raised.map(|_| ExceptionId::new(mint("ICE", state.run(), &round)));
            Fact::TaskHalted(halting(state, task, code, exception))
        }
    }
}

fn judged(state: &State, at: Time) -> Option<Manifest> {
    let releasing = state.releasing.as_ref()?;
    let results = releasing.answer.as_ref()?;
    // Both must agree: what the machine knows, and what the engine found in the store.
    let mut violations = gates::judge(&state.registry, &releasing.modules);
    let building = releasing.product.as_ref();
    violations.extend(engine_violations(&gates_of(building), results));
    let modules = releasing.modules.iter().map(|reference| Released {
        module_ref: reference.clone(),
        ship_ref: state
            .registry
            .get(reference)
            .map(|entry| entry.ship_ref.clone())
            .unwrap_or_default(),
    });
    Some(Manifest {
        release_id: releasing.release_id.clone(),
        created_at: at,
        spec_version: state.head.spec_version.clone(),
        scope: releasing.scope,
        modules: modules.collect(),
        violations,
        product: ProductJudged::of(building, results),
    })
}
