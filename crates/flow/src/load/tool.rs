//! The tools that a workflow adds: a command with holes that a model may fill with texts. It refuses
//! holes that nobody declared, and a program that a model could choose.

use super::Loader;
use crate::raw::{RawTool, RawWorkflow};
use crate::workflow::Tool;
use kernel::duration::parse_millis;
use std::collections::BTreeMap;

const DEFAULT_WALL_MILLIS: u64 = 10 * 60_000;
/// The tools that every model has; a workflow cannot take their place.
const OURS: [&str; 8] = ["read", "write", "edit", "ls", "glob", "grep", "run", "todo"];
const MOST_NAME: usize = 64;

pub(super) fn tools(loader: &mut Loader<'_>, raw: &RawWorkflow) -> BTreeMap<String, Tool> {
    let mut tools = BTreeMap::new();
    for (name, spanned) in &raw.tool {
        let (at, tool) = (spanned.span().start, spanned.get_ref());
        if OURS.contains(&name.as_str()) {
            let what =
                format!("`{name}` cannot be a tool's name: every model has a tool of that name");
            loader.problem("reserved_name", at, what, "choose another name");
        }
        for (what, mend) in faults(name, tool) {
            loader.problem("bad_tool", at, format!("tool `{name}`: {what}"), mend);
        }
        let wall_millis = match &tool.wall {
            None => DEFAULT_WALL_MILLIS,
            Some(text) => parse_millis(text).unwrap_or_else(|| {
                let what = format!("tool `{name}`: `{text}` is not a duration");
                let mend = "write a whole number and a unit: 90s, 20m, 2h";
                loader.problem("bad_duration", at, what, mend);
                DEFAULT_WALL_MILLIS
            }),
        };
        tools.insert(
            name.clone(),
            Tool {
                about: tool.about.clone(),
                command: tool.command.clone(),
                parameters: tool.parameters.clone(),
                wall_millis,
            },
        );
    }
    for (role, spanned) in &raw.role {
        for name in &spanned.get_ref().tools {
            if !raw.tool.contains_key(name) {
                loader.problem(
                    "unknown_tool",
                    spanned.span().start,
                    format!("role `{role}` names the tool `{name}`, which is not defined"),
                    "add `[tool.NAME]` with `about` and `command`, or correct the name",
                );
            }
        }
    }
    tools
}

fn faults(name: &str, tool: &RawTool) -> Vec<(String, &'static str)> {
    let mut faults = Vec::new();
    let plain = |text: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (1..=MOST_NAME).contains(&text.len()) && text.chars().all(fits)
    };
    for name in std::iter::once(name).chain(tool.parameters.keys().map(String::as_str)) {
        if !plain(name) {
            let what = format!("`{name}` is no name that models can call");
            faults.push((what, "use letters, digits and underscores, 64 at the most"));
        }
    }
    match tool.command.first() {
        None => faults.push((
            "`command` is empty".to_owned(),
            "write the program and its arguments as a list",
        )),
        Some(program) if program.is_empty() || !holes(program).is_empty() => faults.push((
            "a model cannot choose the program".to_owned(),
            "write its name as the first word of `command`",
        )),
        Some(_) => {}
    }
    let used: Vec<&str> = tool.command.iter().flat_map(|word| holes(word)).collect();
    for hole in &used {
        if !tool.parameters.contains_key(*hole) {
            let what = format!("`{{{hole}}}` is no parameter");
            faults.push((
                what,
                "add it to `parameters`, with a sentence for the model",
            ));
        }
    }
    for parameter in tool.parameters.keys() {
        if !used.contains(&parameter.as_str()) {
            let what = format!("the parameter `{parameter}` is not used in `command`");
            faults.push((what, "write `{NAME}` where it belongs, or remove it"));
        }
    }
    faults
}

/// The names in braces in one word of a command.
fn holes(word: &str) -> Vec<&str> {
    let mut holes = Vec::new();
    let mut rest = word;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((hole, after)) = after.split_once('}') else {
            break;
        };
        holes.push(hole);
        rest = after;
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::holes;

    #[test]
    fn holes_are_what_stands_in_braces() {
        assert_eq!(holes("--package={name}:{other}"), ["name", "other"]);
        assert_eq!(holes("plain } { open"), Vec::<&str>::new());
    }
}
