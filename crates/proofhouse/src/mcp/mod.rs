//! `proofhouse mcp`: runs as tools of the person's own agent, over the Model Context Protocol on standard input
//! and output; `serve --mcp` answers the same messages over HTTP. It begins runs and tells of them. It decides
//! nothing, and no tool asks the client's model or its person to: decisions are named with the commands that a
//! person types.

mod guest;
pub(crate) mod told;
mod tools;

use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
pub(crate) use told::Page;
use workspace::Project;

/// Versions of the protocol in which all that we use means the same.
const VERSIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];
/// The longest message.
const LONGEST: u64 = 1 << 20;

const INSTRUCTIONS: &str = "Proofhouse has coding tasks done by gated agents in worktrees of their own, and proves \
the result itself. Use `start` with one sentence, then `status` and `evidence` to see how it goes. Where the agent \
is `guest`, you do the work: `take` it, edit in the folder that it names and nowhere else, then `hand_in`. Only a \
person approves and lands work: tell them what `inbox` says, and never try to answer for them.";

/// Which tools there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tools {
    All,
    /// Those that leave everything as it is.
    Reading,
}

/// Is this a version that we speak?
pub(crate) fn speaks(version: &str) -> bool {
    VERSIONS.contains(&version)
}

/// Why a message is not answered with a result, in the numbers of JSON-RPC.
enum Wrong {
    Json,
    Request,
    Method(String),
    Parameters(String),
}

impl Wrong {
    fn facts(&self) -> Value {
        let (code, message) = match self {
            Wrong::Json => (-32700, "this is no JSON".to_owned()),
            Wrong::Request => (-32600, "this is no request of JSON-RPC 2.0".to_owned()),
            Wrong::Method(name) => (-32601, format!("there is no method `{name}`")),
            Wrong::Parameters(why) => (-32602, why.clone()),
        };
        json!({ "code": code, "message": message })
    }
}

/// Answers until the input ends.
pub(crate) fn serve(
    project: &Project,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> std::io::Result<()> {
    loop {
        let mut line = Vec::new();
        let read = input.take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        if let Some(answer) = answer(project, &text, (Tools::All, Page::Unknown)) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

fn failed(id: &Value, wrong: &Wrong) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": wrong.facts() })
}

/// What is answered to a message; nothing to a notice, nor to an answer.
pub(crate) fn answer(project: &Project, text: &str, given: (Tools, Page<'_>)) -> Option<Value> {
    let Ok(message) = serde_json::from_str::<Value>(text) else {
        return Some(failed(&Value::Null, &Wrong::Json));
    };
    let id = &message["id"];
    let Some(method) = message["method"]
        .as_str()
        .filter(|_| message["jsonrpc"] == "2.0")
    else {
        let answers = message.get("result").is_some() || message.get("error").is_some();
        return (!answers).then(|| failed(id, &Wrong::Request));
    };
    // What has no number is a notice.
    message.get("id")?;
    let result = match method {
        "initialize" => Ok(greeting(&message["params"])),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::list(given.0) })),
        "tools/call" => called(project, &message["params"], given),
        other => Err(Wrong::Method(other.to_owned())),
    };
    Some(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(wrong) => failed(id, &wrong),
    })
}

fn greeting(asked: &Value) -> Value {
    let version = asked["protocolVersion"].as_str();
    let known = VERSIONS.iter().find(|one| Some(**one) == version);
    let newest = VERSIONS[VERSIONS.len() - 1];
    json!({
        "protocolVersion": known.copied().unwrap_or(newest),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "proofhouse", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

fn called(project: &Project, asked: &Value, given: (Tools, Page<'_>)) -> Result<Value, Wrong> {
    let name = asked["name"].as_str().unwrap_or_default();
    let said = tools::call(project, name, &asked["arguments"], given);
    let (text, wrong) = match said {
        Some(Ok(text)) => (text, false),
        // A tool that could not is told to the model, which can mend it; only what is no tool is an error.
        Some(Err(error)) => (
            format!("{} [{}]\nmend: {}", error.what, error.code, error.mend),
            true,
        ),
        None => return Err(Wrong::Parameters(format!("there is no tool `{name}`"))),
    };
    Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": wrong }))
}
