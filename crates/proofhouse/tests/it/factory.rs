//! The factory's commands as users meet them: real files, good and bad, and nothing written where
//! something is wrong.

use crate::support::World;
use serde_json::{Value, json};

fn task(number: usize, depends_on: &[&str]) -> Value {
    json!({
        "task_id": format!("TSK-{number:03}"), "name": format!("Task {number}"),
        "description": "Parses one line of the log into its parts",
        "subtasks": ["Split the line at blanks", "Turn the first part into a moment"],
        "acceptance_criteria": ["returns the moment and the text", "rejects a line without a moment"],
        "depends_on": depends_on,
        "io_contract_sketch": {
            "inputs": "line: non-empty string", "outputs": "moment and text",
            "error_surfaces": "MalformedLine without a moment", "effects": "none; it is pure",
            "modes": "sync"
        }
    })
}

fn spec(tasks: &[Value]) -> Value {
    json!({
        "spec_id": "SPEC-001", "spec_version": "1.0.0", "title": "Log reader",
        "description": "Reads logs and says what is in them",
        "created_at": "2026-11-15T02:25:27Z", "updated_at": "2026-11-15T02:25:27Z",
        "pillars": [{
            "pillar_id": "PIL-001", "name": "Core", "description": "Everything that reads a line",
            "rationale": "Nothing works without it",
            "epics": [{
                "epic_id": "EPC-001", "name": "Auth", "description": "Everything about single lines",
                "success_criteria": ["99% of lines are understood"],
                "stories": [{
                    "story_id": "STR-001", "name": "Login", "description": "A user sees the parts of a line",
                    "user_facing_behavior": "The parts are shown", "tasks": tasks
                }]
            }]
        }]
    })
}

fn world() -> World {
    let world = World::new();
    let good = spec(&[task(1, &[]), task(2, &["TSK-001"])]);
    world.write("spec.json", &good.to_string());
    world
}

