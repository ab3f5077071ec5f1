//! Gemini CLI, headless.

use super::call::Call;
use super::client::Fault;
use super::tools::{self, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

const SESSION: &str = "00000000-0000-0000-0000-000000000001";

/// Gemini CLI.
pub(super) struct Gemini;

impl Gemini {
    fn result(io: &mut Io, status: &str, error: Value, spent: Spent) {
        io.say(&json!({"type": "result", "status": status, "error": error,
            "stats": {"total_tokens": spent.input + spent.output, "input_tokens": spent.input,
                "output_tokens": spent.output, "cached": 0}}));
    }

    /// What it says of a fault, with its own advice.
    pub(super) fn complaint(fault: &Fault) -> String {
        match fault {
            Fault::Status { body, .. } => body.clone(),
            Fault::Cut => "terminated".to_owned(),
            Fault::Garbage => "Incomplete JSON segment at the end".to_owned(),
        }
    }
}

impl Speech for Gemini {
    fn wire(&self) -> Wire {
        Wire::Gemini
    }

    fn tools(&self) -> &'static [Tool] {
        tools::GEMINI
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let brief = io.hear_all();
        io.say(&json!({"type": "init", "session_id": SESSION, "model": "gemini-2.5-pro"}));
        io.say(&json!({"type": "message", "role": "user", "content": brief}));
        brief
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        // Its text comes in pieces, which need not be lines.
        let half = message.text.len() / 2;
        for piece in [&message.text[..half], &message.text[half..]] {
            if !piece.is_empty() {
                io.say(
                    &json!({"type": "message", "role": "assistant", "content": piece,
                    "delta": true}),
                );
            }
        }
        for call in &message.calls {
            io.say(
                &json!({"type": "tool_use", "tool_name": call.name, "tool_id": call.id,
                "parameters": call.given()}),
            );
        }
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        io.say(&match answer {
            Ok(text) => json!({"type": "tool_result", "tool_id": call.id, "status": "success",
                "output": text}),
            Err(text) => json!({"type": "tool_result", "tool_id": call.id, "status": "error",
                "output": text, "error": {"type": "invalid_tool_params", "message": text}}),
        });
    }

    fn patience(&self, fault: &Fault) -> Patience {
        Patience::Times(match fault {
            Fault::Status { code: 401, .. } | Fault::Cut => 0,
            Fault::Status { .. } | Fault::Garbage => 2,
        })
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, spent: Spent) -> i32 {
        let mut text = format!("[API Error: {}]", Self::complaint(fault));
        if matches!(fault, Fault::Status { code: 429, .. }) {
            text.push_str("\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method");
        }
        let error = json!({"type": "unknown", "message": text});
        Self::result(io, "error", error, spent);
        1
    }

    fn finished(&mut self, io: &mut Io, _: &Message, spent: Spent) -> i32 {
        Self::result(io, "success", Value::Null, spent);
        0
    }
}
