//! Claude Code, headless: stream-json both ways, with its control protocol.
//!
//! The brief goes in as a message, not as an argument, so its length does not matter. Every edit
//! asks us first, through a hook that no settings file of the repository can switch off, and every
//! permission question is answered by us. Refused are edits outside the view, edits of the
//! repository by a role that may only read, and questions that need a person.

mod gate;

use crate::agent::Order;
use crate::external::dialect::{
    Dialect, End, Heard, Next, Said, event, line_of, micro_dollars, number,
};
use crate::external::gate::Gate;
use crate::external::kind::Kind;
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::settings::Settings;
use crate::external::setup::Places;
use crate::external::trouble::Trouble;
use gate::{EDITS, UNFIT, refusal, settle};
use kernel::outcome::{Class, Usage};
use sandbox::Talk;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Claude;

impl Kind for Claude {
    fn program(&self) -> &str {
        "claude"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &["api.anthropic.com"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ]
    }

    fn logins(&self) -> Logins {
        &[(".claude/.credentials.json", ".claude/.credentials.json")]
    }

    fn setup(&self) -> Places {
        Places {
            memory: Some(".claude/CLAUDE.md"),
            skills: Some(".claude/skills"),
            servers: Some((".claude.json", "mcpServers")),
        }
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let mut args = [
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            "--permission-mode",
            "default",
            "--permission-prompt-tool",
            "stdio",
            "--strict-mcp-config",
            "--disallowedTools",
            UNFIT,
            "--add-dir",
        ]
        .map(str::to_owned)
        .to_vec();
        args.push(Place::text(&place.task));
        if let Some(model) = &settings.model {
            args.extend(["--model".to_owned(), model.clone()]);
        }
        let config = place.folder(".claude")?;
        if let Some(session) = &place.continues {
            settle(place)?;
            args.extend(["--resume".to_owned(), session.clone()]);
        }
        if !place.servers.is_empty() {
            let servers = json!({"mcpServers": place.servers});
            let file = place.write(".claude/mcp.json", &servers.to_string())?;
            args.extend(["--mcp-config".to_owned(), Place::text(&file)]);
        }
        args.extend(settings.args.iter().cloned());
        let hooks = json!({"PreToolUse": [{"matcher": EDITS, "hookCallbackIds": ["edits"]}]});
        let first = json!({"type": "control_request", "request_id": "proofhouse-1",
            "request": {"subtype": "initialize", "hooks": hooks}});
        let brief = json!({"type": "user", "parent_tool_use_id": null, "session_id": "",
            "message": {"role": "user", "content": order.brief}});
        let on = || "1".to_owned();
        Ok(Plan {
            args,
            env: vec![
                ("CLAUDE_CONFIG_DIR", Place::text(&config)),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("CLAUDE_CODE_MAX_RETRIES", "4".to_owned()),
                ("DISABLE_AUTOUPDATER", on()),
                ("DISABLE_ERROR_REPORTING", on()),
                ("DISABLE_TELEMETRY", on()),
            ],
            stdin: [line_of(&first), line_of(&brief)].concat(),
            ..Plan::default()
        })
    }

    fn dialect(&self, order: &Order, place: &Place) -> Box<dyn Dialect> {
        Box::new(Listener {
            gate: Gate::of(order, place),
            ..Listener::default()
        })
    }
}

/// What Claude Code says.
#[derive(Debug, Default)]
struct Listener {
    heard: Heard,
    gate: Gate,
    /// The messages whose tokens were counted: each comes in parts, and those of several helpers of
    /// the agent in any order.
    counted: BTreeSet<String>,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(event) = event(line) else {
            return Said::default();
        };
        self.heard.session(&event["session_id"]);
        match event["type"].as_str() {
            Some("assistant") => self.assistant(&event),
            Some("control_request") => self.asked(&event),
            // Long, and about nothing that happened.
            Some("control_response") => Said::noise(),
            Some("system") if event["subtype"] == "init" => {
                self.heard.model(&event["model"]);
                Said::default()
            }
            Some("system") if event["subtype"] == "api_retry" => {
                let text = event["error"].as_str().unwrap_or_default();
                let trouble = Trouble::judge(event["error_status"].as_u64(), text);
                let said = Said::progress(format!("retrying: {}", trouble.reason));
                self.heard.trouble = Some(trouble);
                said
            }
            Some("result") => {
                self.result(&event);
                Said::default()
            }
            _ => Said::default(),
        }
    }

    fn heard(&self) -> &Heard {
        &self.heard
    }

    fn talk(&self) -> Talk {
        match self.heard.end {
            Some(_) => Talk::Over,
            None => Talk::Open,
        }
    }
}

