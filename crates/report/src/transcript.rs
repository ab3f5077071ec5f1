//! What an agent did, to be read: its words, its commands and what they printed, the files that it
//! touched. Every connector's events are read by their shapes; what has none is shown as it is.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// One thing in a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turn {
    pub kind: TurnKind,
    pub text: String,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// The agent's words.
    Says,
    /// A command, or another tool that it used.
    Does,
    /// What that printed or answered.
    Hears,
    /// A note of ours, or of the connector.
    Note,
}

impl TurnKind {
    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnKind::Says => "says",
            TurnKind::Does => "does",
            TurnKind::Hears => "hears",
            TurnKind::Note => "note",
        }
    }
}

/// The most that is shown of a transcript; its first and its last turns.
const MOST_TURNS: usize = 200;
/// The most that is shown of one turn.
const MOST_CHARS: usize = 3_000;

/// Reads a transcript.
pub fn read(bytes: &[u8]) -> Vec<Turn> {
    let text = String::from_utf8_lossy(bytes);
    let mut turns = Turns::default();
    for line in text.lines() {
        let event = line.trim_start().starts_with('{');
        match event.then(|| serde_json::from_str::<Value>(line)) {
            // Whatever else a program prints as JSON is its own.
            Some(Ok(event)) if !(event["type"].is_null() && event["method"].is_null()) => {
                turns.event(&event);
            }
            _ => turns.line(line),
        }
    }
    turns.finish()
}

#[derive(Default)]
struct Turns {
    turns: Vec<Turn>,
    /// The calls of the agent client protocol that are shown, by their ids.
    calls: BTreeSet<String>,
}

impl Turns {
    fn push(&mut self, kind: TurnKind, text: &str) {
        let text = text.trim_end().trim_start_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        // Pieces of one message, and of one output, belong together.
        if let Some(last) = self.turns.last_mut()
            && last.kind == kind
            && kind == TurnKind::Hears
        {
            last.text.push('\n');
            last.text.push_str(text);
            return;
        }
        let text = text.to_owned();
        self.turns.push(Turn { kind, text });
    }

    /// A piece of a message that comes in pieces.
    fn piece(&mut self, text: &str) {
        match self.turns.last_mut() {
            Some(last) if last.kind == TurnKind::Says => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => self.turns.push(Turn {
                kind: TurnKind::Says,
                text: text.to_owned(),
            }),
        }
    }

    /// A line that is no event: our own connectors write these.
    fn line(&mut self, line: &str) {
        match line.strip_prefix("> ") {
            Some(done) => self.push(TurnKind::Does, done),
            None if line.starts_with('[') && line.ends_with(']') => {
                self.push(TurnKind::Note, &line[1..line.len() - 1]);
            }
            None => self.push(TurnKind::Hears, line),
        }
    }

