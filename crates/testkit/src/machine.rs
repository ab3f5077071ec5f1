//! What is true of every machine after every event, as a table of small named functions.
//!
//! They compare the machine with the journal's own sums ([`crate::history`]), never with itself,
//! and refuse to know tables and workflows: those add their own rows.

use crate::history::End;
use crate::invariants::{Fact, Invariant, Point, Verdict};
use crate::{hold, invariants};
use kernel::budget::{self, Budgets};
use kernel::effect::EffectKind;
use kernel::ledger;
use kernel::machine::{Activity, RunMachine};
use kernel::{Body, EffectId};
use serde_json::Value;

/// The rows that hold for every machine.
pub fn machine_invariants<M: RunMachine>() -> Vec<Invariant<M>> {
    invariants![
        replay_is_exact,
        wanted_is_deterministic,
        effect_ids_are_never_reused,
        only_what_is_wanted_begins,
        only_what_is_in_flight_ends_and_only_once,
        in_flight_is_what_began_and_did_not_end,
        budgets_never_shrink,
        attempts_are_counted,
        spending_is_what_the_attempts_cost,
        attempts_are_noted_as_they_ended,
        counters_stay_within_their_caps,
        nothing_is_wanted_while_nobody_may_act,
        late_answers_change_nothing,
        a_decision_is_carried_out_before_the_next,
    ]
}

fn replay_is_exact<M>(fact: &Fact<'_, M>) -> Verdict {
    let there = &fact.after.snapshot;
    hold!(fact.live == there, "live {}\n  replayed {there}", fact.live);
    Ok(())
}

fn wanted_is_deterministic<M: RunMachine>(fact: &Fact<'_, M>) -> Verdict {
    let again = fact.after.machine.wanted();
    let first = &fact.after.wanted;
    hold!(*first == again, "first {first:?}, then {again:?}");
    Ok(())
}

fn effect_ids_are_never_reused<M>(fact: &Fact<'_, M>) -> Verdict {
    if let Body::EffectBegan(began) = &fact.event.body {
        let before = fact.before.history.begun.get(&began.effect);
        hold!(
            before.is_none(),
            "{} begins, and it began before: {before:?}",
            began.effect
        );
    }
    Ok(())
}

fn only_what_is_wanted_begins<M>(fact: &Fact<'_, M>) -> Verdict {
    if let Body::EffectBegan(began) = &fact.event.body {
        let mut wanted = fact.before.wanted.iter();
        hold!(
            wanted.any(|effect| effect.id() == began.effect && effect.kind() == began.kind),
            "{} {:?} began, wanted were {:?}",
            began.effect,
            began.kind,
            ids(fact.before)
        );
    }
    Ok(())
}

fn only_what_is_in_flight_ends_and_only_once<M>(fact: &Fact<'_, M>) -> Verdict {
    let (effect, kind) = match &fact.event.body {
        Body::AttemptEnded(ended) => (ended.effect, Some(EffectKind::Attempt)),
        Body::GateEnded(ended) => (ended.effect, Some(EffectKind::Gate)),
        Body::CheckpointEnded(ended) => (ended.effect, Some(EffectKind::Checkpoint)),
        Body::EffectLost(lost) => (lost.effect, None),
        _ => return Ok(()),
    };
    let history = &fact.before.history;
    let Some(began) = history.begun.get(&effect) else {
        return Err(format!("{effect} ended and never began"));
    };
    let ended = history.ended.get(&effect);
    hold!(ended.is_none(), "{effect} had ended before, as {ended:?}");
    hold!(
        kind.is_none_or(|kind| kind == began.kind),
        "{effect} began as {:?} and ended as {kind:?}",
        began.kind
    );
    Ok(())
}

fn in_flight_is_what_began_and_did_not_end<M>(fact: &Fact<'_, M>) -> Verdict {
    let shown = fact.after.status.in_flight.iter();
    let shown: Vec<EffectId> = shown.map(|flying| flying.effect).collect();
    let summed = fact.after.history.in_flight();
    hold!(shown == summed, "status says {shown:?}, journal {summed:?}");
    Ok(())
}

fn budgets_never_shrink<M>(fact: &Fact<'_, M>) -> Verdict {
    let before = fact.before.status.budgets.iter();
    for (name, was) in before.filter(|(name, _)| Budgets::is_known(name)) {
        let is = fact.after.status.budgets.get(name);
        hold!(
            is.is_some_and(|is| is.used >= was.used && is.cap >= was.cap),
            "`{name}` was {was:?} and is {is:?}"
        );
    }
    Ok(())
}

