//! The server as a client sees it, over a plain socket.

use super::*;
use serde_json::json;
use std::io::{Read, Write};

fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nX-Key: k\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

/// A body that offers `write` to every provider, after this many turns.
fn body(turns: usize) -> Value {
    let schema = json!({ "properties": { "path": {}, "content": {} } });
    let assistant = vec![json!({ "role": "assistant", "content": "x" }); turns];
    json!({
        "model": "m", "messages": assistant,
        "tools": [{
            "type": "function", "name": "write", "input_schema": schema, "parameters": schema,
            "function": { "name": "write", "parameters": schema },
            "functionDeclarations": [{ "name": "write", "parameters": schema }],
        }],
    })
}

const PATHS: [&str; 4] = [
    "/v1/messages",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1beta/models/g:generateContent",
];

#[test]
fn every_wire_maps_a_write_and_records_the_request() {
    let write = Call::Write {
        path: "a.txt".into(),
        text: "hi".into(),
    };
    for path in PATHS {
        let script = Script::new([Turn::call(write.clone()).costs(5, 2, 1)]).root("/r");
        let server = ModelServer::start(script).unwrap();
        let answer = post(&server, path, &body(0));
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("/r/a.txt"), "{path}: {answer}");
        let requests = server.requests();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].path, path);
        assert_eq!(requests[0].headers["x-key"], "k");
        assert_eq!(requests[0].body["model"], "m");
    }
}

#[test]
fn the_history_or_the_arrival_chooses_the_turn() {
    let turns = || [Turn::status(500), Turn::text("second")];
    let server = ModelServer::start(Script::new(turns())).unwrap();
    assert!(post(&server, PATHS[0], &body(0)).contains("HTTP/1.1 500"));
    assert!(post(&server, PATHS[0], &body(0)).contains("HTTP/1.1 500"));
    assert!(post(&server, PATHS[0], &body(1)).contains("second"));
    let server = ModelServer::start(Script::in_order(turns())).unwrap();
    assert!(post(&server, PATHS[0], &body(0)).contains("HTTP/1.1 500"));
    assert!(post(&server, PATHS[0], &body(0)).contains("second"));
    assert!(post(&server, PATHS[0], &body(0)).contains("the script ended before turn 2"));
    // Without tools it is a side request.
    assert!(post(&server, PATHS[0], &json!({})).contains("Side answer"));
}

#[test]
fn faults_look_like_faults() {
    let turns = [
        Turn::status(429).header("retry-after", "7"),
        Turn::Cut,
        Turn::Garbage,
        Turn::Hang,
    ];
    let server = ModelServer::start(Script::in_order(turns)).unwrap();
    let mut request = body(0);
    request["stream"] = json!(true);
    assert!(post(&server, PATHS[1], &request).contains("retry-after: 7"));
    let cut = post(&server, PATHS[1], &request);
    assert!(
        cut.contains("text/event-stream") && !cut.ends_with("0\r\n\r\n"),
        "{cut}"
    );
    assert!(post(&server, PATHS[1], &request).contains("<html>"));
    // The peer has closed its side, so a hanging turn ends too, with nothing said.
    assert_eq!(post(&server, PATHS[1], &request), "");
}
