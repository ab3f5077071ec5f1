//! Canonical calls, mapped to the tools that a request offers: one script serves all agents.

use super::script::{Arguments, Call};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How a tool takes its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    /// JSON arguments.
    #[default]
    Function,
    /// Free text (OpenAI custom tools).
    Custom,
}

/// One offered tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Offered {
    pub(super) kind: Kind,
    pub(super) properties: BTreeSet<String>,
    /// Whose it is, where tools are offered by their server.
    pub(super) namespace: Option<String>,
}

impl Offered {
    /// From a tool's parameter schema.
    pub(super) fn new(kind: Kind, schema: &Value) -> Self {
        let keys = schema["properties"].as_object().into_iter().flatten();
        Self {
            kind,
            properties: keys.map(|(key, _)| key.clone()).collect(),
            namespace: None,
        }
    }
}

type Tools = BTreeMap<String, Offered>;

/// The name, kind and arguments of a call.
pub(super) fn resolve(
    call: &Call,
    tools: &Tools,
    root: Option<&Path>,
) -> (String, Kind, Arguments) {
    let (name, arguments) = match call {
        Call::Tool { name, arguments } => (by_name(name, tools), arguments.clone()),
        Call::Shell(command) => shell(command, tools),
        Call::Write { path, text } => write(&below(root, path), path, text, tools),
        Call::Broken { path } => {
            let (name, arguments) = write(&below(root, path), path, "never\n", tools);
            (name, broken(&arguments))
        }
        Call::Edit { path, old, new } => edit(&below(root, path), path, (old, new), tools),
        Call::Read { path } => read(&below(root, path), tools),
    };
    let kind = tools.get(&name).map(|tool| tool.kind).unwrap_or_default();
    (name, kind, arguments)
}

/// The first half of what the arguments are as text.
fn broken(arguments: &Arguments) -> Arguments {
    let text = match arguments {
        Arguments::Json(value) => value.to_string(),
        Arguments::Raw(text) => text.clone(),
    };
    Arguments::Raw(text.chars().take(text.chars().count() / 2).collect())
}

fn by_name(name: &str, tools: &Tools) -> String {
    if tools.contains_key(name) {
        return name.to_owned();
    }
    let longer = tools.keys().find(|offered| offered.ends_with(name));
    longer.map_or(name, String::as_str).to_owned()
}

fn first(tools: &Tools, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find(|name| tools.contains_key(**name))
        .map(|name| (*name).to_owned())
}

fn key<'a>(tools: &Tools, tool: &str, keys: &[&'a str]) -> &'a str {
    let has = |key: &&&str| {
        tools
            .get(tool)
            .is_some_and(|tool| tool.properties.contains(**key))
    };
    keys.iter()
        .find(has)
        .or(keys.first())
        .copied()
        .unwrap_or_default()
}

fn below(root: Option<&Path>, path: &str) -> String {
    match root {
        Some(root) => root.join(path).to_string_lossy().into_owned(),
        None => path.to_owned(),
    }
}

const FILE: [&str; 3] = ["file_path", "filePath", "path"];

fn shell(command: &str, tools: &Tools) -> (String, Arguments) {
    let names = [
        "Bash",
        "bash",
        "run_shell_command",
        "exec_command",
        "shell_command",
        "shell",
        "run",
    ];
    let Some(name) = first(tools, &names) else {
        if let Some(exec) = first(tools, &["exec"]) {
            let quoted = json!(command);
            let code = format!(
                "const r = await tools.exec_command({{cmd: {quoted}}}); text(JSON.stringify(r));"
            );
            return (exec, Arguments::Raw(code));
        }
        return (
            "Bash".to_owned(),
            Arguments::Json(json!({ "command": command })),
        );
    };
    let arguments = match name.as_str() {
        "exec_command" => json!({ "cmd": command }),
        "shell" => json!({ "command": ["bash", "-lc", command] }),
        "Bash" | "run_shell_command" => {
            json!({ "command": command, "description": "scripted command" })
        }
        _ if tools[&name].properties.contains("description") => {
            json!({ "command": command, "description": "scripted command" })
        }
        _ => json!({ "command": command }),
    };
    (name, Arguments::Json(arguments))
}

fn write(full: &str, path: &str, text: &str, tools: &Tools) -> (String, Arguments) {
    if let Some(name) = first(tools, &["Write", "write", "write_file"]) {
        let file = key(tools, &name, &FILE);
        let content = key(tools, &name, &["content", "text"]);
        return (name, Arguments::Json(json!({ file: full, content: text })));
    }
    let added: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n");
    match patched(&patch, tools) {
        Some(call) => call,
        None => shell(&format!("cat > {full} <<'EOF_'\n{text}EOF_"), tools),
    }
}

fn edit(full: &str, path: &str, (old, new): (&str, &str), tools: &Tools) -> (String, Arguments) {
    if let Some(name) = first(tools, &["Edit", "edit", "replace"]) {
        let file = key(tools, &name, &FILE);
        let mut arguments = if tools[&name].properties.contains("edits") {
            json!({ "edits": [{ "oldText": old, "newText": new }] })
        } else {
            let before = key(tools, &name, &["old_string", "oldString", "oldText", "old"]);
            let after = key(tools, &name, &["new_string", "newString", "newText", "new"]);
            json!({ before: old, after: new })
        };
        arguments[file] = json!(full);
        if name == "replace" {
            arguments["instruction"] = json!("scripted edit");
        }
        return (name, Arguments::Json(arguments));
    }
    let lines = |mark: char, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    let patch = format!(
        "*** Begin Patch\n*** Update File: {path}\n@@\n{}{}*** End Patch\n",
        lines('-', old),
        lines('+', new)
    );
    match patched(&patch, tools) {
        Some(call) => call,
        None => shell(&format!("sed -i 's/{old}/{new}/' {full}"), tools),
    }
}

fn patched(patch: &str, tools: &Tools) -> Option<(String, Arguments)> {
    let Some(name) = first(tools, &["apply_patch"]) else {
        // Codex in code mode: one tool that runs JavaScript.
        let exec = first(tools, &["exec"])?;
        let code = format!(
            "const r = await tools.apply_patch({}); text(JSON.stringify(r));",
            json!(patch)
        );
        return Some((exec, Arguments::Raw(code)));
    };
    let arguments = match tools[&name].kind {
        Kind::Custom => Arguments::Raw(patch.to_owned()),
        Kind::Function => {
            let input = key(tools, &name, &["input", "patchText"]);
            Arguments::Json(json!({ input: patch }))
        }
    };
    Some((name, arguments))
}

fn read(full: &str, tools: &Tools) -> (String, Arguments) {
    match first(tools, &["Read", "read", "read_file"]) {
        Some(name) => {
            let file = key(tools, &name, &FILE);
            (name, Arguments::Json(json!({ file: full })))
        }
        None => shell(&format!("cat {full}"), tools),
    }
}
