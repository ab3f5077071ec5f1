//! Exhaustive exploration of a table: every reachable combination of state, counters up to their
//! caps, return slot, hold, autonomy, pace and risk. What it says is proven, not sampled.

use crate::autonomy::{Autonomy, Mode, Pace, Risk};
use crate::ids::CounterName;
use crate::position::{Position, STOP, Step};
use crate::table::{Actor, Completing, Kind, Stalling, Table};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The name that stands for "some budget of the run" in explored holds.
pub const RUN_BUDGET: &str = "run";

/// More positions than this are refused: a table that large is a mistake in its counters.
pub const MOST_POSITIONS: usize = 3_000_000;

/// One thing that a table must not do, with a shortest way to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable, snake_case.
    pub code: &'static str,
    /// What is wrong and how to mend it.
    pub what: String,
    /// A shortest path that shows it, one step a line.
    pub path: Vec<String>,
}

/// What exploration found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The workflow's name.
    pub workflow: String,
    /// Distinct positions, over all modes.
    pub positions: usize,
    /// Distinct steps between them.
    pub steps: usize,
    /// Empty: everything below is proven.
    pub findings: Vec<Finding>,
    /// What an empty list of findings means.
    pub proven: Vec<&'static str>,
}

/// The sentences that an empty report proves.
pub const PROPERTIES: [&str; 6] = [
    "every state is reachable, and only ends have no way out",
    "every cycle passes through a person: the engine and the agents alone can not loop for ever",
    "every transition, and so every human decision, is possible somewhere",
    "a completed run is reachable from everywhere that a person has not stopped it",
    "high risk under `auto` never completes",
    "`stop` is possible everywhere but at an end",
];

/// One way out of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The step.
    pub step: Step,
    /// Its name, for people.
    pub label: String,
    /// Does a person take it?
    pub by: Actor,
    /// Where it leads.
    pub to: Position,
}

/// Every step that some behaviour of the world allows here.
pub fn ways(table: &Table, at: &Position, mode: Mode) -> Vec<Way> {
    let mut steps: Vec<(Step, String, Actor)> = Vec::new();
    if at.is_active(table) {
        for (index, transition) in table.leaving(&at.state) {
            if transition.by != Actor::Human {
                let label = transition.action.to_string();
                steps.push((Step::Fire(index), label, transition.by));
            }
        }
        steps.push((Step::Again, "again".into(), Actor::Engine));
        if table.stalling == Stalling::Halts && table.state(&at.state).kind == Kind::Work {
            steps.push((Step::Stall, "stall".into(), Actor::Engine));
        }
        let budget = CounterName::from(RUN_BUDGET);
        steps.push((Step::Exhaust(budget), "exhaust".into(), Actor::Engine));
        steps.push((Step::Trouble, "trouble".into(), Actor::Engine));
    }
    for option in table.options(at, mode) {
        steps.push((Step::Answer(option.clone()), option, Actor::Human));
    }
    let mut found: Vec<Way> = Vec::new();
    for (step, label, by) in steps {
        if let Ok(to) = table.step(at, mode, &step)
            && !found.iter().any(|way| way.label == label && way.to == to)
        {
            found.push(Way {
                step,
                label,
                by,
                to,
            });
        }
    }
    found
}

struct Node {
    mode: Mode,
    at: Position,
    parent: Option<(usize, String)>,
    ways: Vec<(usize, String, Actor)>,
}

/// Explores everything.
pub fn explore(table: &Table) -> Report {
    let mut report = Report {
        workflow: table.name.clone(),
        positions: 0,
        steps: 0,
        findings: Vec::new(),
        proven: Vec::new(),
    };
    let mut fired: BTreeSet<usize> = BTreeSet::new();
    let Some(nodes) = reach(table, &mut fired) else {
        report.findings.push(Finding {
            code: "table_too_large",
            what: format!(
                "more than {MOST_POSITIONS} positions: lower the caps of counters or share them"
            ),
            path: Vec::new(),
        });
        return report;
    };
    report.positions = nodes.len();
    report.steps = nodes.iter().map(|node| node.ways.len()).sum();
    unreachable(table, &nodes, &fired, &mut report.findings);
    dead_ends(table, &nodes, &mut report.findings);
    endless_loops(&nodes, &mut report.findings);
    traps(table, &nodes, &mut report.findings);
    unguarded(table, &nodes, &mut report.findings);
    if report.findings.is_empty() {
        report.proven = PROPERTIES.to_vec();
    }
    report
}

