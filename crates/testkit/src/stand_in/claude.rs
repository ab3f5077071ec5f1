//! Claude Code, headless, with its control protocol.

use super::call::Call;
use super::client::Fault;
use super::tools::{self, Does, Task, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

const SESSION: &str = "00000000-0000-0000-0000-000000000001";

/// Claude Code, with its control protocol.
#[derive(Default)]
pub(super) struct Claude {
    asked: usize,
}

impl Claude {
    fn assistant(io: &mut Io, id: &str, content: Value, input: u64) {
        // Events carry the count of the message's beginning.
        let usage = json!({"input_tokens": input, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0, "output_tokens": u64::from(input > 0)});
        let message = json!({"id": id, "type": "message", "role": "assistant",
            "model": "claude-fake", "content": [content], "stop_reason": null, "usage": usage});
        io.say(&json!({"type": "assistant", "message": message, "session_id": SESSION}));
    }

    fn result(io: &mut Io, text: &str, status: Option<u16>, is_error: bool, spent: Spent) {
        io.say(
            &json!({"type": "result", "subtype": "success", "is_error": is_error,
            "api_error_status": status, "result": text, "session_id": SESSION,
            "total_cost_usd": spent.dollars(5, 25), "permission_denials": [],
            "usage": {"input_tokens": spent.input, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0, "output_tokens": spent.output}}),
        );
    }
}

impl Speech for Claude {
    fn wire(&self) -> Wire {
        Wire::Anthropic
    }

    fn tools(&self) -> &'static [Tool] {
        tools::CLAUDE
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let first = io.hear();
        io.say(&json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": first["request_id"], "response": {}}}));
        io.say(
            &json!({"type": "system", "subtype": "init", "session_id": SESSION,
            "model": "claude-fake", "permissionMode": "default"}),
        );
        let brief = io.hear();
        brief["message"]["content"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        if !message.text.is_empty() {
            let text = json!({"type": "text", "text": message.text});
            Self::assistant(io, &message.id, text, message.input);
        }
        for call in &message.calls {
            let input = match &call.arguments {
                Ok(value) => value.clone(),
                Err(text) => json!({"__unparsedToolInput": {"raw": text, "len": text.len()}}),
            };
            let part =
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input});
            Self::assistant(io, &message.id, part, message.input);
        }
    }

    fn may(&mut self, io: &mut Io, call: &Call, task: &Task) -> Result<(), String> {
        self.asked += 1;
        let id = format!("ask-{}", self.asked);
        let request = match task.does {
            Does::Read => return Ok(()),
            Does::Shell => json!({"subtype": "can_use_tool", "tool_name": call.name,
                "input": task.arguments, "tool_use_id": call.id}),
            Does::Write | Does::Edit | Does::Edits => json!({"subtype": "hook_callback",
                "callback_id": "edits", "tool_use_id": call.id, "input": {"tool_name": call.name,
                    "hook_event_name": "PreToolUse", "tool_input": task.arguments}}),
        };
        io.say(&json!({"type": "control_request", "request_id": id, "request": request}));
        let answer = io.hear();
        let response = &answer["response"]["response"];
        let hooked = &response["hookSpecificOutput"];
        let allowed = response["behavior"] == "allow" || hooked["permissionDecision"] == "allow";
        let why = hooked["permissionDecisionReason"].as_str();
        let why = why.or(response["message"].as_str()).unwrap_or_default();
        allowed.then_some(()).ok_or_else(|| why.to_owned())
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let (text, is_error) = match answer {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        let part = json!({"type": "tool_result", "tool_use_id": call.id, "content": text,
            "is_error": is_error});
        io.say(&json!({"type": "user", "session_id": SESSION,
            "message": {"role": "user", "content": [part]}}));
    }

    fn patience(&self, fault: &Fault) -> Patience {
        let most = std::env::var("CLAUDE_CODE_MAX_RETRIES").ok();
        Patience::Times(match fault {
            Fault::Status { .. } => most.and_then(|most| most.parse().ok()).unwrap_or(10),
            Fault::Cut | Fault::Garbage => 1,
        })
    }

    fn again(&mut self, io: &mut Io, nth: usize, fault: &Fault) {
        let Fault::Status { code, .. } = fault else {
            return;
        };
        let kind = match code {
            401 => "authentication_failed",
            429 => "rate_limit",
            _ => "server_error",
        };
        io.say(
            &json!({"type": "system", "subtype": "api_retry", "attempt": nth,
            "max_retries": 4, "error_status": code, "error": kind, "session_id": SESSION}),
        );
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, spent: Spent) -> i32 {
        let (status, text) = match fault {
            Fault::Status { code: 401, .. } => {
                (Some(401), "Invalid API key · Fix external API key".to_owned())
            }
            Fault::Status { code: 429, message, .. } => {
                (Some(429), format!("API Error: Request rejected (429) · {message}"))
            }
            Fault::Status { code, message, .. } => (Some(*code), format!(
                "API Error: {code} {message}. This is a server-side issue, usually temporary"
            )),
            Fault::Cut => (None, "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.".to_owned()),
            Fault::Garbage => (None, "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request".to_owned()),
        };
        let part = json!({"type": "text", "text": text});
        Self::assistant(io, "synthetic", part, 0);
        Self::result(io, &text, status, true, spent);
        1
    }

    fn finished(&mut self, io: &mut Io, message: &Message, spent: Spent) -> i32 {
        Self::result(io, &message.text, None, false, spent);
        0
    }
}