#[test]
fn a_good_spec_is_valid_planned_and_written_once() {
    let world = world();
    let report = world
        .run(&["factory", "validate", "spec.json", "--json"])
        .exits(0)
        .json();
    assert_eq!(report, json!({"valid": true, "errors": [], "warnings": []}));
    let plan = world
        .run(&["factory", "plan", "spec.json", "--dry-run", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        plan["tasks"][1],
        json!({
            "task_id": "T-core-auth-login-002", "source_id": "TSK-002",
            "folder": "project/core/auth/login/task-2", "declaration_order": 1,
            "depends_on": ["T-core-auth-login-001"]
        })
    );
    assert!(!world.at("project").exists(), "a dry run writes nothing");
    let again = world
        .run(&["factory", "plan", "spec.json", "--dry-run", "--json"])
        .exits(0)
        .json();
    assert_eq!(plan, again);
    world
        .run(&["factory", "plan", "spec.json", "--out", "made"])
        .exits(0);
    let text = world.read("made/project/core/auth/login/task-2/T-core-auth-login-002.md");
    assert!(text.starts_with("# Task: Task 2\n## Task ID: T-core-auth-login-002\n"));
    world
        .run(&["factory", "plan", "spec.json", "--out", "made"])
        .refuses(1, "project_exists");
    let entries = std::fs::read_dir(world.at("made")).unwrap().count();
    assert_eq!(entries, 1, "nothing is left beside it");
    let rendered = world.run(&["factory", "render", "spec.json"]).exits(0).out;
    assert!(
        rendered.contains("##### Task TSK-002: Task 2"),
        "{rendered}"
    );
}

#[test]
fn bad_specs_are_told_everything_and_nothing_is_written() {
    let world = world();
    let long: Vec<Value> = (1..=1_000).map(|n| task(n, &[])).collect();
    let mut deep = spec(&[task(1, &[])]);
    deep["pillars"][0]["name"] = json!("x".repeat(64));
    deep["pillars"][0]["epics"][0]["name"] = json!("y".repeat(64));
    let mut unnamed = spec(&[task(1, &[])]);
    unnamed["pillars"][0]["name"] = json!("日本語");
    for (text, code, words) in [
        (
            spec(&[task(1, &["TSK-002"]), task(2, &["TSK-001"])]).to_string(),
            "spec_invalid",
            "TSK-001 -> TSK-002 -> TSK-001",
        ),
        (
            spec(&[task(1, &["TSK-009"])]).to_string(),
            "spec_invalid",
            "TSK-009",
        ),
        (spec(&[]).to_string(), "spec_invalid", "rule 3"),
        ("{\"spec_id\": ".to_owned(), "spec_invalid", "1:13"),
        (spec(&long).to_string(), "story_too_large", "1000 tasks"),
        (deep.to_string(), "task_id_too_long", "141 characters"),
        (unnamed.to_string(), "empty_slug", "PIL-001"),
    ] {
        world.write("bad.json", &text);
        for dry in [&["--dry-run"][..], &[]] {
            let mut args = vec!["factory", "plan", "bad.json", "--out", "made"];
            args.extend(dry);
            let said = world.run(&args).refuses(1, code);
            assert!(said.err.contains(words), "{words} is not in {}", said.err);
            assert!(!world.at("made").exists(), "nothing was written");
        }
    }
    world
        .run(&["factory", "plan", "nowhere.json"])
        .refuses(1, "no_such_file");
    std::fs::write(world.at("bytes.json"), b"{\"title\": \"\xff\"}").unwrap();
    let report = world
        .run(&["factory", "validate", "bytes.json", "--json"])
        .exits(1)
        .json();
    assert_eq!(report["errors"][0]["code"], "invalid_unicode");
    assert_eq!(report["errors"][0]["column"], 12);
    let huge =
        spec(&[task(1, &[])])
            .to_string()
            .replacen('{', "{\"n\":9007199254740993,\"n\":1,", 1);
    world.write("huge.json", &huge);
    let said = world.run(&["factory", "validate", "huge.json"]).exits(1);
    for code in ["number_beyond_2_53", "duplicate_key", "unknown_field"] {
        assert!(said.out.contains(code), "{}", said.out);
    }
}

#[test]
fn fingerprints_differ_by_dimension() {
    let world = world();
    let contract = json!({
        "module_id": "MM-0001", "module_version": "1.0.0", "name": "slugify", "purpose": "Makes slugs",
        "inputs": [{"name": "title", "type": "string", "constraints": ["non-empty"]}],
        "outputs": [{"name": "slug", "type": "string", "invariants": []}],
        "error_surfaces": [], "effects": [], "modes": {"sync": true, "async": false, "notes": ""}
    });
    world.write("locked.json", &contract.to_string());
    let mut other = contract.clone();
    other["tags"] = json!(["more"]);
    world.write("same.json", &other.to_string());
    other["outputs"][0]["type"] = json!("bytes");
    world.write("other.json", &other.to_string());
    let print = world
        .run(&["factory", "fingerprint", "locked.json"])
        .exits(0)
        .out;
    // sha256 of the RFC 8785 text, computed with another program.
    let text = "{\"effects\":[],\"error_surfaces\":[],\"inputs\":[{\"constraints\":[\"non-empty\"],\"name\":\"title\",\"type\":\"string\"}],\"modes\":{\"async\":false,\"notes\":\"\",\"sync\":true},\"outputs\":[{\"invariants\":[],\"name\":\"slug\",\"type\":\"string\"}]}";
    assert_eq!(print.trim(), store::sha256_hex(text.as_bytes()));
    world
        .run(&[
            "factory",
            "fingerprint",
            "same.json",
            "--against",
            "locked.json",
        ])
        .exits(0);
    let said = world.run(&[
        "factory",
        "fingerprint",
        "other.json",
        "--against",
        "locked.json",
        "--json",
    ]);
    let facts = said.exits(1).json();
    assert_eq!(facts["matches"], false);
    assert_eq!(facts["bump"], "MAJOR");
    assert_eq!(facts["dimensions"][0]["dimension"], "outputs");
    assert_eq!(facts["dimensions"].as_array().unwrap().len(), 1);
    other.as_object_mut().unwrap().remove("effects");
    world.write("short.json", &other.to_string());
    let said = world
        .run(&["factory", "fingerprint", "short.json"])
        .refuses(1, "contract_malformed");
    assert!(said.err.contains("effects"), "{}", said.err);
}

#[test]
fn schemas_are_listed_printed_and_judged_by() {
    let world = world();
    let list = world.run(&["schema", "--json"]).exits(0).json();
    let names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["name"].as_str().unwrap())
        .collect();
    assert!(names.len() > 18, "{names:?}");
    for name in names {
        let schema = world.run(&["schema", name]).exits(0).json();
        assert_eq!(schema["title"], name);
    }
    world
        .run(&["schema", "Nothing"])
        .refuses(1, "unknown_schema");
    world.write("r.json", "{\"action\": \"ABANDON_TASK\", \"payload\": {}}");
    let said = world
        .run(&[
            "factory",
            "validate",
            "r.json",
            "--schema",
            "HumanResolution",
        ])
        .exits(1);
    assert!(said.out.contains("rationale"), "{}", said.out);
}
