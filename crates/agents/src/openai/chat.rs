//! Chat Completions: the format that every compatible server speaks.

use super::{BASE_URL, KEY_VARIABLE, RESULT, arguments, headers};
use crate::failure::Failure;
use crate::prices::Tokens;
use crate::sse::Event;
use crate::wire::{
    self, Block, Call, Entry, Message, Provider, Reader, Request, Stop, ToolSpec, Wire, number,
    word,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Chat Completions: Ollama, vLLM, OpenRouter and most others.
pub(crate) const CHAT: Provider = Provider {
    name: "openai-chat",
    base_url: BASE_URL,
    key_variable: KEY_VARIABLE,
    wire: &Chat,
};

/// The Chat Completions API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chat;

impl Wire for Chat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        headers(key)
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let mut messages = vec![json!({ "role": "system", "content": request.system })];
        messages.extend(request.entries.iter().flat_map(entry));
        let mut body = json!({
            "model": request.model,
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true },
            "max_completion_tokens": request.max_output,
        });
        if !request.tools.is_empty() {
            let tool = |tool: &ToolSpec| {
                let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
                json!({ "type": "function", "function": function })
            };
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(schema) = request.schema {
            let schema = json!({ "name": RESULT, "strict": true, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<ChatReader>::default()
    }
}

fn entry(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::User(text) => vec![json!({ "role": "user", "content": text })],
        Entry::Results(answers) => {
            let answer = |answer: &wire::Answer| json!({ "role": "tool", "tool_call_id": answer.id, "content": answer.text });
            answers.iter().map(answer).collect()
        }
        Entry::Assistant(blocks) => {
            let mut text = String::new();
            let mut calls = Vec::new();
            for block in blocks {
                match block {
                    Block::Text(more) => text.push_str(more),
                    Block::Call(call) => calls.push(json!({
                        "id": call.id, "type": "function",
                        "function": { "name": call.name, "arguments": arguments(call) },
                    })),
                    Block::Opaque(_) => {}
                }
            }
            let mut message = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                message["tool_calls"] = json!(calls);
            }
            vec![message]
        }
    }
}

#[derive(Debug, Default)]
struct ChatReader {
    text: String,
    refusal: String,
    calls: BTreeMap<u64, (String, String, String)>,
    tokens: Tokens,
    finish: Option<String>,
}

impl ChatReader {
    fn delta(&mut self, delta: &Value) {
        self.text.push_str(word(delta, "content"));
        self.refusal.push_str(word(delta, "refusal"));
        for (place, part) in delta["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            // Some servers leave the index out.
            let index = part["index"].as_u64().unwrap_or(place as u64);
            let (id, name, arguments) = self.calls.entry(index).or_default();
            if id.is_empty() {
                id.push_str(word(part, "id"));
            }
            name.push_str(word(&part["function"], "name"));
            arguments.push_str(word(&part["function"], "arguments"));
        }
    }
}

impl Reader for ChatReader {
    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let value = wire::json(event)?;
        let error = &value["error"];
        if !error.is_null() {
            let kind = [word(error, "code"), word(error, "type")];
            let kind = kind
                .into_iter()
                .find(|kind| !kind.is_empty())
                .unwrap_or_default();
            return Err(Failure::in_stream(
                kind,
                error["message"]
                    .as_str()
                    .or(error.as_str())
                    .unwrap_or_default(),
            ));
        }
        let choice = &value["choices"][0];
        self.delta(&choice["delta"]);
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        let usage = &value["usage"];
        if usage.is_object() {
            self.tokens = Tokens {
                input: number(usage, "prompt_tokens"),
                cached: number(&usage["prompt_tokens_details"], "cached_tokens"),
                written: 0,
                output: number(usage, "completion_tokens"),
            };
        }
        Ok(())
    }

    fn tokens(&self) -> Tokens {
        self.tokens
    }

    fn finish(self: Box<Self>) -> Result<Message, Failure> {
        // The usage comes after the reason, and some servers send neither `[DONE]` nor usage.
        let Some(reason) = self.finish.as_deref() else {
            return Err(wire::ended_early());
        };
        let stop = match reason {
            _ if !self.refusal.is_empty() => Stop::Refusal,
            "content_filter" => Stop::Refusal,
            "length" => Stop::Length,
            _ => Stop::Natural,
        };
        let text = if self.refusal.is_empty() {
            self.text
        } else {
            self.refusal
        };
        let mut blocks = vec![Block::Text(text)];
        for (index, (id, name, arguments)) in self.calls {
            // Some servers leave the id out; the answer needs one.
            let id = if id.is_empty() {
                format!("call_{index}")
            } else {
                id
            };
            blocks.push(Block::Call(Call::new(id, name, &arguments)));
        }
        Ok(Message {
            blocks,
            stop,
            tokens: self.tokens,
        })
    }
}
