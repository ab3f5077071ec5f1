//! From a turn of the script to what one answer holds, whatever the wire format.

use super::script::{Arguments, Script, Stop, Tokens, Turn};
use super::tools::{self, Kind, Offered};
use serde_json::Value;
use std::collections::BTreeMap;

/// A message before it is put on a wire.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) calls: Vec<Planned>,
    pub(super) stop: Stop,
    pub(super) tokens: Tokens,
    /// Makes ids unique.
    pub(super) serial: usize,
    pub(super) model: String,
}

/// A call with the name and the arguments that the request's tools ask for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planned {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Whose tool it is, where the request says so.
    pub(super) namespace: Option<String>,
    pub(super) arguments: Arguments,
}

impl Planned {
    /// The arguments as the text that streams carry.
    pub(super) fn text(&self) -> String {
        match &self.arguments {
            Arguments::Json(value) => value.to_string(),
            Arguments::Raw(text) => text.clone(),
        }
    }
}

/// What a request asks for, whatever its format.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The assistant turns that the history holds.
    pub(super) turns: usize,
    pub(super) offered: BTreeMap<String, Offered>,
    pub(super) model: String,
}

/// The answer to a request without tools: a title or a probe, never the play itself.
pub(super) fn side(asked: &Asked, serial: usize) -> Message {
    Message {
        text: "Side answer".to_owned(),
        calls: Vec::new(),
        stop: Stop::Natural,
        tokens: Tokens {
            input: 7,
            cached: 0,
            output: 3,
        },
        serial,
        model: asked.model.clone(),
    }
}

/// The scripted message; a script that has ended says so.
pub(super) fn message(script: &Script, at: usize, asked: &Asked, serial: usize) -> Message {
    let ended = Turn::text(format!("the script ended before turn {at}"));
    // A turn that is not a message still needs one to be cut in the middle.
    let whole = Turn::text("This text is cut off somewhere in the middle of the stream.");
    let turn = match script.turns.get(at) {
        None => &ended,
        Some(turn @ Turn::Message { .. }) => turn,
        Some(_) => &whole,
    };
    let Turn::Message {
        text,
        calls,
        stop,
        tokens,
    } = turn
    else {
        unreachable!("only messages are chosen above")
    };
    let grown = at as u64;
    let calls = calls.iter().enumerate().map(|(index, call)| {
        let (name, kind, arguments) = tools::resolve(call, &asked.offered, script.root.as_deref());
        let offered = asked.offered.get(&name);
        Planned {
            id: format!("{serial}x{index}"),
            namespace: offered.and_then(|tool| tool.namespace.clone()),
            name,
            kind,
            arguments,
        }
    });
    Message {
        text: text.clone(),
        calls: calls.collect(),
        stop: *stop,
        tokens: tokens.unwrap_or(Tokens {
            input: 1000 + grown,
            cached: 0,
            output: 50 + grown,
        }),
        serial,
        model: asked.model.clone(),
    }
}

/// A string member, or nothing.
pub(super) fn word(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// An array member, or nothing.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
