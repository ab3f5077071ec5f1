//! Random tables, random walks: no step panics, no cap is passed, no return slot is lost, and no
//! walk leaves what exploration says is reachable.

use crate::tables::{table, way};
use kernel::explore::{RUN_BUDGET, explore, ways};
use kernel::table::{Guard, Slot, Stalling, Stepping, Table, Target, Transition};
use kernel::{Actor, Autonomy, Mode, Pace, Position, Risk, Step};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use std::collections::BTreeSet;

const STATES: [&str; 5] = ["a", "b", "c", "d", "done"];
const COUNTERS: [(&str, u32); 2] = [("x", 1), ("y", 2)];

fn guard() -> impl Strategy<Value = Guard> {
    let counter = || select(COUNTERS.to_vec()).prop_map(|(name, _)| name.into());
    prop_oneof![
        Just(Guard::GatePass),
        Just(Guard::GateFail),
        Just(Guard::Requested),
        counter().prop_map(Guard::Left),
        counter().prop_map(Guard::Spent),
        select(STATES.to_vec()).prop_map(|state| Guard::ReturnIs(state.into())),
        Just(Guard::ReturnEmpty),
        Just(Guard::Stepped),
        Just(Guard::Flowing),
    ]
}

fn transition() -> impl Strategy<Value = Transition> {
    let counters: Vec<&str> = COUNTERS.iter().map(|(name, _)| *name).collect();
    let slot = prop_oneof![
        3 => Just(Slot::Keep),
        2 => Just(Slot::SaveFrom),
        1 => select(STATES.to_vec()).prop_map(|state| Slot::Save(state.into())),
        1 => Just(Slot::Clear),
    ];
    (
        select(vec!["go", "back", "skip"]),
        subsequence(STATES[..4].to_vec(), 1..3),
        select(vec!["a", "b", "c", "d", "done", "return"]),
        select(vec![Actor::Engine, Actor::Agent, Actor::Human]),
        proptest::collection::vec(guard(), 0..3),
        subsequence(counters.clone(), 0..2),
        subsequence(counters, 0..2),
        slot,
    )
        .prop_map(
            |(action, from, to, by, when, count, reset, slot)| Transition {
                when,
                count: count.into_iter().map(Into::into).collect(),
                reset: reset.into_iter().map(Into::into).collect(),
                slot,
                ..way(action, &from.join(" "), to, by)
            },
        )
}

fn any_table() -> impl Strategy<Value = Table> {
    let kinds = || select(vec!["work:2", "gate:1", "wait", "rest:1!", "work:1!"]);
    (
        [kinds(), kinds(), kinds()],
        proptest::collection::vec(transition(), 1..9),
        any::<[bool; 2]>(),
    )
        .prop_map(|([b, c, d], ways, [in_table, halts])| {
            let states = format!("a:work:2 b:{b} c:{c} d:{d} done:end");
            let mut table = table(&states, &COUNTERS);
            table.transitions = ways;
            if in_table {
                table.stepping = Stepping::InTable;
            }
            if halts {
                table.stalling = Stalling::Halts;
            }
            table
        })
}

fn modes() -> impl Iterator<Item = Mode> {
    let of = |pace| Risk::ALL.map(|risk| Mode { pace, risk });
    Pace::ALL.into_iter().flat_map(of)
}

/// Everything that `ways` reaches, by the plainest search.
fn reachable(table: &Table) -> BTreeSet<(Mode, Position)> {
    let mut seen = BTreeSet::new();
    let mut queue: Vec<(Mode, Position)> = modes()
        .flat_map(|mode| Autonomy::ALL.map(|rung| (mode, Position::start(table, rung))))
        .collect();
    while let Some((mode, at)) = queue.pop() {
        if seen.insert((mode, at.clone())) {
            queue.extend(ways(table, &at, mode).into_iter().map(|way| (mode, way.to)));
        }
    }
    seen
}

/// Any step at all, most of them nonsense where they are tried.
fn steps(table: &Table) -> Vec<Step> {
    let mut all: Vec<Step> = (0..=table.transitions.len()).map(Step::Fire).collect();
    all.extend([Step::Again, Step::Trouble, Step::Exhaust(RUN_BUDGET.into())]);
    if table.stalling == Stalling::Halts {
        all.push(Step::Stall);
    }
    let words = "approve reject continue extend lower retry stop go back skip nonsense";
    all.extend(words.split(' ').map(|word| Step::Answer(word.to_owned())));
    all
}

/// The slot changes only as the taken transition says, and never on holds and answers to them.
fn slot_is_explained(table: &Table, before: &Position, after: &Position) -> bool {
    before.slot == after.slot
        || table
            .leaving(&before.state)
            .any(|(_, way)| match (&way.to, &way.slot) {
                (Target::Return, _) => {
                    after.slot.is_none() && before.slot.as_ref() == Some(&after.state)
                }
                (Target::State(to), _) if *to != after.state => false,
                (_, Slot::Keep) => false,
                (_, Slot::SaveFrom) => after.slot.as_ref() == Some(&before.state),
                (_, Slot::Save(saved)) => after.slot.as_ref() == Some(saved),
                (_, Slot::Clear) => after.slot.is_none(),
            })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_stay_within_caps_and_within_what_exploration_reaches(
        table in any_table(),
        mode in select(modes().collect::<Vec<_>>()),
        rung in select(Autonomy::ALL.to_vec()),
        picks in proptest::collection::vec(any::<Index>(), 60),
    ) {
        let reachable = reachable(&table);
        prop_assert_eq!(explore(&table).positions, reachable.len());
        let all = steps(&table);
        let mut at = Position::start(&table, rung);
        for pick in picks {
            let step = pick.get(&all);
            // A stall is the world's only where an agent works.
            if *step == Step::Stall && table.state(&at.state).kind != kernel::Kind::Work {
                continue;
            }
            let Ok(next) = table.step(&at, mode, step) else { continue };
            if *step == Step::Answer("stop".to_owned()) && !at.stopped {
                // Seen to be reachable; a stopped walk would be a short one.
                prop_assert!(reachable.contains(&(mode, next)));
                continue;
            }
            for (name, cap) in COUNTERS {
                prop_assert!(next.count(&name.into()) <= cap);
            }
            prop_assert!(next.passes <= table.state(&next.state).passes);
            prop_assert!(next.passes < table.state(&next.state).passes || next.hold.is_some());
            prop_assert!(slot_is_explained(&table, &at, &next), "{:?} by {:?} to {:?}", at, step, next);
            prop_assert!(reachable.contains(&(mode, next.clone())), "{:?} by {:?}", next, step);
            prop_assert_eq!(next.autonomy <= at.autonomy, true, "autonomy only ever falls");
            at = next;
        }
    }

    #[test]
    fn what_may_be_returned_to_is_never_underrated(table in any_table()) {
        for (_, at) in reachable(&table) {
            if let Some(slot) = &at.slot {
                prop_assert!(table.possible_returns(&at.state).contains(slot), "{:?}", at);
            }
        }
    }
}
