//! Any agent that speaks the Agent Client Protocol (version 1) on its standard streams.
//!
//! A small client of our own: three requests of ours, two kinds of answers. The published crate
//! needs an async runtime and switches `preserve_order` on in `serde_json` for the whole binary. It
//! serves no files and no terminals: agents go around such services anyway, so the gates are the
//! sandbox and the view.

use crate::agent::Order;
use crate::external::dialect::{
    Dialect, End, Heard, Next, Said, event, line_of, micro_dollars, number,
};
use crate::external::kind::{Counts, Kind};
use crate::external::place::{Logins, Place};
use crate::external::plan::Plan;
use crate::external::settings::Settings;
use crate::external::trouble::Trouble;
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Talk;
use serde_json::{Value, json};
use std::io;

const INITIALIZE: u64 = 1;
const SESSION: u64 = 2;
const PROMPT: u64 = 3;
/// The protocol's own code for "log in first".
const AUTH_REQUIRED: i64 = -32000;
const NO_SUCH_METHOD: i64 = -32601;

/// The connector's own part.
#[derive(Debug)]
pub(crate) struct Acp {
    pub(crate) argv: Vec<String>,
}

impl Kind for Acp {
    fn counts(&self) -> Counts {
        Counts::Tokens
    }

    fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    fn keys(&self) -> &'static [&'static str] {
        super::external::PROVIDER_KEYS
    }

    fn logins(&self) -> Logins {
        // Nobody knows where such an agent keeps its login: give it a key.
        &[]
    }

    fn plan(&self, settings: &Settings, _: &Order, _: &Place) -> io::Result<Plan> {
        let mut args: Vec<String> = self.argv.iter().skip(1).cloned().collect();
        args.extend(settings.args.iter().cloned());
        let capabilities =
            json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        let client = json!({"name": "proofhouse", "version": env!("CARGO_PKG_VERSION")});
        let first = request(
            INITIALIZE,
            "initialize",
            json!({"protocolVersion": 1, "clientInfo": client, "clientCapabilities": capabilities}),
        );
        Ok(Plan {
            args,
            env: Vec::new(),
            stdin: line_of(&first),
            ..Plan::default()
        })
    }

    fn dialect(&self, order: &Order, place: &Place) -> Box<dyn Dialect> {
        let earlier = place.continues.as_deref().map(Session::read);
        Box::new(Listener {
            cwd: Place::text(&place.repo),
            brief: order.brief.clone(),
            continues: earlier,
            session: Session::default(),
            access: order.access,
            stage: INITIALIZE,
            heard: Heard::default(),
        })
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// What the agent says, and which of our requests is open.
#[derive(Debug)]
struct Listener {
    heard: Heard,
    cwd: String,
    brief: String,
    continues: Option<Session>,
    session: Session,
    access: Access,
    stage: u64,
}

/// A session and what was paid for it so far, in one text: `ID`, or `ID+$MICRODOLLARS`. An agent
/// tells the cost of a whole session: without the earlier part, a continued one would be paid twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Session {
    id: String,
    paid: u64,
}

impl Session {
    fn read(text: &str) -> Self {
        let with_cost = text.rsplit_once("+$").and_then(|(id, paid)| {
            let paid = paid.parse().ok()?;
            let id = id.to_owned();
            Some(Self { id, paid })
        });
        with_cost.unwrap_or_else(|| Self {
            id: text.to_owned(),
            paid: 0,
        })
    }

    fn write(&self, total: u64) -> String {
        match total {
            0 => self.id.clone(),
            total => format!("{}+${total}", self.id),
        }
    }
}

