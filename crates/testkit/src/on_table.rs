//! What is true of every machine that moves on a [`Table`], one effect at a time. It judges moves
//! by [`explore::ways`], so a run that does what exploration has not proven is caught here.

use crate::history::History;
use crate::invariants::{Fact, Invariant, Verdict};
use crate::{hold, invariants};
use kernel::budget::Budgets;
use kernel::effect::EffectKind;
use kernel::explore::{self, RUN_BUDGET};
use kernel::machine::RunMachine;
use kernel::position::{Hold, Position};
use kernel::table::{Actor, Completing, Table};
use kernel::{Autonomy, Body, CounterName, EffectId, Risk};

/// A machine that stands somewhere on a table.
pub trait OnTable: RunMachine {
    /// The table.
    fn table(&self) -> &Table;
    /// Where it stands.
    fn position(&self) -> &Position;
}

impl OnTable for flow::Flow {
    fn table(&self) -> &Table {
        &self.workflow().table
    }
    fn position(&self) -> &Position {
        flow::Flow::position(self)
    }
}

/// The rows that hold for every machine on a table.
pub fn table_invariants<M: OnTable>() -> Vec<Invariant<M>> {
    invariants![
        moves_follow_the_table,
        only_moves_move,
        one_effect_at_a_time,
        effects_begin_in_the_order_of_their_ids,
        a_finished_attempt_is_used_before_the_next_begins,
        high_risk_under_auto_never_completes,
        only_a_decision_lets_a_person_move,
    ]
}

/// With several at once it is not so: one that is held back keeps its id while others begin.
fn effects_begin_in_the_order_of_their_ids<M: OnTable>(fact: &Fact<'_, M>) -> Verdict {
    if let Body::EffectBegan(began) = &fact.event.body {
        let newest = fact.before.history.begun.keys().next_back();
        hold!(
            newest.is_none_or(|newest| *newest < began.effect),
            "{} begins, and {newest:?} began before",
            began.effect
        );
    }
    Ok(())
}

fn moves_follow_the_table<M: OnTable>(fact: &Fact<'_, M>) -> Verdict {
    let Body::Moved(moved) = &fact.event.body else {
        return Ok(());
    };
    let (at, mode) = (fact.before.machine.position(), fact.before.status.mode);
    let mut to = moved.position.clone();
    // Exploration knows one budget of the run where a run has five.
    if let Some(Hold::Budget { name }) = &mut to.hold
        && at.hold.is_none()
        && Budgets::is_known(name.as_str())
    {
        *name = CounterName::from(RUN_BUDGET);
    }
    let ways = explore::ways(fact.before.machine.table(), at, mode);
    let known = ways
        .iter()
        .any(|way| way.label == moved.action && way.by == moved.by && way.to == to);
    let (action, by) = (&moved.action, moved.by);
    hold!(moved.from == at.state, "it was in {at:?}");
    hold!(
        known,
        "`{action}` by {by} is no way\n  from {at:?}\n  to {to:?}"
    );
    Ok(())
}

fn only_moves_move<M: OnTable>(fact: &Fact<'_, M>) -> Verdict {
    let (from, to) = (
        fact.before.machine.position(),
        fact.after.machine.position(),
    );
    match &fact.event.body {
        Body::RunStarted(_) => {}
        Body::Moved(moved) => hold!(*to == moved.position, "it stands at {to:?}"),
        Body::Rewound(back) => {
            hold!(*to == back.position, "it stands at {to:?}");
            let counts = from.counts.iter();
            let mut fewer = counts.filter(|(name, was)| to.count(name) < **was);
            hold!(fewer.next().is_none(), "{from:?} counted more than {to:?}");
        }
        other => hold!(from == to, "`{}` moved it to {to:?}", other.kind()),
    }
    Ok(())
}

fn one_effect_at_a_time<M>(fact: &Fact<'_, M>) -> Verdict {
    // Whoever was sent ahead says what for.
    let history = &fact.after.history;
    let mut flying = history.in_flight();
    flying.retain(|effect| history.begun[effect].subject.is_empty() || is_gate(history, effect));
    hold!(flying.len() <= 1, "in flight: {flying:?}");
    Ok(())
}

fn is_gate(history: &History, effect: &EffectId) -> bool {
    history.begun[effect].kind != EffectKind::Attempt
}

fn a_finished_attempt_is_used_before_the_next_begins<M>(fact: &Fact<'_, M>) -> Verdict {
    if let (Some(unused), Body::EffectBegan(began)) = (fact.before.history.unused, &fact.event.body)
    {
        let (again, kind) = (began.effect, began.kind);
        hold!(
            kind != EffectKind::Attempt,
            "{unused} ended well, nothing followed from it, and {again} begins"
        );
    }
    Ok(())
}

fn high_risk_under_auto_never_completes<M: OnTable>(fact: &Fact<'_, M>) -> Verdict {
    let Body::Moved(moved) = &fact.event.body else {
        return Ok(());
    };
    let from = fact.before.machine.position();
    let entered = fact.before.machine.table().state(&moved.position.state);
    hold!(
        moved.by == Actor::Human
            || moved.position.state == from.state
            || entered.completing == Completing::No
            || fact.before.status.mode.risk == Risk::Normal
            || from.autonomy != Autonomy::Auto,
        "`{}` was entered by {}",
        moved.position.state,
        moved.by
    );
    Ok(())
}

fn only_a_decision_lets_a_person_move<M>(fact: &Fact<'_, M>) -> Verdict {
    if let Body::Moved(moved) = &fact.event.body {
        let open = fact.before.history.open_decision.as_ref();
        let meant = open == Some(&moved.action);
        let action = &moved.action;
        hold!(
            (moved.by == Actor::Human) == meant,
            "`{action}` by {}, decided was {open:?}",
            moved.by
        );
    }
    Ok(())
}
