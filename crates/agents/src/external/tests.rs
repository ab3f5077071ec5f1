//! What the dialects make of events: recorded from the real agents against a scripted server
//! (`tests/fixtures`, with paths and ids taken out), and some that no server makes them say.

use super::dialect::{Dialect, End, Heard};
use super::kind::{Counts, Kind};
use super::place::Place;
use crate::acp::Acp;
use crate::agent::Order;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::codex_app::CodexApp;
use crate::gemini::Gemini;
use crate::opencode::Opencode;
use crate::pi::Pi;
use crate::table::{How, TABLE};
use kernel::effect::{Access, Capability};
use kernel::outcome::Class;
use sandbox::Talk;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../tests/fixtures/", $name, ".jsonl"))
    };
}

fn order(access: Access) -> Order {
    Order {
        run: "r1".into(),
        effect: 1,
        state: "implement".into(),
        role: "coder".into(),
        can: BTreeSet::from(Capability::ALL),
        access,
        nth: 1,
        view: "/w/view".into(),
        home: "/w/attempt".into(),
        brief: "Do it.\n".into(),
        wall: Duration::from_secs(1),
        allowance: Default::default(),
        env: BTreeMap::new(),
        continues: None,
        policy: None,
        shape: Default::default(),
    }
}

fn dialect(kind: &dyn Kind, access: Access) -> Box<dyn Dialect> {
    let order = order(access);
    kind.dialect(&order, &Place::of(&order, kind.sessions()))
}

fn hear(kind: &dyn Kind, text: &str) -> Heard {
    let mut dialect = dialect(kind, Access::Edit);
    for line in text.lines() {
        dialect.line(line);
    }
    dialect.heard().clone()
}

fn failed(kind: &dyn Kind, text: &str) -> (Class, String) {
    match hear(kind, text).end {
        Some(End::Failed(trouble)) => (trouble.class, trouble.reason),
        other => panic!("{kind:?}: {other:?}"),
    }
}

fn acp() -> Acp {
    Acp {
        argv: vec!["agent".into()],
    }
}

/// Every coding agent of the table, with its name and what it was recorded to say.
fn recorded() -> Vec<(&'static str, Box<dyn Kind>, String)> {
    let mut found = Vec::new();
    for row in TABLE {
        let (How::Coding(kind) | How::Protocol(kind)) = row.how else {
            continue;
        };
        let file = format!("tests/fixtures/{}.jsonl", row.name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let text = std::fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("{file}, a recorded success: {error}"));
        found.push((row.name, kind(vec!["agent".into()]), text));
    }
    found
}

/// What those that count money say of it.
const COST: [(&str, u64); 3] = [("claude", 18_840), ("opencode", 3_309), ("pi", 3_309)];

