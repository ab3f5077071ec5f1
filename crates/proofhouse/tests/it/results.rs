//! A role's own schema of results: asked again with the faults, kept as evidence, judged by gates.

use crate::support::World;

const WORKFLOW: &str = r#"name = "look"
about = "One reviews, the engine judges."
initial = "review"

[role.reviewer]
can = ["read"]
about = "Reviews."
result = "review.schema.json"

[state.review]
kind = "work"
role = "reviewer"
brief = "review.md"
[state.judge]
kind = "gate"
gate = [{ check = "no_objection", role = "reviewer" }]
[state.good]
kind = "end"
[state.bad]
kind = "end"

[[transition]]
action = "reviewed"
from = "review"
to = "judge"
by = "engine"
when = "gate.pass"
[[transition]]
action = "accepted"
from = "judge"
to = "good"
by = "engine"
when = "gate.pass"
[[transition]]
action = "objected"
from = "judge"
to = "bad"
by = "engine"
when = "gate.fail"
"#;

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["findings"],
  "properties": {
    "findings": { "type": "array", "items": {
      "type": "object", "required": ["title", "line"],
      "properties": { "title": { "type": "string" }, "line": { "type": "integer" } }
    } }
  }
}"#;

fn world(script: &str) -> World {
    let world = World::new();
    for (file, text) in [
        ("workflow.toml", WORKFLOW),
        ("review.md", "Review it."),
        ("review.schema.json", SCHEMA),
    ] {
        world.write(&format!(".proofhouse/workflows/look/{file}"), text);
    }
    world.write("agent/script.toml", script);
    world.write(".gitignore", "agent/\n");
    let args = [
        "new",
        "look",
        "--dir",
        "tasks/t",
        "--agent",
        "scripted:agent/script.toml",
    ];
    world.run(&args).exits(0);
    world
}

fn ended(world: &World) -> Vec<serde_json::Value> {
    let records = world.journal().into_iter();
    let ended = records.filter(|record| record["kind"] == "attempt_ended.v1");
    ended
        .map(|record| record["body"]["outcome"].clone())
        .collect()
}

#[test]
fn faults_are_asked_about_and_what_passes_is_evidence_for_a_later_gate() {
    let world = world(
        r#"
[[attempt]]
attempt = 1
result = { summary = "s" }
[[attempt]]
attempt = 2
result = { summary = "s", findings = [{ title = 7 }] }
[[attempt]]
attempt = 3
result = { summary = "s", findings = [{ title = "it leaks", line = 3 }] }
"#,
    );
    world.run(&["run", "t"]).exits(0);
    let outcomes = ended(&world);
    let classes: Vec<&str> = outcomes
        .iter()
        .filter_map(|o| o["class"].as_str())
        .collect();
    assert_eq!(classes, ["invalid_result", "invalid_result", "done"]);
    assert_eq!(outcomes[0]["reason"], "`/findings` is missing");
    let reason = outcomes[1]["reason"].as_str().unwrap();
    for part in [
        "`/findings/0/title` 7 is not of type",
        "`/findings/0/line` is missing",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
    let kept = |outcome: &serde_json::Value, what: &str| {
        let list = outcome["evidence"].as_array().unwrap().clone();
        let found = list
            .iter()
            .find(|one| one["name"].as_str().unwrap().ends_with(what));
        let hash = found.map(|one| one["hash"].as_str().unwrap().to_owned());
        hash.map(|hash| {
            let vault = store::Vault::open(&world.at(".proofhouse/evidence")).unwrap();
            String::from_utf8(vault.get(&hash).unwrap()).unwrap()
        })
    };
    assert!(kept(&outcomes[0], "brief").unwrap().contains("JSON Schema"));
    let again = kept(&outcomes[2], "brief").unwrap();
    assert!(again.contains("`/findings/0/line` is missing"), "{again}");
    assert_eq!(kept(&outcomes[1], "result"), None);
    let result: serde_json::Value =
        serde_json::from_str(&kept(&outcomes[2], "result").unwrap()).unwrap();
    assert_eq!(result, outcomes[2]["result"]);
    let status = world.status();
    assert_eq!(status["state"], "bad", "{status:#}");
    let mut gates = world
        .journal()
        .into_iter()
        .filter(|record| record["kind"] == "gate_ended.v1");
    let last = gates.next_back().unwrap();
    assert_eq!(
        last["body"]["results"][0]["reason"],
        "the agent has 1 finding: it leaks"
    );
}

#[test]
fn a_third_wrong_result_is_not_asked_about_again() {
    let world = world("[[attempt]]\nresult = { summary = \"s\" }\n");
    world.run(&["run", "t"]).exits(2);
    let outcomes = ended(&world);
    assert!(outcomes.len() >= 3 && outcomes.iter().all(|o| o["class"] == "invalid_result"));
    let begun = |outcome: &serde_json::Value| outcome["evidence"][0]["hash"].clone();
    // The first and the fourth got the whole brief, those between only the question.
    assert_eq!(begun(&outcomes[1]), begun(&outcomes[2]));
    assert_ne!(begun(&outcomes[0]), begun(&outcomes[1]));
    assert_ne!(outcomes.get(3).map(begun), Some(begun(&outcomes[1])));
}
