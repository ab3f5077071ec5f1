//! Codex, both ways: `exec`, which prints events, and the app-server, which asks.

use super::call::Call;
use super::client::Fault;
use super::tools::{self, Task, Tool};
use super::wire::{Message, Wire};
use super::work::{Io, Patience, Speech, Spent};
use serde_json::{Value, json};

const THREAD: &str = "00000000-0000-0000-0000-000000000001";

/// It reconnects five times, whatever the fault is.
const RECONNECTS: usize = 5;

/// What it says of a fault.
fn complaint(fault: &Fault) -> String {
    match fault {
        Fault::Status { code: 401, message, .. } => {
            format!("unexpected status 401 Unauthorized: {message}, url: http://127.0.0.1/v1/responses")
        }
        Fault::Status { code: 429, .. } => {
            "exceeded retry limit, last status: 429 Too Many Requests".to_owned()
        }
        Fault::Status { .. } => {
            "We’re currently experiencing high demand, which may cause temporary errors.".to_owned()
        }
        Fault::Cut => "stream disconnected before completion: Transport error: network error: error decoding response body".to_owned(),
        Fault::Garbage => {
            "stream disconnected before completion: stream closed before response.completed".to_owned()
        }
    }
}

fn command(call: &Call) -> Option<String> {
    let arguments = call.arguments.as_ref().ok()?;
    let command = arguments["cmd"].as_str()?;
    Some(format!("/bin/bash -lc {}", json!(command)))
}

/// `codex exec --json`. A call that it cannot read is answered without an event.
#[derive(Default)]
pub(super) struct Exec {
    items: usize,
}

impl Speech for Exec {
    fn wire(&self) -> Wire {
        Wire::Responses
    }

    fn tools(&self) -> &'static [Tool] {
        tools::CODEX
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let brief = io.hear_all();
        io.say(&json!({"type": "thread.started", "thread_id": THREAD}));
        io.say(&json!({"type": "turn.started"}));
        brief
    }

    fn said(&mut self, io: &mut Io, message: &Message, _: Spent) {
        if !message.text.is_empty() {
            self.items += 1;
            io.say(
                &json!({"type": "item.completed", "item": {"id": format!("item_{}", self.items),
                "type": "agent_message", "text": message.text}}),
            );
        }
    }

    fn may(&mut self, io: &mut Io, call: &Call, _: &Task) -> Result<(), String> {
        self.items += 1;
        io.say(
            &json!({"type": "item.started", "item": {"id": format!("item_{}", self.items),
            "type": "command_execution", "command": command(call), "aggregated_output": "",
            "exit_code": null, "status": "in_progress"}}),
        );
        Ok(())
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let Some(command) = command(call) else {
            return;
        };
        let text = answer.as_ref().unwrap_or_else(|error| error);
        io.say(
            &json!({"type": "item.completed", "item": {"id": format!("item_{}", self.items),
            "type": "command_execution", "command": command, "aggregated_output": text,
            "exit_code": i32::from(answer.is_err()), "status": "completed"}}),
        );
    }

    fn patience(&self, _: &Fault) -> Patience {
        Patience::Times(RECONNECTS)
    }

    fn again(&mut self, io: &mut Io, nth: usize, fault: &Fault) {
        let text = complaint(fault);
        let message = format!("Reconnecting... {nth}/{RECONNECTS} ({text})");
        io.say(&json!({"type": "error", "message": message}));
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, _: Spent) -> i32 {
        let text = complaint(fault);
        io.say(&json!({"type": "error", "message": text}));
        io.say(&json!({"type": "turn.failed", "error": {"message": text}}));
        1
    }

    fn finished(&mut self, io: &mut Io, _: &Message, spent: Spent) -> i32 {
        io.say(
            &json!({"type": "turn.completed", "usage": {"input_tokens": spent.input,
            "cached_input_tokens": 0, "output_tokens": spent.output}}),
        );
        0
    }
}

/// `codex app-server`.
#[derive(Default)]
pub(super) struct App {
    asked: u64,
}

impl App {
    fn tell(io: &mut Io, method: &str, params: Value) {
        io.say(&json!({"method": method, "params": params}));
    }