fn used<M>(point: &Point<M>, name: &str) -> u64 {
    point.status.budgets.get(name).map_or(0, |gauge| gauge.used)
}

fn attempts_are_counted<M>(fact: &Fact<'_, M>) -> Verdict {
    let (counted, begun) = (
        used(fact.after, budget::ATTEMPTS),
        fact.after.history.attempts,
    );
    hold!(counted == begun, "counted {counted}, began {begun}");
    Ok(())
}

fn spending_is_what_the_attempts_cost<M>(fact: &Fact<'_, M>) -> Verdict {
    let history = &fact.after.history;
    for (name, sum) in [
        (budget::TOKENS, history.tokens),
        (budget::MICRO_DOLLARS, history.micro_dollars),
        (budget::REFUSALS, history.refusals),
    ] {
        let counted = used(fact.after, name);
        hold!(counted == sum, "`{name}`: counted {counted}, journal {sum}");
    }
    Ok(())
}

fn attempts_are_noted_as_they_ended<M>(fact: &Fact<'_, M>) -> Verdict {
    for note in &fact.after.status.attempts {
        let journal = match fact.after.history.ended.get(&note.effect) {
            None => ledger::RUNNING,
            Some(End::Lost) => ledger::LOST,
            Some(End::Attempt(class)) => class.as_str(),
            Some(end) => {
                return Err(format!(
                    "{} is an attempt and ended as {end:?}",
                    note.effect
                ));
            }
        };
        let (effect, ended) = (note.effect, &note.ended);
        hold!(ended == journal, "{effect}: `{ended}`, journal `{journal}`");
    }
    Ok(())
}

fn counters_stay_within_their_caps<M>(fact: &Fact<'_, M>) -> Verdict {
    for (name, gauge) in &fact.after.status.budgets {
        // Tokens, money and time are known only when they are spent, so one attempt may overshoot.
        let exact = !Budgets::is_known(name)
            || [budget::ATTEMPTS, budget::REFUSALS].contains(&name.as_str());
        hold!(!exact || gauge.used <= gauge.cap, "`{name}` is {gauge:?}");
    }
    Ok(())
}

fn nothing_is_wanted_while_nobody_may_act<M>(fact: &Fact<'_, M>) -> Verdict {
    let mut wanted = fact.after.wanted.iter();
    let fine = match fact.after.status.activity {
        Activity::Working => true,
        Activity::Stopped => wanted.next().is_none(),
        // What passed its gate is recorded in any case.
        Activity::Waiting | Activity::Resting | Activity::Done => {
            wanted.all(|effect| effect.kind() == EffectKind::Checkpoint)
        }
    };
    let activity = fact.after.status.activity;
    hold!(fine, "{activity:?}, and wants {:?}", ids(fact.after));
    Ok(())
}

fn late_answers_change_nothing<M>(fact: &Fact<'_, M>) -> Verdict {
    if let Body::LateDropped(late) = &fact.event.body {
        let at = Value::String(fact.event.at.to_string());
        hold!(
            same_but_for(&fact.before.snapshot, &fact.after.snapshot, &at),
            "the late answer of {} changed {}\n  to {}",
            late.effect,
            fact.before.snapshot,
            fact.after.snapshot
        );
    }
    Ok(())
}

/// Equal, except where the later one holds `free`: a machine may note when it last heard anything.
fn same_but_for(before: &Value, after: &Value, free: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let keys = before.keys().eq(after.keys());
            let mut pairs = before.values().zip(after.values());
            keys && pairs.all(|(before, after)| same_but_for(before, after, free))
        }
        (Value::Array(before), Value::Array(after)) => {
            let mut pairs = before.iter().zip(after);
            before.len() == after.len()
                && pairs.all(|(before, after)| same_but_for(before, after, free))
        }
        _ => before == after || after == free,
    }
}

fn a_decision_is_carried_out_before_the_next<M>(fact: &Fact<'_, M>) -> Verdict {
    if let (Some(open), Body::Decided(next)) =
        (&fact.before.history.open_decision, &fact.event.body)
    {
        let next = &next.option;
        return Err(format!("`{open}` was decided, and `{next}` replaces it"));
    }
    Ok(())
}

fn ids<M>(point: &Point<M>) -> Vec<(EffectId, EffectKind)> {
    let wanted = point.wanted.iter();
    wanted.map(|effect| (effect.id(), effect.kind())).collect()
}
