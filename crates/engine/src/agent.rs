//! Which agent works: a short text that people write on a command line or in the config.

use crate::error::EngineError;
use agents::AgentSpec;
use std::path::Path;

/// `scripted:FILE` or `command:PROGRAM ARGS`. Relative files are relative to the repository.
pub fn spec(text: &str, repo: &Path) -> Result<AgentSpec, EngineError> {
    let bad = |why: String| {
        EngineError::user(
            "unknown_agent",
            why,
            "write `scripted:FILE` (docs/scripted-agent.md) or `command:PROGRAM ARGS`",
        )
    };
    match text.split_once(':') {
        Some(("scripted", file)) if !file.trim().is_empty() => Ok(AgentSpec::Scripted {
            path: repo.join(file.trim()),
        }),
        Some(("command", line)) => {
            let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            if argv.is_empty() {
                return Err(bad("`command:` needs a program".to_owned()));
            }
            Ok(AgentSpec::Command { argv })
        }
        _ => Err(bad(format!(
            "`{text}` names no agent that Proofhouse knows"
        ))),
    }
}
