//! An agent of the Agent Client Protocol, as Gemini CLI speaks it.

use super::call::Call;
use super::client::Fault;
use super::gemini::Gemini;
use super::tools::{self, Does, Task, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

const SESSION: &str = "00000000-0000-0000-0000-000000000001";

/// What it has asked and been asked.
#[derive(Default)]
pub(super) struct Acp {
    asked: u64,
    prompt: Value,
}

impl Acp {
    fn answer(io: &mut Io, id: &Value, result: Value) {
        io.say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn update(io: &mut Io, update: Value) {
        io.say(&json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": SESSION, "update": update}}));
    }

    fn kind(does: Does) -> &'static str {
        match does {
            Does::Write | Does::Edit | Does::Edits => "edit",
            Does::Read => "read",
            Does::Shell => "execute",
        }
    }
}

impl Speech for Acp {
    fn wire(&self) -> Wire {
        Wire::Gemini
    }

    fn tools(&self) -> &'static [Tool] {
        tools::GEMINI
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let first = io.hear();
        let can = json!({"loadSession": true});
        let result = json!({"protocolVersion": 1, "agentCapabilities": can});
        Self::answer(io, &first["id"], result);
        let session = io.hear();
        let models = json!({"currentModelId": "gemini-2.5-pro"});
        let begun = json!({"sessionId": SESSION, "models": models});
        Self::answer(io, &session["id"], begun);
        let prompt = io.hear();
        self.prompt = prompt["id"].clone();
        let text = prompt["params"]["prompt"][0]["text"].as_str();
        text.unwrap_or_default().to_owned()
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        if !message.text.is_empty() {
            let content = json!({"type": "text", "text": message.text});
            let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
            Self::update(io, update);
        }
    }

    fn may(&mut self, io: &mut Io, call: &Call, task: &Task) -> Result<(), String> {
        if task.does == Does::Read {
            return Ok(());
        }
        let options = json!([
            {"optionId": "proceed_once", "name": "Allow", "kind": "allow_once"},
            {"optionId": "cancel", "name": "Reject", "kind": "reject_once"}]);
        let asks = json!({"toolCallId": call.id, "status": "pending", "title": task.subject(),
            "kind": Self::kind(task.does)});
        let id = self.asked;
        self.asked += 1;
        io.say(
            &json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission",
            "params": {"sessionId": SESSION, "options": options, "toolCall": asks}}),
        );
        let answer = io.hear();
        let chosen = &answer["result"]["outcome"]["optionId"];
        let allowed = chosen == "proceed_once";
        allowed.then_some(()).ok_or_else(|| "rejected".to_owned())
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let status = match answer {
            Ok(_) => "completed",
            Err(_) => "failed",
        };
        let text = answer.as_ref().unwrap_or_else(|error| error);
        let content = json!([{"type": "content", "content": {"type": "text", "text": text}}]);
        let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": call.id,
            "status": status, "content": content});
        Self::update(io, update);
    }

    fn patience(&self, fault: &Fault) -> Patience {
        match fault {
            Fault::Status { code: 401, .. } | Fault::Cut => Patience::Times(0),
            Fault::Garbage => Patience::Times(3),
            // Ten times, with minutes in between.
            Fault::Status { .. } => Patience::Endless,
        }
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, _: Spent) -> i32 {
        let code = match fault {
            Fault::Status { code, .. } => *code,
            Fault::Cut | Fault::Garbage => 500,
        };
        let error = json!({"code": code, "message": Gemini::complaint(fault)});
        io.say(&json!({"jsonrpc": "2.0", "id": self.prompt, "error": error}));
        io.hear_all();
        0
    }

    fn finished(&mut self, io: &mut Io, _: &Message, spent: Spent) -> i32 {
        let count = json!({"input_tokens": spent.input, "output_tokens": spent.output});
        let meta = json!({"quota": {"token_count": count}});
        let result = json!({"stopReason": "end_turn", "_meta": meta});
        let id = self.prompt.clone();
        Self::answer(io, &id, result);
        io.hear_all();
        0
    }
}
