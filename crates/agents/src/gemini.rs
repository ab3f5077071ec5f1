//! Gemini CLI, headless: stream-json out, the brief on standard input.
//!
//! All tools are approved, because the view and the sandbox are the limits; for a role that may only
//! read, a policy file takes the editing tools away. The CLI's own ten retries are cut to three;
//! then the run decides.

use crate::agent::Order;
use crate::external::dialect::{Dialect, End, Heard, Said, event, number};
use crate::external::kind::{Counts, Kind};
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::settings::{Login, Settings};
use crate::external::setup::Places;
use crate::external::trouble::Trouble;
use kernel::effect::Access;
use kernel::outcome::{Class, Usage};
use serde_json::{Value, json};
use std::io;

const READ_ONLY: &str = "\
[[rule]]
toolName = [\"write_file\", \"replace\"]
decision = \"deny\"
priority = 999
";

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Gemini;

impl Kind for Gemini {
    fn counts(&self) -> Counts {
        Counts::Tokens
    }

    fn program(&self) -> &str {
        "gemini"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &[
            "generativelanguage.googleapis.com",
            "cloudcode-pa.googleapis.com",
            "oauth2.googleapis.com",
        ]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"]
    }

    fn logins(&self) -> Logins {
        &[
            (".gemini/oauth_creds.json", ".gemini/oauth_creds.json"),
            (
                ".gemini/google_accounts.json",
                ".gemini/google_accounts.json",
            ),
        ]
    }

    fn setup(&self) -> Places {
        Places {
            memory: Some(".gemini/GEMINI.md"),
            skills: None,
            servers: Some((".gemini/settings.json", "mcpServers")),
        }
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let auth = match settings.login {
            Login::Key => "gemini-api-key",
            Login::User => "oauth-personal",
        };
        let config = json!({
            "security": {"auth": {"selectedType": auth}},
            "general": {"enableAutoUpdate": false, "maxAttempts": 3},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "mcpServers": place.servers,
        });
        place.write(".gemini/settings.json", &config.to_string())?;
        let mut args = ["-o", "stream-json", "--skip-trust", "--yolo"]
            .map(str::to_owned)
            .to_vec();
        args.extend(["--include-directories".to_owned(), Place::text(&place.task)]);
        if order.access == Access::ReadOnly {
            let policy = place.write(".gemini/read-only.toml", READ_ONLY)?;
            args.extend(["--policy".to_owned(), Place::text(&policy)]);
        }
        if let Some(model) = &settings.model {
            args.extend(["-m".to_owned(), model.clone()]);
        }
        if let Some(session) = &place.continues {
            args.extend(["--resume".to_owned(), session.clone()]);
        }
        args.extend(settings.args.iter().cloned());
        Ok(Plan {
            args,
            env: vec![
                ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
                ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ],
            stdin: order.brief.clone().into_bytes(),
            ..Plan::default()
        })
    }

    fn dialect(&self, _: &Order, _: &Place) -> Box<dyn Dialect> {
        Box::new(Listener::default())
    }
}

/// What Gemini says.
#[derive(Debug, Default)]
struct Listener {
    heard: Heard,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(event) = event(line) else {
            return Said::default();
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["type"].as_str() {
            Some("init") => {
                self.heard.session(&event["session_id"]);
                self.heard.model(&event["model"]);
            }
            Some("message") if event["role"] == "assistant" => {
                // A message comes in pieces, which need not be whole lines.
                self.heard.message.push_str(&text(&event["content"]));
            }
            Some("tool_use") => {
                self.heard.message.clear();
                let input = &event["parameters"];
                let keys = ["command", "file_path", "pattern"];
                let what = keys.iter().find_map(|key| input[*key].as_str());
                let name = text(&event["tool_name"]);
                return Said::progress(format!("{name} {}", what.unwrap_or_default()));
            }
            Some("tool_result") => {
                let denied = event["error"]["type"].as_str().unwrap_or_default();
                self.heard.denials += usize::from(denied.contains("policy"));
            }
            Some("error") if event["severity"] != "warning" => {
                let trouble = Trouble::judge(None, &text(&event["message"]));
                let said = Said::progress(&trouble.reason);
                self.heard.trouble = Some(trouble);
                return said;
            }
            Some("result") => self.result(&event),
            _ => {}
        }
        Said::default()
    }

    fn heard(&self) -> &Heard {
        &self.heard
    }
}

impl Listener {
    fn result(&mut self, event: &Value) {
        let stats = &event["stats"];
        self.heard.usage = Usage {
            input_tokens: number(&stats["input_tokens"]),
            output_tokens: number(&stats["output_tokens"]),
            cached_tokens: number(&stats["cached"]),
            micro_dollars: 0,
        };
        let error = &event["error"];
        let message = error["message"].as_str().unwrap_or_default();
        self.heard.end = Some(match event["status"].as_str() {
            Some("success") => End::Finished,
            _ if error["type"]
                .as_str()
                .unwrap_or_default()
                .contains("TurnLimit") =>
            {
                End::Failed(Trouble::new(Class::Crashed, message))
            }
            _ => End::Failed(Trouble::judge(None, message)),
        });
    }
}