    fn event(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            // The agent client protocol.
            Some("session/update") => return self.update(&params["update"]),
            // Codex's own protocol.
            Some("item/completed") => return self.item(&params["item"]),
            Some("error") => return self.push(TurnKind::Note, &any_text(&params["error"])),
            Some(_) => return,
            None => {}
        }
        match event["type"].as_str().unwrap_or_default() {
            // Claude Code.
            "assistant" | "user" => self.content(&event["message"]["content"]),
            "result" => self.push(TurnKind::Note, &ended(event)),
            // Codex.
            "item.completed" => self.item(&event["item"]),
            "turn.failed" => self.push(TurnKind::Note, &any_text(&event["error"])),
            // opencode.
            "text" => self.push(TurnKind::Says, &any_text(&event["part"]["text"])),
            "tool_use" if event["part"].is_object() => {
                let state = &event["part"]["state"];
                let name = event["part"]["tool"].as_str().unwrap_or("tool");
                self.push(TurnKind::Does, &call(name, &state["input"]));
                let said = [&state["output"], &state["error"]];
                said.iter()
                    .for_each(|said| self.push(TurnKind::Hears, &any_text(said)));
            }
            // Gemini.
            "message" if event["role"] == "assistant" => self.piece(&any_text(&event["content"])),
            "tool_use" => {
                let name = event["tool_name"].as_str().unwrap_or("tool");
                self.push(TurnKind::Does, &call(name, &event["parameters"]));
            }
            "tool_result" => {
                let said = [&event["output"], &event["error"]["message"]];
                said.iter()
                    .for_each(|said| self.push(TurnKind::Hears, &any_text(said)));
            }
            // Pi.
            "message_end" if event["message"]["role"] == "assistant" => {
                self.content(&event["message"]["content"]);
            }
            "tool_execution_start" => {
                let name = event["toolName"].as_str().unwrap_or("tool");
                self.push(TurnKind::Does, &call(name, &event["args"]));
            }
            "tool_execution_end" => self.content(&event["result"]["content"]),
            "error" => self.push(TurnKind::Note, &any_text(&event["message"])),
            _ => {}
        }
    }

    /// The parts of a message.
    fn content(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            return self.push(TurnKind::Says, text);
        }
        for part in content.as_array().into_iter().flatten() {
            match part["type"].as_str().unwrap_or_default() {
                "text" => self.push(TurnKind::Says, &any_text(&part["text"])),
                "tool_use" => {
                    let name = part["name"].as_str().unwrap_or("tool");
                    self.push(TurnKind::Does, &call(name, &part["input"]));
                }
                "tool_result" => self.push(TurnKind::Hears, &any_text(&part["content"])),
                _ => {}
            }
        }
    }

    fn item(&mut self, item: &Value) {
        match item["type"].as_str().unwrap_or_default() {
            "agent_message" | "agentMessage" => {
                self.push(TurnKind::Says, &any_text(&item["text"]));
            }
            "command_execution" | "commandExecution" => {
                self.push(TurnKind::Does, &format!("$ {}", any_text(&item["command"])));
                let said = [&item["aggregated_output"], &item["aggregatedOutput"]];
                said.iter()
                    .for_each(|said| self.push(TurnKind::Hears, &any_text(said)));
                let exit = item["exit_code"].as_i64().or(item["exitCode"].as_i64());
                if let Some(exit) = exit.filter(|exit| *exit != 0) {
                    self.push(TurnKind::Hears, &format!("exit code {exit}"));
                }
            }
            "file_change" | "fileChange" => {
                let changes = item["changes"].as_array().into_iter().flatten();
                let paths: Vec<&str> = changes.filter_map(|one| one["path"].as_str()).collect();
                self.push(TurnKind::Does, &format!("changed {}", paths.join(", ")));
            }
            _ => {}
        }
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str().unwrap_or_default() {
            "agent_message_chunk" => self.piece(&any_text(&update["content"]["text"])),
            "tool_call" => {
                self.calls.insert(any_text(&update["toolCallId"]));
                self.push(TurnKind::Does, &any_text(&update["title"]));
            }
            "tool_call_update" => {
                // Some agents do not announce a call, and only tell how it went.
                let title = any_text(&update["title"]);
                if !title.is_empty() && self.calls.insert(any_text(&update["toolCallId"])) {
                    self.push(TurnKind::Does, &title);
                }
                for part in update["content"].as_array().into_iter().flatten() {
                    self.push(TurnKind::Hears, &any_text(&part["content"]["text"]));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Vec<Turn> {
        for turn in &mut self.turns {
            let length = turn.text.chars().count();
            if length > MOST_CHARS {
                let head: String = turn.text.chars().take(MOST_CHARS / 2).collect();
                let tail = turn.text.chars().skip(length - MOST_CHARS / 2);
                let left_out = length - MOST_CHARS;
                turn.text = format!(
                    "{head}\n[... {left_out} characters ...]\n{}",
                    tail.collect::<String>()
                );
            }
        }
        if self.turns.len() > MOST_TURNS {
            let half = MOST_TURNS / 2;
            let left_out = self.turns.len() - MOST_TURNS;
            let note = Turn {
                kind: TurnKind::Note,
                text: format!(
                    "{left_out} turns are not shown here; the whole is kept beside the page"
                ),
            };
            let tail = self.turns.split_off(self.turns.len() - half);
            self.turns.truncate(half);
            self.turns.push(note);
            self.turns.extend(tail);
        }
        self.turns
    }
}

/// A tool and the one thing that says most about its use.
fn call(name: &str, input: &Value) -> String {
    let keys = [
        "command",
        "file_path",
        "filePath",
        "path",
        "pattern",
        "query",
        "url",
        "description",
    ];
    let what = keys.iter().find_map(|key| input[*key].as_str());
    match (name.to_lowercase().as_str(), what) {
        ("bash" | "shell" | "run_shell_command" | "run", Some(command)) => format!("$ {command}"),
        (_, Some(what)) => format!("{name} {what}"),
        (_, None) if input.is_null() => name.to_owned(),
        (_, None) => format!("{name} {input}"),
    }
}

/// How Claude Code says that it ended.
fn ended(event: &Value) -> String {
    let subtype = event["subtype"].as_str().unwrap_or("ended");
    let turns = event["num_turns"].as_u64();
    let turns = turns.map_or_else(String::new, |turns| format!(", {turns} turns"));
    format!("{subtype}{turns}")
}

/// The text in a value: itself, or that of its parts.
fn any_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(any_text).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(object) => {
            let text = ["text", "message", "content", "output"]
                .iter()
                .find_map(|key| object.get(*key));
            text.map_or_else(|| value.to_string(), any_text)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let turns = read(text.as_bytes());
        let lines = turns
            .iter()
            .map(|turn| format!("{}: {}", turn.kind.as_str(), turn.text));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn json_of_a_programs_own_is_what_it_printed() {
        let own = "begins\n{\"level\":\"error\",\"msg\":\"no disk\"}";
        assert_eq!(shown(own), format!("hears: {own}"));
    }

    #[test]
    fn claude_codex_opencode_and_gemini_are_read_alike() {
        let claude = r#"{"type":"system","subtype":"init","model":"m"}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash","input":{"command":"cargo test"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"1 passed"}]}]}}
{"type":"result","subtype":"success","num_turns":3}"#;
        assert_eq!(
            shown(claude),
            "says: I look.\ndoes: $ cargo test\nhears: 1 passed\nnote: success, 3 turns"
        );
        let codex = r#"{"type":"thread.started","thread_id":"x"}
{"type":"item.started","item":{"type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"type":"command_execution","command":"ls","aggregated_output":"a\nb\n","exit_code":2}}
{"type":"item.completed","item":{"type":"agent_message","text":"done"}}"#;
        assert_eq!(
            shown(codex),
            "does: $ ls\nhears: a\nb\nexit code 2\nsays: done"
        );
        let opencode = r#"{"type":"text","part":{"text":"hello"}}
{"type":"tool_use","part":{"tool":"read","state":{"input":{"filePath":"a.rs"},"output":"fn a"}}}"#;
        assert_eq!(shown(opencode), "says: hello\ndoes: read a.rs\nhears: fn a");
        let gemini = r#"{"type":"message","role":"assistant","content":"two "}
{"type":"message","role":"assistant","content":"pieces"}
{"type":"tool_use","tool_name":"run_shell_command","parameters":{"command":"make"}}"#;
        assert_eq!(shown(gemini), "says: two pieces\ndoes: $ make");
    }

    #[test]
    fn our_own_lines_are_read_too() {
        let text = "> run make\nok\nfine\n{ not json\n[done: it said so]\n";
        assert_eq!(
            shown(text),
            "does: run make\nhears: ok\nfine\n{ not json\nnote: done: it said so"
        );
    }

    #[test]
    fn a_long_one_keeps_its_head_and_its_tail() {
        let text: String = (0..500).map(|n| format!("> run {n}\n")).collect();
        let turns = read(text.as_bytes());
        assert_eq!(turns.len(), MOST_TURNS + 1);
        assert_eq!(turns[MOST_TURNS].text, "run 499");
        let long = read(format!("> {}\n", "x".repeat(10_000)).as_bytes());
        assert!(
            long[0].text.contains("7000 characters"),
            "{}",
            long[0].text.len()
        );
    }
}
