//! Responses, stateless: the whole conversation goes with every request and nothing is stored.

use super::{BASE_URL, KEY_VARIABLE, RESULT, arguments, headers};
use crate::failure::Failure;
use crate::prices::Tokens;
use crate::sse::Event;
use crate::wire::{
    self, Block, Call, Entry, Message, Provider, Reader, Request, Stop, ToolSpec, Wire, number,
    word,
};
use serde_json::{Value, json};

/// Responses, which OpenAI itself prefers.
pub(crate) const RESPONSES: Provider = Provider {
    name: "openai",
    base_url: BASE_URL,
    key_variable: KEY_VARIABLE,
    wire: &Responses,
};

/// The Responses API.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Responses;

impl Wire for Responses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        headers(key)
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let input: Vec<Value> = request.entries.iter().flat_map(items).collect();
        let mut body = json!({
            "model": request.model,
            "instructions": request.system,
            "input": input,
            "stream": true,
            "store": false,
            "max_output_tokens": request.max_output,
        });
        if !request.tools.is_empty() {
            let tool = |tool: &ToolSpec| {
                json!({
                    "type": "function", "name": tool.name, "description": tool.description,
                    "parameters": tool.parameters, "strict": false,
                })
            };
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if let Some(schema) = request.schema {
            body["text"] = json!({ "format": { "type": "json_schema", "name": RESULT, "strict": true, "schema": schema } });
        }
        body
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<ResponsesReader>::default()
    }
}

fn items(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::User(text) => {
            vec![
                json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] }),
            ]
        }
        Entry::Results(answers) => {
            let answer = |answer: &wire::Answer| json!({ "type": "function_call_output", "call_id": answer.id, "output": answer.text });
            answers.iter().map(answer).collect()
        }
        Entry::Assistant(blocks) => {
            let item = |block: &Block| match block {
                Block::Text(text) if text.is_empty() => None,
                Block::Text(text) => Some(json!({
                    "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }],
                })),
                Block::Call(call) => Some(json!({
                    "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments(call),
                })),
                Block::Opaque(_) => None,
            };
            blocks.iter().filter_map(item).collect()
        }
    }
}

#[derive(Debug, Default)]
struct ResponsesReader {
    blocks: Vec<Block>,
    refused: Option<()>,
    tokens: Tokens,
    stop: Option<Stop>,
}

impl ResponsesReader {
    /// Items arrive whole when they are done; the deltas before that are for screens.
    fn item(&mut self, item: &Value) {
        match word(item, "type") {
            "message" => {
                for part in item["content"].as_array().into_iter().flatten() {
                    if word(part, "type") == "refusal" {
                        self.refused = Some(());
                        self.blocks
                            .push(Block::Text(word(part, "refusal").to_owned()));
                    } else {
                        self.blocks.push(Block::Text(word(part, "text").to_owned()));
                    }
                }
            }
            "function_call" => {
                let (id, name) = (
                    word(item, "call_id").to_owned(),
                    word(item, "name").to_owned(),
                );
                self.blocks
                    .push(Block::Call(Call::new(id, name, word(item, "arguments"))));
            }
            // Reasoning cannot be given back when nothing is stored.
            _ => {}
        }
    }

    fn usage(&mut self, response: &Value) {
        let usage = &response["usage"];
        if usage.is_object() {
            self.tokens = Tokens {
                input: number(usage, "input_tokens"),
                cached: number(&usage["input_tokens_details"], "cached_tokens"),
                written: 0,
                output: number(usage, "output_tokens"),
            };
        }
    }
}

impl Reader for ResponsesReader {
    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let value = wire::json(event)?;
        let response = &value["response"];
        match word(&value, "type") {
            "response.output_item.done" => self.item(&value["item"]),
            "response.completed" => {
                self.usage(response);
                self.stop = Some(Stop::Natural);
            }
            "response.incomplete" => {
                self.usage(response);
                self.stop = Some(match word(&response["incomplete_details"], "reason") {
                    "content_filter" => Stop::Refusal,
                    _ => Stop::Length,
                });
            }
            "response.failed" => {
                self.usage(response);
                let error = &response["error"];
                return Err(Failure::in_stream(
                    word(error, "code"),
                    word(error, "message"),
                ));
            }
            "error" => {
                let error = if value["error"].is_object() {
                    &value["error"]
                } else {
                    &value
                };
                return Err(Failure::in_stream(
                    word(error, "code"),
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
        let Some(stop) = self.stop else {
            return Err(wire::ended_early());
        };
        let stop = if self.refused.is_some() {
            Stop::Refusal
        } else {
            stop
        };
        Ok(Message {
            blocks: self.blocks,
            stop,
            tokens: self.tokens,
        })
    }
}
