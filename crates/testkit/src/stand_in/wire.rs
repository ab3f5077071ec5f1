//! As much of each provider's format as an agent needs: what it sends of a conversation, and the
//! message in the events that come back.

use super::call::Call;
use super::tools::Tool;
use serde_json::{Value, json};

/// Which provider an agent speaks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// One message of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) input: u64,
    pub(super) output: u64,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Brief(String),
    Said(Message),
    /// What the tools answered.
    Did(Vec<(Call, String)>),
}

impl Wire {
    pub(super) fn path(self) -> &'static str {
        match self {
            Wire::Anthropic => "/v1/messages",
            Wire::Responses => "/v1/responses",
            Wire::Chat => "/v1/chat/completions",
            Wire::Gemini => "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        }
    }

    pub(super) fn body(self, entries: &[Entry], tools: &[Tool]) -> Value {
        let entries: Vec<Value> = entries.iter().flat_map(|entry| self.entry(entry)).collect();
        let tools: Vec<Value> = tools.iter().map(|tool| self.tool(tool)).collect();
        match self {
            Wire::Anthropic | Wire::Chat => {
                json!({"model": "fake", "stream": true, "messages": entries, "tools": tools})
            }
            Wire::Responses => {
                json!({"model": "fake", "stream": true, "input": entries, "tools": tools})
            }
            Wire::Gemini => {
                json!({"contents": entries, "tools": [{"functionDeclarations": tools}]})
            }
        }
    }

    fn tool(self, tool: &Tool) -> Value {
        let properties = tool.keys.iter().map(|key| ((*key).to_owned(), json!({})));
        let properties: serde_json::Map<String, Value> = properties.collect();
        let schema = json!({"type": "object", "properties": properties});
        match self {
            Wire::Anthropic => json!({"name": tool.name, "input_schema": schema}),
            Wire::Responses => {
                json!({"type": "function", "name": tool.name, "parameters": schema})
            }
            Wire::Chat => {
                json!({"type": "function", "function": {"name": tool.name, "parameters": schema}})
            }
            Wire::Gemini => json!({"name": tool.name, "parameters": schema}),
        }
    }

    fn entry(self, entry: &Entry) -> Vec<Value> {
        match (self, entry) {
            (Wire::Gemini, Entry::Brief(text)) => {
                vec![json!({"role": "user", "parts": [{"text": text}]})]
            }
            (_, Entry::Brief(text)) => vec![json!({"role": "user", "content": text})],
            (_, Entry::Said(message)) => self.said(message),
            (_, Entry::Did(answers)) => self.did(answers),
        }
    }

    fn said(self, message: &Message) -> Vec<Value> {
        let (text, calls) = (&message.text, message.calls.iter());
        match self {
            Wire::Anthropic => {
                let calls = calls.map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": call.name,
                        "input": call.object()})
                });
                vec![json!({"role": "assistant", "content": calls.collect::<Vec<_>>()})]
            }
            Wire::Chat => {
                let calls = calls.map(|call| {
                    json!({"id": call.id, "type": "function",
                        "function": {"name": call.name, "arguments": call.text()}})
                });
                let calls: Vec<Value> = calls.collect();
                vec![json!({"role": "assistant", "content": text, "tool_calls": calls})]
            }
            Wire::Responses => calls
                .map(|call| {
                    json!({"type": "function_call", "call_id": call.id, "name": call.name,
                        "arguments": call.text()})
                })
                .collect(),
            Wire::Gemini => {
                let calls = calls.map(|call| {
                    json!({"functionCall": {"id": call.id, "name": call.name,
                        "args": call.object()}})
                });
                vec![json!({"role": "model", "parts": calls.collect::<Vec<_>>()})]
            }
        }
    }

    fn did(self, answers: &[(Call, String)]) -> Vec<Value> {
        let one = |(call, text): &(Call, String)| match self {
            Wire::Anthropic => json!({"role": "user", "content":
                [{"type": "tool_result", "tool_use_id": call.id, "content": text}]}),
            Wire::Chat => json!({"role": "tool", "tool_call_id": call.id, "content": text}),
            Wire::Responses => {
                json!({"type": "function_call_output", "call_id": call.id, "output": text})
            }
            Wire::Gemini => json!({"role": "user", "parts": [{"functionResponse":
                {"id": call.id, "name": call.name, "response": {"output": text}}}]}),
        };
        answers.iter().map(one).collect()
    }

    /// The message in the events of one whole answer.
    pub(super) fn message(self, events: &[Value]) -> Message {
        let mut message = Message::default();
        let mut parts: Vec<(Value, Value, String)> = Vec::new();
        for event in events {
            match self {
                Wire::Anthropic => anthropic(event, &mut message, &mut parts),
                Wire::Chat => chat(event, &mut message, &mut parts),
                Wire::Responses => responses(event, &mut message, &mut parts),
                Wire::Gemini => gemini(event, &mut message, &mut parts),
            }
        }
        let calls = parts
            .iter()
            .map(|(id, name, text)| Call::new(id, name, text));
        message.calls = calls.collect();
        message
    }
}

