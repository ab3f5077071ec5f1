//! Every position that a table can reach, numbered breadth-first.

use super::{Way, all_ways};
use crate::autonomy::{Autonomy, Mode, Pace, Risk};
use crate::ids::{CounterName, StateName};
use crate::position::{Hold, Position, Step};
use crate::table::{Actor, Table};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) struct Node {
    pub(super) mode: Mode,
    pub(super) at: Position,
    /// From where, and by which step, it was found first: so by a shortest path.
    pub(super) parent: Option<(usize, Rc<str>)>,
    /// Where to, by what name, and who takes it.
    pub(super) ways: Vec<(usize, Rc<str>, Actor)>,
}

impl Node {
    pub(super) fn new(mode: Mode, at: Position, parent: Option<(usize, Rc<str>)>) -> Self {
        Self {
            mode,
            at,
            parent,
            ways: Vec::new(),
        }
    }
}

/// Positions as short strings of bytes: millions of them are compared, and comparing names is slow.
#[derive(Default)]
struct Keys {
    states: BTreeMap<StateName, u32>,
    counters: BTreeMap<CounterName, u32>,
    holds: BTreeMap<Hold, u32>,
}

/// The name's number, from 1; the next free one if it is new.
fn number<T: Ord + Clone>(known: &mut BTreeMap<T, u32>, name: &T) -> u32 {
    if let Some(number) = known.get(name) {
        return *number;
    }
    let next = u32::try_from(known.len()).unwrap_or(u32::MAX) + 1;
    known.insert(name.clone(), next);
    next
}

impl Keys {
    fn key(&mut self, mode: Mode, at: &Position) -> Box<[u8]> {
        // Every field, by name: a new one must not be forgotten here.
        let Position {
            state,
            slot,
            counts,
            passes,
            hold,
            autonomy,
            stopped,
        } = at;
        let Mode { pace, risk } = mode;
        let mut key = Vec::with_capacity(32);
        key.extend([pace as u8, risk as u8, *autonomy as u8, u8::from(*stopped)]);
        let mut push = |number: u32| key.extend(number.to_be_bytes());
        push(number(&mut self.states, state));
        push(
            slot.as_ref()
                .map_or(0, |slot| number(&mut self.states, slot)),
        );
        push(
            hold.as_ref()
                .map_or(0, |hold| number(&mut self.holds, hold)),
        );
        push(*passes);
        for (counter, value) in counts {
            push(number(&mut self.counters, counter));
            push(*value);
        }
        key.into()
    }
}

/// The part of the table that matters in one state: only what leaves it. Steps are the same code on
/// it, without walking past every other transition millions of times.
struct Part {
    table: Table,
    /// Its transitions' indices in the whole table.
    indices: Vec<usize>,
}

fn parts(table: &Table) -> BTreeMap<StateName, Part> {
    let part = |state: &StateName| {
        let (indices, transitions) = table
            .leaving(state)
            .map(|(index, way)| (index, way.clone()))
            .unzip();
        let table = Table {
            name: table.name.clone(),
            initial: table.initial.clone(),
            states: table.states.clone(),
            counters: table.counters.clone(),
            transitions,
            stepping: table.stepping,
            stalling: table.stalling,
        };
        Part { table, indices }
    };
    table
        .states
        .keys()
        .map(|state| (state.clone(), part(state)))
        .collect()
}

/// All nodes, and the indices of all transitions that ever land. `None`: more than `most`.
pub(super) fn reach(table: &Table, most: usize) -> Option<(Vec<Node>, BTreeSet<usize>)> {
    let mut fired: BTreeSet<usize> = BTreeSet::new();
    let parts = parts(table);
    let mut nodes: Vec<Node> = Vec::new();
    let mut keys = Keys::default();
    let mut index: BTreeMap<Box<[u8]>, usize> = BTreeMap::new();
    for pace in Pace::ALL {
        for risk in Risk::ALL {
            for autonomy in Autonomy::ALL {
                let (mode, at) = (Mode { pace, risk }, Position::start(table, autonomy));
                index.insert(keys.key(mode, &at), nodes.len());
                nodes.push(Node::new(mode, at, None));
            }
        }
    }
    // Nodes are numbered in the order in which they are found, so the list is its own queue.
    let mut here = 0;
    while here < nodes.len() {
        let (mode, at) = (nodes[here].mode, nodes[here].at.clone());
        let part = &parts[&at.state];
        let mut onward: Vec<(usize, Rc<str>, Actor)> = Vec::new();
        for way in all_ways(&part.table, &at, mode) {
            note_fired(part, &at, mode, &way, &mut fired);
            let label: Rc<str> = way.label.into();
            let there = match index.entry(keys.key(mode, &way.to)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let there = nodes.len();
                    if there >= most {
                        return None;
                    }
                    let parent = Some((here, Rc::clone(&label)));
                    nodes.push(Node::new(mode, way.to, parent));
                    *entry.insert(there)
                }
            };
            let twin =
                |(other, name, _): &(usize, Rc<str>, Actor)| *other == there && *name == label;
            if !onward.iter().any(twin) {
                onward.push((there, label, way.by));
            }
        }
        nodes[here].ways = onward;
        here += 1;
    }
    Some((nodes, fired))
}

/// Notes the transition that this way lands by. One that only ever becomes an escalation is dead.
fn note_fired(part: &Part, at: &Position, mode: Mode, way: &Way, fired: &mut BTreeSet<usize>) {
    let table = &part.table;
    match &way.step {
        Step::Fire(index) => {
            if matches!(way.to.hold, None | Some(Hold::Step)) {
                fired.insert(part.indices[*index]);
            }
        }
        Step::Answer(option) => {
            let meant = table.leaving(&at.state).find(|(_, transition)| {
                transition.by == Actor::Human
                    && transition.action.as_str() == option
                    && table.possible(at, mode, transition)
            });
            fired.extend(meant.map(|(index, _)| part.indices[index]));
        }
        Step::Again | Step::Stall | Step::Exhaust(_) | Step::Trouble => {}
    }
}

/// A shortest path to a node, one step a line.
pub(super) fn path_to(nodes: &[Node], mut here: usize) -> Vec<String> {
    let mut path = Vec::new();
    while let Some((parent, label)) = &nodes[here].parent {
        path.push(format!("{label} -> {}", describe(&nodes[here].at)));
        here = *parent;
    }
    let start = &nodes[here];
    path.push(format!(
        "start in {} (autonomy {}, {:?}, risk {:?})",
        start.at.state, start.at.autonomy, start.mode.pace, start.mode.risk
    ));
    path.reverse();
    path
}

/// A position in a line.
pub(super) fn describe(at: &Position) -> String {
    let mut text = at.state.to_string();
    for (counter, value) in &at.counts {
        text.push_str(&format!(" {counter}={value}"));
    }
    if let Some(slot) = &at.slot {
        text.push_str(&format!(" return={slot}"));
    }
    if let Some(hold) = &at.hold {
        text.push_str(&format!(" held:{}", hold.name()));
    }
    if at.stopped {
        text.push_str(" stopped");
    }
    text
}
