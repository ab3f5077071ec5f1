//! The tools of the agents by their own names, and what they do: plain file calls and a shell, with
//! nothing of ours around them. What stops them is whatever confines the stand-in.

use super::call::Call;
use sandbox::{Cancel, Launch, Limits};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A tool that an agent offers to its model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// Its arguments, in the order in which `does` takes them.
    pub(super) keys: &'static [&'static str],
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Path, content.
    Write,
    /// Path, old, new.
    Edit,
    /// Path, and a list of edits.
    Edits,
    /// Path.
    Read,
    /// Command.
    Shell,
}

const fn tool(name: &'static str, does: Does, keys: &'static [&'static str]) -> Tool {
    Tool { name, does, keys }
}

pub(super) const CLAUDE: &[Tool] = &[
    tool("Write", Does::Write, &["file_path", "content"]),
    tool(
        "Edit",
        Does::Edit,
        &["file_path", "old_string", "new_string"],
    ),
    tool("Read", Does::Read, &["file_path"]),
    tool("Bash", Does::Shell, &["command"]),
];
/// It has a patch tool as well, which its models reach through the shell.
pub(super) const CODEX: &[Tool] = &[tool("exec_command", Does::Shell, &["cmd"])];
pub(super) const GEMINI: &[Tool] = &[
    tool("write_file", Does::Write, &["file_path", "content"]),
    tool(
        "replace",
        Does::Edit,
        &["file_path", "old_string", "new_string"],
    ),
    tool("read_file", Does::Read, &["file_path"]),
    tool("run_shell_command", Does::Shell, &["command"]),
];
pub(super) const OPENCODE: &[Tool] = &[
    tool("write", Does::Write, &["filePath", "content"]),
    tool("edit", Does::Edit, &["filePath", "oldString", "newString"]),
    tool("read", Does::Read, &["filePath"]),
    tool("bash", Does::Shell, &["command"]),
];
pub(super) const PI: &[Tool] = &[
    tool("write", Does::Write, &["path", "content"]),
    tool("edit", Does::Edits, &["path", "edits"]),
    tool("read", Does::Read, &["path"]),
    tool("bash", Does::Shell, &["command"]),
];

/// A call that can be performed, and what it is about.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) does: Does,
    pub(super) arguments: Value,
    keys: &'static [&'static str],
}

impl Task {
    /// What a call asks for, or what is wrong with it.
    pub(super) fn of(tools: &[Tool], call: &Call) -> Result<Self, String> {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let tool = tool.ok_or_else(|| format!("there is no tool {}", call.name))?;
        let arguments = call.arguments.clone();
        let arguments = arguments.map_err(|text| format!("failed to parse arguments: {text}"))?;
        Ok(Self {
            does: tool.does,
            arguments,
            keys: tool.keys,
        })
    }

    /// The file or the command that it is about.
    pub(super) fn subject(&self) -> &str {
        self.word(0)
    }

    fn word(&self, at: usize) -> &str {
        let key = self.keys.get(at).copied().unwrap_or_default();
        self.arguments[key].as_str().unwrap_or_default()
    }

    /// Does it, in the current folder; the answer for the model.
    pub(super) fn perform(&self) -> Result<String, String> {
        let path = Path::new(self.subject());
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        match self.does {
            Does::Write => fs::write(path, self.word(1)).map_err(told)?,
            Does::Edit => replace(path, self.word(1), self.word(2)).map_err(told)?,
            Does::Edits => {
                let edit = &self.arguments["edits"][0];
                let word = |key: &str| edit[key].as_str().unwrap_or_default();
                replace(path, word("oldText"), word("newText")).map_err(told)?;
            }
            Does::Read => return fs::read_to_string(path).map_err(told),
            Does::Shell => return shell(self.subject()),
        }
        Ok(format!("Done: {}", path.display()))
    }
}

fn replace(path: &Path, old: &str, new: &str) -> std::io::Result<()> {
    let text = fs::read_to_string(path)?;
    fs::write(path, text.replacen(old, new, 1))
}

fn shell(command: &str) -> Result<String, String> {
    let limits = Limits {
        wall: Duration::from_secs(60),
        idle: None,
        output_bytes: 64 * 1024,
    };
    let argv = ["sh", "-c", command].map(str::to_owned).to_vec();
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let env = std::env::vars().collect();
    let launch = Launch::new(argv, here, env, limits);
    let ended = sandbox::run(&launch, &Cancel::new()).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    match ended.exit {
        Some(0) => Ok(text),
        exit => Err(format!("exit code {exit:?}: {text}")),
    }
}
