//! What an attempt's transcript tells of the calls of models and tools that were made in it: names, numbers and
//! times, as far as its agent says them. It takes no word of what was asked, answered or done.

use kernel::Time;
use serde_json::Value;

/// So many of one attempt are told.
const MOST: usize = 1_000;
/// The longest name of a tool or a model that is one.
const MOST_NAME: usize = 64;

/// What was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Called {
    /// A model, with what it read and wrote where that is told for the call alone.
    Model {
        name: Option<String>,
        tokens: Option<(u64, u64)>,
    },
    /// A tool.
    Tool { name: String },
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) called: Called,
    /// The agent's own id of it; empty where it has none.
    pub(super) id: String,
    pub(super) began: Option<Time>,
    pub(super) ended: Option<Time>,
    pub(super) failed: bool,
}

/// Every call that a transcript tells of, in its order.
pub(super) fn calls(transcript: &[u8]) -> Vec<Call> {
    let text = String::from_utf8_lossy(transcript);
    let mut calls = Calls::default();
    for line in text.lines() {
        let event = line.trim_start().starts_with('{');
        match event.then(|| serde_json::from_str::<Value>(line)) {
            Some(Ok(event)) => calls.event(&event),
            // Our own connectors write a line for each tool.
            _ => {
                if let Some(done) = line.strip_prefix("> ") {
                    let name = done.split_whitespace().next().unwrap_or_default();
                    calls.tool(name, "", None);
                }
            }
        }
    }
    calls.all
}

#[derive(Default)]
struct Calls {
    all: Vec<Call>,
    /// When the step began that is about to be told.
    step: Option<Time>,
}

impl Calls {
    fn push(&mut self, called: Called, id: &str, began: Option<Time>) {
        if self.all.len() < MOST {
            self.all.push(Call {
                called,
                id: name(id).unwrap_or_default(),
                began,
                ended: None,
                failed: false,
            });
        }
    }

    fn tool(&mut self, named: &str, id: &str, began: Option<Time>) {
        let name = name(named).unwrap_or_else(|| "tool".to_owned());
        self.push(Called::Tool { name }, id, began);
    }

    /// A tool of this id; the last one, where an agent gives none.
    fn known(&mut self, id: &str) -> Option<&mut Call> {
        let tools = self.all.iter_mut().rev();
        let mut tools = tools.filter(|one| matches!(one.called, Called::Tool { .. }));
        tools.find(|one| one.id == id)
    }

    fn end(&mut self, id: &str, at: Option<Time>, failed: bool) {
        if let Some(call) = self.known(id) {
            call.ended = at;
            call.failed |= failed;
        }
    }

    /// A message of a model; what comes in pieces is one call.
    fn model(&mut self, id: &str, named: &Value, tokens: Option<(u64, u64)>, at: Option<Time>) {
        let known = self.all.iter_mut().rev().find(|one| {
            !id.is_empty() && one.id == id && matches!(one.called, Called::Model { .. })
        });
        if let Some(call) = known {
            call.ended = at.or(call.ended);
            if let Called::Model { tokens: held, .. } = &mut call.called {
                *held = tokens.max(*held);
            }
            return;
        }
        let named = named.as_str().and_then(name);
        let began = self.step.take();
        let name = named;
        self.push(Called::Model { name, tokens }, id, began);
        if let Some(call) = self.all.last_mut() {
            call.ended = at;
        }
    }

    fn event(&mut self, event: &Value) {
        let at = time(&event["timestamp"]);
        match event["method"].as_str() {
            // The agent client protocol: titles hold commands, kinds do not.
            Some("session/update") => return self.update(&event["params"]["update"]),
            Some("item/started") => return self.item(&event["params"]["item"], at, false),
            Some("item/completed") => return self.item(&event["params"]["item"], at, true),
            Some(_) => return,
            None => {}
        }
        let part = &event["part"];
        match event["type"].as_str().unwrap_or_default() {
            // Claude Code.
            "assistant" => self.claude(&event["message"], at),
            "user" => {
                for result in parts(&event["message"]["content"], "tool_result") {
                    let failed = result["is_error"] == true;
                    self.end(text(&result["tool_use_id"]), at, failed);
                }
            }
            // Codex.
            "item.started" => self.item(&event["item"], at, false),
            "item.completed" => self.item(&event["item"], at, true),
            // opencode.
            "step_start" => self.step = at,
            "step_finish" => {
                let tokens = tokens(&part["tokens"], "input", "output");
                self.model(text(&part["messageID"]), &Value::Null, tokens, at);
            }
            "tool_use" if part.is_object() => {
                let (id, state) = (text(&part["callID"]), &part["state"]);
                self.tool(text(&part["tool"]), id, time(&state["time"]["start"]));
                self.end(id, time(&state["time"]["end"]), state["status"] == "error");
            }
            // Gemini.
            "tool_use" => self.tool(text(&event["tool_name"]), text(&event["tool_id"]), at),
            "tool_result" => {
                let failed = event["status"].as_str().is_some_and(|one| one != "success");
                self.end(text(&event["tool_id"]), at, failed);
            }
            // Pi.
            "message_end" if event["message"]["role"] == "assistant" => {
                let message = &event["message"];
                let tokens = tokens(&message["usage"], "input", "output");
                let (id, at) = (text(&message["responseId"]), time(&message["timestamp"]));
                self.step = at;
                self.model(id, &message["model"], tokens, None);
            }
            "tool_execution_start" => {
                self.tool(text(&event["toolName"]), text(&event["toolCallId"]), at);
            }
            "tool_execution_end" => {
                self.end(text(&event["toolCallId"]), at, event["isError"] == true);
            }
            _ => {}
        }
    }

