//! Every position that a table can reach, numbered breadth-first.

use super::{Way, all_ways};
use crate::autonomy::{Autonomy, Mode, Pace, Risk};
use crate::ids::StateName;
use crate::position::{Hold, Position, Step};
use crate::table::{Actor, Table};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) struct Node {
    pub(super) key: Rc<(Mode, Position)>,
    /// From where, and by which step, it was found first: so by a shortest path.
    pub(super) parent: Option<(usize, Rc<str>)>,
    /// Where to, by what name, and who takes it.
    pub(super) ways: Vec<(usize, Rc<str>, Actor)>,
}

impl Node {
    pub(super) fn new(key: Rc<(Mode, Position)>, parent: Option<(usize, Rc<str>)>) -> Self {
        let ways = Vec::new();
        Self { key, parent, ways }
    }

    pub(super) fn mode(&self) -> Mode {
        self.key.0
    }

    pub(super) fn at(&self) -> &Position {
        &self.key.1
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
    let mut index: BTreeMap<Rc<(Mode, Position)>, usize> = BTreeMap::new();
    for pace in Pace::ALL {
        for risk in Risk::ALL {
            for autonomy in Autonomy::ALL {
                let at = Rc::new((Mode { pace, risk }, Position::start(table, autonomy)));
                index.insert(Rc::clone(&at), nodes.len());
                nodes.push(Node::new(at, None));
            }
        }
    }
    // Nodes are numbered in the order in which they are found, so the list is its own queue.
    let mut here = 0;
    while here < nodes.len() {
        let key = Rc::clone(&nodes[here].key);
        let (mode, at) = &*key;
        let part = &parts[&at.state];
        let mut onward: Vec<(usize, Rc<str>, Actor)> = Vec::new();
        for way in all_ways(&part.table, at, *mode) {
            note_fired(part, at, *mode, &way, &mut fired);
            let label: Rc<str> = way.label.into();
            let key = Rc::new((*mode, way.to));
            let there = match index.entry(key) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let there = nodes.len();
                    if there >= most {
                        return None;
                    }
                    let parent = Some((here, Rc::clone(&label)));
                    nodes.push(Node::new(Rc::clone(entry.key()), parent));
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
        path.push(format!("{label} -> {}", describe(nodes[here].at())));
        here = *parent;
    }
    let start = &nodes[here];
    path.push(format!(
        "start in {} (autonomy {}, {:?}, risk {:?})",
        start.at().state,
        start.at().autonomy,
        start.mode().pace,
        start.mode().risk
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
