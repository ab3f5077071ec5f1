//! pi, headless.

use super::call::Call;
use super::client::Fault;
use super::tools::{self, Task, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

const SESSION: &str = "00000000-0000-0000-0000-000000000001";

/// pi. It exits with 0 whatever happens.
#[derive(Default)]
pub(super) struct Pi {
    messages: Vec<Value>,
}

impl Pi {
    fn message(&mut self, io: &mut Io, message: Value) {
        io.say(&json!({"type": "message_end", "message": message}));
        self.messages.push(message);
    }

    fn assistant(content: Value, spent: Spent, stop: &str, error: Option<&str>) -> Value {
        let usage = json!({"input": spent.input, "output": spent.output, "cacheRead": 0,
            "cacheWrite": 0, "totalTokens": spent.input + spent.output,
            "cost": {"total": spent.dollars(1, 2)}});
        let mut message = json!({"role": "assistant", "content": content, "usage": usage,
            "provider": "fake", "model": "fake-model", "stopReason": stop});
        if let Some(error) = error {
            message["errorMessage"] = json!(error);
        }
        message
    }

    fn end(&mut self, io: &mut Io) {
        let messages = std::mem::take(&mut self.messages);
        io.say(&json!({"type": "agent_end", "messages": messages}));
    }

    fn complaint(fault: &Fault) -> String {
        match fault {
            Fault::Status { code, message, .. } => format!("{code} {message}"),
            Fault::Cut => "terminated".to_owned(),
            Fault::Garbage => "Unterminated string in JSON at position 14".to_owned(),
        }
    }

    fn round_failed(&mut self, io: &mut Io, fault: &Fault) {
        let error = Self::complaint(fault);
        let message = Self::assistant(json!([]), Spent::default(), "error", Some(&error));
        self.message(io, message);
        self.end(io);
    }
}

impl Speech for Pi {
    fn wire(&self) -> Wire {
        Wire::Chat
    }

    fn tools(&self) -> &'static [Tool] {
        tools::PI
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let brief = io.hear_all();
        io.say(&json!({"type": "session", "version": 3, "id": SESSION}));
        io.say(&json!({"type": "agent_start"}));
        io.say(&json!({"type": "turn_start"}));
        self.message(
            io,
            json!({"role": "user", "content": [{"type": "text", "text": brief}]}),
        );
        brief
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        let spent = Spent {
            input: message.input,
            output: message.output,
        };
        let calls = message.calls.iter().map(|call| {
            json!({"type": "toolCall", "id": call.id, "name": call.name, "arguments": call.given()})
        });
        let mut content: Vec<Value> = calls.collect();
        if !message.text.is_empty() {
            content.insert(0, json!({"type": "text", "text": message.text}));
        }
        let stop = match message.calls.is_empty() {
            true => "stop",
            false => "toolUse",
        };
        let message = Self::assistant(json!(content), spent, stop, None);
        self.message(io, message);
    }

    fn may(&mut self, io: &mut Io, call: &Call, task: &Task) -> Result<(), String> {
        io.say(
            &json!({"type": "tool_execution_start", "toolCallId": call.id,
            "toolName": call.name, "args": task.arguments}),
        );
        Ok(())
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let text = answer.as_ref().unwrap_or_else(|error| error);
        let content = json!([{"type": "text", "text": text}]);
        io.say(&json!({"type": "tool_execution_end", "toolCallId": call.id,
            "toolName": call.name, "result": {"content": content}, "isError": answer.is_err()}));
        self.message(
            io,
            json!({"role": "toolResult", "toolCallId": call.id, "content": content}),
        );
        io.say(&json!({"type": "turn_start"}));
    }

    fn patience(&self, fault: &Fault) -> Patience {
        Patience::Times(match fault {
            Fault::Status { code: 401, .. } => 0,
            Fault::Status { .. } | Fault::Cut | Fault::Garbage => 3,
        })
    }

    fn again(&mut self, io: &mut Io, nth: usize, fault: &Fault) {
        self.round_failed(io, fault);
        io.say(
            &json!({"type": "auto_retry_start", "attempt": nth, "maxAttempts": 3,
            "errorMessage": Self::complaint(fault)}),
        );
        io.say(&json!({"type": "agent_start"}));
        io.say(&json!({"type": "turn_start"}));
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, _: Spent) -> i32 {
        self.round_failed(io, fault);
        io.say(&json!({"type": "auto_retry_end", "success": false,
            "finalError": Self::complaint(fault)}));
        0
    }

    fn finished(&mut self, io: &mut Io, _: &Message, _: Spent) -> i32 {
        self.end(io);
        0
    }
}
