//! pi, headless: `pi --mode json -p`, the brief on standard input.
//!
//! pi exits with 0 whatever happens, so only its events count. The end of one round is not the end
//! of the attempt: pi retries by itself after it has said `agent_end`.

use crate::agent::Order;
use crate::external::dialect::{Dialect, End, Heard, Next, Said, event, number};
use crate::external::kind::Kind;
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::relocate::named;
use crate::external::settings::Settings;
use crate::external::trouble::Trouble;
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Talk;
use serde_json::Value;
use std::io;

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Pi;

impl Kind for Pi {
    fn program(&self) -> &str {
        "pi"
    }

    fn hosts(&self) -> &'static [&'static str] {
        super::external::PROVIDER_HOSTS
    }

    fn keys(&self) -> &'static [&'static str] {
        super::external::PROVIDER_KEYS
    }

    fn key_variable(&self, settings: &Settings) -> String {
        super::external::key_of_provider(settings.model.as_deref())
    }

    fn logins(&self) -> Logins {
        &[
            (".pi/agent/auth.json", ".pi/agent/auth.json"),
            (".pi/agent/models.json", ".pi/agent/models.json"),
        ]
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let mut args = ["--mode", "json", "-p"].map(str::to_owned).to_vec();
        if let Some(model) = &settings.model {
            // `provider/model` names the provider; pi wants it apart.
            match model.split_once('/') {
                Some((provider, model)) => {
                    args.extend(["--provider", provider, "--model", model].map(str::to_owned));
                }
                None => args.extend(["--model".to_owned(), model.clone()]),
            }
        }
        if order.access == Access::ReadOnly {
            args.extend(["--tools", "read,bash,grep,find,ls"].map(str::to_owned));
        }
        if let Some(session) = &place.continues {
            // By its file: by its id pi finds it, and asks a person whether it is the right one.
            let file = named(&place.home, session).map(|file| Place::text(&file));
            args.extend(["--session".to_owned(), file.unwrap_or(session.clone())]);
        }
        args.extend(settings.args.iter().cloned());
        let on = || "1".to_owned();
        Ok(Plan {
            args,
            env: vec![
                (
                    "PI_CODING_AGENT_DIR",
                    Place::text(&place.home.join(".pi/agent")),
                ),
                ("PI_SKIP_VERSION_CHECK", on()),
                ("PI_TELEMETRY", "0".to_owned()),
            ],
            stdin: order.brief.clone().into_bytes(),
            ..Plan::default()
        })
    }

    fn dialect(&self, _: &Order, _: &Place) -> Box<dyn Dialect> {
        Box::new(Listener::default())
    }
}

/// What pi says.
#[derive(Debug, Default)]
struct Listener {
    heard: Heard,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(event) = event(line) else {
            return Said::default();
        };
        match event["type"].as_str() {
            Some("session") => self.heard.session(&event["id"]),
            Some("agent_start") => self.heard.end = None,
            Some("auto_retry_start") => {
                self.heard.end = None;
                let error = event["errorMessage"].as_str().unwrap_or_default();
                return Said::progress(format!("retrying: {error}"));
            }
            Some("message_end") if event["message"]["role"] == "assistant" => {
                return self.message(&event["message"]);
            }
            Some("tool_execution_start") => {
                let args = &event["args"];
                let keys = ["command", "path", "pattern"];
                let what = keys.iter().find_map(|key| args[*key].as_str());
                let name = event["toolName"].as_str().unwrap_or_default();
                return Said::progress(format!("{name} {}", what.unwrap_or_default()));
            }
            Some("agent_end") => self.end(&event["messages"]),
            Some("message_update" | "message_start" | "tool_execution_update" | "turn_end") => {
                return Said::noise();
            }
            _ => {}
        }
        Said::default()
    }

    fn heard(&self) -> &Heard {
        &self.heard
    }

    /// Another round may follow, so only its exit is the end.
    fn talk(&self) -> Talk {
        Talk::Ends
    }
}

impl Listener {
    fn message(&mut self, message: &Value) -> Said {
        let usage = &message["usage"];
        let input = ["input", "cacheRead", "cacheWrite"];
        self.heard.usage.input_tokens += input.iter().map(|key| number(&usage[*key])).sum::<u64>();
        self.heard.usage.cached_tokens += number(&usage["cacheRead"]);
        self.heard.usage.output_tokens += number(&usage["output"]);
        self.heard.dollars(&usage["cost"]["total"]);
        self.heard.next = match message["stopReason"].as_str() {
            Some("toolUse") => Next::Call,
            _ => Next::Unknown,
        };
        let parts = message["content"].as_array().into_iter().flatten();
        let texts = parts.filter_map(|part| part["text"].as_str());
        self.heard.message = texts.collect::<Vec<_>>().join("\n");
        Said::progress(&self.heard.message)
    }

    fn end(&mut self, messages: &Value) {
        let mut messages = messages.as_array().into_iter().flatten().rev();
        let last = messages.find(|message| message["role"] == "assistant");
        let last = last.unwrap_or(&Value::Null);
        let error = last["errorMessage"].as_str().unwrap_or_default();
        self.heard.end = Some(match last["stopReason"].as_str() {
            Some("stop" | "toolUse") => End::Finished,
            Some("length") => End::Failed(Trouble::new(
                Class::Overflow,
                "the model's answer was cut at its limit",
            )),
            Some("aborted") => End::Failed(Trouble::new(Class::Crashed, "it was aborted")),
            _ => End::Failed(Trouble::judge(None, error)),
        });
    }
}