type Parts = Vec<(Value, Value, String)>;

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn add(parts: &mut Parts, text: &Value) {
    if let Some((_, _, arguments)) = parts.last_mut() {
        arguments.push_str(word(text));
    }
}

fn anthropic(event: &Value, message: &mut Message, parts: &mut Parts) {
    let block = &event["content_block"];
    match event["type"].as_str() {
        Some("message_start") => {
            message.id = word(&event["message"]["id"]).to_owned();
            message.input = number(&event["message"]["usage"]["input_tokens"]);
        }
        Some("content_block_start") if block["type"] == "tool_use" => {
            parts.push((block["id"].clone(), block["name"].clone(), String::new()));
        }
        Some("content_block_delta") => {
            message.text.push_str(word(&event["delta"]["text"]));
            add(parts, &event["delta"]["partial_json"]);
        }
        Some("message_delta") => message.output = number(&event["usage"]["output_tokens"]),
        _ => {}
    }
}

fn chat(event: &Value, message: &mut Message, parts: &mut Parts) {
    message.id = word(&event["id"]).to_owned();
    let delta = &event["choices"][0]["delta"];
    message.text.push_str(word(&delta["content"]));
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        if call["id"].is_string() {
            let name = call["function"]["name"].clone();
            parts.push((call["id"].clone(), name, String::new()));
        }
        add(parts, &call["function"]["arguments"]);
    }
    if event["usage"].is_object() {
        message.input = number(&event["usage"]["prompt_tokens"]);
        message.output = number(&event["usage"]["completion_tokens"]);
    }
}

fn responses(event: &Value, message: &mut Message, parts: &mut Parts) {
    if event["type"] != "response.completed" {
        return;
    }
    let response = &event["response"];
    message.id = word(&response["id"]).to_owned();
    message.input = number(&response["usage"]["input_tokens"]);
    message.output = number(&response["usage"]["output_tokens"]);
    for item in response["output"].as_array().into_iter().flatten() {
        message.text.push_str(word(&item["content"][0]["text"]));
        if item["type"] == "function_call" {
            let text = word(&item["arguments"]).to_owned();
            parts.push((item["call_id"].clone(), item["name"].clone(), text));
        }
    }
}

fn gemini(event: &Value, message: &mut Message, parts: &mut Parts) {
    message.id = word(&event["responseId"]).to_owned();
    message.input = number(&event["usageMetadata"]["promptTokenCount"]);
    message.output = number(&event["usageMetadata"]["candidatesTokenCount"]);
    let content = &event["candidates"][0]["content"]["parts"];
    for part in content.as_array().into_iter().flatten() {
        message.text.push_str(word(&part["text"]));
        let call = &part["functionCall"];
        if call.is_object() {
            let text = call["args"].to_string();
            parts.push((call["id"].clone(), call["name"].clone(), text));
        }
    }
}
