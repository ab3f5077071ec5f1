//! The connectors: everything that can be handed a brief and asked for one typed result.
//!
//! A connector works inside one attempt. It does not decide what happens next, judge the work (that
//! is the gate) or retry, and it starts processes through `sandbox::run` alone.

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
mod error;
mod external;
mod failure;
mod gemini;
mod guest;
mod home;
mod http;
mod openai;
mod opencode;
mod pi;
mod prices;
mod program;
mod ready;
pub mod result;
mod scripted;
mod spec;
mod sse;
mod table;
mod tool_loop;
mod transcript;
mod tune;
mod web_search;
mod wire;

pub use agent::{Agent, Order, Reply, UNREACHABLE};
pub use api::{Api, ApiError, ApiSettings, KeySource};
pub use command::{Command, NoProgram};
pub use error::AgentError;
pub use external::kind::External;
pub use external::settings::{Login, Resuming, Settings};
pub use external::setup::SETUP_FILE;
pub use guest::{GUEST, Waiting, hand_in};
pub use prices::{Price, PriceError, Prices, Rates, Tokens};
pub use ready::{Readiness, readiness};
pub use scripted::{ScriptError, Scripted};
pub use spec::AgentSpec;
pub use store::redact::{redact, redact_bytes, spellings};
pub use table::{forms, names, other_forms};
pub use tool_loop::{CommandTool, HISTORY_FILE, Place, RESEARCH_FILE, Then, Tool};
pub use transcript::TRANSCRIPT_BYTES;
pub use tune::Tuning;
pub use web_search::{SearchProvider, SearchSettings, WebSearch};
pub use wire::{Provider, ToolSpec};
