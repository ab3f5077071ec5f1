//! The control flow of a workflow file: states, counters, transitions, guards.

use super::Loader;
use crate::raw::{OneOrMany, RawStepping, RawTransition, RawWorkflow};
use crate::workflow::{After, Bars, Needs, Opens, SetAside};
use kernel::finding::FindingKind;
use kernel::table::{
    Completing, Counter, Guard, Kind, Slot, Stalling, State, Stepping, Table, Target, Transition,
};
use kernel::{ActionName, Class, CounterName, StateName, Word};

const DEFAULT_PASSES: u32 = 4;

pub(super) fn table(loader: &mut Loader<'_>, raw: &RawWorkflow) -> Table {
    let states = raw.state.iter().map(|(name, state)| {
        let state = state.get_ref();
        let completing = state.completing.unwrap_or(state.kind == Kind::End);
        (
            StateName::new(name),
            State {
                kind: state.kind,
                passes: state.passes.unwrap_or(DEFAULT_PASSES),
                completing: if completing {
                    Completing::Yes
                } else {
                    Completing::No
                },
            },
        )
    });
    let states = states.collect();
    let counters = raw.counter.iter().map(|(name, counter)| {
        let counter = counter.get_ref();
        (
            CounterName::new(name),
            Counter {
                cap: counter.cap,
                renewal: counter.renewal,
            },
        )
    });
    Table {
        name: raw.name.clone(),
        initial: StateName::new(raw.initial.get_ref()),
        states,
        counters: counters.collect(),
        transitions: raw
            .transition
            .iter()
            .map(|way| transition(loader, way.span().start, way.get_ref()))
            .collect(),
        stepping: match raw.stepping {
            RawStepping::Held => Stepping::Held,
            RawStepping::Table => Stepping::InTable,
        },
        stalling: match raw.stall_check.is_some() || raw.idle_stops {
            true => Stalling::Halts,
            false => Stalling::Counts,
        },
    }
}

fn transition(loader: &mut Loader<'_>, at: usize, raw: &RawTransition) -> Transition {
    let names = |list: &OneOrMany| -> Vec<CounterName> {
        list.list().into_iter().map(CounterName::new).collect()
    };
    let mut when = Vec::new();
    for text in raw.when.list() {
        match guard(text) {
            Some(guard) => when.push(guard),
            None => loader.problem(
                "unknown_guard",
                at,
                format!("`{}`: unknown guard `{text}`", raw.action),
                "use gate.pass, gate.fail, requested, shows WORD, lost, ended CLASS, left COUNTER, spent COUNTER, return STATE, return none, stepped or flowing",
            ),
        }
    }
    Transition {
        action: ActionName::new(&raw.action),
        from: raw.from.list().into_iter().map(StateName::new).collect(),
        to: match raw.to.as_str() {
            "return" => Target::Return,
            state => Target::State(StateName::new(state)),
        },
        by: raw.by,
        when,
        count: names(&raw.count),
        reset: names(&raw.reset),
        slot: match raw.slot.as_deref() {
            None => Slot::Keep,
            Some("from") => Slot::SaveFrom,
            Some("clear") => Slot::Clear,
            Some(state) => Slot::Save(StateName::new(state)),
        },
    }
}

/// What the transitions do besides moving, in the table's order.
pub(super) fn after(raw: &RawWorkflow) -> Vec<After> {
    let ways = raw.transition.iter().map(|way| way.get_ref());
    ways.map(|way| After {
        about: way.about.trim().to_owned(),
        revert: way.revert,
        post_mortem: way.post_mortem,
        forget: way.forget.list().into_iter().map(StateName::new).collect(),
        needs: way.needs_code.as_ref().map(|code| Needs {
            labels: way.needs.list().into_iter().map(str::to_owned).collect(),
            ahead: way
                .needs_ahead
                .list()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            there: way.needs_there.clone(),
            code: code.clone(),
        }),
        unless_taken: way.unless_taken.clone(),
        bars: Bars {
            after_gate: way.after_gate.clone(),
            unless_changed: way.unless_changed.clone(),
            never_over: way.never_over_code.clone().map(|code| {
                let kinds = way.never_over.list().into_iter();
                (kinds.filter_map(FindingKind::of).collect(), code)
            }),
            after_refused: way
                .after_refused
                .list()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        },
        aside: match (&way.sets_aside, &way.back_to) {
            (Some(of), Some(back_to)) => Some(SetAside {
                of: StateName::new(of),
                back_to: StateName::new(back_to),
                named: way.aside_named.clone(),
            }),
            _ => None,
        },
        takes_back: way.takes_back,
        gate_first: way.gate_first,
        opens: way.opens.as_ref().map(|opens| Opens {
            label: opens.label.clone(),
            field: opens.field.clone(),
            of: opens.of.clone(),
            code: opens.code.clone(),
            among: opens.among.clone(),
        }),
    })
    .collect()
}

fn guard(text: &str) -> Option<Guard> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["gate.pass"] => Some(Guard::GatePass),
        ["gate.fail"] => Some(Guard::GateFail),
        ["requested"] => Some(Guard::Requested),
        ["shows", word] => Some(Guard::Shows(Word::from(*word))),
        ["lost"] => Some(Guard::Lost),
        ["ended", class] => {
            let mut classes = Class::TROUBLES.into_iter();
            classes
                .find(|known| known.as_str() == *class)
                .map(Guard::Ended)
        }
        ["stepped"] => Some(Guard::Stepped),
        ["flowing"] => Some(Guard::Flowing),
        ["left", counter] => Some(Guard::Left(CounterName::from(*counter))),
        ["spent", counter] => Some(Guard::Spent(CounterName::from(*counter))),
        ["return", "none"] => Some(Guard::ReturnEmpty),
        ["return", state] => Some(Guard::ReturnIs(StateName::from(*state))),
        _ => None,
    }
}