fn reach(table: &Table, fired: &mut BTreeSet<usize>) -> Option<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut index: BTreeMap<(Mode, Position), usize> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for pace in Pace::ALL {
        for risk in Risk::ALL {
            for autonomy in Autonomy::ALL {
                let (mode, at) = (Mode { pace, risk }, Position::start(table, autonomy));
                index.insert((mode, at.clone()), nodes.len());
                queue.push_back(nodes.len());
                nodes.push(Node {
                    mode,
                    at,
                    parent: None,
                    ways: Vec::new(),
                });
            }
        }
    }
    while let Some(here) = queue.pop_front() {
        let (mode, at) = (nodes[here].mode, nodes[here].at.clone());
        for way in ways(table, &at, mode) {
            note_fired(table, &at, mode, &way, fired);
            let key = (mode, way.to);
            let there = match index.get(&key) {
                Some(&there) => there,
                None => {
                    let there = nodes.len();
                    if there >= MOST_POSITIONS {
                        return None;
                    }
                    nodes.push(Node {
                        mode,
                        at: key.1.clone(),
                        parent: Some((here, way.label.clone())),
                        ways: Vec::new(),
                    });
                    index.insert(key, there);
                    queue.push_back(there);
                    there
                }
            };
            nodes[here].ways.push((there, way.label, way.by));
        }
    }
    Some(nodes)
}

fn note_fired(table: &Table, at: &Position, mode: Mode, way: &Way, fired: &mut BTreeSet<usize>) {
    match &way.step {
        Step::Fire(index) => {
            fired.insert(*index);
        }
        Step::Answer(option) => {
            fired.extend(table.leaving(&at.state).filter_map(|(index, transition)| {
                let meant = transition.by == Actor::Human
                    && transition.action.as_str() == option
                    && table.possible(at, mode, transition);
                meant.then_some(index)
            }));
        }
        Step::Again | Step::Stall | Step::Exhaust(_) | Step::Trouble => {}
    }
}