    fn item(io: &mut Io, method: &str, item: Value) {
        Self::tell(
            io,
            method,
            json!({"threadId": THREAD, "turnId": "turn-1", "item": item}),
        );
    }

    fn error(fault: &Fault, text: &str) -> Value {
        let status = match fault {
            Fault::Status { code, .. } => Some(*code),
            Fault::Cut | Fault::Garbage => None,
        };
        json!({"message": text, "codexErrorInfo": {"responseStreamDisconnected":
            {"httpStatusCode": status}}, "additionalDetails": complaint(fault)})
    }

    fn usage(io: &mut Io, spent: Spent) {
        let total = json!({"totalTokens": spent.input + spent.output, "inputTokens": spent.input,
            "cachedInputTokens": 0, "outputTokens": spent.output});
        let usage = json!({"threadId": THREAD, "tokenUsage": {"total": total}});
        Self::tell(io, "thread/tokenUsage/updated", usage);
    }

    fn over(io: &mut Io, status: &str, error: Value) {
        let turn = json!({"id": "turn-1", "status": status, "error": error});
        Self::tell(
            io,
            "turn/completed",
            json!({"threadId": THREAD, "turn": turn}),
        );
        // The server lives on until its client hangs up.
        io.hear_all();
    }
}

impl Speech for App {
    fn wire(&self) -> Wire {
        Wire::Responses
    }

    fn tools(&self) -> &'static [Tool] {
        tools::CODEX
    }

    fn begin(&mut self, io: &mut Io) -> String {
        let first = io.hear();
        io.say(&json!({"id": first["id"], "result": {"userAgent": "stand-in"}}));
        let _initialized = io.hear();
        let thread = io.hear();
        io.say(&json!({"id": thread["id"], "result": {"thread": {"id": THREAD}}}));
        let turn = io.hear();
        io.say(&json!({"id": turn["id"], "result": {"turn": {"id": "turn-1"}}}));
        let text = turn["params"]["input"][0]["text"].as_str();
        text.unwrap_or_default().to_owned()
    }

    fn said(&mut self, io: &mut Io, message: &Message, spent: Spent) {
        if message.calls.is_empty() {
            let item = json!({"type": "agentMessage", "id": message.id, "text": message.text});
            Self::item(io, "item/completed", item);
            Self::usage(io, spent);
        }
    }

    fn may(&mut self, io: &mut Io, call: &Call, _: &Task) -> Result<(), String> {
        let item = json!({"type": "commandExecution", "id": call.id, "command": command(call),
            "status": "inProgress"});
        Self::item(io, "item/started", item);
        let id = self.asked;
        self.asked += 1;
        io.say(
            &json!({"method": "item/commandExecution/requestApproval", "id": id,
            "params": {"itemId": call.id, "threadId": THREAD, "command": command(call)}}),
        );
        let answer = io.hear();
        let accepted = answer["result"]["decision"] == "accept";
        accepted
            .then_some(())
            .ok_or_else(|| "rejected by user".to_owned())
    }

    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>) {
        let Some(command) = command(call) else {
            return;
        };
        let text = answer.as_ref().unwrap_or_else(|error| error);
        let item = json!({"type": "commandExecution", "id": call.id, "command": command,
            "status": "completed", "aggregatedOutput": text,
            "exitCode": i32::from(answer.is_err())});
        Self::item(io, "item/completed", item);
    }

    fn after(&mut self, io: &mut Io, _: &Message, spent: Spent) {
        Self::usage(io, spent);
    }

    fn patience(&self, _: &Fault) -> Patience {
        Patience::Times(RECONNECTS)
    }

    fn again(&mut self, io: &mut Io, nth: usize, fault: &Fault) {
        let text = format!("Reconnecting... {nth}/{RECONNECTS}");
        let error = json!({"error": Self::error(fault, &text), "willRetry": true});
        Self::tell(io, "error", error);
    }

    fn failed(&mut self, io: &mut Io, fault: &Fault, _: Spent) -> i32 {
        let error = Self::error(fault, &complaint(fault));
        Self::tell(io, "error", json!({"error": error, "willRetry": false}));
        Self::over(io, "failed", error);
        0
    }

    fn finished(&mut self, io: &mut Io, _: &Message, _: Spent) -> i32 {
        Self::over(io, "completed", Value::Null);
        0
    }
}