impl Listener {
    /// A message. Its tokens are a lower bound, for an attempt that never reaches its result.
    fn assistant(&mut self, event: &Value) -> Said {
        let message = &event["message"];
        let id = message["id"].as_str().unwrap_or_default();
        if !id.is_empty() && self.counted.insert(id.to_owned()) {
            let usage = tokens(&message["usage"]);
            self.heard.usage.input_tokens += usage.input_tokens;
            self.heard.usage.output_tokens += usage.output_tokens;
            self.heard.usage.cached_tokens += usage.cached_tokens;
        }
        let parts = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let mut said = Said::default();
        let calls = parts.iter().any(|part| part["type"] == "tool_use");
        self.heard.next = match calls {
            true => Next::Call,
            false => Next::Unknown,
        };
        for part in parts {
            match part["type"].as_str() {
                Some("text") => said = Said::progress(part["text"].as_str().unwrap_or_default()),
                Some("tool_use") => {
                    let name = part["name"].as_str().unwrap_or_default();
                    let input = &part["input"];
                    let keys = ["command", "file_path", "pattern", "description"];
                    let what = keys.iter().find_map(|key| input[*key].as_str());
                    said = Said::progress(format!("{name} {}", what.unwrap_or_default()));
                }
                _ => {}
            }
        }
        said
    }

    /// The control protocol: it asks, we answer.
    fn asked(&mut self, event: &Value) -> Said {
        let request = &event["request"];
        let answer = match request["subtype"].as_str() {
            Some("can_use_tool") => {
                let tool = request["tool_name"].as_str().unwrap_or_default();
                match refusal(&self.gate, tool, &request["input"]) {
                    None => json!({"behavior": "allow", "updatedInput": request["input"]}),
                    Some(why) => json!({"behavior": "deny", "message": why}),
                }
            }
            Some("hook_callback") => {
                let input = &request["input"];
                let tool = input["tool_name"].as_str().unwrap_or_default();
                let (decision, why) = match refusal(&self.gate, tool, &input["tool_input"]) {
                    None => ("allow", "inside the view".to_owned()),
                    Some(why) => ("deny", why),
                };
                json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                    "permissionDecision": decision, "permissionDecisionReason": why}})
            }
            _ => {
                let id = &event["request_id"];
                return Said::answer(&json!({"type": "control_response", "response":
                    {"subtype": "error", "request_id": id, "error": "not supported"}}));
            }
        };
        Said::answer(&json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": event["request_id"], "response": answer}}))
    }

    fn result(&mut self, event: &Value) {
        let usage = &event["usage"];
        self.heard.usage = Usage {
            micro_dollars: micro_dollars(&event["total_cost_usd"]),
            ..tokens(usage)
        };
        self.heard.denials = event["permission_denials"].as_array().map_or(0, Vec::len);
        let text = event["result"].as_str().unwrap_or_default();
        let subtype = event["subtype"].as_str().unwrap_or_default();
        // An API error is a "success" with `is_error`, so the subtype alone says nothing.
        let end = match subtype {
            _ if event["stop_reason"] == "refusal" => {
                End::Failed(Trouble::new(Class::Declined, format!("declined: {text}")))
            }
            "success" if event["is_error"] == false => End::Finished,
            "error_max_turns" | "error_max_budget_usd" => {
                let reason = format!("it was stopped by its own cap ({subtype})");
                End::Failed(Trouble::new(Class::Crashed, reason))
            }
            _ => {
                let errors = event["errors"].as_array().into_iter().flatten();
                let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
                let text = match (text, errors.is_empty()) {
                    ("", true) => subtype.to_owned(),
                    ("", false) => errors.join("; "),
                    (text, _) => text.to_owned(),
                };
                End::Failed(Trouble::judge(event["api_error_status"].as_u64(), &text))
            }
        };
        self.heard.end = Some(end);
        self.heard.message = text.to_owned();
    }
}

fn tokens(usage: &Value) -> Usage {
    let input = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    Usage {
        input_tokens: input.iter().map(|key| number(&usage[*key])).sum(),
        output_tokens: number(&usage["output_tokens"]),
        cached_tokens: number(&usage["cache_read_input_tokens"]),
        micro_dollars: 0,
    }
}
