//! What should be in flight: the one place.

use super::advance::{advance, gate_checks};
use super::session;
use super::state::{FlowState, Stage};
use crate::brief;
use crate::workflow::Workflow;
use kernel::EffectId;
use kernel::effect::{
    Access, AttemptOrder, CheckpointOrder, Effect, EffectKind, GateOrder, Proven, Revert,
};
use kernel::ledger::RUNNING;
use kernel::table::Kind;

pub(crate) fn wanted(workflow: &Workflow, run: &FlowState) -> Vec<Effect> {
    if run.started.is_none() || run.decision.is_some() {
        return Vec::new();
    }
    let mut wanted = in_turn(workflow, run);
    // Whoever was sent ahead works on while the part before theirs is recorded.
    if let (Stage::Attempting { effect }, Some(_)) = (&run.stage, &run.checkpoint_due) {
        wanted.push(attempt(workflow, run, *effect));
    }
    // Where nobody has a turn, nobody goes ahead of it.
    if !wanted.is_empty() && run.position.is_active(&workflow.table) {
        wanted.extend(sent_ahead(workflow, run));
    }
    wanted
}

/// What is next.
fn in_turn(workflow: &Workflow, run: &FlowState) -> Vec<Effect> {
    // Also at an end and during a pause: what passed its gate is recorded in any case.
    if let Some(subject) = &run.checkpoint_due
        && !run.position.stopped
        && !matches!(run.stage, Stage::Stuck { .. })
    {
        let mut flying = run.ledger.flying.iter();
        let begun = flying.find(|(_, flying)| flying.kind == EffectKind::Checkpoint);
        let id = begun.map_or(run.ledger.next, |(id, _)| *id);
        return vec![Effect::Checkpoint(CheckpointOrder {
            id,
            subject: subject.clone(),
            tree: run
                .judged
                .clone()
                .filter(|_| run.checkpoint_of.is_some() && !run.revert_due),
            revert: run.revert_due.then(|| match &run.put_back {
                Some(back) => Revert {
                    to: back.to.clone(),
                    paths: back.paths.iter().cloned().collect(),
                },
                None => Revert {
                    to: run.good_commit.clone(),
                    paths: run.touched.iter().cloned().collect(),
                },
            }),
        })];
    }
    if !run.position.is_active(&workflow.table) {
        return Vec::new();
    }
    let gate_only = workflow.table.state(&run.position.state).kind == Kind::Gate;
    match &run.stage {
        // Something follows from the table or the budgets alone: nothing is to be started.
        Stage::Fresh if advance(workflow, run).is_some() => Vec::new(),
        Stage::Fresh if gate_only => vec![gate(workflow, run, run.ledger.next, None)],
        Stage::Fresh => vec![attempt(workflow, run, run.ledger.next)],
        Stage::Attempting { effect } => vec![attempt(workflow, run, *effect)],
        Stage::Gating { effect, attempt } => vec![gate(workflow, run, *effect, *attempt)],
        Stage::Answered { attempt } => match advance(workflow, run) {
            Some(_) => Vec::new(),
            None => vec![gate(workflow, run, run.ledger.next, *attempt)],
        },
        Stage::Failed { .. } | Stage::Stuck { .. } | Stage::Judged { .. } | Stage::Dropped => {
            Vec::new()
        }
    }
}

