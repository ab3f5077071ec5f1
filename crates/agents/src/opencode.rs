//! opencode, headless: `opencode run --format json`, the brief on standard input.
//!
//! Permissions come as configuration that the repository's own cannot loosen. opencode's own hosted
//! models are used only if one is asked for by name: code must not go to a provider that the user
//! did not choose.

use crate::agent::Order;
use crate::external::dialect::{Dialect, End, Heard, Next, Said, event, number};
use crate::external::kind::Kind;
use crate::external::place::{Logins, Place};
use crate::external::plan::{Plan, Sessions};
use crate::external::settings::Settings;
use crate::external::trouble::Trouble;
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Talk;
use serde_json::{Map, Value, json};
use std::io;

const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Opencode;

impl Kind for Opencode {
    fn program(&self) -> &str {
        "opencode"
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
        &[(
            ".local/share/opencode/auth.json",
            ".local/share/opencode/auth.json",
        )]
    }

    /// Its database holds absolute paths, and it fails where they lead nowhere.
    fn sessions(&self) -> Sessions {
        Sessions::Stay
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let mut args = ["run", "--format", "json"].map(str::to_owned).to_vec();
        if let Some(model) = &settings.model {
            args.extend(["-m".to_owned(), model.clone()]);
        }
        if let Some(session) = &place.continues {
            args.extend(["-s".to_owned(), session.clone()]);
        }
        args.extend(settings.args.iter().cloned());
        let on = || "1".to_owned();
        Ok(Plan {
            args,
            env: vec![
                ("OPENCODE_DISABLE_AUTOUPDATE", on()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", on()),
                ("OPENCODE_DISABLE_SHARE", on()),
            ],
            fixed: vec![(CONFIG, config(settings, order).to_string())],
            stdin: order.brief.clone().into_bytes(),
        })
    }

    fn dialect(&self, _: &Order, _: &Place) -> Box<dyn Dialect> {
        Box::new(Listener::default())
    }
}

/// The user's configuration from the settings, with our permissions over it.
fn config(settings: &Settings, order: &Order) -> Value {
    let given = settings.env.get(CONFIG);
    let given = given.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    let mut config = given.unwrap_or_default();
    let edit = match order.access {
        Access::Edit => "allow",
        Access::ReadOnly => "deny",
    };
    // The task's folder is outside what opencode takes for the project.
    let permission = json!({"edit": edit, "bash": "allow", "webfetch": "deny",
        "question": "deny", "doom_loop": "deny", "external_directory": "allow"});
    config.insert("permission".to_owned(), permission);
    config.insert("share".to_owned(), json!("disabled"));
    config.insert("autoupdate".to_owned(), json!(false));
    let hosted = |model: &String| model.starts_with("opencode/");
    if !settings.model.as_ref().is_some_and(hosted) {
        config
            .entry("disabled_providers")
            .or_insert(json!(["opencode"]));
    }
    Value::Object(config)
}

/// What opencode says.
#[derive(Debug, Default)]
struct Listener {
    heard: Heard,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(event) = event(line) else {
            return Said::default();
        };
        self.heard.session(&event["sessionID"]);
        let part = &event["part"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["type"].as_str() {
            Some("step_start") => {
                self.heard.message.clear();
                self.heard.end = None;
                self.heard.next = Next::Unknown;
            }
            Some("text") => {
                let said = text(&part["text"]);
                self.heard.message.push_str(&said);
                return Said::progress(said);
            }
            Some("tool_use") => {
                let state = &part["state"];
                let error = text(&state["error"]).to_lowercase();
                let refused = error.contains("permission") || error.contains("rejected");
                self.heard.denials += usize::from(state["status"] == "error" && refused);
                let title = state["title"].as_str().unwrap_or_default();
                return Said::progress(format!("{} {title}", text(&part["tool"])));
            }
            Some("step_finish") => self.step(part),
            Some("error") => {
                let trouble = api_error(&event["error"]);
                let said = Said::progress(&trouble.reason);
                self.heard.end = Some(End::Failed(trouble));
                return said;
            }
            _ => {}
        }
        Said::default()
    }

    fn heard(&self) -> &Heard {
        &self.heard
    }

    /// One step's end may be followed by another step, so only its exit is the end.
    fn talk(&self) -> Talk {
        Talk::Ends
    }
}

impl Listener {
    fn step(&mut self, part: &Value) {
        let tokens = &part["tokens"];
        let cache = &tokens["cache"];
        let usage = &mut self.heard.usage;
        usage.input_tokens +=
            number(&tokens["input"]) + number(&cache["read"]) + number(&cache["write"]);
        usage.cached_tokens += number(&cache["read"]);
        usage.output_tokens += number(&tokens["output"]) + number(&tokens["reasoning"]);
        self.heard.dollars(&part["cost"]);
        let failed = |class, reason: &str| Some(End::Failed(Trouble::new(class, reason)));
        match part["reason"].as_str() {
            Some("stop") => self.heard.end = Some(End::Finished),
            Some("length") => {
                self.heard.end = failed(Class::Overflow, "the model's answer was cut at its limit");
            }
            Some("content-filter") => {
                self.heard.end = failed(Class::Declined, "the provider's filter stopped it");
            }
            // Tools were called: another step follows, or the stream was cut.
            _ => self.heard.next = Next::Call,
        }
    }
}

fn api_error(error: &Value) -> Trouble {
    let data = &error["data"];
    let message = data["message"].as_str().or(error["name"].as_str());
    let mut trouble = Trouble::judge(data["statusCode"].as_u64(), message.unwrap_or_default());
    if error["name"] == "ContextOverflowError" {
        trouble.class = Class::Overflow;
    }
    let wait = data["responseHeaders"]["retry-after"].as_str();
    let wait = wait.and_then(|wait| wait.parse().ok());
    trouble.retry_after = wait.map(std::time::Duration::from_secs);
    trouble
}
