//! The product loop through the real binary: from a SPEC.md to an approved spec, with drafts that
//! are not complete, a person who rejects, amends and approves, edits behind our back, and kills.

use crate::factory::{spec, task};
use crate::factory_run::toml;
use crate::support::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const DRAFT: &str = "repo/state_store/product/draft/spec.json";
const SPEC_MD: &str = "# Lines\n\nA tool that splits lines. It must be small.\n";

fn drafts(nth: u32, text: &str, checks: &[&str]) -> Value {
    let mut steps: Vec<Value> = checks
        .iter()
        .map(|check| json!({"run": check, "must": true}))
        .collect();
    steps.push(json!({"wait": 0.02}));
    steps.push(json!({"write": DRAFT, "text": text}));
    json!({"state": "specify", "attempt": nth, "steps": steps, "result": {
        "summary": "drafted", "sources": ["a book on lines"],
    }})
}

fn good(title: &str) -> String {
    let mut spec = spec(&[task(1, &[]), task(2, &["TSK-001"])]);
    spec["title"] = json!(title);
    spec.to_string()
}

/// An incomplete draft, a good one, a fresh one after the rejection, and one per amendment.
fn script() -> Value {
    let mut broken = spec(&[task(1, &["TSK-009"])]);
    broken["pillars"][0]["rationale"] = json!("TBD");
    let here = "state_store/product";
    let first = format!(
        "grep -q small {here}/SPEC.md && test -f {here}/with/notes.md && test ! -e {here}/draft/spec.json"
    );
    let second = format!(
        "grep -q TSK-009 {here}/draft/spec.json && grep -q TSK-009 {here}/deficiencies.json"
    );
    let fresh = format!(
        "test ! -e {here}/draft && grep -q '## Rejection Feedback' {here}/SPEC.md && grep -q 'too big' {here}/SPEC.md && test -f {here}/with/notes.md && test ! -e {here}/spec.json"
    );
    let amended = format!("grep -q Third {here}/draft/spec.json");
    json!({"log": "agent.log", "attempt": [
        drafts(1, &broken.to_string(), &[&first]),
        drafts(2, &good("Second"), &[&second]),
        drafts(3, &good("Third"), &[&fresh]),
        drafts(4, &good("Fourth"), &[&amended]),
        {"state": "micro_plan", "result": {"modules": []}},
    ]})
}

fn began(script: &Value) -> World {
    let world = World::new();
    world.write("SPEC.md", SPEC_MD);
    world.write("notes.md", "Lines end in a newline.\n");
    world.write("agent/script.toml", &toml(script));
    world.write(".gitignore", "agent/\n");
    world
        .run(&[
            "factory",
            "new",
            "SPEC.md",
            "--with",
            "notes.md",
            "--name",
            "p",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world
}

fn review(world: &World) -> Value {
    world
        .run(&["factory", "review", "p", "--json"])
        .exits(0)
        .json()
}

#[test]
fn s3_2_a_spec_is_drafted_judged_rejected_amended_approved_and_becomes_tasks() {
    let world = began(&script());
    let said = world.run(&["factory", "run", "p"]).exits(2);
    assert!(said.out.contains("spec_complete"), "{}", said.out);
    let shown = review(&world);
    assert_eq!(shown["at"], "shown");
    assert_eq!(shown["spec"]["title"], "Second");
    let page = world.read(".proofhouse/state_store/product/spec.md");
    assert_eq!(page, shown["page"].as_str().unwrap());
    assert!(
        page.contains("## Warnings") && page.contains("a book on lines (named by the agent"),
        "{page}"
    );

    let key = world.approver("ann").display().to_string();
    let signed = |args: &[&str]| {
        let mut all = vec!["factory"];
        all.extend(args);
        all.extend(["--sign", &key]);
        world.run(&all)
    };
    world
        .run(&["factory", "approve", "p"])
        .refuses(1, "signature_required");
    signed(&["reject", "p", "--reasons", "  "]).refuses(1, "payload_member_empty");
    signed(&["reject", "p", "--reasons", "too big"]).exits(0);
    signed(&["approve", "p"]).refuses(1, "spec_not_shown");
    world.run(&["factory", "run", "p"]).exits(2);
    let third = review(&world);
    assert_eq!(third["spec"]["title"], "Third");
    signed(&["amend", "p", "--feedback", "call it Fourth"]).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let fourth = review(&world);
    assert_eq!(fourth["spec"]["title"], "Fourth");
    assert_eq!(fourth["amends"], 1);

    // Of another spec than the one that was read, or of one that somebody edited: no.
    let hash = third["sha256"].as_str().unwrap();
    signed(&["approve", "p", "--spec", hash]).refuses(1, "spec_changed");
    let place = ".proofhouse/state_store/product/spec.json";
    let bytes = world.read(place);
    world.write(place, &bytes.replace("Fourth", "Fifth"));
    signed(&["approve", "p"]).refuses(1, "spec_changed");
    world
        .run(&["factory", "review", "p"])
        .refuses(1, "spec_changed");
    std::fs::remove_file(world.at(place)).unwrap();
    assert_eq!(review(&world)["sha256"], fourth["sha256"]);
    assert!(!world.at(".proofhouse/project").exists());

    let hash = fourth["sha256"].as_str().unwrap();
    signed(&["approve", "p", "--spec", hash, "--because", "fine"]).exits(0);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = status["state_machine"]["tasks"].as_object().unwrap();
    assert_eq!(tasks.len(), 2);
    assert_eq!(status["state_machine"]["project_id"], "SPEC-001");
    let file = std::fs::read_dir(world.at(".proofhouse/project"))
        .unwrap()
        .count();
    assert!(file > 0);
    signed(&["approve", "p"]).refuses(1, "spec_not_shown");
    let audited = world.run(&["audit", "--json"]).exits(0);
    assert!(audited.out.contains("\"p\""), "{}", audited.out);
}
