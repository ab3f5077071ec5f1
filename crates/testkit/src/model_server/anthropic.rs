//! Anthropic Messages.

use super::events::Events;
use super::plan::{Asked, Message, list, word};
use super::script::{Arguments, Stop};
use super::tools::{Kind, Offered};
use serde_json::{Value, json};

pub(super) fn asked(body: &Value) -> Asked {
    let tool = |tool: &Value| {
        (
            word(tool, "name"),
            Offered::new(Kind::Function, &tool["input_schema"]),
        )
    };
    let assistant = |message: &&Value| message["role"] == "assistant";
    Asked {
        turns: list(body, "messages").iter().filter(assistant).count(),
        offered: list(body, "tools").iter().map(tool).collect(),
        model: word(body, "model"),
    }
}

fn stop(message: &Message) -> &'static str {
    match message.stop {
        Stop::Refusal => "refusal",
        Stop::Length => "max_tokens",
        Stop::Natural if message.calls.is_empty() => "end_turn",
        Stop::Natural => "tool_use",
    }
}

/// The message without its content.
fn envelope(message: &Message) -> Value {
    let tokens = message.tokens;
    json!({
        "id": format!("msg_{}", message.serial), "type": "message", "role": "assistant",
        "model": message.model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": tokens.input - tokens.cached, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": tokens.cached, "output_tokens": 1,
        },
    })
}

pub(super) fn stream(message: &Message) -> Vec<u8> {
    let mut events = Events::default();
    events.typed(json!({ "type": "message_start", "message": envelope(message) }));
    events.typed(json!({ "type": "ping" }));
    let mut at = 0;
    let mut block = |start: Value, delta: Value| {
        events.typed(json!({ "type": "content_block_start", "index": at, "content_block": start }));
        events.typed(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        events.typed(json!({ "type": "content_block_stop", "index": at }));
        at += 1;
    };
    if !message.text.is_empty() {
        let text = json!({ "type": "text_delta", "text": message.text });
        block(json!({ "type": "text", "text": "" }), text);
    }
    for call in &message.calls {
        let start = json!({ "type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": {} });
        block(
            start,
            json!({ "type": "input_json_delta", "partial_json": call.text() }),
        );
    }
    events.typed(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop(message), "stop_sequence": null },
        "usage": { "output_tokens": message.tokens.output },
    }));
    events.typed(json!({ "type": "message_stop" }));
    events.finish()
}

pub(super) fn whole(message: &Message) -> Value {
    let mut content = Vec::new();
    if !message.text.is_empty() {
        content.push(json!({ "type": "text", "text": message.text }));
    }
    for call in &message.calls {
        let input = match &call.arguments {
            Arguments::Json(value) => value.clone(),
            Arguments::Raw(text) => json!(text),
        };
        content.push(json!({ "type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": input }));
    }
    let mut value = envelope(message);
    value["content"] = json!(content);
    value["stop_reason"] = json!(stop(message));
    value["usage"]["output_tokens"] = json!(message.tokens.output);
    value
}

pub(super) fn error(code: u16) -> Value {
    json!({ "type": "error", "error": { "type": "api_error", "message": format!("scripted status {code}") } })
}
