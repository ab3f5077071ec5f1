//! Codex with approvals: `codex app-server`, JSON lines both ways, every edit and every command
//! asked about before it happens.
//!
//! We answer for the role: an edit must lie where the role may write; a command may run where our
//! sandbox and the tree's hash hold it. Refused is whatever needs a person, more permissions, and
//! tools of a client that we are not. `codex` alone (`exec`) asks nobody.

use crate::agent::Order;
use crate::codex::{Session, forget_index, provider};
use crate::external::dialect::{Dialect, End, Heard, Next, Said, event, line_of, number};
use crate::external::gate::Gate;
use crate::external::kind::{Counts, Kind};
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::settings::{Login, Settings};
use crate::external::trouble::Trouble;
use kernel::effect::Access;
use kernel::outcome::{Class, Usage};
use sandbox::Talk;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;

const INITIALIZE: u64 = 1;
const THREAD: u64 = 2;
const TURN: u64 = 3;
const NO_SUCH_METHOD: i64 = -32601;
const KEY: &str = "CODEX_API_KEY";

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct CodexApp;

impl Kind for CodexApp {
    fn counts(&self) -> Counts {
        Counts::Tokens
    }

    fn program(&self) -> &str {
        "codex"
    }

    fn hosts(&self) -> &'static [&'static str] {
        crate::codex::Codex.hosts()
    }

    fn keys(&self) -> &'static [&'static str] {
        crate::codex::Codex.keys()
    }

    fn key_variable(&self, _: &Settings) -> String {
        KEY.to_owned()
    }

    fn logins(&self) -> Logins {
        crate::codex::Codex.logins()
    }

    fn plan(&self, settings: &Settings, order: &Order, place: &Place) -> io::Result<Plan> {
        let home = place.folder(".codex")?;
        if place.continues.is_some() {
            forget_index(&home)?;
        }
        let mut args: Vec<String> = ["app-server", "--disable", "plugins", "--disable", "apps"]
            .map(str::to_owned)
            .to_vec();
        // When it asks us is said for the thread: as a setting, it is not taken any more.
        let mut set = vec![("sandbox_mode".to_owned(), json!(sandbox_mode(order)))];
        if let Some(model) = &settings.model {
            set.push(("model".to_owned(), json!(model)));
        }
        let key = |name: &str| std::env::var(name).ok().filter(|key| !key.is_empty());
        let mut env = vec![("CODEX_HOME", Place::text(&home))];
        if settings.login == Login::Key {
            let base = settings.base_url.clone().or(key("OPENAI_BASE_URL"));
            let base = base.unwrap_or_else(|| "https://api.openai.com/v1".to_owned());
            set.extend(provider(&base));
            if let (None, Some(key)) = (key(KEY), key("OPENAI_API_KEY")) {
                env.push((KEY, key));
            }
        }
        // JSON strings are TOML strings.
        for (name, value) in set {
            args.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        args.extend(settings.args.iter().cloned());
        let client = json!({"name": "proofhouse", "title": "Proofhouse",
            "version": env!("CARGO_PKG_VERSION")});
        let first = request(INITIALIZE, "initialize", json!({"clientInfo": client}));
        Ok(Plan {
            args,
            env,
            stdin: line_of(&first),
            ..Plan::default()
        })
    }

    fn dialect(&self, order: &Order, place: &Place) -> Box<dyn Dialect> {
        let earlier = place.continues.as_deref().map(Session::read);
        Box::new(Listener {
            heard: Heard::default(),
            gate: Gate::of(order, place),
            commands: match (&order.policy, order.access) {
                (None, Access::ReadOnly) => Commands::Decline,
                _ => Commands::Accept,
            },
            cwd: Place::text(&place.repo),
            brief: order.brief.clone(),
            mode: sandbox_mode(order),
            paid: earlier.as_ref().map(|s| s.paid).unwrap_or_default(),
            continues: earlier.map(|session| session.id),
            stage: INITIALIZE,
            thread: String::new(),
            edits: BTreeMap::new(),
        })
    }
}