fn attempt(workflow: &Workflow, run: &FlowState, id: EffectId) -> Effect {
    let state = &run.position.state;
    let def = &workflow.states[state];
    let role = def.role.clone().unwrap_or_default();
    let def_of = workflow.roles.get(&role);
    let wrong = run.patience.continues.as_ref().map(|(_, wrong)| wrong);
    let again = wrong.map(|wrong| brief::ask_again(workflow, run, wrong));
    let brief = brief::compile(workflow, run);
    let question = run.snapshots.question(workflow.snapshot.as_ref(), state);
    let at_once = run.snapshots.to_be_sent(workflow.snapshot.as_ref(), state);
    let own = question.filter(|issue| !issue.scope.is_empty());
    let sight = def_of
        .map(|role| role.sight.filled_in(&run.filled()))
        .unwrap_or_default();
    Effect::Attempt(AttemptOrder {
        id,
        state: state.clone(),
        access: def_of.map_or(Access::ReadOnly, |role| role.access()),
        sight: match own {
            Some(issue) => sight.bounded(&issue.scope),
            None => sight,
        },
        subject: String::new(),
        nth: run.ledger.ended_in(state) + beside(run, id) + 1,
        brief: match &again {
            Some(again) => format!("{again}\nThe whole brief, as it was:\n\n{brief}"),
            None => brief,
        },
        session: session::goes_on_in(workflow, run, id),
        again,
        role,
        wall_millis: run.ledger.wall_limit(def.wall_millis),
        allowance: run.ledger.allowance().shared(at_once),
        not_before: run.patience.not_before,
        continues: run.patience.continues.as_ref().map(|(effect, _)| *effect),
        sealed: run.sealed(workflow),
        papers: brief::papers(workflow, run),
        change: run
            .good_commit
            .clone()
            .filter(|_| brief::shows_change(workflow, run)),
    })
}

/// How many attempts of the present state are in flight beside this one.
fn beside(run: &FlowState, effect: EffectId) -> u32 {
    let state = &run.position.state;
    let beside = run
        .ledger
        .attempts
        .iter()
        .filter(|note| note.state == *state && note.ended == RUNNING && note.effect != effect);
    u32::try_from(beside.count()).unwrap_or(u32::MAX)
}

/// Attempts that should be in flight beside the one whose turn it is. Nobody who edits is sent ahead.
fn sent_ahead(workflow: &Workflow, run: &FlowState) -> Vec<Effect> {
    let spec = workflow.snapshot.as_ref();
    let role = workflow.states[&run.position.state].role.as_ref();
    let role = role.and_then(|role| workflow.roles.get(role));
    if role.is_none_or(|role| role.access() != Access::ReadOnly) {
        return Vec::new();
    }
    let waiting = run.snapshots.waiting(spec, &run.position.state);
    let at_once = run.snapshots.to_be_sent(spec, &run.position.state);
    let (first, sends) = match run.stage {
        Stage::Fresh => (run.ledger.next.next(), true),
        Stage::Attempting { .. } => (run.ledger.next, true),
        _ => (run.ledger.next, false),
    };
    let sends = sends && run.checkpoint_due.is_none() && run.ledger.budgets.first_spent().is_none();
    let (mut next, mut wanted) = (first, Vec::new());
    // Whoever is begun before it is counted, begun or not.
    let mut before = u32::from(run.stage == Stage::Fresh);
    for issue in &waiting {
        let begun = run.ahead.of(issue);
        let flies = begun.is_some_and(|effect| run.ledger.flying.contains_key(&effect));
        let id = match begun {
            Some(id) if flies => id,
            None if sends => next,
            _ => continue,
        };
        if begun.is_none() {
            next = next.next();
        }
        let mut then = run.clone();
        then.snapshots = run.snapshots.until(issue);
        then.patience = Default::default();
        // What was refused is another one's.
        then.outcome = None;
        if let Effect::Attempt(mut order) = attempt(workflow, &then, id) {
            order.subject.clone_from(issue);
            order.allowance = run.ledger.allowance().shared(at_once);
            if begun.is_none() {
                order.nth += before;
                before += 1;
            }
            wanted.push(Effect::Attempt(order));
        }
    }
    wanted
}

/// What stands proven, if anything was executed that shows it.
fn proven(run: &FlowState) -> Option<Proven> {
    let worth = run.worth().last()?.as_str().to_owned();
    let commit = run.good_commit.clone()?;
    Some(Proven { commit, worth })
}

fn gate(workflow: &Workflow, run: &FlowState, id: EffectId, attempt: Option<EffectId>) -> Effect {
    let def = &workflow.states[&run.position.state];
    Effect::Gate(GateOrder {
        id,
        state: run.position.state.clone(),
        subject: String::new(),
        attempt,
        checks: gate_checks(workflow, run),
        fields: run.filled(),
        frozen: run.frozen.clone(),
        standing: run.standing(),
        commits: run.commits.clone(),
        proven: proven(run),
        known: run.known(workflow),
        wall_millis: run.ledger.wall_limit(def.wall_millis),
    })
}
