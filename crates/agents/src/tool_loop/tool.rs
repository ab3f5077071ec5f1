//! What a tool is, whoever gives it, and what it may reach. A refusal is a text, because it is the
//! answer that the model reads.

use super::space::{Space, refused};
use crate::agent::Order;
use crate::wire::ToolSpec;
use sandbox::Cancel;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::time::Duration;

/// What tools looked up outside of the view, in the attempt's folder: one JSON record per line. No
/// agent can write there.
pub const RESEARCH_FILE: &str = "research.jsonl";

/// Where a tool works, and how long it may.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The attempt's order.
    pub order: &'a Order,
    /// Thrown when the attempt is to end.
    pub cancel: &'a Cancel,
    /// What is left of the attempt's wall time.
    pub left: Duration,
    /// What the run's budget leaves, in millionths of a dollar.
    pub(super) money: u64,
    /// What the tools of this call have cost.
    pub(super) paid: &'a Cell<u64>,
    pub(super) space: &'a Space,
}

impl Place<'_> {
    /// A file of the view, as the model names it.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = self.space.path(path)?;
        self.space.read(&path)
    }

    /// Writes a file of the view, where the role may.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.space.path(path)?;
        let files = self.space.writable(&path)?;
        files.write(&path, bytes).map_err(refused)
    }

    /// Pays for something that costs money before it is done: the run's money is counted whoever
    /// spends it.
    ///
    /// # Errors
    /// If the run has not so much left: then nothing may be bought.
    pub fn pay(&self, micro_dollars: u64) -> Result<(), String> {
        let paid = self.paid.get().saturating_add(micro_dollars);
        if micro_dollars > 0 && paid > self.money {
            return Err("nothing is left of the run's money for this; go on without".to_owned());
        }
        self.paid.set(paid);
        Ok(())
    }

    /// Puts on record what was looked up.
    ///
    /// # Errors
    /// If it cannot be written down: what nobody can check is not looked up.
    pub fn looked_up(&self, record: &Value) -> Result<(), String> {
        let path = self.order.home.join(RESEARCH_FILE);
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(format!("{record}\n").as_bytes()))
            .map_err(|error| format!("the search cannot be put on record: {error}"))
    }

    /// How many records this tool has put down in this attempt.
    ///
    /// # Errors
    /// If the records cannot be read: what cannot be counted is not looked up.
    pub fn times_looked_up(&self, tool: &str) -> Result<usize, String> {
        let records = match fs::read_to_string(self.order.home.join(RESEARCH_FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            read => read.map_err(|error| format!("the searches cannot be counted: {error}"))?,
        };
        let records = records.lines().map(serde_json::from_str::<Value>);
        let its_own = |record: &Value| record["tool"] == tool;
        Ok(records.flatten().filter(its_own).count())
    }
}

/// What a call that worked means for the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The model goes on.
    GoesOn,
    /// The attempt ends, with the tool's answer as its result.
    Ends,
}

/// Something that a model can call.
pub trait Tool: Send + Sync {
    /// How it is offered.
    fn spec(&self) -> ToolSpec;

    /// Does it. The arguments are a JSON object, and nothing more is known about them.
    ///
    /// # Errors
    /// A sentence for the model: what is wrong and how to go on.
    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String>;

    /// What follows from a call that worked.
    fn then(&self) -> Then {
        Then::GoesOn
    }
}

/// A spec with these properties, of which some are required.
pub(super) fn spec(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }),
    }
}

/// A string that must be there.
pub(super) fn text<'a>(arguments: &'a Value, key: &str) -> Result<&'a str, String> {
    match arguments.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!(
            "`{key}` is not a string; call it again with a string"
        )),
        None => Err(format!("`{key}` is missing; call it again with it")),
    }
}

/// A string that may be left out or null.
pub(super) fn optional_text<'a>(
    arguments: &'a Value,
    key: &str,
) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(arguments, key).map(Some),
    }
}

/// A whole number that may be left out or null.
pub(super) fn optional_number(arguments: &Value, key: &str) -> Result<Option<u64>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("`{key}` is not a whole number from 0")),
        },
    }
}

/// A switch that may be left out or null.
pub(super) fn is_set(arguments: &Value, key: &str) -> Result<Switch, String> {
    match arguments.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Switch::Off),
        Some(Value::Bool(true)) => Ok(Switch::On),
        Some(_) => Err(format!("`{key}` is neither true nor false")),
    }
}

/// What a switch says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}
