//! Runs as tools of the person's own agent: what a client says over standard input, and what it hears.

use crate::support::World;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// Says these messages, and gives the answers.
fn says(world: &World, messages: &[Value]) -> Vec<Value> {
    let text: String = messages.iter().map(|one| format!("{one}\n")).collect();
    raw(world, &text)
}

fn raw(world: &World, text: &str) -> Vec<Value> {
    let mut child = world
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let said = child.wait_with_output().unwrap();
    assert!(said.status.success());
    let said = String::from_utf8(said.stdout).unwrap();
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": name, "arguments": arguments } })
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn a_client_is_greeted_in_its_version_and_shown_few_words_of_tools() {
    let world = World::new();
    let hello = |version: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": version } });
    let said = says(
        &world,
        &[
            hello("2025-06-18"),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": "two", "method": "tools/list" }),
            json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" }),
            hello("1999-01-01"),
        ],
    );
    assert_eq!(said.len(), 4);
    assert_eq!(said[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(said[1]["id"], "two");
    assert_eq!(said[3]["result"]["protocolVersion"], "2026-07-28");
    let tools = said[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["start", "status", "inbox", "evidence", "take", "hand_in"]
    );
    // About 1,500 tokens at the most, at four characters each; and nobody decides through one.
    assert!(said[1].to_string().len() < 6_000);
    for word in ["approve", "decide", "land", "extend"] {
        assert!(!names.iter().any(|name| name.contains(word)));
    }
}

#[test]
fn a_run_is_begun_and_told_of_and_only_its_person_decides() {
    let world = crate::quick::world();
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n",
    );
    let said = says(
        &world,
        &[call(
            "start",
            &json!({ "sentence": "make totals of carts" }),
        )],
    );
    assert!(
        text(&said[0]).contains("`make-totals-of-carts` has begun"),
        "{said:?}"
    );
    world.run(&["attach", "make-totals-of-carts"]).exits(2);
    let said = says(
        &world,
        &[
            call("status", &json!({})),
            call("inbox", &json!({})),
            call("evidence", &json!({ "run": "make-totals-of-carts" })),
        ],
    );
    assert!(text(&said[0]).contains("waiting for a person"), "{said:?}");
    assert!(
        text(&said[1]).contains("proofhouse decide make-totals-of-carts approve"),
        "{said:?}"
    );
    assert!(
        text(&said[1]).contains("Only the person answers")
            && text(&said[1]).contains("http://localhost:7766/inbox/"),
        "{said:?}"
    );
    assert!(text(&said[2]).contains("src/total.sh"), "{said:?}");
    assert!(text(&said[2]).contains("proven by"), "{said:?}");
}

#[test]
fn what_is_wrong_is_said_and_ends_nothing() {
    let world = World::new();
    world.write("agent/script.toml", crate::support::HONEST);
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n",
    );
    let said = raw(
        &world,
        &format!(
            "nonsense\n[]\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n",
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/decide" }),
            call("decide", &json!({ "option": "approve" })),
            call("start", &json!({})),
            call("start", &json!({ "sentence": "x", "autonomy": "auto" })),
            call("evidence", &json!({ "run": "none" })),
            call("start", &json!({ "sentence": "make totals" })),
            call("start", &json!({ "sentence": " " })),
        ),
    );
    let codes: Vec<&Value> = said.iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(
        codes[..4],
        [
            &json!(-32700),
            &json!(-32600),
            &json!(-32601),
            &json!(-32602)
        ]
    );
    for (nth, code) in [
        (4, "arguments_malformed"),
        (5, "arguments_malformed"),
        (6, "unknown_run"),
    ] {
        assert_eq!(said[nth]["result"]["isError"], true, "{said:?}");
        assert!(text(&said[nth]).contains(code), "{said:?}");
    }
    assert!(
        text(&said[4]).contains("`sentence` must be a text"),
        "{said:?}"
    );
    assert!(text(&said[8]).contains("`sentence` is empty"), "{said:?}");
    // What `do` refuses is told in its words.
    assert!(text(&said[7]).contains("no_check"), "{said:?}");
}
