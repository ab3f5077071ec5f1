//! OpenAI Chat Completions.

use super::events::Events;
use super::plan::{Asked, Message, list, word};
use super::script::Stop;
use super::tools::{Kind, Offered};
use serde_json::{Value, json};

pub(super) fn asked(body: &Value) -> Asked {
    let tool = |tool: &Value| {
        let function = &tool["function"];
        (
            word(function, "name"),
            Offered::new(Kind::Function, &function["parameters"]),
        )
    };
    let assistant = |message: &&Value| message["role"] == "assistant";
    Asked {
        turns: list(body, "messages").iter().filter(assistant).count(),
        offered: list(body, "tools").iter().map(tool).collect(),
        model: word(body, "model"),
    }
}

fn finish(message: &Message) -> &'static str {
    match message.stop {
        Stop::Length => "length",
        Stop::Natural if !message.calls.is_empty() => "tool_calls",
        Stop::Natural | Stop::Refusal => "stop",
    }
}

fn usage(message: &Message) -> Value {
    let tokens = message.tokens;
    json!({
        "prompt_tokens": tokens.input, "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": { "cached_tokens": tokens.cached },
    })
}

/// Where the text goes: a refusal has its own member.
fn member(message: &Message) -> &'static str {
    match message.stop {
        Stop::Refusal => "refusal",
        Stop::Natural | Stop::Length => "content",
    }
}

fn envelope(message: &Message, object: &str) -> Value {
    json!({ "id": format!("chatcmpl-{}", message.serial), "created": 1, "model": message.model, "object": object })
}

pub(super) fn stream(message: &Message) -> Vec<u8> {
    let mut events = Events::default();
    let chunk = |delta: Value, reason: Value| {
        let mut value = envelope(message, "chat.completion.chunk");
        value["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": reason }]);
        value
    };
    events.data(&chunk(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    ));
    if !message.text.is_empty() {
        events.data(&chunk(
            json!({ (member(message)): message.text }),
            Value::Null,
        ));
    }
    for (index, call) in message.calls.iter().enumerate() {
        let first = json!({
            "index": index, "id": format!("call_{}", call.id), "type": "function",
            "function": { "name": call.name, "arguments": "" },
        });
        let second = json!({ "index": index, "function": { "arguments": call.text() } });
        for part in [first, second] {
            events.data(&chunk(json!({ "tool_calls": [part] }), Value::Null));
        }
    }
    events.data(&chunk(json!({}), json!(finish(message))));
    let mut last = envelope(message, "chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage(message);
    events.data(&last);
    events.raw("[DONE]");
    events.finish()
}

pub(super) fn whole(message: &Message) -> Value {
    let mut said = json!({ "role": "assistant", "content": null });
    if !message.text.is_empty() {
        said[member(message)] = json!(message.text);
    }
    let calls = message.calls.iter().map(|call| {
        json!({
            "id": format!("call_{}", call.id), "type": "function",
            "function": { "name": call.name, "arguments": call.text() },
        })
    });
    if !message.calls.is_empty() {
        said["tool_calls"] = calls.collect();
    }
    let mut value = envelope(message, "chat.completion");
    value["choices"] = json!([{ "index": 0, "message": said, "finish_reason": finish(message) }]);
    value["usage"] = usage(message);
    value
}

pub(super) fn error(code: u16) -> Value {
    json!({ "error": { "message": format!("scripted status {code}"), "type": "server_error" } })
}
