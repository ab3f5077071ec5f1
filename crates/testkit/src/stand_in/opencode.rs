//! opencode, headless.

use super::call::Call;
use super::client::Fault;
use super::tools::{self, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

/// opencode. It says nothing of a fault until it gives up.
pub(super) struct Opencode;

impl Opencode {
    fn part(io: &mut Io, kind: &str, part: Value) {
        io.say(&json!({"type": kind, "sessionID": "ses_1", "part": part}));
    }

    fn step(io: &mut Io, message: &Message, reason: &str) {
        let spent = Spent {
            input: message.input,
            output: message.output,
        };
        let tokens = json!({"total": spent.input + spent.output, "input": spent.input,
            "output": spent.output, "reasoning": 0, "cache": {"write": 0, "read": 0}});
        let part = json!({"type": "step-finish", "reason": reason, "tokens": tokens,
            "cost": spent.dollars(1, 2)});
        Self::part(io, "step_finish", part);
    }
}

impl Speech for Opencode {
    fn wire(&self) -> Wire {
        Wire::Chat
    }

    fn tools(&self) -> &'static [Tool] {
        tools::OPENCODE
    }

    fn begin(&mut self, io: &mut Io) -> String {
        io.hear_all()
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        Self::part(io, "step_start", json!({"type": "step-start"}));
        if !message.text.is_empty() {
            let part = json!({"type": "text", "text": message.text});
            Self::part(io, "text", part);
        }
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let state = match answer {
            Ok(text) => json!({"status": "completed", "input": call.given(), "output": text}),
            Err(text) => json!({"status": "error", "input": call.given(), "error": text}),
        };
        let part = json!({"type": "tool", "tool": call.name, "callID": call.id, "state": state});
        Self::part(io, "tool_use", part);
    }

    fn after(&mut self, io: &mut Io, message: &Message, _: Spent) {
        Self::step(io, message, "tool-calls");
    }

    fn patience(&self, fault: &Fault) -> Patience {
        match fault {
            Fault::Status { code: 401, .. } => Patience::Times(0),
            Fault::Status { .. } | Fault::Cut | Fault::Garbage => Patience::Times(5),
        }
    }

    fn again(&mut self, io: &mut Io, _: usize, fault: &Fault) {
        if *fault == Fault::Garbage {
            Self::part(io, "step_start", json!({"type": "step-start"}));
        }
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, _: Spent) -> i32 {
        let error = match fault {
            Fault::Status {
                code,
                message,
                body,
                retry_after,
            } => {
                let mut headers = json!({"content-type": "application/json"});
                if let Some(wait) = retry_after {
                    headers["retry-after"] = json!(wait);
                }
                json!({"name": "APIError", "data": {"message": message, "statusCode": code,
                    "isRetryable": *code != 401, "responseHeaders": headers,
                    "responseBody": body}})
            }
            Fault::Cut => json!({"name": "APIError", "data":
                {"message": "Connection reset by server", "isRetryable": true}}),
            Fault::Garbage => json!({"name": "UnknownError", "data": {"message":
                "JSON parsing failed: Text: {\"type\": \"mess.\nError message: JSON Parse error: Unterminated string"}}),
        };
        io.say(&json!({"type": "error", "sessionID": "ses_1", "error": error}));
        1
    }

    fn finished(&mut self, io: &mut Io, message: &Message, _: Spent) -> i32 {
        Self::step(io, message, "stop");
        0
    }
}
