//! `todo`: a list that the model keeps for itself, so that long work stays in order.

use super::tool::{Place, Tool, spec};
use crate::wire::ToolSpec;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

const MOST: usize = 100;

/// The list of one attempt.
#[derive(Debug, Default)]
pub(super) struct Todo(Mutex<Vec<String>>);

impl Tool for Todo {
    fn spec(&self) -> ToolSpec {
        let item = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "status": { "type": "string", "enum": ["open", "doing", "done"] },
            },
            "required": ["text", "status"],
            "additionalProperties": false,
        });
        let items = json!({ "type": "array", "items": item, "description": "The whole list; leave it out to see it" });
        spec(
            "todo",
            "Keeps your own list of what is to do; replaces it whole.",
            json!({ "items": items }),
            &[],
        )
    }

    fn call(&self, arguments: &Value, _: &Place<'_>) -> Result<String, String> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match arguments.get("items") {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) if items.len() <= MOST => {
                *list = items.iter().map(line).collect::<Result<_, _>>()?
            }
            Some(_) => return Err(format!("`items` is not a list of at most {MOST} items")),
        }
        Ok(if list.is_empty() {
            "[nothing to do]".to_owned()
        } else {
            list.join("\n")
        })
    }
}

fn line(item: &Value) -> Result<String, String> {
    let mark = match item["status"].as_str() {
        Some("open") => "[ ]",
        Some("doing") => "[>]",
        Some("done") => "[x]",
        _ => {
            return Err(
                "an item's `status` is none of open, doing, done; the list is as it was".to_owned(),
            );
        }
    };
    match item["text"].as_str() {
        Some(text) => Ok(format!("{mark} {text}")),
        None => Err("an item's `text` is not a string; the list is as it was".to_owned()),
    }
}
