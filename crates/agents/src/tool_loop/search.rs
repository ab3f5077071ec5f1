//! `ls`, `glob` and `grep`.

use super::space::refused;
use super::tool::{Place, Switch, Tool, is_set, optional_text, spec, text};
use crate::wire::ToolSpec;
use serde_json::{Value, json};
use store::confined::{self, Case, Kind, Rel, Truncated};

/// The most entries, paths or lines of one answer.
const LIMIT: usize = 300;

fn more(truncated: Truncated) -> &'static str {
    match truncated {
        Truncated::Yes => "[there is more; ask for less]\n",
        Truncated::No => "",
    }
}

fn under(arguments: &Value, place: &Place<'_>) -> Result<Rel, String> {
    match optional_text(arguments, "path")? {
        Some(path) => place.space.path(path),
        None => Ok(Rel::root()),
    }
}

fn or_nothing(found: String) -> String {
    if found.is_empty() {
        "[nothing found]".to_owned()
    } else {
        found
    }
}

/// Lists a folder.
pub(super) struct Ls;

impl Tool for Ls {
    fn spec(&self) -> ToolSpec {
        let path = json!({ "type": "string", "description": "A folder, such as repo/src; the top if left out" });
        spec("ls", "Lists a folder.", json!({ "path": path }), &[])
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let path = under(arguments, place)?;
        let listed = place.space.files(&path).ls(&path).map_err(refused)?;
        let mut out = String::new();
        for entry in listed.items.iter().take(LIMIT) {
            match entry.kind {
                Kind::Folder => out.push_str(&format!("{}/\n", entry.path)),
                Kind::File => out.push_str(&format!("{} ({} bytes)\n", entry.path, entry.size)),
            }
        }
        let cut = if listed.items.len() > LIMIT {
            Truncated::Yes
        } else {
            listed.truncated
        };
        out.push_str(more(cut));
        Ok(or_nothing(out))
    }
}

/// Finds files by name.
pub(super) struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "pattern": { "type": "string", "description": "From the top, such as repo/**/*.rs" },
            "path": { "type": "string", "description": "Look only below this folder" },
        });
        spec(
            "glob",
            "Finds files by a pattern of their paths.",
            properties,
            &["pattern"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let under = under(arguments, place)?;
        let query = confined::Glob::parse(text(arguments, "pattern")?).map_err(refused)?;
        let query = query.under(&under).limit(LIMIT);
        let found = place.space.files(&under).glob(&query).map_err(refused)?;
        let paths: String = found.items.iter().map(|path| format!("{path}\n")).collect();
        Ok(or_nothing(paths + more(found.truncated)))
    }
}

/// Finds lines.
pub(super) struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "pattern": { "type": "string", "description": "A regular expression" },
            "path": { "type": "string", "description": "Look only below this folder, or in this file" },
            "files": { "type": "string", "description": "Look only in files whose path matches this, such as **/*.rs" },
            "ignore_case": { "type": "boolean" },
        });
        spec(
            "grep",
            "Finds lines by a regular expression.",
            properties,
            &["pattern"],
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        let under = under(arguments, place)?;
        let mut query = confined::Grep::parse(text(arguments, "pattern")?).map_err(refused)?;
        if is_set(arguments, "ignore_case")? == Switch::On {
            query = query.case(Case::Insensitive).map_err(refused)?;
        }
        if let Some(files) = optional_text(arguments, "files")? {
            query = query.files(files).map_err(refused)?;
        }
        let query = query.under(&under).limit(LIMIT);
        let found = place.space.files(&under).grep(&query).map_err(refused)?;
        let lines = found
            .items
            .iter()
            .map(|hit| format!("{}:{}: {}\n", hit.path, hit.line, hit.text));
        Ok(or_nothing(
            lines.collect::<String>() + more(found.truncated),
        ))
    }
}
