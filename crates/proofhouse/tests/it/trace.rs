//! A journal as spans, for whoever looks at many systems in one place.

use crate::support::{HONEST, Said, World};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

fn waited() -> World {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let key = world.approver("ann");
    world.decide(&key, "approve").exits(0);
    world.run(&["run", "t"]).exits(0);
    world
}

fn spans(trace: &Value) -> Vec<Value> {
    let spans = &trace["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array().unwrap().clone()
}

fn attribute(span: &Value, name: &str) -> Option<String> {
    let all = span["attributes"].as_array().unwrap().iter();
    let mut named = all.filter(|one| one["key"] == name);
    let value = &named.next()?["value"];
    let text = value["stringValue"].as_str().or(value["intValue"].as_str());
    Some(text.unwrap().to_owned())
}

#[test]
fn a_run_is_one_trace_the_same_twice_and_without_a_word_of_anybodys() {
    let world = waited();
    let said = world.run(&["trace", "t"]).exits(0);
    let trace = said.json();
    let all = spans(&trace);
    let journal = world.journal();
    let first = journal[0]["hash"].as_str().unwrap();
    let root = &all[0];
    assert_eq!(root["traceId"], first[..32]);
    assert_eq!(root["name"], "invoke_workflow phase");
    let op = attribute(root, "gen_ai.operation.name");
    assert_eq!(op.as_deref(), Some("invoke_workflow"));
    assert!(all.iter().all(|span| span["traceId"] == root["traceId"]));
    let inside = |span: &&Value| span["name"].as_str().unwrap().starts_with("execute_tool ");
    let children = all[1..].iter().filter(|span| !inside(span));
    assert!(
        children
            .clone()
            .all(|span| span["parentSpanId"] == root["spanId"])
    );
    // What agents did in them, by the names of their tools and nothing else.
    let tools: Vec<&Value> = all.iter().filter(inside).collect();
    for tool in &tools {
        let mut attempts = children.clone();
        let attempt = attempts.find(|one| one["spanId"] == tool["parentSpanId"]);
        let attempt = attempt.unwrap();
        let name = attempt["name"].as_str().unwrap();
        assert!(name.starts_with("invoke_agent "), "{tool}");
        assert!(tool["startTimeUnixNano"].as_str() >= attempt["startTimeUnixNano"].as_str());
        assert!(tool["endTimeUnixNano"].as_str() <= attempt["endTimeUnixNano"].as_str());
        assert_eq!(attribute(tool, "proofhouse.time").unwrap(), "order");
    }
    let of = |name: &str| attribute(tools[0], name);
    assert_eq!(of("gen_ai.operation.name").unwrap(), "execute_tool");
    assert!(tools.iter().any(|one| one["name"] == "execute_tool write"));
    let mut ids: Vec<&str> = all
        .iter()
        .map(|one| one["spanId"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all.len(), "no id is there twice");
    // One for each effect that ended, and one for the wait.
    let ended = journal.iter().filter(|record| {
        let kind = record["kind"].as_str().unwrap();
        ["attempt_ended.v1", "gate_ended.v1", "checkpoint_ended.v1"].contains(&kind)
    });
    assert_eq!(all.len() - tools.len(), 2 + ended.count());
    let named = |name: &str| all.iter().find(|one| one["name"] == name).unwrap();
    let coder = named("invoke_agent coder");
    assert_eq!(attribute(coder, "gen_ai.agent.name").unwrap(), "coder");
    let gate = named("gate verify");
    assert_eq!(gate["events"][0]["name"], "check");
    let wait = named("decision approval");
    let option = attribute(wait, "proofhouse.decision.option");
    assert_eq!(option.as_deref(), Some("approve"));
    let decided = journal.iter().find(|one| one["kind"] == "decided.v1");
    let (from, to) = (&wait["startTimeUnixNano"], &wait["endTimeUnixNano"]);
    assert!(from.as_str().unwrap() < to.as_str().unwrap(), "{wait}");
    assert!(decided.is_some());
    // Nobody's words, and nobody.
    for secret in [
        "ann@example.org",
        "I looked at it",
        "be good",
        "grep says so",
    ] {
        assert!(!said.out.contains(secret), "{secret} in {}", said.out);
    }
    assert_eq!(world.run(&["trace", "t"]).exits(0).out, said.out);
}

/// One request to a collector, which takes it: its head and its body.
fn taken(listener: &TcpListener) -> (String, String) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_lowercase();
            let length = lower.split("content-length: ").nth(1).unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            if body.len() >= length {
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                stream.write_all(answer.as_bytes()).unwrap();
                return (head.to_owned(), body.to_owned());
            }
        }
    }
}

#[test]
fn a_run_is_told_while_it_runs_and_a_dead_collector_stops_nothing() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // Until the run itself is told, which ends last.
    let receiver = std::thread::spawn(move || {
        let mut requests = Vec::new();
        loop {
            let (_, body) = taken(&listener);
            let sent = spans(&serde_json::from_str(&body).unwrap());
            let over = sent.iter().any(|span| span["parentSpanId"].is_null());
            requests.push(sent);
            if over {
                return requests;
            }
        }
    });
    let with = |url: &str| {
        let mut command = world.command(&["run", "t"]);
        command.env("PROOFHOUSE_TRACE__OTLP", url);
        Said::from(command.output().unwrap())
    };
    with(&url).exits(2);
    // Whoever waits for what was never sent hears that it is over, and fails below.
    if let Ok(mut stream) = TcpStream::connect(url.trim_start_matches("http://")) {
        let body = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"never"}]}]}]}"#;
        let head = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    }
    let requests = receiver.join().unwrap();
    assert!(requests.len() > 1, "all of it came at once");
    let ids = |all: &[Value]| -> Vec<String> {
        let mut ids: Vec<String> = all.iter().map(|one| one["spanId"].to_string()).collect();
        ids.sort_unstable();
        ids
    };
    let printed = spans(&world.run(&["trace", "t"]).exits(0).json());
    assert_eq!(ids(&requests.concat()), ids(&printed), "each once");
    // Nobody listens there any more.
    let key = world.approver("ann");
    world.decide(&key, "approve").exits(0);
    let said = with(&url).exits(0);
    assert!(said.err.contains("the run goes on"), "{}", said.err);
    with("nowhere").refuses(1, "bad_collector");
    world.write(
        ".proofhouse/config.toml",
        "[trace]\notlp = \"http://elsewhere:4318\"\n",
    );
    world
        .run(&["run", "t"])
        .refuses(1, "setting_not_for_repository");
}

