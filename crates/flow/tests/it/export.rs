//! The exported tables have exactly the edges of their documents, apart from those of an exam.

use crate::workflow;
use kernel::explore::{self, explore};
use kernel::export::{Edge, edges, json};
use kernel::table::{Guard, Target};
use kernel::{Actor, Autonomy, Mode, Pace, Position, Risk, StateName};
use std::collections::BTreeSet;

const DOCUMENT: &str = "
intake -> shape
shape -> implement | blocked | needs_user_decision
implement -> verify | blocked | needs_user_decision
verify -> review | repair | blocked | needs_user_decision
review -> done | repair | needs_user_decision
repair -> verify | blocked | needs_user_decision";

/// The states of an exam; `built_in/exam.rs` has tests of its own for their ways.
const EXAM: [&str; 4] = ["examine", "no_exam", "exam", "contested"];

/// The edges of a workflow between its own states.
fn own_edges(name: &str) -> Vec<Edge> {
    let of_exam = |state: &StateName| EXAM.contains(&state.as_str());
    let mut edges = edges(&workflow(name).table);
    edges.retain(|edge| !of_exam(&edge.to) && !edge.from.iter().any(of_exam));
    edges
}

#[test]
fn engine_and_agent_transitions_are_exactly_the_documents_17() {
    let mut want = BTreeSet::new();
    for line in DOCUMENT.trim().lines() {
        let (from, to) = line.split_once(" -> ").unwrap();
        want.extend(to.split(" | ").map(|to| (from.to_owned(), to.to_owned())));
    }
    assert_eq!(want.len(), 17);
    let mut seen = Vec::new();
    for edge in own_edges("phase") {
        if edge.by != Actor::Human {
            seen.extend(
                edge.from
                    .iter()
                    .map(|from| (from.to_string(), edge.to.to_string())),
            );
        }
    }
    // An agent may ask a person during a repair, and the engine does where it goes too far; likewise
    // while the task takes shape, where the checks prove nothing or cannot be run: the same edge, for two
    // reasons and for three.
    assert_eq!(seen.len(), 20, "no other edge stands twice");
    for (from, reasons) in [("repair", 2), ("shape", 3)] {
        let asks = (from.to_owned(), "needs_user_decision".to_owned());
        assert_eq!(seen.iter().filter(|edge| **edge == asks).count(), reasons);
    }
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), want);
}

#[test]
fn a_person_reopens_only_to_where_the_run_came_from() {
    let mut seen = BTreeSet::new();
    for edge in own_edges("phase") {
        if edge.by == Actor::Human {
            assert_eq!(edge.action, "reopen");
            seen.extend(
                edge.from
                    .iter()
                    .map(|from| format!("{from} -> {}", edge.to)),
            );
        }
    }
    let want = [
        "blocked -> shape",
        "blocked -> implement",
        "blocked -> verify",
        "blocked -> repair",
        "needs_user_decision -> shape",
        "needs_user_decision -> implement",
        "needs_user_decision -> verify",
        "needs_user_decision -> review",
        "needs_user_decision -> repair",
    ];
    assert_eq!(seen, want.iter().map(|edge| (*edge).to_owned()).collect());
}

#[test]
fn the_json_has_the_documented_shape() {
    let value: serde_json::Value = serde_json::from_str(&json(&workflow("phase").table)).unwrap();
    assert_eq!(value["name"], "phase");
    assert_eq!(value["initial"], "intake");
    assert_eq!(value["states"].as_array().unwrap().len(), 9 + EXAM.len());
    for transition in value["transitions"].as_array().unwrap() {
        assert!(transition["action"].is_string() && transition["to"].is_string());
        assert!(transition["from"].is_array() && transition["by"].is_string());
    }
}

#[test]
fn exploration_proves_every_built_in_workflow() {
    for name in flow::built_in_names() {
        let report = explore(&workflow(name).table);
        assert!(report.findings.is_empty(), "{name}: {:#?}", report.findings);
        assert!(report.positions > 100, "{name}: {}", report.positions);
    }
}

/// The document's edges, one on a line: action, from, to.
const LIGHTS_OUT: &str = include_str!("../data/lights-out.edges");

#[test]
fn lights_out_projects_onto_exactly_the_documents_112_edges() {
    let want: BTreeSet<String> = LIGHTS_OUT.lines().map(str::to_owned).collect();
    assert_eq!(want.len(), 112);
    let table = &workflow("lights-out").table;
    assert_eq!(table.states.len(), 41 + EXAM.len());
    let mut seen = BTreeSet::new();
    for edge in own_edges("lights-out") {
        for from in &edge.from {
            seen.insert(format!("{} {from} {}", edge.action, edge.to));
        }
    }
    assert_eq!(seen, want);
    let actions: BTreeSet<&str> = want
        .iter()
        .filter_map(|edge| edge.split(' ').next())
        .collect();
    assert_eq!(actions.len(), 91);
}