/// Its own sandbox cannot be made inside ours, and ours is the narrower one.
fn sandbox_mode(order: &Order) -> &'static str {
    match (&order.policy, order.access) {
        (Some(_), _) => "danger-full-access",
        (None, Access::Edit) => "workspace-write",
        (None, Access::ReadOnly) => "read-only",
    }
}

/// The protocol is JSON-RPC without its version.
fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "params": params})
}

/// What the server says, and which of our requests is open.
#[derive(Debug)]
struct Listener {
    heard: Heard,
    gate: Gate,
    commands: Commands,
    cwd: String,
    brief: String,
    mode: &'static str,
    continues: Option<String>,
    /// What earlier attempts of this thread paid: its count goes on.
    paid: Usage,
    stage: u64,
    thread: String,
    /// The paths of edits that it has announced, by item.
    edits: BTreeMap<String, Vec<String>>,
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(message) = event(line) else {
            return Said::default();
        };
        let params = &message["params"];
        match (message["method"].as_str(), message.get("id")) {
            (None, Some(id)) if id.as_u64() == Some(self.stage) => self.answered(&message),
            (Some(method), Some(_)) => self.asked(method, &message),
            (Some("item/started"), _) => self.item(&params["item"], Phase::Begins),
            (Some("item/completed"), _) => self.item(&params["item"], Phase::Over),
            (Some("thread/tokenUsage/updated"), _) => {
                self.count(&params["tokenUsage"]["total"]);
                Said::default()
            }
            (Some("error"), _) => {
                let trouble = trouble(&params["error"]);
                let said = Said::progress(&trouble.reason);
                self.heard.trouble = Some(trouble);
                said
            }
            (Some("turn/completed"), _) => {
                let turn = &params["turn"];
                self.heard.end = Some(match turn["status"].as_str() {
                    Some("completed") => End::Finished,
                    _ => End::Failed(trouble(&turn["error"])),
                });
                Said::default()
            }
            // Pieces of what an item repeats whole.
            (Some(method), None) if method.ends_with("elta") => Said::noise(),
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

/// What becomes of commands that it asks about. An accepted one runs outside of its own sandbox, so
/// one of a role that may only read needs ours around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commands {
    Accept,
    Decline,
}

/// Where an item stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Begins,
    Over,
}

impl Listener {
    /// The open request was answered: the next one.
    fn answered(&mut self, message: &Value) -> Said {
        if let Some(error) = message.get("error") {
            // A thread that cannot be loaded is begun anew.
            if self.stage == THREAD && self.continues.take().is_some() {
                self.paid = Usage::default();
                return Said::answer(&self.thread_request());
            }
            self.heard.end = Some(End::Failed(trouble(error)));
            return Said::default();
        }
        match self.stage {
            INITIALIZE => {
                self.stage = THREAD;
                let ready = line_of(&json!({"method": "initialized"}));
                let next = line_of(&self.thread_request());
                Said {
                    answer: [ready, next].concat(),
                    ..Said::default()
                }
            }
            THREAD => {
                self.stage = TURN;
                let id = message["result"]["thread"]["id"].as_str();
                self.thread = id.unwrap_or_default().to_owned();
                self.heard.model(&message["result"]["model"]);
                self.name_session(self.paid);
                let input = json!([{"type": "text", "text": self.brief}]);
                let params = json!({"threadId": self.thread, "input": input});
                Said::answer(&request(TURN, "turn/start", params))
            }
            // The turn has begun: what it does comes by itself.
            _ => Said::default(),
        }
    }

    fn thread_request(&self) -> Value {
        let mut params =
            json!({"cwd": self.cwd, "approvalPolicy": "untrusted", "sandbox": self.mode});
        match &self.continues {
            Some(thread) => {
                params["threadId"] = json!(thread);
                request(THREAD, "thread/resume", params)
            }
            None => request(THREAD, "thread/start", params),
        }
    }

