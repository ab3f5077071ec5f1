//! The next step that follows from the state alone: no input but the passing of a step decides it.

use super::again::looks_again;
use super::finding;
use super::idle::Follows;
use super::objection;
use super::rewind;
use super::state::{FlowState, Stage};
use super::words::{GATE_FAILED, NO_PROGRESS, SENT_BACK, hold_sentence};
use crate::workflow::Workflow;
use kernel::budget;
use kernel::effect::{CheckSpec, Weight};
use kernel::event::{Arrival, Body, Moved, Refused};
use kernel::finding::FindingKind;
use kernel::outcome::fails_in_form;
use kernel::position::{Hold, LOOK_AGAIN, STOP, Step};
use kernel::table::{Actor, Guard, Kind, Target, Transition};
use kernel::{Position, Refusal, StateName};
use serde_json::Value;

/// The budgets that hold a state in which nobody is paid.
const UNPAID: [&str; 2] = [budget::WALL_MILLIS, budget::REFUSALS];

/// The next step that follows from the state alone.
pub(super) fn advance(workflow: &Workflow, run: &FlowState) -> Option<Body> {
    let table = &workflow.table;
    // Before all else: what follows must stand on it.
    if let (Some(spec), Some(due)) = (&workflow.snapshot, run.snapshots.due()) {
        let taken = crate::snapshot::compose(spec, &run.snapshots, &run.fields, due);
        return Some(Body::SnapshotTaken(Box::new(taken)));
    }
    if let Some(decision) = run.decision.as_ref().filter(|one| rewind::is_meant(one)) {
        let back = rewind::judged(workflow, run, decision).ok()?;
        return Some(Body::Rewound(Box::new(back)));
    }
    if let Some(decision) = &run.decision {
        let step = Step::Answer(decision.option.clone());
        let why = format!("{} said `{}`", decision.who, decision.option);
        return stepped(workflow, run, &step, &decision.option, Actor::Human, why);
    }
    if !run.position.is_active(table) {
        return None;
    }
    let engine = |step: Step, name: &str, why: String| {
        stepped(workflow, run, &step, name, Actor::Engine, why)
    };
    // Before a due checkpoint: a failed one is what makes the run stuck.
    if let Stage::Stuck { why, .. } = &run.stage {
        return engine(Step::Trouble, "trouble", why.clone());
    }
    if run.checkpoint_due.is_some() {
        return None;
    }
    match &run.stage {
        Stage::Fresh => {
            if let Some((index, way)) = at_once(workflow, run) {
                return fire(workflow, run, index, way, "it follows by itself");
            }
            let spent = match workflow.states[&run.position.state].unpaid {
                true => run.ledger.budgets.first_spent_of(&UNPAID)?,
                false => run.ledger.budgets.first_spent()?,
            };
            let why = format!("the run's budget `{spent}` is used up");
            engine(Step::Exhaust(spent.clone()), "exhaust", why)
        }
        Stage::Attempting { .. } | Stage::Gating { .. } | Stage::Stuck { .. } => None,
        Stage::Failed { why } => {
            let class = run.outcome.as_ref().map(|outcome| outcome.class);
            let way = choose(workflow, run, |way| {
                let mut ended = way.when.iter();
                ended.any(|guard| matches!(guard, Guard::Ended(of) if Some(*of) == class))
            });
            match way {
                Some((index, way)) => fire(workflow, run, index, way, why),
                None => engine(Step::Again, "again", why.clone()),
            }
        }
        Stage::Dropped => {
            let dropped = choose(workflow, run, |way| way.when.contains(&Guard::Lost));
            let (index, way) = dropped?;
            fire(workflow, run, index, way, "the attempt was lost")
        }
        Stage::Answered { attempt } => {
            let request = requested(run);
            if let Some(refusal) = illegal(workflow, run, request) {
                return Some(Body::Refused(Refused {
                    effect: *attempt,
                    refusal,
                }));
            }
            // What is found is judged before anything that is asked for is granted.
            let result = run.outcome.as_ref().and_then(|one| one.result.as_ref());
            let insecure = finding::raises(result, FindingKind::Security);
            let granted = choose(workflow, run, |way| {
                let mut of_the_world = way.when.iter().filter(|guard| guard.is_of_the_world());
                !insecure
                    && way.when.contains(&Guard::Requested)
                    && of_the_world.all(|guard| *guard == Guard::Requested)
                    && asks_for(request, way)
            });
            match granted {
                Some((index, way)) => fire(workflow, run, index, way, asker(run)),
                None if gate_checks(workflow, run).is_empty() => judge(
                    workflow,
                    run,
                    Judgement {
                        passed: !objection::is_in(run.outcome.as_ref()),
                        stalled: false,
                    },
                ),
                None => None,
            }
        }
        Stage::Judged { passed, stalled } => judge(
            workflow,
            run,
            Judgement {
                passed: *passed,
                stalled: *stalled,
            },
        ),
    }
}

