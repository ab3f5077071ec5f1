//! Exhaustive exploration of a table: every reachable combination of state, counters up to their
//! caps, return slot, hold, autonomy, pace and risk. What it says is proven, not sampled.

mod reach;

use crate::autonomy::{Autonomy, Mode, Risk};
use crate::ids::CounterName;
use crate::position::{Position, STOP, Step};
use crate::table::{Actor, Completing, Kind, Stalling, Table};
use reach::{Node, describe, path_to, reach};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

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
    "every cycle passes through a person: the engine and the agents alone cannot loop for ever",
    "every transition, and so every human decision, is possible somewhere",
    "a completed run is reachable from everywhere that a person has not stopped it",
    "high risk under `auto` never completes by itself",
    "`stop` is possible everywhere but at an end",
];

/// One way out of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub step: Step,
    /// Its name, for people.
    pub label: String,
    /// Does a person take it?
    pub by: Actor,
    /// Where it leads.
    pub to: Position,
}

/// Every step that some behaviour of the world allows here; steps with the same name to the same
/// position are one.
pub fn ways(table: &Table, at: &Position, mode: Mode) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::new();
    for way in all_ways(table, at, mode) {
        let twin = |other: &Way| other.label == way.label && other.to == way.to;
        if !found.iter().any(twin) {
            found.push(way);
        }
    }
    found
}

fn all_ways(table: &Table, at: &Position, mode: Mode) -> Vec<Way> {
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
    let reached = |(step, label, by)| {
        let to = table.step(at, mode, &step).ok()?;
        Some(Way {
            step,
            label,
            by,
            to,
        })
    };
    steps.into_iter().filter_map(reached).collect()
}

/// Explores everything.
pub fn explore(table: &Table) -> Report {
    explore_within(table, MOST_POSITIONS)
}

fn explore_within(table: &Table, most: usize) -> Report {
    let mut report = Report {
        workflow: table.name.clone(),
        positions: 0,
        steps: 0,
        findings: Vec::new(),
        proven: Vec::new(),
    };
    let Some((nodes, fired)) = reach(table, most) else {
        report.findings.push(Finding {
            code: "table_too_large",
            what: format!("more than {most} positions: lower the caps of counters or share them"),
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
                "`{}` by {} is never possible: its guards cannot all hold in {:?}",
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
        !node.at.is_over(table) && node.ways.iter().all(|(_, label, _)| &**label == STOP)
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
/// position, so a cycle that raises one without setting it back cannot close.
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
        let mut parents: BTreeMap<usize, (usize, Rc<str>)> = BTreeMap::new();
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

/// A person may complete a high-risk run; the engine under `auto` must not.
fn unguarded(table: &Table, nodes: &[Node], findings: &mut Vec<Finding>) {
    let completes_by_itself = |here: &Node, there: &Node, by: Actor| {
        by != Actor::Human
            && here.at.autonomy == Autonomy::Auto
            && here.at.state != there.at.state
            && table.state(&there.at.state).completing == Completing::Yes
    };
    for (from, here) in nodes.iter().enumerate() {
        if here.mode.risk != Risk::High {
            continue;
        }
        for (to, label, by) in &here.ways {
            if completes_by_itself(here, &nodes[*to], *by) {
                let mut path = path_to(nodes, from);
                path.push(format!("{label} -> {}", describe(&nodes[*to].at)));
                findings.push(Finding {
                    code: "unguarded_high_risk_auto",
                    what: "a high-risk run completes by itself: this is a fault of the kernel, please report it".into(),
                    path,
                });
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autonomy::Pace;
    use crate::ids::StateName;
    use crate::table::{Slot, State, Stepping, Target, Transition};

    fn one_way() -> Table {
        let state = |kind, completing| State {
            kind,
            passes: 2,
            completing,
        };
        Table {
            name: "t".to_owned(),
            initial: "a".into(),
            states: BTreeMap::from([
                (StateName::from("a"), state(Kind::Work, Completing::No)),
                (StateName::from("done"), state(Kind::End, Completing::Yes)),
            ]),
            counters: BTreeMap::new(),
            transitions: vec![Transition {
                action: "end".into(),
                from: vec!["a".into()],
                to: Target::State("done".into()),
                by: Actor::Engine,
                when: Vec::new(),
                count: Vec::new(),
                reset: Vec::new(),
                slot: Slot::Keep,
            }],
            stepping: Stepping::Held,
            stalling: Stalling::Counts,
        }
    }

    #[test]
    fn a_table_with_too_many_positions_is_refused() {
        let table = one_way();
        let positions = explore(&table).positions;
        assert!(explore_within(&table, positions).findings.is_empty());
        let report = explore_within(&table, positions - 1);
        assert_eq!(report.findings[0].code, "table_too_large");
        assert!(report.proven.is_empty());
    }

    /// `Table::step` never lets this happen, so the finding is shown on nodes made by hand.
    #[test]
    fn a_high_risk_run_that_completes_by_itself_would_be_found() {
        let table = one_way();
        let mode = Mode {
            pace: Pace::Flowing,
            risk: Risk::High,
        };
        let start = Position::start(&table, Autonomy::Auto);
        let done = Position {
            state: "done".into(),
            ..start.clone()
        };
        for (by, count) in [(Actor::Engine, 1), (Actor::Agent, 1), (Actor::Human, 0)] {
            let mut from = Node::new(mode, start.clone(), None);
            from.ways.push((1, "end".into(), by));
            let to = Node::new(mode, done.clone(), Some((0, "end".into())));
            let mut findings = Vec::new();
            unguarded(&table, &[from, to], &mut findings);
            assert_eq!(findings.len(), count, "{by}");
            for finding in findings {
                assert_eq!(finding.code, "unguarded_high_risk_auto");
                assert_eq!(finding.path.last().map(String::as_str), Some("end -> done"));
            }
        }
    }
}
