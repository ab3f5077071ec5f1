//! Anthropic Messages.
//!
//! The format and nothing else: what is sent, and how the stream is read.

use crate::failure::Failure;
use crate::prices::Tokens;
use crate::sse::Event;
use crate::wire::{
    self, Block, Call, Entry, Message, Provider, Reader, Request, Stop, Verdict, Wire, number, word,
};
use serde_json::{Value, json};

/// Anthropic itself.
pub(crate) const PROVIDER: Provider = Provider {
    name: "anthropic",
    base_url: "https://api.anthropic.com",
    key_variable: "ANTHROPIC_API_KEY",
    wire: &Messages,
};

/// The Messages API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Messages;

impl Wire for Messages {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        headers
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let mut messages: Vec<Value> = request.entries.iter().map(message).collect();
        cache_up_to_here(&mut messages);
        let mut body = json!({
            "model": request.model,
            "max_tokens": request.max_output,
            "stream": true,
            "system": [{ "type": "text", "text": request.system, "cache_control": { "type": "ephemeral" } }],
            "messages": messages,
        });
        if !request.tools.is_empty() {
            let tool = |tool: &wire::ToolSpec| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(schema) = request.schema {
            body["output_config"] =
                json!({ "format": { "type": "json_schema", "schema": schema } });
        }
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<MessagesReader>::default()
    }
}

fn message(entry: &Entry) -> Value {
    match entry {
        Entry::User(text) => {
            json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
        }
        Entry::Assistant(blocks) => {
            let block = |block: &Block| match block {
                // An empty text block is refused.
                Block::Text(text) if text.is_empty() => None,
                Block::Text(text) => Some(json!({ "type": "text", "text": text })),
                Block::Opaque(value) => Some(value.clone()),
                Block::Call(call) => {
                    let input = call.arguments.clone().unwrap_or_else(|_| json!({}));
                    Some(
                        json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input }),
                    )
                }
            };
            let content: Vec<Value> = blocks.iter().filter_map(block).collect();
            json!({ "role": "assistant", "content": content })
        }
        Entry::Results(answers) => {
            let content = answers.iter().map(|answer| {
                json!({
                    "type": "tool_result", "tool_use_id": answer.id, "content": answer.text,
                    "is_error": answer.verdict == Verdict::Failed,
                })
            });
            json!({ "role": "user", "content": content.collect::<Vec<_>>() })
        }
    }
}

/// The next request repeats everything up to the last entry, so it pays to have it cached.
fn cache_up_to_here(messages: &mut [Value]) {
    let content = messages
        .last_mut()
        .and_then(|message| message["content"].as_array_mut());
    let block = content.and_then(|content| content.last_mut());
    if let Some(block) = block.and_then(Value::as_object_mut) {
        block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

/// A block while it streams.
#[derive(Debug)]
enum Growing {
    Text(String),
    Call {
        id: String,
        name: String,
        json: String,
    },
    Opaque(Value),
}

#[derive(Debug, Default)]
struct MessagesReader {
    blocks: Vec<Growing>,
    tokens: Tokens,
    stop: Option<Stop>,
    ended: Option<()>,
}

impl MessagesReader {
    fn usage(&mut self, usage: &Value) {
        if usage.get("input_tokens").is_some_and(Value::is_u64) {
            self.tokens.cached = number(usage, "cache_read_input_tokens");
            self.tokens.written = number(usage, "cache_creation_input_tokens");
            self.tokens.input =
                number(usage, "input_tokens") + self.tokens.cached + self.tokens.written;
        }
        self.tokens.output = self.tokens.output.max(number(usage, "output_tokens"));
    }

    fn start(&mut self, block: &Value) {
        self.blocks.push(match word(block, "type") {
            "text" => Growing::Text(word(block, "text").to_owned()),
            "tool_use" => Growing::Call {
                id: word(block, "id").to_owned(),
                name: word(block, "name").to_owned(),
                json: String::new(),
            },
            _ => Growing::Opaque(block.clone()),
        });
    }

    fn delta(&mut self, at: usize, delta: &Value) {
        match (self.blocks.get_mut(at), word(delta, "type")) {
            (Some(Growing::Text(text)), "text_delta") => text.push_str(word(delta, "text")),
            (Some(Growing::Call { json, .. }), "input_json_delta") => {
                json.push_str(word(delta, "partial_json"))
            }
            (Some(Growing::Opaque(block)), "thinking_delta") => {
                grow(block, "thinking", word(delta, "thinking"))
            }
            (Some(Growing::Opaque(block)), "signature_delta") => {
                grow(block, "signature", word(delta, "signature"))
            }
            // New kinds of delta come now and then; none of those that we need.
            _ => {}
        }
    }
}

fn grow(block: &mut Value, key: &str, more: &str) {
    let text = format!("{}{more}", word(block, key));
    // A provider may send anything; only an object can grow.
    if let Some(object) = block.as_object_mut() {
        object.insert(key.to_owned(), json!(text));
    }
}

impl Reader for MessagesReader {
    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        let value = wire::json(event)?;
        match word(&value, "type") {
            "message_start" => self.usage(&value["message"]["usage"]),
            "content_block_start" => self.start(&value["content_block"]),
            "content_block_delta" => {
                let at = usize::try_from(number(&value, "index")).unwrap_or(usize::MAX);
                self.delta(at, &value["delta"]);
            }
            "message_delta" => {
                self.usage(&value["usage"]);
                self.stop = match word(&value["delta"], "stop_reason") {
                    "" => self.stop,
                    "refusal" => Some(Stop::Refusal),
                    "max_tokens" => Some(Stop::Length),
                    "model_context_window_exceeded" => Some(Stop::Window),
                    _ => Some(Stop::Natural),
                };
            }
            "message_stop" => self.ended = Some(()),
            "error" => {
                let error = &value["error"];
                return Err(Failure::in_stream(
                    word(error, "type"),
                    word(error, "message"),
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn tokens(&self) -> Tokens {
        self.tokens
    }

    fn finish(self: Box<Self>) -> Result<Message, Failure> {
        let (Some(stop), Some(())) = (self.stop, self.ended) else {
            return Err(wire::ended_early());
        };
        let block = |block: Growing| match block {
            Growing::Text(text) => Block::Text(text),
            Growing::Call { id, name, json } => Block::Call(Call::new(id, name, &json)),
            Growing::Opaque(value) => Block::Opaque(value),
        };
        Ok(Message {
            blocks: self.blocks.into_iter().map(block).collect(),
            stop,
            tokens: self.tokens,
        })
    }
}