/// With an exam, no way leads from the verified product to its delivery but past the cases, or past a
/// person: and what was verified before a case did not hold is forgotten.
#[test]
fn lights_out_delivers_nothing_whose_exam_failed() {
    let lights_out = workflow("lights-out");
    let table = &lights_out.table;
    let ways = |from: &str, to: &str| {
        let from = StateName::from(from);
        let ways = table
            .transitions
            .iter()
            .filter(move |way| way.from.contains(&from) && way.to == Target::State(to.into()));
        ways.collect::<Vec<_>>()
    };
    for (from, to) in [("exam", "VerifyGatePassed"), ("exam", "VerifyFixing")] {
        assert_eq!(ways(from, to).len(), 1, "{from} to {to}");
    }
    assert!(
        ways("exam", "VerifyGatePassed")[0]
            .when
            .contains(&Guard::GatePass)
    );
    let failed = ways("exam", "VerifyFixing")[0];
    let at = table.transitions.iter().position(|way| way == failed);
    assert!(
        lights_out.after[at.unwrap()]
            .forget
            .contains(&"Verifying".into())
    );
    assert_eq!(failed.count, ["exam".into()]);
    let waived = ways("no_exam", "VerifyGatePassed");
    assert!(waived.iter().all(|way| way.by == Actor::Human));
    // Before anything is built, its questions are written; and a person may do without.
    let shows = Guard::Shows("exam".into());
    for (from, to) in [("Analyzing", "examine"), ("Verifying", "exam")] {
        let first = table
            .transitions
            .iter()
            .find(|way| way.from.contains(&from.into()) && way.when.contains(&Guard::GatePass));
        let first = first.unwrap();
        assert_eq!(first.to, Target::State(to.into()));
        assert!(first.when.contains(&shows));
    }
    let back: BTreeSet<StateName> = table
        .possible_returns(&"no_exam".into())
        .into_iter()
        .collect();
    let want = ["AnalyzeGatePassed", "Verifying", "exam"].map(StateName::from);
    assert_eq!(back, BTreeSet::from(want));
}

/// Every reachable position of one mode, with the ways out of it.
fn positions(name: &str, mode: Mode, mut look: impl FnMut(&Position, &[explore::Way])) {
    let table = &workflow(name).table;
    let start = Position::start(table, Autonomy::Auto);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = vec![start];
    while let Some(at) = queue.pop() {
        let ways = explore::ways(table, &at, mode);
        look(&at, &ways);
        for way in ways {
            if seen.insert(way.to.clone()) {
                queue.push(way.to);
            }
        }
    }
}

#[test]
fn lights_out_comes_back_from_every_detour_to_exactly_one_phase() {
    let mode = Mode {
        pace: Pace::Stepped,
        risk: Risk::Normal,
    };
    let (mut pauses, mut reconciles) = (BTreeSet::new(), BTreeSet::new());
    let table = workflow("lights-out").table.clone();
    positions("lights-out", mode, |at, ways| {
        let out: BTreeSet<&str> = ways
            .iter()
            .filter(|way| way.to.state != at.state && way.label != "stop")
            .map(|way| way.to.state.as_str())
            .collect();
        let slot = at.slot.as_ref().map(|slot| slot.as_str());
        match at.state.as_str() {
            "SteppedModePaused" if !at.stopped && at.hold.is_none() => {
                assert_eq!(out, slot.into_iter().collect(), "{at:?}");
                pauses.extend(slot.map(str::to_owned));
            }
            "Reconciling" if at.is_active(&table) => {
                let on: Vec<&str> = out
                    .into_iter()
                    .filter(|to| !matches!(*to, "ReconcileBlocked" | "SessionDropped"))
                    .collect();
                assert_eq!(on, [slot.unwrap_or("Verifying")], "{at:?}");
                reconciles.insert(slot.unwrap_or("none").to_owned());
            }
            _ => {}
        }
    });
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let phases: BTreeSet<String> = names(&[
        "Analyzing",
        "Building",
        "Deploying",
        "Designing",
        "Reconciling",
        "Reviewing",
        "Verifying",
    ]);
    assert_eq!(pauses, phases);
    let asked: BTreeSet<String> = names(&[
        "Analyzing",
        "Building",
        "Designing",
        "Reviewing",
        "Verifying",
        "none",
    ]);
    assert_eq!(reconciles, asked);
}
