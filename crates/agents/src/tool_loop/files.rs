//! `read`, `write` and `edit`.

use super::space::refused;
use super::tool::{Place, Switch, Tool, is_set, optional_number, spec, text};
use crate::wire::ToolSpec;
use serde_json::{Value, json};
use store::confined::Which;

/// The most lines and bytes of one `read`.
const READ_LINES: u64 = 2_000;
const READ_BYTES: usize = 15 * 1024;

fn path() -> Value {
    json!({ "type": "string", "description": "From the top, such as repo/src/lib.rs" })
}

/// Reads a text file, or a part of it.
pub(super) struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        let line = json!({ "type": "integer", "description": "First line, from 1" });
        let lines = json!({ "type": "integer", "description": "How many lines" });
        spec(
            "read",
            "Reads a text file, or some lines of it.",
            json!({ "path": path(), "line": line, "lines": lines }),
            &["path"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let path = place.space.path(text(arguments, "path")?)?;
        let first = optional_number(arguments, "line")?.unwrap_or(1).max(1);
        let most = optional_number(arguments, "lines")?
            .unwrap_or(READ_LINES)
            .clamp(1, READ_LINES);
        let bytes = place.space.read(&path)?;
        let whole = String::from_utf8(bytes)
            .map_err(|_| format!("{path} is not UTF-8 text; use a command to look at it"))?;
        Ok(part(&whole, first, most))
    }
}

/// Some lines, and where to go on if there are more.
fn part(whole: &str, first: u64, most: u64) -> String {
    let mut out = String::new();
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    for (next, line) in (first..).zip(whole.split_inclusive('\n').skip(skipped)) {
        let full = out.len() + line.len() > READ_BYTES && !out.is_empty();
        if next - first >= most || full {
            out.push_str(&format!(
                "\n[more from line {next}; read on with line = {next}]"
            ));
            return out;
        }
        // A line that is too long by itself is cut: the file is there for a command.
        out.push_str(&super::park::shorten(line, READ_BYTES));
    }
    match out.is_empty() {
        true if whole.is_empty() => "[the file is empty]".to_owned(),
        true => format!("[the file has {} lines]", whole.lines().count()),
        false => out,
    }
}

/// Writes a whole file.
pub(super) struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        let content = json!({ "type": "string", "description": "The whole text" });
        spec(
            "write",
            "Writes a whole text file; replaces one that is there. Folders are made.",
            json!({ "path": path(), "content": content }),
            &["path", "content"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let path = place.space.path(text(arguments, "path")?)?;
        let content = text(arguments, "content")?;
        let files = place.space.writable(&path)?;
        files.write(&path, content.as_bytes()).map_err(refused)?;
        Ok(format!("wrote {} bytes to {path}", content.len()))
    }
}

/// Replaces text in a file.
pub(super) struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "path": path(),
            "old": { "type": "string", "description": "The text that is there, exactly; with enough around it to be there once" },
            "new": { "type": "string", "description": "The text that should be there" },
            "all": { "type": "boolean", "description": "Replace every place, not just one" },
        });
        spec(
            "edit",
            "Replaces text in a file.",
            properties,
            &["path", "old", "new"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let path = place.space.path(text(arguments, "path")?)?;
        let (old, new) = (text(arguments, "old")?, text(arguments, "new")?);
        let which = match is_set(arguments, "all")? {
            Switch::On => Which::All,
            Switch::Off => Which::Once,
        };
        let changed = place
            .space
            .writable(&path)?
            .edit(&path, old, new, which)
            .map_err(refused)?;
        Ok(format!("changed {changed} places in {path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_say_where_to_go_on() {
        assert_eq!(part("", 1, 10), "[the file is empty]");
        assert_eq!(part("a\nb\nc\n", 1, 10), "a\nb\nc\n");
        assert_eq!(
            part("a\nb\nc\n", 2, 1),
            "b\n\n[more from line 3; read on with line = 3]"
        );
        assert_eq!(part("a\nb", 7, 1), "[the file has 2 lines]");
        let long = "x".repeat(READ_BYTES * 2);
        assert!(part(&long, 1, 5).contains("bytes left out"));
        let lines = "0123456789\n".repeat(5_000);
        assert!(
            part(&lines, 1, READ_LINES).ends_with("more from line 1397; read on with line = 1397]")
        );
    }
}
