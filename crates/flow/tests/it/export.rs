//! The exported `phase` table is the document's, edge for edge.

use crate::workflow;
use kernel::Actor;
use kernel::explore::explore;
use kernel::export::{edges, json};
use std::collections::BTreeSet;

const DOCUMENT: &str = "
intake -> shape
shape -> implement | blocked | needs_user_decision
implement -> verify | blocked | needs_user_decision
verify -> review | repair | blocked | needs_user_decision
review -> done | repair | needs_user_decision
repair -> verify | blocked | needs_user_decision";

#[test]
fn engine_and_agent_transitions_are_exactly_the_documents_17() {
    let mut want = BTreeSet::new();
    for line in DOCUMENT.trim().lines() {
        let (from, to) = line.split_once(" -> ").unwrap();
        want.extend(to.split(" | ").map(|to| (from.to_owned(), to.to_owned())));
    }
    assert_eq!(want.len(), 17);
    let mut seen = Vec::new();
    for edge in edges(&workflow("phase").table) {
        if edge.by != Actor::Human {
            seen.extend(
                edge.from
                    .iter()
                    .map(|from| (from.to_string(), edge.to.to_string())),
            );
        }
    }
    assert_eq!(seen.len(), 17, "no edge stands twice");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), want);
}

#[test]
fn a_person_reopens_only_to_where_the_run_came_from() {
    let mut seen = BTreeSet::new();
    for edge in edges(&workflow("phase").table) {
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
    assert_eq!(value["states"].as_array().unwrap().len(), 9);
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
