//! What happens next in a run: the one place.

use super::state::{FlowState, Stage};
use super::wanted::{gate_checks, wanted};
use super::{edited, objection};
use crate::workflow::Workflow;
use kernel::effect::Effect;
use kernel::event::{Arrival, Body, EffectBegan, Moved, Refused};
use kernel::opening::Begun;
use kernel::position::{Hold, STOP, Step};
use kernel::table::{Actor, Completing, Guard, Kind, Target, Transition};
use kernel::{Decision, EffectId, Event, Input, Position, Refusal, StateName, Time, What};

/// Why a run goes back or stays, in the journal and to people.
pub(super) const GATE_FAILED: &str = "the gate failed";
/// The same, of a pass that came to nothing.
pub(super) const NO_PROGRESS: &str = "the pass made no material progress";

pub(crate) fn decide(
    workflow: &Workflow,
    run: &FlowState,
    input: &Input,
) -> Result<Vec<Event>, Refusal> {
    let event = |body| Event { at: input.at, body };
    if let (What::Edited { fields }, Some(_)) = (&input.what, &run.started) {
        let edited = edited::judged(workflow, run, fields);
        return Ok(vec![event(Body::FieldsEdited(edited))]);
    }
    let begun = Begun {
        workflow_hash: Some(&workflow.hash),
        started: run.started.as_ref(),
        ledger: &run.ledger,
        pending: run.decision.as_ref(),
    };
    if let Some(answer) = begun.answer(input) {
        return answer;
    }
    match &input.what {
        What::Advance => Ok(advance(workflow, run).map_or_else(Vec::new, |body| vec![event(body)])),
        What::Begin(effect) => begin(workflow, run, *effect).map(|body| vec![event(body)]),
        What::Decide(decision) => {
            let step = Step::Answer(decision.option.clone());
            let known = workflow.table.step(&run.position, run.mode(), &step);
            known.map_err(|refusal| rebuffed(workflow, run, &decision.option, refusal))?;
            reasoned(workflow, run, decision, input.at)?;
            Ok(vec![event(Body::Decided(decision.clone()))])
        }
        What::Note(note) => Err(Refusal::new(
            "note_unknown",
            format!("a workflow knows no `{}`", note.name),
            "this is a fault of the engine; please report it",
        )),
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

/// What the workflow itself says to an option that makes no sense here.
fn rebuffed(workflow: &Workflow, run: &FlowState, option: &str, refusal: Refusal) -> Refusal {
    let state = &run.position.state;
    let mut own = workflow.rebuffs.iter();
    let own = own.find(|own| {
        let is_it = match own.option.strip_suffix('*') {
            Some(begins) => option.starts_with(begins),
            None => own.option == option,
        };
        is_it && (own.states.is_empty() || own.states.contains(state))
    });
    own.map_or(refusal, |own| own.refusal.clone())
}

/// A person's way to complete is guarded like the engine's: declared risk wants a lower rung.
fn unguarded(workflow: &Workflow, run: &FlowState, way: &Transition) -> Option<Refusal> {
    let Target::State(to) = &way.to else {
        return None;
    };
    let completes = workflow.table.state(to).completing == Completing::Yes;
    let guarded = run.position.autonomy.completion(run.mode().risk);
    guarded.err().filter(|_| completes)
}

/// What a person may say now.
pub(super) fn options(workflow: &Workflow, run: &FlowState) -> Vec<String> {
    let table = &workflow.table;
    let mut options = table.options(&run.position, run.mode());
    options.retain(|option| {
        let mut ways = table.leaving(&run.position.state).map(|(_, way)| way);
        let way = ways.find(|way| way.by == Actor::Human && way.action.as_str() == option);
        way.is_none_or(|way| unguarded(workflow, run, way).is_none())
    });
    options
}

/// Does the person's reason hold what the decision needs?
fn reasoned(
    workflow: &Workflow,
    run: &FlowState,
    decision: &Decision,
    at: Time,
) -> Result<(), Refusal> {
    let table = &workflow.table;
    let mut ways = table.leaving(&run.position.state);
    let way = ways.find(|(_, way)| {
        way.by == Actor::Human
            && way.action.as_str() == decision.option
            && table.possible(&run.position, run.mode(), way)
    });
    let Some((index, way)) = way else {
        return Ok(());
    };
    if let Some(refusal) = unguarded(workflow, run, way) {
        return Err(refusal);
    }
    let Some(needs) = workflow.after[index].needs.as_ref() else {
        return Ok(());
    };
    let missing: Vec<&str> = needs
        .labels
        .iter()
        .map(String::as_str)
        .filter(|label| !says(&decision.because, label))
        .collect();
    if missing.is_empty() && !decision.because.trim().is_empty() {
        let over = |label: &&String| !is_ahead(&decision.because, label, at);
        return match needs.ahead.iter().find(over) {
            None => Ok(()),
            Some(label) => Err(Refusal::new(
                &needs.code,
                format!("`{label}` is no day that is still to come"),
                format!("say it as in `{label}: 2031-12-24`, a day that is not over yet"),
            )),
        };
    }
    let wanted: Vec<String> = needs
        .labels
        .iter()
        .map(|one| format!("{one}: ..."))
        .collect();
    let what = match missing.as_slice() {
        [] => format!("`{}` needs a reason", decision.option),
        missing => format!("`{}` lacks: {}", decision.option, missing.join(", ")),
    };
    let mend = match wanted.as_slice() {
        [] => "say why".to_owned(),
        wanted => format!("say it in the reason, as in `{}`", wanted.join("; ")),
    };
    Err(Refusal::new(&needs.code, what, mend))
}

/// Does the text hold `label: value` (or `label=value`) with something behind it?
fn says(text: &str, label: &str) -> bool {
    !values(text, label).is_empty()
}

/// What stands behind each `label:` (or `label=`), in small letters.
fn values(text: &str, label: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let label = label.to_lowercase();
    let parts = lower.split([';', ',', '\n']).filter_map(|part| {
        let value = part.trim().strip_prefix(label.as_str())?.trim_start();
        let value = value.strip_prefix([':', '='])?.trim();
        value
            .chars()
            .any(char::is_alphanumeric)
            .then(|| value.to_owned())
    });
    parts.collect()
}

/// Is every day behind this label one that is not over yet?
fn is_ahead(text: &str, label: &str, at: Time) -> bool {
    values(text, label).iter().all(|value| {
        let day = value.split_whitespace().next().unwrap_or_default();
        Time::parse(&format!("{day}T23:59:59.999Z")).is_some_and(|end| end >= at)
    })
}

/// The next step that follows from the state alone.
pub(super) fn advance(workflow: &Workflow, run: &FlowState) -> Option<Body> {
    let table = &workflow.table;
    // Before all else: what follows must stand on it.
    if let (Some(spec), Some(due)) = (&workflow.snapshot, run.snapshots.due()) {
        let taken = crate::snapshot::compose(spec, &run.snapshots, &run.fields, due);
        return Some(Body::SnapshotTaken(Box::new(taken)));
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
            let spent = run.ledger.budgets.first_spent()?;
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
            let granted = choose(workflow, run, |way| {
                let mut of_the_world = way.when.iter().filter(|guard| guard.is_of_the_world());
                way.when.contains(&Guard::Requested)
                    && of_the_world.all(|guard| *guard == Guard::Requested)
                    && asks_for(request, way)
            });
            match granted {
                Some((index, way)) => fire(workflow, run, index, way, "the agent asked for it"),
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
    let passed = judgement.passed && objects.is_none();
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
            (_, Some(_)) => "the agent asked for it",
            (true, None) => "the gate passed",
            (false, None) => GATE_FAILED,
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
        _ => GATE_FAILED.to_owned(),
    };
    stepped(workflow, run, &Step::Again, "again", Actor::Engine, why)
}

fn requested(run: &FlowState) -> Option<&StateName> {
    let request = run.outcome.as_ref()?.request.as_ref()?;
    (*request != run.position.state).then_some(request)
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
        .find(|(_, way)| {
            way.by != Actor::Human
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
    let position = workflow.table.step(&run.position, run.mode(), step).ok()?;
    let arrival = arrival(run, step, &position);
    let why = match &position.hold {
        // Trouble says itself what is wrong.
        Some(Hold::Trouble) => why,
        Some(hold) if run.position.hold.is_none() => {
            format!("{why}; held: {}", super::facts::hold_sentence(hold))
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
            _ => Arrival::Stayed,
        },
        Step::Again => Arrival::Again,
        Step::Fire(_) | Step::Stall | Step::Exhaust(_) | Step::Trouble | Step::Answer(_) => {
            Arrival::Stayed
        }
    }
}

fn begin(workflow: &Workflow, run: &FlowState, effect: EffectId) -> Result<Body, Refusal> {
    let order = wanted(workflow, run)
        .into_iter()
        .find(|order| order.id() == effect);
    let Some(order) = order.filter(|_| !run.ledger.flying.contains_key(&effect)) else {
        return Err(Refusal::new(
            "effect_not_wanted",
            format!("effect {effect} is not wanted, or has begun before"),
            "ask `wanted` again",
        ));
    };
    let (role, wall_millis) = match &order {
        Effect::Attempt(attempt) => (attempt.role.clone(), attempt.wall_millis),
        Effect::Gate(gate) => (String::new(), gate.wall_millis),
        Effect::Checkpoint(_) => (String::new(), 0),
    };
    Ok(Body::EffectBegan(EffectBegan {
        effect,
        kind: order.kind(),
        state: run.position.state.clone(),
        role,
        subject: String::new(),
        wall_millis,
    }))
}
