//! A coding agent for tests. It speaks the protocol of one real agent on its standard streams, as
//! recorded from that agent, and its provider's on a socket; in between it is a plain tool loop.
//! So a fault of a server happens on a wire, and what a connector hears of it is what the real
//! agent would say.
//!
//! It does not wait where the real one backs off: it asks again as often, at once. Where the
//! real one goes on for ever in silence, so does it.

mod acp;
mod call;
mod claude;
mod client;
mod codex;
mod gemini;
mod opencode;
mod pi;
mod tools;
mod wire;
mod work;

use work::{Io, Speech};

/// The variable that says which agent to be.
pub const AS: &str = "STAND_IN_AS";
/// The variable that says where the model's server is.
pub const URL: &str = "STAND_IN_URL";

/// Works as the agent that [`AS`] names, to its end; the exit code. None if nobody asked for one.
pub fn main() -> Option<i32> {
    let name = std::env::var(AS).ok()?;
    let url = std::env::var(URL).unwrap_or_default();
    let speech: Box<dyn Speech> = match name.as_str() {
        "claude" => Box::new(claude::Claude::default()),
        "codex" => Box::new(codex::Exec::default()),
        "codex-app" => Box::new(codex::App::default()),
        "gemini" => Box::new(gemini::Gemini),
        "opencode" => Box::new(opencode::Opencode),
        "pi" => Box::new(pi::Pi::default()),
        "acp" => Box::new(acp::Acp::default()),
        _ => return Some(2),
    };
    Some(work::work(speech, &url, &mut Io::standard()))
}