#[test]
fn the_runs_of_a_wave_are_told_while_they_run() {
    let world = crate::waves::world();
    let tasks = ["a", "b"].map(|slug| crate::waves::task(slug, ""));
    crate::waves::milestone(&world, "m", "", &tasks);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // Until both runs themselves are told, which end last.
    let receiver = std::thread::spawn(move || {
        let (mut all, mut over) = (Vec::new(), 0);
        while over < 2 {
            let (_, body) = taken(&listener);
            let sent = spans(&serde_json::from_str(&body).unwrap());
            over += sent
                .iter()
                .filter(|one| one["parentSpanId"].is_null())
                .count();
            all.extend(sent);
        }
        all
    });
    let mut command = world.command(&["wave", "run", "m"]);
    command.env("PROOFHOUSE_TRACE__OTLP", &url);
    Said::from(command.output().unwrap()).exits(0);
    for _ in 0..2 {
        // Whoever waits for what was never sent hears that it is over, and fails below.
        if let Ok(mut stream) = TcpStream::connect(url.trim_start_matches("http://")) {
            let body = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"never"}]}]}]}"#;
            let head = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    }
    let told = receiver.join().unwrap();
    let mut ids: Vec<String> = told.iter().map(|one| one["spanId"].to_string()).collect();
    ids.sort_unstable();
    let mut printed = Vec::new();
    for run in ["m-a", "m-b"] {
        let all = spans(&world.run(&["trace", run]).exits(0).json());
        printed.extend(all.iter().map(|one| one["spanId"].to_string()));
    }
    printed.sort_unstable();
    assert_eq!(ids, printed, "each once");
}

#[test]
fn a_collector_gets_it_and_a_dead_one_costs_the_run_nothing() {
    let world = waited();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let receiver = std::thread::spawn(move || taken(&listener));
    let said = world
        .run(&["trace", "t", "--otlp", &url, "--json"])
        .exits(0);
    let (head, body) = receiver.join().unwrap();
    assert!(head.starts_with("POST /v1/traces "), "{head}");
    assert!(
        head.to_lowercase()
            .contains("content-type: application/json")
    );
    let sent: Value = serde_json::from_str(&body).unwrap();
    let printed = world.run(&["trace", "t"]).exits(0).json();
    assert_eq!(sent, printed);
    assert_eq!(said.json()["trace"], spans(&sent)[0]["traceId"]);
    // Nobody listens there any more.
    let journal = world.read(".proofhouse/journal/t.jsonl");
    world
        .run(&["trace", "t", "--otlp", &url])
        .refuses(3, "collector_failed");
    assert_eq!(world.read(".proofhouse/journal/t.jsonl"), journal);
    world.run(&["status", "t"]).exits(0);
    for bad in ["localhost:4318", "ftp://h/", "http://me:secret@h/"] {
        world
            .run(&["trace", "t", "--otlp", bad])
            .refuses(1, "bad_collector");
    }
}

/// By the tools of others: `python3 -m venv V && V/bin/pip install rotel arize-phoenix`, then
/// `PROOFHOUSE_PHOENIX_PYTHON=V/bin/python cargo test -p proofhouse --test it trace -- --ignored`.
#[test]
#[ignore = "needs rotel and arize-phoenix from PyPI"]
fn a_collector_and_a_receiver_of_others_take_every_span() {
    let python = std::env::var("PROOFHOUSE_PHOENIX_PYTHON").expect("where they are installed");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trace/receive.py");
    let world = waited();
    let mut receiver = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(receiver.stdout.take().unwrap()).lines();
    let url = lines.next().expect("both are there").unwrap();
    let printed = spans(&world.run(&["trace", "t"]).exits(0).json());
    // Twice, and it is one trace all the same.
    for _ in 0..2 {
        world.run(&["trace", "t", "--otlp", &url]).exits(0);
    }
    let mut asks = receiver.stdin.take().unwrap();
    writeln!(asks, "{}", printed.len()).unwrap();
    let there: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert!(receiver.wait().unwrap().success());
    let told = |span: &Value, id: &Value, parent: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&span["name"]), text(id), text(parent))
    };
    let mut there: Vec<_> = there.as_array().unwrap().iter().collect();
    assert!(
        there
            .iter()
            .all(|one| one["context"]["trace_id"] == printed[0]["traceId"])
    );
    there.sort_by_key(|one| one["context"]["span_id"].to_string());
    there.dedup_by_key(|one| one["context"]["span_id"].to_string());
    let mut there: Vec<_> = there
        .iter()
        .map(|one| told(one, &one["context"]["span_id"], &one["parent_id"]))
        .collect();
    let mut sent: Vec<_> = printed
        .iter()
        .map(|one| told(one, &one["spanId"], &one["parentSpanId"]))
        .collect();
    there.sort();
    sent.sort();
    assert_eq!(there, sent);
    println!("{} spans are as they were sent", sent.len());
}
