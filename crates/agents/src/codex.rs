//! Codex, headless: `codex exec --json`, the brief on standard input.
//!
//! Its own sandbox stays on as a second line: it writes the workspace and the task, not the
//! temporary folder; a role that may only read writes nothing. The count of tokens of a resumed
//! session goes on from the earlier attempt, so what was paid then is taken off.

use crate::agent::Order;
use crate::external::dialect::{Dialect, End, Heard, Said, event, number};
use crate::external::kind::{Counts, Kind};
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::settings::{Login, Settings};
use crate::external::setup::{Places, flat};
use crate::external::trouble::Trouble;
use crate::home::Home;
use kernel::effect::Access;
use kernel::outcome::Usage;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::Path;

/// The table of its settings with its MCP servers.
const SERVERS: &str = "mcp_servers";

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Codex;

impl Kind for Codex {
    fn counts(&self) -> Counts {
        Counts::Tokens
    }

    fn program(&self) -> &str {
        "codex"
    }

    fn hosts(&self) -> &'static [&'static str] {
        &["api.openai.com", "chatgpt.com", "auth.openai.com"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"]
    }

    fn key_variable(&self, _: &Settings) -> String {
        // `exec` reads its key under this name only.
        "CODEX_API_KEY".to_owned()
    }

    fn logins(&self) -> Logins {
        &[(".codex/auth.json", ".codex/auth.json")]
    }

    fn setup(&self) -> Places {
        Places {
            memory: Some(".codex/AGENTS.md"),
            skills: Some(".codex/skills"),
            servers: Some((".codex/config.toml", SERVERS)),
        }
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let home = place.folder(".codex")?;
        let mut args = vec!["exec".to_owned()];
        let earlier = place.continues.as_deref().map(Session::read);
        if earlier.is_some() {
            forget_index(&home)?;
            args.push("resume".to_owned());
        }
        let flags = ["--json", "--skip-git-repo-check"];
        let off = ["--disable", "plugins", "--disable", "apps"];
        args.extend(flags.into_iter().chain(off).map(str::to_owned));
        let result = Home::of(order).result();
        let out = result.parent().map(Place::text);
        let roots = json!([Some(Place::text(&place.task)), out]);
        let mode = match (&order.policy, order.access) {
            // Its own sandbox cannot be made inside ours, and ours is the narrower one.
            (Some(_), _) => "danger-full-access",
            (None, Access::Edit) => "workspace-write",
            (None, Access::ReadOnly) => "read-only",
        };
        // As settings, because `resume` does not know the flags. JSON strings are TOML strings.
        for (key, value) in [
            ("sandbox_mode", json!(mode)),
            ("approval_policy", json!("never")),
            ("sandbox_workspace_write.writable_roots", roots),
            ("sandbox_workspace_write.exclude_slash_tmp", json!(true)),
        ] {
            args.extend(["-c".to_owned(), format!("{key}={value}")]);
        }
        for (key, value) in flat(&place.servers, SERVERS) {
            args.extend(["-c".to_owned(), format!("{key}={value}")]);
        }
        if let (Login::Key, Some(base)) = (settings.login, &settings.base_url) {
            for (key, value) in provider(base) {
                args.extend(["-c".to_owned(), format!("{key}={value}")]);
            }
        }
        if let Some(model) = &settings.model {
            args.extend(["-m".to_owned(), model.clone()]);
        }
        args.extend(settings.args.iter().cloned());
        args.extend(earlier.map(|session| session.id));
        // The prompt is on standard input.
        args.push("-".to_owned());
        let mut env = vec![("CODEX_HOME", Place::text(&home))];
        // `exec` reads its key under this name only.
        let key = |name: &str| std::env::var(name).ok().filter(|key| !key.is_empty());
        if let (None, Some(key)) = (key("CODEX_API_KEY"), key("OPENAI_API_KEY")) {
            env.push(("CODEX_API_KEY", key));
        }
        Ok(Plan {
            args,
            env,
            stdin: order.brief.clone().into_bytes(),
            ..Plan::default()
        })
    }

    fn dialect(&self, _: &Order, place: &Place) -> Box<dyn Dialect> {
        let earlier = place.continues.as_deref().map(Session::read);
        Box::new(Listener {
            paid: earlier.map(|session| session.paid).unwrap_or_default(),
            ..Listener::default()
        })
    }
}

/// Its own provider, so that a key stays in the environment and is never logged in with, and the address
/// is the one that was asked for: it does not heed `OPENAI_BASE_URL`.
pub(crate) fn provider(base: &str) -> Vec<(String, Value)> {
    const PROVIDER: &str = "proofhouse";
    let of_provider = [
        ("name", "OpenAI"),
        ("base_url", base),
        ("env_key", "CODEX_API_KEY"),
        ("wire_api", "responses"),
    ];
    let of_provider = of_provider
        .into_iter()
        .map(|(name, value)| (format!("model_providers.{PROVIDER}.{name}"), json!(value)));
    let chosen = ("model_provider".to_owned(), json!(PROVIDER));
    std::iter::once(chosen).chain(of_provider).collect()
}

