//! The tools of `mcp` over HTTP, behind `serve`: the same answers to the same messages, for whoever has their key.

use crate::serve::{Served, serve};
use crate::support::World;
use serde_json::{Value, json};

fn world() -> World {
    let world = crate::quick::world();
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n",
    );
    world
}

/// What the server says to a message with these headers besides its own host.
fn says(served: &Served, headers: &[(&str, &str)], message: &Value) -> (u16, Value) {
    let address = served.tools["addresses"][0].as_str().unwrap();
    let own = format!("http://{}", served.host());
    let head = format!("POST {}", address.strip_prefix(&own).unwrap());
    let host = served.host();
    let mut all = vec![
        ("Host", host.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    all.extend(headers);
    let (status, text) = served.answer(&head, &all, &message.to_string());
    let body = text.split_once("\r\n\r\n").unwrap().1;
    (status, serde_json::from_str(body).unwrap_or_default())
}

fn key(served: &Served) -> String {
    format!("Bearer {}", served.tools["key"].as_str().unwrap())
}

fn call(name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn tools_are_answered_over_http_as_they_are_on_standard_input() {
    let world = world();
    let served = serve(&world, &["--mcp", "--decide"]);
    let key = key(&served);
    let ask = |message: Value| says(&served, &[("Authorization", &key)], &message);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25" } });
    let (status, said) = ask(hello);
    assert_eq!(status, 200);
    assert_eq!(said["result"]["protocolVersion"], "2025-11-25", "{said}");
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(ask(notice), (202, Value::Null));
    let (_, listed) = ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    let all = ["start", "status", "inbox", "evidence", "take", "hand_in"];
    assert_eq!(names(&listed), all);
    let (_, said) = ask(call("start", json!({ "sentence": "make totals of carts" })));
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("`make-totals-of-carts` has begun"), "{said}");
    world.run(&["attach", "make-totals-of-carts"]).exits(2);
    let (_, said) = ask(call("inbox", json!({})));
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Only the person answers"), "{said}");
    // The page is this very server's.
    let page = format!(
        "http://{}/inbox/, where their passkey answers",
        served.host()
    );
    assert!(text.contains(&page), "{said}");
    assert!(!text.contains("another port"), "{said}");
    let shows = serve(&world, &["--mcp"]);
    let other = self::key(&shows);
    let (_, said) = says(
        &shows,
        &[("Authorization", &other)],
        &call("inbox", json!({})),
    );
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    let page = format!("http://{}/inbox/ shows them the same", shows.host());
    assert!(text.contains(&page), "{said}");
    // No tool decides here either, and what is no message is told so.
    let (_, said) = ask(call("decide", json!({ "option": "approve" })));
    assert_eq!(said["error"]["code"], -32602, "{said}");
    let (_, said) = ask(json!([]));
    assert_eq!(said["error"]["code"], -32600, "{said}");
    let versions = [("2025-06-18", 200), ("1999-01-01", 400)];
    for (version, status) in versions {
        let headers = [
            ("Authorization", key.as_str()),
            ("MCP-Protocol-Version", version),
        ];
        let ping = json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" });
        assert_eq!(says(&served, &headers, &ping).0, status, "{version}");
    }
}

#[test]
fn tools_and_page_open_by_their_own_keys_alone() {
    let world = world();
    let served = serve(&world, &["--mcp", "--decide"]);
    let (key, host) = (key(&served), served.host());
    let ping = json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" });
    let tried = |headers: &[(&str, &str)]| says(&served, headers, &ping).0;
    assert_eq!(tried(&[]), 401);
    assert_eq!(tried(&[("X-Proofhouse-Token", &served.token)]), 401);
    let page = format!("Bearer {}", served.token);
    assert_eq!(tried(&[("Authorization", &page)]), 401);
    let ours = ("Authorization", key.as_str());
    assert_eq!(tried(&[ours, ("Origin", "http://localhost:1")]), 403);
    assert_eq!(tried(&[ours, ("Host", "evil.example")]), 400);
    assert_eq!(tried(&[ours]), 200);
    // The key of the tools shows no page, and changes none.
    let bare = served.tools["key"].as_str().unwrap();
    let as_token = [("Host", host.as_str()), ("X-Proofhouse-Token", bare)];
    assert_eq!(served.answer("GET /live/", &as_token, "").0, 401);
    let origin = format!("http://{host}");
    let changes = [
        ("Host", host.as_str()),
        ours,
        ("Origin", &origin),
        ("Content-Type", "application/json"),
    ];
    for path in ["/decide", "/start", "/stop", "/go_on", "/enrol"] {
        let (status, _) = served.answer(&format!("POST {path}"), &changes, "{}");
        assert_eq!(status, 401, "{path}");
    }
    // There is no stream, no other repository, and nobody who gives out keys.
    let all = [("Host", host.as_str()), ours];
    let address = served.tools["addresses"][0].as_str().unwrap();
    let path = address.strip_prefix(&origin).unwrap();
    assert_eq!(served.answer(&format!("GET {path}"), &all, "").0, 405);
    assert_eq!(served.answer("POST /mcp/none", &changes, "{}").0, 404);
    let known = "GET /.well-known/oauth-protected-resource";
    assert_eq!(served.answer(known, &all, "").0, 404);

    // Where nobody asked for them, there are none; where nobody decides, only those that read.
    let without = serve(&world, &["--decide"]);
    assert!(without.tools.is_null());
    let host = without.host();
    let all = [("Host", host.as_str()), ours];
    assert_eq!(without.answer(&format!("POST {path}"), &all, "{}").0, 404);
    let shows = serve(&world, &["--mcp"]);
    let key = format!("Bearer {}", shows.tools["key"].as_str().unwrap());
    let ours = [("Authorization", key.as_str())];
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let (_, listed) = says(&shows, &ours, &list);
    assert_eq!(names(&listed), ["status", "inbox", "evidence"]);
    let (_, said) = says(&shows, &ours, &call("start", json!({ "sentence": "x" })));
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("page_only_shows"), "{said}");
}

#[test]
fn a_guest_is_given_the_page_of_the_run_that_this_server_shows() {
    let world = crate::guest::world();
    let _client = crate::guest::worked(&world);
    let served = serve(&world, &["--mcp", "--decide"]);
    let key = key(&served);
    let (_, said) = says(
        &served,
        &[("Authorization", &key)],
        &call("inbox", json!({})),
    );
    let text = said["result"]["content"][0]["text"].as_str().unwrap();
    let tools = served.tools["addresses"][0].as_str().unwrap();
    let page = tools.replace("/mcp/", "/r/");
    let page = format!("{page}/run/{}/:", crate::guest::RUN);
    assert!(text.contains(&page), "{page}: {text}");
    assert!(!text.contains("approve --because"), "{text}");
}