fn path_to(nodes: &[Node], mut here: usize) -> Vec<String> {
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

fn describe(at: &Position) -> String {
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

fn unreachable(
    table: &Table,
    nodes: &[Node],
    fired: &BTreeSet<usize>,
    findings: &mut Vec<Finding>,
) {
    let reached: BTreeSet<_> = nodes.iter().map(|node| &node.at.state).collect();
    for state in table.states.keys().filter(|state| !reached.contains(state)) {
        findings.push(Finding {
            code: "unreachable_state",
            what: format!("no run ever reaches `{state}`: add a transition to it, or remove it"),
            path: Vec::new(),
        });
    }
    for (index, transition) in table.transitions.iter().enumerate() {
        if fired.contains(&index) {
            continue;
        }
        let code = match transition.by {
            Actor::Human => "unreachable_decision",
            Actor::Engine | Actor::Agent => "dead_transition",
        };
        findings.push(Finding {
            code,
            what: format!(
                "`{}` by {} is never possible: its guards can not all hold in {:?}",
                transition.action,
                transition.by,
                transition
                    .from
                    .iter()
                    .map(|from| from.as_str())
                    .collect::<Vec<_>>()
            ),
            path: Vec::new(),
        });
    }
}

fn dead_ends(table: &Table, nodes: &[Node], findings: &mut Vec<Finding>) {
    let dead = nodes.iter().position(|node| {
        !node.at.is_over(table) && node.ways.iter().all(|(_, label, _)| label == STOP)
    });
    if let Some(here) = dead {
        findings.push(Finding {
            code: "dead_end",
            what: format!(
                "`{}` can only be stopped, and it is not an end: add a transition out of it, or make it `kind = \"end\"`",
                nodes[here].at.state
            ),
            path: path_to(nodes, here),
        });
    }
}

/// A cycle of the position graph without a human step is endless: counters are part of the
/// position, so a cycle that raises one without setting it back can not close.
fn endless_loops(nodes: &[Node], findings: &mut Vec<Finding>) {
    let by_itself = |here: usize| {
        let ways = nodes[here].ways.iter();
        ways.filter(|(_, _, by)| *by != Actor::Human)
    };
    // Peel off everything that no cycle needs: what is left has a way in and a way on.
    let mut into = vec![0usize; nodes.len()];
    for here in 0..nodes.len() {
        for (there, _, _) in by_itself(here) {
            into[*there] += 1;
        }
    }
    let mut queue: VecDeque<usize> = (0..nodes.len()).filter(|&here| into[here] == 0).collect();
    let mut left = vec![true; nodes.len()];
    while let Some(here) = queue.pop_front() {
        left[here] = false;
        for (there, _, _) in by_itself(here) {
            into[*there] -= 1;
            if into[*there] == 0 {
                queue.push_back(*there);
            }
        }
    }
    for start in (0..nodes.len()).filter(|&here| left[here]) {
        // Nodes are numbered breadth-first, so the first that closes a cycle is a nearest one.
        let mut parents: BTreeMap<usize, (usize, String)> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(here) = queue.pop_front() {
            for (there, label, _) in by_itself(here).filter(|(there, _, _)| left[*there]) {
                if *there == start {
                    let mut around = vec![format!("{label} -> {}", describe(&nodes[start].at))];
                    let mut back = here;
                    while let Some((parent, label)) = parents.get(&back) {
                        around.push(format!("{label} -> {}", describe(&nodes[back].at)));
                        back = *parent;
                    }
                    around.push("and round again for ever:".into());
                    around.reverse();
                    let mut path = path_to(nodes, start);
                    path.extend(around);
                    findings.push(Finding {
                        code: "endless_loop",
                        what: "a cycle that neither a counter nor a person ends: give one of its transitions `count = [..]` on a counter that the cycle does not reset".into(),
                        path,
                    });
                    return;
                }
                if !parents.contains_key(there) {
                    parents.insert(*there, (here, label.clone()));
                    queue.push_back(*there);
                }
            }
        }
    }
}

fn traps(table: &Table, nodes: &[Node], findings: &mut Vec<Finding>) {
    let good = |node: &Node| {
        let state = table.state(&node.at.state);
        !node.at.stopped && (state.kind == Kind::End || state.completing == Completing::Yes)
    };
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (here, node) in nodes.iter().enumerate() {
        for (there, _, _) in &node.ways {
            back[*there].push(here);
        }
    }
    let mut hopeful = vec![false; nodes.len()];
    let mut queue: VecDeque<usize> = (0..nodes.len()).filter(|&n| good(&nodes[n])).collect();
    for &here in &queue {
        hopeful[here] = true;
    }
    while let Some(here) = queue.pop_front() {
        for &before in &back[here] {
            if !hopeful[before] {
                hopeful[before] = true;
                queue.push_back(before);
            }
        }
    }
    let trapped = (0..nodes.len()).find(|&here| !hopeful[here] && !nodes[here].at.stopped);
    if let Some(here) = trapped {
        findings.push(Finding {
            code: "trap",
            what: format!(
                "from `{}` no end and no completing state can be reached any more",
                nodes[here].at.state
            ),
            path: path_to(nodes, here),
        });
    }
}

fn unguarded(table: &Table, nodes: &[Node], findings: &mut Vec<Finding>) {
    let loose = nodes.iter().position(|node| {
        node.mode.risk == Risk::High
            && node.at.autonomy == Autonomy::Auto
            && table.state(&node.at.state).completing == Completing::Yes
            && node.parent.as_ref().is_some_and(|(from, label)| {
                let ways = nodes[*from].ways.iter();
                ways.clone()
                    .any(|(_, name, by)| name == label && *by != Actor::Human)
            })
    });
    if let Some(here) = loose {
        findings.push(Finding {
            code: "unguarded_high_risk_auto",
            what: "a high-risk run completes by itself".into(),
            path: path_to(nodes, here),
        });
    }
}
