//! The connectors: everything that can be handed a brief and asked for one typed result.
//!
//! A connector works inside one attempt. It refuses to decide what happens next, to judge the
//! work (that is the gate), to retry, or to start a process by any way but `sandbox::run`.

mod acp;
mod agent;
mod claude;
mod codex;
mod command;
mod environment;
mod external;
mod gemini;
mod home;
mod opencode;
mod pi;
pub mod result;
mod scripted;
mod spec;
mod transcript;

pub use agent::{Agent, Order, Reply};
pub use command::Command;
pub use external::settings::{External, Login, Settings};
pub use scripted::{ScriptError, Scripted};
pub use spec::{AgentError, AgentSpec};
pub use transcript::TRANSCRIPT_BYTES;
