//! The connectors: everything that can be handed a brief and asked for one typed result.
//!
//! A connector works inside one attempt. It refuses to decide what happens next, to judge the
//! work (that is the gate), to retry, or to start a process by any way but `sandbox::run`.

mod acp;
mod agent;
mod allowance;
mod anthropic;
mod api;
mod bounds;
mod claude;
mod codex;
mod codex_app;
mod command;
mod connections;
mod environment;
mod external;
mod failure;
mod gemini;
mod home;
mod http;
mod openai;
mod opencode;
mod pi;
mod prices;
mod ready;
pub mod result;
mod scripted;
mod spec;
mod sse;
mod tool_loop;
mod transcript;
mod tune;
mod web_search;
mod wire;

pub use agent::{Agent, Order, Reply};
pub use api::{Api, ApiError, ApiSettings, KeySource, Provider};
pub use command::Command;
pub use external::settings::{External, Login, Settings};
pub use prices::{Price, PriceError, Prices, Rates, Tokens};
pub use ready::{Readiness, readiness};
pub use scripted::{ScriptError, Scripted};
pub use spec::{AgentError, AgentSpec};
pub use store::redact::{redact, redact_bytes, spellings};
pub use tool_loop::{CommandTool, HISTORY_FILE, Place, RESEARCH_FILE, Then, Tool};
pub use transcript::TRANSCRIPT_BYTES;
pub use tune::Tuning;
pub use web_search::{SearchProvider, SearchSettings, WebSearch};
pub use wire::ToolSpec;