    fn claude(&mut self, message: &Value, at: Option<Time>) {
        let tokens = tokens(&message["usage"], "input_tokens", "output_tokens");
        self.model(text(&message["id"]), &message["model"], tokens, at);
        for used in parts(&message["content"], "tool_use") {
            self.tool(text(&used["name"]), text(&used["id"]), at);
        }
    }

    fn item(&mut self, item: &Value, at: Option<Time>, over: bool) {
        let kind = text(&item["type"]);
        let works = [
            "command_execution",
            "commandExecution",
            "file_change",
            "fileChange",
            "mcp_tool_call",
            "mcpToolCall",
            "web_search",
            "webSearch",
        ];
        if !works.contains(&kind) {
            return;
        }
        let id = text(&item["id"]);
        if self.known(id).is_none() {
            let named = item["tool"].as_str().unwrap_or(kind);
            self.tool(named, id, at.filter(|_| !over));
        }
        if over {
            let exit = item["exit_code"].as_i64().or(item["exitCode"].as_i64());
            let failed = item["status"] == "failed" || exit.is_some_and(|exit| exit != 0);
            self.end(id, at, failed);
        }
    }

    fn update(&mut self, update: &Value) {
        if !["tool_call", "tool_call_update"].contains(&text(&update["sessionUpdate"])) {
            return;
        }
        let id = text(&update["toolCallId"]);
        if self.known(id).is_none() {
            self.tool(update["kind"].as_str().unwrap_or("tool"), id, None);
        }
        if update["status"] == "failed" {
            self.end(id, None, true);
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The parts of a message that are of a kind.
fn parts<'a>(content: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = content.as_array().into_iter().flatten();
    all.filter(move |part| part["type"] == kind)
}

fn tokens(usage: &Value, read: &str, wrote: &str) -> Option<(u64, u64)> {
    Some((usage[read].as_u64()?, usage[wrote].as_u64()?))
}

/// As milliseconds, or as a text.
fn time(value: &Value) -> Option<Time> {
    let millis = value.as_i64().and_then(|millis| u64::try_from(millis).ok());
    millis.map(Time).or_else(|| {
        let text = value.as_str()?;
        Time::parse(text)
    })
}

/// A name, if it is one: whoever writes a transcript could put a sentence in its place.
fn name(text: &str) -> Option<String> {
    let plain = |one: char| one.is_ascii_alphanumeric() || "-_./:@".contains(one);
    let fits = !text.is_empty() && text.len() <= MOST_NAME && text.chars().all(plain);
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::fuzz::Fuzz;

    fn told(transcript: &str) -> Vec<String> {
        let calls = calls(transcript.as_bytes()).into_iter();
        calls
            .map(|call| {
                let what = match &call.called {
                    Called::Model { name, tokens } => {
                        format!("{} {tokens:?}", name.as_deref().unwrap_or("a model"))
                    }
                    Called::Tool { name } => name.clone(),
                };
                let failed = if call.failed { " failed" } else { "" };
                what + failed
            })
            .collect()
    }

    macro_rules! recorded {
        ($name:literal) => {
            include_str!(concat!("../../../agents/tests/fixtures/", $name, ".jsonl"))
        };
    }

    /// Whatever an agent writes into its transcript: a name of a tool stays a name.
    #[test]
    fn fuzz_transcripts_name_no_more_than_tools() {
        Fuzz {
            name: "transcripts",
            samples: &[
                recorded!("claude").as_bytes(),
                recorded!("codex-app").as_bytes(),
                recorded!("opencode").as_bytes(),
                recorded!("acp").as_bytes(),
            ],
            usual: 300,
        }
        .run(&|input| {
            let _ = crate::transcript::read(input);
            let all = calls(input);
            assert!(all.len() <= MOST);
            for call in all {
                if let Called::Tool { name } = call.called {
                    assert!(
                        name.len() <= MOST_NAME && !name.contains([' ', '"']),
                        "{name}"
                    );
                }
            }
        });
    }

    #[test]
    fn what_every_agent_tells_of_its_calls_is_heard_and_nothing_else() {
        let claude = "claude-fake Some((1000, 1)),Write,claude-fake Some((1001, 1)),Bash,claude-fake Some((1002, 1))";
        let pi = "fake-model Some((1000, 50)),write";
        let opencode =
            "write,a model Some((1000, 50)),bash,a model Some((1001, 51)),a model Some((1002, 52))";
        for (transcript, begins) in [
            (recorded!("claude"), claude),
            (recorded!("codex"), "command_execution,command_execution"),
            (recorded!("gemini"), "write_file,run_shell_command"),
            (recorded!("opencode"), opencode),
            (recorded!("pi"), pi),
            (recorded!("acp"), "edit,execute"),
        ] {
            let all = told(transcript).join(",");
            assert!(all.starts_with(begins), "{all}");
            assert!(!all.contains("hello"), "{all}");
        }
        let apart = told(recorded!("codex-app"));
        assert!(!apart.is_empty(), "codex's own protocol");
        assert_eq!(
            told("> run make\nok\n> read a.rs\n[done: x]\n"),
            ["run", "read"]
        );
        // A name that is none, an event that is another program's, and more than anybody reads.
        let odd = r#"{"type":"tool_use","tool_name":"rm -rf my secret","tool_id":"1"}
{"type":"tool_result","tool_id":"1","status":"error"}
{"type":"log","tool_name":"x"}"#;
        assert_eq!(told(odd), ["tool failed"]);
        assert_eq!(told(&"> run x\n".repeat(3_000)).len(), MOST);
    }
}