/// The sessions are files; the databases beside them are an index with absolute paths, which are
/// wrong once the view has moved. Codex makes a new one.
pub(crate) fn forget_index(home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let index = name.starts_with("state_") || name.starts_with("thread_history_");
        if index && name.contains(".sqlite") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// A thread and what was paid for it so far, in one text: `ID`, or `ID+INPUT+OUTPUT+CACHED`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) paid: Usage,
}

impl Session {
    pub(crate) fn read(text: &str) -> Self {
        let mut parts = text.split('+');
        let id = parts.next().unwrap_or_default().to_owned();
        let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        let paid = Usage {
            input_tokens: number(),
            output_tokens: number(),
            cached_tokens: number(),
            micro_dollars: 0,
        };
        Self { id, paid }
    }

    pub(crate) fn write(&self) -> String {
        let paid = self.paid;
        let (input, output, cached) = (paid.input_tokens, paid.output_tokens, paid.cached_tokens);
        format!("{}+{input}+{output}+{cached}", self.id)
    }
}

/// A session's count without what was paid before. A count that is smaller began anew.
pub(crate) fn less(total: Usage, paid: Usage) -> Usage {
    let less = |total: u64, paid: u64| total.checked_sub(paid).unwrap_or(total);
    Usage {
        input_tokens: less(total.input_tokens, paid.input_tokens),
        output_tokens: less(total.output_tokens, paid.output_tokens),
        cached_tokens: less(total.cached_tokens, paid.cached_tokens),
        micro_dollars: 0,
    }
}

/// What Codex says.
#[derive(Debug, Default)]
struct Listener {
    heard: Heard,
    thread: String,
    paid: Usage,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(event) = event(line) else {
            return Said::default();
        };
        let error = |value: &Value| Trouble::judge(None, value.as_str().unwrap_or_default());
        match event["type"].as_str() {
            Some("thread.started") => {
                self.thread = event["thread_id"].as_str().unwrap_or_default().to_owned();
                self.name_session(self.paid);
            }
            Some("item.started" | "item.completed") => return self.item(&event),
            Some("item.updated") => return Said::noise(),
            Some("error") => {
                let trouble = error(&event["message"]);
                let said = Said::progress(&trouble.reason);
                self.heard.trouble = Some(trouble);
                return said;
            }
            Some("turn.completed") => {
                self.count(&event["usage"]);
                self.heard.end = Some(End::Finished);
            }
            Some("turn.failed") => {
                self.count(&event["usage"]);
                self.heard.end = Some(End::Failed(error(&event["error"]["message"])));
            }
            _ => {}
        }
        Said::default()
    }

    fn heard(&self) -> &Heard {
        &self.heard
    }
}

impl Listener {
    fn item(&mut self, event: &Value) -> Said {
        let item = &event["item"];
        let begins = event["type"] == "item.started";
        match item["type"].as_str() {
            Some("agent_message") if !begins => {
                let text = item["text"].as_str().unwrap_or_default();
                self.heard.message = text.to_owned();
                Said::progress(text)
            }
            Some("command_execution") if begins => Said::progress(format!(
                "$ {}",
                item["command"].as_str().unwrap_or_default()
            )),
            Some("command_execution") => {
                if item["status"] == "declined" {
                    self.heard.denials += 1;
                }
                Said::default()
            }
            Some("file_change") if !begins => {
                let changes = item["changes"].as_array().into_iter().flatten();
                let paths: Vec<&str> = changes
                    .filter_map(|change| change["path"].as_str())
                    .collect();
                Said::progress(format!("changed {}", paths.join(", ")))
            }
            _ => Said::default(),
        }
    }

    /// Takes off what the earlier attempts of this session paid.
    fn count(&mut self, usage: &Value) {
        let total = Usage {
            input_tokens: number(&usage["input_tokens"]),
            output_tokens: number(&usage["output_tokens"]),
            cached_tokens: number(&usage["cached_input_tokens"]),
            micro_dollars: 0,
        };
        self.heard.usage = less(total, self.paid);
        self.name_session(total);
    }

    fn name_session(&mut self, paid: Usage) {
        let id = self.thread.clone();
        self.heard.session = (!id.is_empty()).then(|| Session { id, paid }.write());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_carries_what_was_paid() {
        let session = Session::read("t-1+10+5+2");
        assert_eq!(session.write(), "t-1+10+5+2");
        assert_eq!(Session::read("t-1").write(), "t-1+0+0+0");
        let mut hears = Listener {
            paid: session.paid,
            ..Listener::default()
        };
        hears.line(r#"{"type":"thread.started","thread_id":"t-1"}"#);
        hears.line(r#"{"type":"turn.completed","usage":{"input_tokens":14,"output_tokens":6}}"#);
        assert_eq!(hears.heard.usage.input_tokens, 4);
        assert_eq!(hears.heard.usage.output_tokens, 1);
        assert_eq!(hears.heard.session.as_deref(), Some("t-1+14+6+0"));
    }
}
