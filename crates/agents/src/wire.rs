//! What the tool loop and the providers' formats agree on.
//!
//! A conversation is kept in these shapes; each provider's module turns it into a request and reads
//! the stream that comes back. What only one provider knows is not here, save opaque blocks that
//! must be given back as they came.

use crate::failure::Failure;
use crate::prices::Tokens;
use crate::sse::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// Said by us.
    User(String),
    /// Said by the model.
    Assistant(Vec<Block>),
    /// What the tools answered.
    Results(Vec<Answer>),
}

/// A part of what the model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Block {
    Text(String),
    /// A tool call.
    Call(Call),
    /// The provider's own (reasoning); goes back to it unread.
    Opaque(Value),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The arguments, or the text that is not a JSON object.
    pub(crate) arguments: Result<Value, String>,
}

impl Call {
    /// A call from the argument text of a stream.
    pub(crate) fn new(id: String, name: String, text: &str) -> Self {
        // Some models leave the arguments of a tool without parameters empty.
        let text = if text.trim().is_empty() { "{}" } else { text };
        let arguments = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err(text.to_owned()),
        };
        Self {
            id,
            name,
            arguments,
        }
    }
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
}

/// Did the tool do what it was asked?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    Worked,
    Failed,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name: letters, digits and underscores.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// One request, whatever the provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: &'a str,
    pub(crate) entries: &'a [Entry],
    pub(crate) tools: &'a [ToolSpec],
    /// The schema of the final answer, if it must be JSON.
    pub(crate) schema: Option<&'a Value>,
    pub(crate) max_output: u64,
}

/// One complete message of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stop: Stop,
    pub(crate) tokens: Tokens,
}

impl Message {
    pub(crate) fn calls(&self) -> Vec<Call> {
        let call = |block: &Block| match block {
            Block::Call(call) => Some(call.clone()),
            Block::Text(_) | Block::Opaque(_) => None,
        };
        self.blocks.iter().filter_map(call).collect()
    }

    pub(crate) fn text(&self) -> String {
        let text = |block: &Block| match block {
            Block::Text(text) => Some(text.clone()),
            Block::Call(_) | Block::Opaque(_) => None,
        };
        self.blocks.iter().filter_map(text).collect()
    }
}

/// Why a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It is complete, or waits for its tools.
    Natural,
    /// The model declined.
    Refusal,
    /// The output limit was reached.
    Length,
    /// The window was reached.
    Window,
}

/// A provider of models: its format, and where it is unless the settings say otherwise.
#[derive(Clone, Copy)]
pub struct Provider {
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    /// The variable that holds its key.
    pub(crate) key_variable: &'static str,
    pub(crate) wire: &'static dyn Wire,
}

impl Provider {
    /// The name that people write.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Provider {}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A provider's format.
pub(crate) trait Wire: Send + Sync {
    /// The path below the base URL.
    fn path(&self) -> &'static str;

    /// The headers that carry the key and the version.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// The request's body.
    fn body(&self, request: &Request<'_>) -> Value;

    /// A reader for one answer.
    fn reader(&self) -> Box<dyn Reader>;
}

/// Reads the events of one answer.
pub(crate) trait Reader {
    /// Takes the next event.
    fn event(&mut self, event: &Event) -> Result<(), Failure>;

    /// What was used up so far, also if the stream breaks.
    fn tokens(&self) -> Tokens;

    /// The complete message; a stream that ended early has none.
    fn finish(self: Box<Self>) -> Result<Message, Failure>;
}

/// An event's JSON.
pub(crate) fn json(event: &Event) -> Result<Value, Failure> {
    serde_json::from_str(&event.data).map_err(|error| {
        Failure::transient(format!("the provider sent data that is not JSON ({error})"))
    })
}

/// What a stream that ended early is.
pub(crate) fn ended_early() -> Failure {
    Failure::transient("the stream was cut: it ended before the message did")
}

/// A whole number at this key, or 0.
pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// A string at this key, or nothing.
pub(crate) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests;