impl Dialect for Listener {
    fn line(&mut self, line: &str) -> Said {
        let Some(message) = event(line) else {
            return Said::default();
        };
        match (message["method"].as_str(), message["id"].as_u64()) {
            (Some("session/update"), _) => self.update(&message["params"]["update"]),
            (Some("session/request_permission"), _) => self.permission(&message),
            (Some(method), _) if !message["id"].is_null() => Said::answer(&json!({
                "jsonrpc": "2.0", "id": message["id"],
                "error": {"code": NO_SUCH_METHOD, "message": format!("no {method} here")}})),
            (None, Some(id)) if id == self.stage => self.answered(&message),
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
    /// The open request was answered: the next one, or the end.
    fn answered(&mut self, message: &Value) -> Said {
        if let Some(error) = message.get("error") {
            // A session that cannot be loaded is begun anew: the brief is whole.
            if self.stage == SESSION && self.continues.take().is_some() {
                self.heard.session = None;
                self.session = Session::default();
                return Said::answer(&self.new_session());
            }
            self.heard.end = Some(End::Failed(failure(error)));
            return Said::default();
        }
        let result = &message["result"];
        match self.stage {
            INITIALIZE => {
                self.stage = SESSION;
                let can_load = result["agentCapabilities"]["loadSession"] == true;
                self.continues = self.continues.take().filter(|_| can_load);
                let Some(session) = self.continues.clone() else {
                    return Said::answer(&self.new_session());
                };
                let params = json!({"sessionId": session.id, "cwd": self.cwd, "mcpServers": []});
                self.heard.session = Some(session.write(session.paid));
                self.session = session;
                Said::answer(&request(SESSION, "session/load", params))
            }
            SESSION => {
                self.stage = PROMPT;
                // An agent that loads a session does not have to name it again.
                if let Some(id) = result["sessionId"]
                    .as_str()
                    .filter(|id| *id != self.session.id)
                {
                    let id = id.to_owned();
                    self.session = Session { id, paid: 0 };
                    self.heard.session = Some(self.session.write(0));
                }
                self.heard.model(&result["models"]["currentModelId"]);
                let prompt = json!([{"type": "text", "text": self.brief}]);
                let params = json!({"sessionId": self.session.id, "prompt": prompt});
                Said::answer(&request(PROMPT, "session/prompt", params))
            }
            _ => {
                self.end(result);
                Said::default()
            }
        }
    }

    fn new_session(&self) -> Value {
        let params = json!({"cwd": self.cwd, "mcpServers": []});
        request(SESSION, "session/new", params)
    }

    fn end(&mut self, result: &Value) {
        // Not in version 1 of the protocol; these are the places where agents put it.
        let usage = &result["usage"];
        let gemini = &result["_meta"]["quota"]["token_count"];
        let either = |name: &str, other: &str| number(&usage[name]).max(number(&gemini[other]));
        self.heard.usage.input_tokens = either("inputTokens", "input_tokens")
            + number(&usage["cachedReadTokens"])
            + number(&usage["cachedWriteTokens"]);
        self.heard.usage.cached_tokens = number(&usage["cachedReadTokens"]);
        self.heard.usage.output_tokens = either("outputTokens", "output_tokens");
        let failed = |class, reason: String| End::Failed(Trouble::new(class, reason));
        self.heard.end = Some(match result["stopReason"].as_str() {
            Some("end_turn") => End::Finished,
            Some("refusal") => failed(Class::Declined, "the agent declined".to_owned()),
            Some("max_tokens") => failed(Class::Overflow, "it ran out of tokens".to_owned()),
            other => failed(
                Class::Crashed,
                format!("it stopped: {}", other.unwrap_or("no reason given")),
            ),
        });
    }

    fn update(&mut self, update: &Value) -> Said {
        // Before our prompt, an agent that loads a session repeats what was said in it.
        if self.stage != PROMPT {
            return Said::noise();
        }
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                let text = update["content"]["text"].as_str().unwrap_or_default();
                self.heard.message.push_str(text);
                self.heard.next = Next::Unknown;
                Said::default()
            }
            Some("tool_call") => {
                self.heard.message.clear();
                self.heard.next = Next::Call;
                Said::progress(update["title"].as_str().unwrap_or_default())
            }
            // Some repeat an old session after they have said that it is loaded.
            Some("user_message_chunk") => {
                self.heard.message.clear();
                Said::default()
            }
            Some("tool_call_update") => {
                self.heard.message.clear();
                self.heard.next = Next::Call;
                Said::default()
            }
            Some("usage_update") => {
                if update["cost"]["currency"] == "USD" {
                    let total = micro_dollars(&update["cost"]["amount"]);
                    // A sum that is smaller than what was paid began anew.
                    let now = total.checked_sub(self.session.paid);
                    self.heard.usage.micro_dollars = now.unwrap_or(total);
                    self.heard.session = Some(self.session.write(total));
                }
                Said::default()
            }
            Some("available_commands_update" | "agent_thought_chunk") => Said::noise(),
            _ => Said::default(),
        }
    }

    /// Yes, unless a role that may only read asks to change something.
    fn permission(&mut self, message: &Value) -> Said {
        let params = &message["params"];
        let kind = params["toolCall"]["kind"].as_str().unwrap_or_default();
        let changes = matches!(kind, "edit" | "delete" | "move");
        let kinds = match self.access {
            Access::ReadOnly if changes => ["reject_once", "reject_always"],
            Access::ReadOnly | Access::Edit => ["allow_once", "allow_always"],
        };
        self.heard.denials += usize::from(kinds[0] == "reject_once");
        let options = params["options"].as_array().map_or(&[][..], Vec::as_slice);
        let chosen = kinds
            .iter()
            .find_map(|kind| options.iter().find(|option| option["kind"] == *kind));
        let outcome = match chosen {
            Some(option) => json!({"outcome": "selected", "optionId": option["optionId"]}),
            None => json!({"outcome": "cancelled"}),
        };
        Said::answer(&json!({"jsonrpc": "2.0", "id": message["id"],
            "result": {"outcome": outcome}}))
    }
}

fn failure(error: &Value) -> Trouble {
    let message = error["message"].as_str().unwrap_or_default();
    let details = error["data"]["details"].as_str().unwrap_or_default();
    let code = error["code"].as_i64();
    // Some answer with the provider's status.
    let status = code.and_then(|code| u64::try_from(code).ok());
    let status = status.filter(|code| matches!(code, 400..=599));
    let trouble = Trouble::judge(status, &format!("{message} {details}"));
    match code {
        Some(AUTH_REQUIRED) if trouble.class == Class::Crashed => {
            Trouble::new(Class::Auth, format!("it wants a login: {message}"))
        }
        _ => trouble,
    }
}