    /// It asks us. What we do not know is refused.
    fn asked(&mut self, method: &str, message: &Value) -> Said {
        let id = &message["id"];
        let params = &message["params"];
        let result = match method {
            "item/commandExecution/requestApproval" => {
                self.heard.denials += usize::from(self.commands == Commands::Decline);
                json!({"decision": match self.commands {
                    Commands::Accept => "accept",
                    Commands::Decline => "decline",
                }})
            }
            "item/fileChange/requestApproval" => {
                let item = params["itemId"].as_str().unwrap_or_default();
                let refused = self.refusal(item);
                self.heard.denials += usize::from(refused.is_some());
                let decision = match &refused {
                    Some(_) => "decline",
                    None => "accept",
                };
                let mut said = Said::answer(&json!({"id": id, "result": {"decision": decision}}));
                said.progress = refused.map(|why| format!("refused an edit: {why}"));
                return said;
            }
            // Nothing on top of what the role has.
            "item/permissions/requestApproval" => {
                self.heard.denials += 1;
                json!({"permissions": {}})
            }
            method => {
                let what = format!("no {method} here; nobody is there to answer");
                let error = json!({"code": NO_SUCH_METHOD, "message": what});
                return Said::answer(&json!({"id": id, "error": error}));
            }
        };
        Said::answer(&json!({"id": id, "result": result}))
    }

    /// Why an edit is refused. One that was not announced is: nobody knows where it goes.
    fn refusal(&self, item: &str) -> Option<String> {
        let Some(paths) = self.edits.get(item).filter(|paths| !paths.is_empty()) else {
            return Some("it does not say which files".to_owned());
        };
        paths.iter().find_map(|path| self.gate.path(path))
    }

    fn item(&mut self, item: &Value, phase: Phase) -> Said {
        self.heard.next = match item["type"].as_str() {
            Some("commandExecution" | "fileChange" | "mcpToolCall" | "webSearch") => Next::Call,
            _ => Next::Unknown,
        };
        match (item["type"].as_str(), phase) {
            (Some("agentMessage"), Phase::Over) => {
                let text = item["text"].as_str().unwrap_or_default();
                self.heard.message = text.to_owned();
                Said::progress(text)
            }
            (Some("commandExecution"), Phase::Begins) => Said::progress(format!(
                "$ {}",
                item["command"].as_str().unwrap_or_default()
            )),
            (Some("fileChange"), Phase::Begins) => {
                let paths = paths(item);
                let said = Said::progress(format!("changes {}", paths.join(", ")));
                let id = item["id"].as_str().unwrap_or_default();
                self.edits.insert(id.to_owned(), paths);
                said
            }
            _ => Said::default(),
        }
    }

    /// Takes off what the earlier attempts of this thread paid.
    fn count(&mut self, total: &Value) {
        let total = Usage {
            input_tokens: number(&total["inputTokens"]),
            output_tokens: number(&total["outputTokens"]),
            cached_tokens: number(&total["cachedInputTokens"]),
            micro_dollars: 0,
        };
        self.heard.usage = crate::codex::less(total, self.paid);
        self.name_session(total);
    }

    fn name_session(&mut self, paid: Usage) {
        let id = self.thread.clone();
        self.heard.session = (!id.is_empty()).then(|| Session { id, paid }.write());
    }
}

/// Every path that an edit touches, also where it moves a file to.
fn paths(item: &Value) -> Vec<String> {
    let changes = item["changes"].as_array().into_iter().flatten();
    let both = changes.flat_map(|change| [&change["path"], &change["kind"]["move_path"]]);
    both.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The class is the server's own word where it gives one, else what its message says.
fn trouble(error: &Value) -> Trouble {
    let message = error["message"].as_str().unwrap_or("it gave no reason");
    let info = &error["codexErrorInfo"];
    let status = info.as_object().into_iter().flatten();
    let mut status = status.filter_map(|(_, info)| info["httpStatusCode"].as_u64());
    let judged = Trouble::judge(status.next(), message);
    let class = match info.as_str() {
        Some("unauthorized") => Class::Auth,
        Some("usageLimitExceeded" | "sessionBudgetExceeded") => Class::Quota,
        Some("rateLimitExceeded" | "serverOverloaded" | "internalServerError") => Class::Transient,
        Some("contextWindowExceeded") => Class::Overflow,
        Some("cyberPolicy" | "misalignmentPolicyViolation") => Class::Declined,
        _ => judged.class,
    };
    Trouble { class, ..judged }
}