#[derive(Clone, Copy)]
struct Judgement {
    passed: bool,
    stalled: bool,
}

fn judge(workflow: &Workflow, run: &FlowState, judgement: Judgement) -> Option<Body> {
    let request = requested(run);
    // An agent may always ask for the stricter way: then the gate counts as failed.
    let objects = choose(workflow, run, |way| {
        way.when.contains(&Guard::GateFail) && asks_for(request, way)
    });
    // Once: who hands in the same again makes no progress, whatever its form.
    let again = workflow.rules > 1 && run.position.passes > 0;
    let stuck = judgement.stalled && workflow.stall_stops && again;
    if !judgement.passed && objects.is_none() && !stuck && is_asked_again(workflow, run) {
        let why = "what was handed in is not as it was asked for".to_owned();
        return stepped(workflow, run, &Step::Again, "again", Actor::Engine, why);
    }
    if judgement.stalled && workflow.stall_stops {
        let why = NO_PROGRESS.to_owned();
        return stepped(workflow, run, &Step::Stall, "stall", Actor::Engine, why);
    }
    let passed = judgement.passed && objects.is_none();
    // Whoever raised it looks again, until they say what became of it.
    if passed && let Some(why) = objection::unsettled(workflow, run) {
        return stepped(workflow, run, &Step::Again, "again", Actor::Engine, why);
    }
    if passed && let Some(follows) = run.idle.follows(workflow, &run.position.state) {
        let (step, name, why) = match follows {
            Follows::Again(why) => (Step::Again, "again", why),
            Follows::Person(why) => (Step::Stall, "stall", why),
        };
        return stepped(workflow, run, &step, name, Actor::Engine, why);
    }
    let chosen = choose(workflow, run, |way| {
        way.when.iter().all(|guard| match guard {
            Guard::GatePass => passed,
            Guard::GateFail => !passed,
            Guard::Requested => asks_for(request, way),
            Guard::Shows(word) => run.words.contains(word),
            Guard::Lost | Guard::Ended(_) => false,
            Guard::Left(_)
            | Guard::Spent(_)
            | Guard::ReturnIs(_)
            | Guard::ReturnEmpty
            | Guard::Stepped
            | Guard::Flowing => true,
        })
    });
    if let Some((index, way)) = objects.or(chosen) {
        let why = match (passed, objects) {
            (_, Some(_)) => asker(run),
            (true, None) => "the gate passed",
            (false, None) => failed(run),
        };
        return fire(workflow, run, index, way, why);
    }
    if judgement.stalled {
        let why = NO_PROGRESS.to_owned();
        return stepped(workflow, run, &Step::Stall, "stall", Actor::Engine, why);
    }
    let ways = workflow.table.leaving(&run.position.state);
    let ways = ways.filter(|(_, way)| way.by != Actor::Human);
    let mut withheld = ways.filter_map(|(_, way)| objection::holding(workflow, run, way));
    let why = match withheld.next() {
        Some((state, what)) if passed => {
            format!("`{state}` objects, and nobody has answered it: {what}")
        }
        _ if passed => "no next phase was asked for".to_owned(),
        _ => failed(run).to_owned(),
    };
    stepped(workflow, run, &Step::Again, "again", Actor::Engine, why)
}

/// Why work does not go on that counts as not passed: by its gate, or by a person whose word stands above it.
fn failed(run: &FlowState) -> &'static str {
    let gate = run.gates.get(&run.position.state);
    match run.sent_back && gate.is_none_or(|gate| gate.passed) {
        true => SENT_BACK,
        false => GATE_FAILED,
    }
}

/// Is it for whoever judged to hand in better, because what they judged is not at fault?
fn is_asked_again(workflow: &Workflow, run: &FlowState) -> bool {
    let state = &run.position.state;
    workflow.states[state].asks_again
        && !objection::is_in(run.outcome.as_ref())
        && run
            .gates
            .get(state)
            .is_some_and(|memo| fails_in_form(&memo.results))
}

/// What was asked for: by a person in the state file, or else by the agent.
fn requested(run: &FlowState) -> Option<&StateName> {
    let of_agent = || run.outcome.as_ref()?.request.as_ref();
    let request = run.asked.as_ref().or_else(of_agent)?;
    (*request != run.position.state).then_some(request)
}

/// Who asked, for people.
fn asker(run: &FlowState) -> &'static str {
    match run.asked {
        Some(_) => "a person asked for it in the state file",
        None => "the agent asked for it",
    }
}

fn asks_for(request: Option<&StateName>, way: &Transition) -> bool {
    matches!((&way.to, request), (Target::State(to), Some(asked)) if to == asked)
}

fn choose<'a>(
    workflow: &'a Workflow,
    run: &'a FlowState,
    fits: impl Fn(&Transition) -> bool,
) -> Option<(usize, &'a Transition)> {
    workflow
        .table
        .leaving(&run.position.state)
        .find(|(index, way)| {
            let unless = workflow.after[*index].unless_taken.as_ref();
            way.by != Actor::Human
                && !unless.is_some_and(|action| run.record.stands(action))
                && workflow.table.possible(&run.position, run.mode(), way)
                && fits(way)
                && objection::holding(workflow, run, way).is_none()
        })
}