#[test]
fn a_success_is_heard_whole() {
    for (name, kind, text) in recorded() {
        let heard = hear(&*kind, &text);
        assert_eq!(heard.end, Some(End::Finished), "{name}");
        assert_eq!(heard.usage.input_tokens, 3003, "{name}");
        assert_eq!(heard.usage.output_tokens, 153, "{name}");
        let cost = COST.iter().find(|(of, _)| *of == name);
        let cost = cost.map_or(0, |(_, cost)| *cost);
        assert_eq!(heard.usage.micro_dollars, cost, "{name}");
        assert_eq!(cost > 0, kind.counts() == Counts::Money, "{name}");
        assert!(heard.session.is_some(), "{name}");
        let object = super::answer::last_object(&heard.message);
        assert_eq!(object, Some(r#"{"summary":"made hello"}"#), "{name}");
    }
}

#[test]
fn a_cut_stream_has_no_end() {
    for (name, kind, text) in recorded() {
        let lines: Vec<&str> = text.lines().collect();
        for cut in 0..lines.len() {
            let mut some = lines[..cut].join("\n");
            let half = &lines[cut][..lines[cut].len() / 2];
            if half.is_ascii() {
                some.push_str(&format!("\n{half}"));
            }
            assert_eq!(hear(&*kind, &some).end, None, "{name} cut at {cut}");
        }
    }
}

#[test]
fn garbage_says_nothing() {
    let garbage = "null\n[]\n{}\n{\"type\":7}\n{\"type\":\"result\"\nWarning: {\n\u{0}\n{\"type\":\"assistant\",\"message\":[]}\n{\"id\":1}\n{\"method\":\"x\"}\n";
    for (name, kind, _) in recorded() {
        let heard = hear(&*kind, garbage);
        match name {
            // They answer each other by numbers, and `{"id":1}` is an answer.
            "acp" | "codex-app" => assert_eq!(heard.end, None, "{name}"),
            _ => assert_eq!(heard, Heard::default(), "{name}"),
        }
    }
}

#[test]
fn each_failure_has_its_class() {
    let cases: [(&dyn Kind, &str, Class, &str); 14] = [
        (
            &Claude,
            fixture!("claude-401"),
            Class::Auth,
            "401: Invalid API key",
        ),
        (&Claude, fixture!("claude-429"), Class::Transient, "(429)"),
        (
            &Claude,
            fixture!("claude-500"),
            Class::Transient,
            "500 scripted",
        ),
        (
            &Claude,
            fixture!("claude-turns"),
            Class::Crashed,
            "error_max_turns",
        ),
        (
            &Codex,
            fixture!("codex-401"),
            Class::Auth,
            "401 Unauthorized",
        ),
        (
            &Codex,
            fixture!("codex-429"),
            Class::Transient,
            "429 Too Many",
        ),
        (
            &Codex,
            fixture!("codex-500"),
            Class::Transient,
            "high demand",
        ),
        (
            &CodexApp,
            fixture!("codex-app-401"),
            Class::Auth,
            "401 Unauthorized",
        ),
        (
            &Gemini,
            fixture!("gemini-401"),
            Class::Auth,
            "authentication_error",
        ),
        (
            &Opencode,
            fixture!("opencode-401"),
            Class::Auth,
            "401: invalid x-api-key",
        ),
        (
            &Opencode,
            fixture!("opencode-429"),
            Class::Transient,
            "429: slow down",
        ),
        (
            &Pi,
            fixture!("pi-401"),
            Class::Auth,
            "401 invalid x-api-key",
        ),
        (&Pi, fixture!("pi-429"), Class::Transient, "429 slow down"),
        (
            &Claude,
            r#"{"type":"result","subtype":"success","is_error":false,"stop_reason":"refusal","result":"I cannot help with that."}"#,
            Class::Declined,
            "I cannot help",
        ),
    ];
    for (kind, text, class, reason) in cases {
        let (found, said) = failed(kind, text);
        assert_eq!(found, class, "{kind:?}: {said}");
        assert!(said.contains(reason), "{kind:?}: {said}");
    }
    let heard = hear(&Opencode, fixture!("opencode-429"));
    let Some(End::Failed(trouble)) = heard.end else {
        panic!("{:?}", heard.end);
    };
    assert_eq!(trouble.retry_after, Some(Duration::from_secs(1)));
}

#[test]
fn a_retry_takes_the_end_back() {
    let text = fixture!("pi-401");
    let again = format!("{text}{{\"type\":\"auto_retry_start\",\"errorMessage\":\"401\"}}\n");
    assert!(hear(&Pi, text).end.is_some());
    assert_eq!(hear(&Pi, &again).end, None);
    let text = fixture!("opencode");
    assert_eq!(
        hear(&Opencode, &format!("{text}{{\"type\":\"step_start\"}}\n")).end,
        None
    );
}

#[test]
fn refused_calls_are_counted() {
    let heard = hear(&Claude, fixture!("claude-turns"));
    assert_eq!(heard.denials, 1);
    let usage = heard.usage;
    assert_eq!((usage.input_tokens, usage.micro_dollars), (1000, 6_250));
}

/// Asks Claude's dialect for a tool, both ways; the answer's decision.
fn asks(access: Access, tool: &str, path: &str) -> [String; 2] {
    let input = serde_json::json!({"file_path": path, "command": "x"});
    let ask = |request: Value| {
        let event =
            serde_json::json!({"type": "control_request", "request_id": "R", "request": request});
        let said = dialect(&Claude, access).line(&event.to_string());
        let answer: Value = serde_json::from_slice(&said.answer).unwrap();
        assert_eq!(answer["response"]["request_id"], "R");
        answer["response"]["response"].clone()
    };
    let asked =
        ask(serde_json::json!({"subtype": "can_use_tool", "tool_name": tool, "input": input}));
    if asked["behavior"] == "allow" {
        assert_eq!(asked["updatedInput"], input);
    }
    let hooked = serde_json::json!({"tool_name": tool, "tool_input": input});
    let hooked = ask(
        serde_json::json!({"subtype": "hook_callback", "callback_id": "edits", "input": hooked}),
    );
    let decision = &hooked["hookSpecificOutput"]["permissionDecision"];
    [asked["behavior"].as_str(), decision.as_str()].map(|text| text.unwrap().to_owned())
}

#[test]
fn claude_edits_what_its_role_may_and_nothing_else() {
    let cases = [
        (Access::Edit, "Write", "/w/view/repo/a", "allow"),
        (Access::Edit, "Edit", "src/a", "allow"),
        (Access::Edit, "Edit", "../task/a", "allow"),
        (Access::Edit, "Write", "/w/attempt/out/result.json", "allow"),
        (
            Access::Edit,
            "Write",
            "/w/view/repo/../../attempt/pid",
            "deny",
        ),
        (Access::Edit, "Write", "/etc/passwd", "deny"),
        (Access::Edit, "Write", "/w/view/repository", "deny"),
        (Access::Edit, "AskUserQuestion", "", "deny"),
        (Access::ReadOnly, "Write", "/w/view/repo/a", "deny"),
        (Access::ReadOnly, "NotebookEdit", "", "deny"),
        (Access::ReadOnly, "Write", "/w/view/task/a", "allow"),
        (Access::ReadOnly, "Bash", "", "allow"),
    ];
    for (access, tool, path, expected) in cases {
        let answers = asks(access, tool, path);
        assert_eq!(answers, [expected, expected], "{access:?} {tool} {path}");
    }
}

#[test]
fn claude_keeps_talking_until_its_result() {
    let mut claude = dialect(&Claude, Access::Edit);
    assert_eq!(claude.talk(), Talk::Open);
    for line in fixture!("claude").lines() {
        claude.line(line);
    }
    assert_eq!(claude.talk(), Talk::Over);
    let odd = r#"{"type":"control_request","request_id":"R","request":{"subtype":"mcp_message"}}"#;
    let said = dialect(&Claude, Access::Edit).line(odd);
    assert!(String::from_utf8_lossy(&said.answer).contains("\"error\""));
}

#[test]
fn codex_counts_a_resumed_session_once() {
    let heard = hear(&Codex, fixture!("codex-went-on"));
    assert_eq!(heard.end, Some(End::Finished));
    let order = Order {
        continues: Some("t+3003+153+0".into()),
        ..order(Access::Edit)
    };
    let mut place = Place::of(&order, Codex.sessions());
    place.continues.clone_from(&order.continues);
    let mut codex = Codex.dialect(&order, &place);
    for line in fixture!("codex-went-on").lines() {
        codex.line(line);
    }
    let usage = codex.heard().usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (1003, 53));
}

/// Codex's app-server announces an edit and asks about it; our decision.
fn codex_asks(access: Access, changes: Value) -> (String, usize) {
    let mut codex = dialect(&CodexApp, access);
    let item = serde_json::json!({"type": "fileChange", "id": "f1", "changes": changes});
    let begun = serde_json::json!({"method": "item/started", "params": {"item": item}});
    codex.line(&begun.to_string());
    let ask = r#"{"id":0,"method":"item/fileChange/requestApproval","params":{"itemId":"f1"}}"#;
    let said = codex.line(ask);
    let answer: Value = serde_json::from_slice(&said.answer).unwrap();
    assert_eq!(answer["id"], 0);
    let decision = answer["result"]["decision"].as_str().unwrap().to_owned();
    (decision, codex.heard().denials)
}

#[test]
fn codex_edits_what_its_role_may_and_nothing_else() {
    let one = |path: &str| serde_json::json!([{"path": path, "kind": {"type": "add"}}]);
    let moved = serde_json::json!([{"path": "/w/view/repo/a",
        "kind": {"type": "update", "move_path": "/etc/cron.d/a"}}]);
    let cases = [
        (Access::Edit, one("/w/view/repo/a"), "accept"),
        (Access::Edit, one("src/a"), "accept"),
        (
            Access::Edit,
            one("/w/view/repo/../../attempt/pid"),
            "decline",
        ),
        (Access::Edit, one("/etc/passwd"), "decline"),
        (Access::Edit, moved, "decline"),
        (Access::Edit, serde_json::json!([]), "decline"),
        (Access::ReadOnly, one("/w/view/repo/a"), "decline"),
        (Access::ReadOnly, one("/w/view/task/a"), "accept"),
    ];
    for (access, changes, expected) in cases {
        let (decision, denials) = codex_asks(access, changes.clone());
        assert_eq!(decision, expected, "{access:?} {changes}");
        assert_eq!(denials, usize::from(expected == "decline"));
    }
    // An edit that nobody announced could go anywhere.
    let ask = r#"{"id":0,"method":"item/fileChange/requestApproval","params":{"itemId":"f9"}}"#;
    let said = dialect(&CodexApp, Access::Edit).line(ask);
    assert!(String::from_utf8_lossy(&said.answer).contains("decline"));
}

#[test]
fn codex_runs_commands_only_where_something_holds_them() {
    let ask = r#"{"id":4,"method":"item/commandExecution/requestApproval","params":{}}"#;
    let decision = |access, policy| {
        let order = Order {
            policy,
            ..order(access)
        };
        let mut codex = CodexApp.dialect(&order, &Place::of(&order, CodexApp.sessions()));
        String::from_utf8(codex.line(ask).answer).unwrap()
    };
    let ours = || Some(sandbox::Policy::confined(["/usr"], ["/w"]));
    assert!(decision(Access::Edit, ours()).contains("accept"));
    assert!(decision(Access::ReadOnly, ours()).contains("accept"));
    assert!(decision(Access::ReadOnly, None).contains("decline"));
}

#[test]
fn codex_app_answers_in_turn_and_gives_nothing_away() {
    let order = order(Access::Edit);
    let mut place = Place::of(&order, CodexApp.sessions());
    place.continues = Some("t-1+3003+153+0".into());
    let mut codex = CodexApp.dialect(&order, &place);
    assert_eq!(codex.talk(), Talk::Open);
    let mut say = |line: &str| String::from_utf8(codex.line(line).answer).unwrap();
    let resume = say(r#"{"id":1,"result":{}}"#);
    let lines: Vec<&str> = resume.lines().collect();
    assert!(
        lines[0].contains("\"initialized\"") && lines[1].contains("thread/resume"),
        "{resume}"
    );
    assert!(
        lines[1].contains("\"t-1\"") && lines[1].contains("untrusted"),
        "{resume}"
    );
    let new = say(r#"{"id":2,"error":{"code":-32600,"message":"no such thread"}}"#);
    assert!(
        new.contains("thread/start") && !new.contains("t-1"),
        "{new}"
    );
    let turn = say(r#"{"id":2,"result":{"thread":{"id":"t-2"}}}"#);
    assert!(
        turn.contains("turn/start") && turn.contains("Do it."),
        "{turn}"
    );
    for method in [
        "item/tool/requestUserInput",
        "item/tool/call",
        "mcpServer/elicitation/request",
    ] {
        let refused = say(&format!(
            r#"{{"id":"q","method":"{method}","params":{{}}}}"#
        ));
        assert!(
            refused.contains("-32601") && refused.contains("\"q\""),
            "{refused}"
        );
    }
    let more = say(r#"{"id":7,"method":"item/permissions/requestApproval","params":{}}"#);
    assert!(more.contains(r#""permissions":{}"#), "{more}");
    assert_eq!(codex.heard().session.as_deref(), Some("t-2+0+0+0"));
    codex.line(r#"{"method":"thread/tokenUsage/updated","params":{"tokenUsage":{"total":{"inputTokens":5,"outputTokens":2,"cachedInputTokens":1}}}}"#);
    assert_eq!(
        codex.heard().usage.input_tokens,
        5,
        "a new thread counts from nothing"
    );
    codex.line(r#"{"method":"turn/completed","params":{"turn":{"status":"failed","error":{"message":"x","codexErrorInfo":"usageLimitExceeded"}}}}"#);
    assert!(
        matches!(&codex.heard().end, Some(End::Failed(trouble)) if trouble.class == Class::Quota)
    );
    assert_eq!(codex.talk(), Talk::Over);
}

#[test]
fn acp_answers_in_turn() {
    let order = order(Access::ReadOnly);
    let kind = acp();
    let mut place = Place::of(&order, kind.sessions());
    place.continues = Some("s-1".into());
    let mut acp = kind.dialect(&order, &place);
    let mut say = |line: &str| String::from_utf8(acp.line(line).answer).unwrap();
    let load = say(r#"{"id":1,"result":{"agentCapabilities":{"loadSession":true}}}"#);
    assert!(
        load.contains("session/load") && load.contains("s-1"),
        "{load}"
    );
    let new = say(r#"{"id":2,"error":{"code":-32603,"message":"lost"}}"#);
    assert!(new.contains("session/new"), "{new}");
    let prompt = say(r#"{"id":2,"result":{"sessionId":"s-2"}}"#);
    assert!(
        prompt.contains("session/prompt") && prompt.contains("Do it."),
        "{prompt}"
    );
    let options = r#"[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]"#;
    let ask = |kind: &str| {
        format!(
            r#"{{"id":"q","method":"session/request_permission","params":{{"options":{options},"toolCall":{{"kind":"{kind}"}}}}}}"#
        )
    };
    assert!(say(&ask("edit")).contains(r#""optionId":"n""#));
    assert!(say(&ask("execute")).contains(r#""optionId":"y""#));
    assert!(say(r#"{"id":9,"method":"fs/read_text_file"}"#).contains("-32601"));
    assert_eq!(say(r#"{"id":3,"result":{"stopReason":"refusal"}}"#), "");
    assert!(
        matches!(&acp.heard().end, Some(End::Failed(trouble)) if trouble.class == Class::Declined)
    );
    assert_eq!(acp.heard().session.as_deref(), Some("s-2"));
    let mut acp = kind.dialect(&order, &Place::of(&order, kind.sessions()));
    acp.line(r#"{"id":1,"result":{}}"#);
    acp.line(r#"{"id":2,"error":{"code":-32000,"message":"please sign in"}}"#);
    assert!(matches!(&acp.heard().end, Some(End::Failed(trouble)) if trouble.class == Class::Auth));
}
