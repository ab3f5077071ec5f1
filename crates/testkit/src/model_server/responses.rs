//! OpenAI Responses.

use super::events::Events;
use super::plan::{Asked, Message, Planned, list, word};
use super::script::Stop;
use super::tools::{Kind, Offered};
use serde_json::{Value, json};

pub(super) fn asked(body: &Value) -> Asked {
    let mut asked = Asked {
        model: word(body, "model"),
        ..Asked::default()
    };
    offer(list(body, "tools"), None, &mut asked);
    let mut inside = false;
    for item in list(body, "input") {
        let kind = item["type"].as_str().unwrap_or("message");
        if kind == "additional_tools" {
            // Codex sends some tools as input items.
            offer(list(item, "tools"), None, &mut asked);
        }
        let by_model = matches!(
            kind,
            "function_call" | "custom_tool_call" | "local_shell_call" | "reasoning"
        ) || (kind == "message" && item["role"] == "assistant");
        // Neighbouring items are one turn.
        if by_model && !inside {
            asked.turns += 1;
        }
        inside = by_model;
    }
    asked
}

fn offer(tools: &[Value], of: Option<&str>, asked: &mut Asked) {
    for tool in tools {
        let kind = match tool["type"].as_str() {
            Some("function") => Kind::Function,
            Some("custom") => Kind::Custom,
            Some("namespace") => {
                offer(list(tool, "tools"), tool["name"].as_str(), asked);
                continue;
            }
            _ => continue,
        };
        let offered = Offered {
            namespace: of.map(str::to_owned),
            ..Offered::new(kind, &tool["parameters"])
        };
        asked.offered.insert(word(tool, "name"), offered);
    }
}

fn said(message: &Message) -> Option<Value> {
    let part = match message.stop {
        Stop::Refusal => json!({ "type": "refusal", "refusal": message.text }),
        Stop::Natural | Stop::Length => {
            json!({ "type": "output_text", "text": message.text, "annotations": [] })
        }
    };
    let id = format!("msg_{}", message.serial);
    let item = json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part] });
    (!message.text.is_empty()).then_some(item)
}

fn called(call: &Planned) -> Value {
    let (kind, member) = form(call.kind);
    let mut item = json!({
        "type": kind, "id": format!("fc_{}", call.id), "call_id": format!("call_{}", call.id),
        "name": call.name, "status": "completed", (member): call.text(),
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn form(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Function => ("function_call", "arguments"),
        Kind::Custom => ("custom_tool_call", "input"),
    }
}

pub(super) fn whole(message: &Message) -> Value {
    let tokens = message.tokens;
    let items: Vec<Value> = said(message)
        .into_iter()
        .chain(message.calls.iter().map(called))
        .collect();
    let (status, details) = match message.stop {
        Stop::Length => ("incomplete", json!({ "reason": "max_output_tokens" })),
        Stop::Natural | Stop::Refusal => ("completed", Value::Null),
    };
    json!({
        "id": format!("resp_{}", message.serial), "object": "response", "created_at": 1,
        "status": status, "incomplete_details": details, "error": null,
        "model": message.model, "output": items, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [], "metadata": {},
        "usage": {
            "input_tokens": tokens.input, "input_tokens_details": { "cached_tokens": tokens.cached },
            "output_tokens": tokens.output, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": tokens.input + tokens.output,
        },
    })
}

pub(super) fn stream(message: &Message) -> Vec<u8> {
    let mut events = Events::default();
    let mut serial = 0;
    let mut event = |kind: &str, mut value: Value| {
        value["type"] = json!(kind);
        value["sequence_number"] = json!(serial);
        serial += 1;
        events.typed(value);
    };
    let response = whole(message);
    let mut created = response.clone();
    created["status"] = json!("in_progress");
    created["output"] = json!([]);
    created["usage"] = Value::Null;
    event("response.created", json!({ "response": created }));
    for (at, item) in list(&response, "output").iter().enumerate() {
        let place = |mut value: Value| {
            value["output_index"] = json!(at);
            value["item_id"] = item["id"].clone();
            value
        };
        let mut added = item.clone();
        added["status"] = json!("in_progress");
        if item["type"] == "message" {
            added["content"] = json!([]);
            let part = &item["content"][0];
            let kind = word(part, "type");
            let member = if kind == "refusal" { "refusal" } else { "text" };
            event(
                "response.output_item.added",
                json!({ "output_index": at, "item": added }),
            );
            event(
                "response.content_part.added",
                place(json!({ "content_index": 0, "part": { "type": kind, (member): "" } })),
            );
            event(
                &format!("response.{kind}.delta"),
                place(json!({ "content_index": 0, "delta": part[member] })),
            );
            event(
                &format!("response.{kind}.done"),
                place(json!({ "content_index": 0, (member): part[member] })),
            );
            event(
                "response.content_part.done",
                place(json!({ "content_index": 0, "part": part })),
            );
        } else {
            let custom = item["type"] == "custom_tool_call";
            let (member, name) = match custom {
                true => ("input", "response.custom_tool_call_input"),
                false => ("arguments", "response.function_call_arguments"),
            };
            added[member] = json!("");
            event(
                "response.output_item.added",
                json!({ "output_index": at, "item": added }),
            );
            event(
                &format!("{name}.delta"),
                place(json!({ "delta": item[member] })),
            );
            event(
                &format!("{name}.done"),
                place(json!({ (member): item[member] })),
            );
        }
        event(
            "response.output_item.done",
            json!({ "output_index": at, "item": item }),
        );
    }
    let last = match message.stop {
        Stop::Length => "response.incomplete",
        Stop::Natural | Stop::Refusal => "response.completed",
    };
    event(last, json!({ "response": response }));
    events.finish()
}