/// A way that needs neither an agent nor a gate: the table alone decides it, on arrival.
fn at_once<'a>(workflow: &'a Workflow, run: &'a FlowState) -> Option<(usize, &'a Transition)> {
    let state = &run.position.state;
    let nothing_to_run =
        workflow.table.state(state).kind == Kind::Gate && workflow.states[state].gate.is_empty();
    choose(workflow, run, |way| {
        !way.when.iter().any(Guard::is_of_the_world) && (nothing_to_run || !way.when.is_empty())
    })
}

fn illegal(workflow: &Workflow, run: &FlowState, request: Option<&StateName>) -> Option<Refusal> {
    let request = request?;
    let allowed = workflow.table.allowed_requests(&run.position.state);
    if allowed.contains(request) {
        return None;
    }
    let names: Vec<&str> = allowed.iter().map(StateName::as_str).collect();
    Some(Refusal::new(
        "illegal_transition",
        format!(
            "the agent asked to go from `{}` to `{request}`",
            run.position.state
        ),
        format!("allowed next phases: {}", names.join(", ")),
    ))
}

fn fire(
    workflow: &Workflow,
    run: &FlowState,
    index: usize,
    way: &Transition,
    why: &str,
) -> Option<Body> {
    stepped(
        workflow,
        run,
        &Step::Fire(index),
        way.action.as_str(),
        way.by,
        why.to_owned(),
    )
}

fn stepped(
    workflow: &Workflow,
    run: &FlowState,
    step: &Step,
    name: &str,
    by: Actor,
    why: String,
) -> Option<Body> {
    let at = run.stands_at(step);
    let looks_again = *step == Step::Answer(LOOK_AGAIN.to_owned()) && looks_again(workflow, run);
    let mut position = match looks_again {
        true => at.released(),
        false => workflow.table.step(&at, run.mode(), step).ok()?,
    };
    if matches!(step, Step::Fire(_)) {
        position.autonomy = run.position.autonomy;
    }
    let arrival = match looks_again {
        true => Arrival::Stayed,
        false => arrival(run, step, &position),
    };
    let why = match &position.hold {
        // Trouble says itself what is wrong.
        Some(Hold::Trouble) => why,
        Some(hold) if run.position.hold.is_none() => {
            format!("{why}; held: {}{}", run.too_weak(hold), hold_sentence(hold))
        }
        _ => why,
    };
    Some(Body::Moved(Box::new(Moved {
        action: name.to_owned(),
        arrival,
        by,
        from: run.position.state.clone(),
        position,
        why,
    })))
}

fn arrival(run: &FlowState, step: &Step, to: &Position) -> Arrival {
    let entered = matches!(to.hold, None | Some(Hold::Step));
    match step {
        Step::Fire(_) if entered => Arrival::Entered,
        Step::Answer(option) if option == STOP => Arrival::Stayed,
        Step::Answer(_) if to.state != run.position.state => Arrival::Entered,
        // A person took the gate into their own hands, and waits where they were asked.
        Step::Answer(_) if to.autonomy != run.position.autonomy && run.position.hold.is_none() => {
            Arrival::Stayed
        }
        // Not the hold's own option, so a human action that leads back into the very state.
        Step::Answer(option)
            if run
                .position
                .hold
                .as_ref()
                .is_none_or(|hold| !hold.options().contains(&option.as_str())) =>
        {
            Arrival::Entered
        }
        Step::Answer(option) if option == "continue" || option == "retry" => match run.stage {
            Stage::Judged { .. } | Stage::Stuck { .. } => Arrival::Again,
            // Nobody judges in such a state: whoever changed nothing tries once more.
            Stage::Answered { .. } if run.position.hold == Some(Hold::Stall) => Arrival::Again,
            _ => Arrival::Stayed,
        },
        Step::Again => Arrival::Again,
        Step::Fire(_) | Step::Stall | Step::Exhaust(_) | Step::Trouble | Step::Answer(_) => {
            Arrival::Stayed
        }
    }
}

/// The gate of the present state, with what the engine asks at every gate behind it.
pub(super) fn gate_checks(workflow: &Workflow, run: &FlowState) -> Vec<CheckSpec> {
    let mut checks = workflow.states[&run.position.state].gate.clone();
    checks.extend(objection::check(workflow, run));
    // What is handed in under seal is progress that no file shows.
    if workflow.table.state(&run.position.state).kind == Kind::Work
        && !workflow.is_sealed_in(&run.position.state)
        && !run.tries_first()
        && let Some(stall) = &workflow.stall_check
    {
        checks.push(CheckSpec {
            check: stall.clone(),
            with: Value::Null,
            weight: Weight::Binding,
            shows: None,
            code: None,
        });
    }
    checks
}
