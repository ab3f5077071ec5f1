//! What the server will say, as plain values.

use serde_json::Value;
use std::path::PathBuf;

/// The whole play.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(super) turns: Vec<Turn>,
    pub(super) order: Order,
    pub(super) root: Option<PathBuf>,
}

/// How the next turn is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The nth turn answers a history with n assistant turns. Retries get the same turn again,
    /// and parallel sessions do not disturb each other.
    #[default]
    History,
    /// The nth turn answers the nth request that offers tools.
    Arrival,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// A whole, well-formed message.
    Message {
        /// Said before the calls; may be empty.
        text: String,
        /// The tools that it calls.
        calls: Vec<Call>,
        /// Why it stops.
        stop: Stop,
        /// What it cost; none is a small number that grows with the turn.
        tokens: Option<Tokens>,
    },
    /// An HTTP status instead of a message.
    Status {
        /// The status.
        code: u16,
        /// Headers on top of the usual ones.
        headers: Vec<(String, String)>,
        /// The body; null is the provider's usual error shape.
        body: Value,
    },
    /// Accepts the request and says nothing, until one side goes away.
    Hang,
    /// Begins a message and then says nothing more.
    HangMidway,
    /// An event stream whose data is not JSON.
    Garbage,
    /// A message whose stream ends in the middle.
    Cut,
}

/// Why a message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// It is complete, or waits for its tools.
    #[default]
    Natural,
    /// The model declined.
    Refusal,
    /// The output limit was reached.
    Length,
}

/// What a message says it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Read, including the cached ones.
    pub input: u64,
    /// Read from the cache.
    pub cached: u64,
    /// Written.
    pub output: u64,
}

/// One tool call. All but [`Call::Tool`] are mapped to whatever the request offers.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// Writes a whole file.
    Write {
        /// Relative to the script's root.
        path: String,
        text: String,
    },
    /// Replaces text in a file.
    Edit {
        /// Relative to the script's root.
        path: String,
        /// What is there.
        old: String,
        /// What should be there.
        new: String,
    },
    /// Reads a file.
    Read {
        /// Relative to the script's root.
        path: String,
    },
    /// Writes a whole file, with arguments that break off in the middle.
    Broken {
        /// Relative to the script's root.
        path: String,
    },
    /// Runs a shell command.
    Shell(String),
    /// A tool by name; the end of an offered name is enough (`mcp__x__name`).
    Tool {
        /// The tool.
        name: String,
        /// What it is given.
        arguments: Arguments,
    },
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// Well-formed JSON.
    Json(Value),
    /// Text as it is, such as JSON that is cut off.
    Raw(String),
}

impl Script {
    /// Turns, found by history.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            turns: turns.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Turns, found in order of arrival: a failing turn is answered by the next one.
    pub fn in_order(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            order: Order::Arrival,
            ..Self::new(turns)
        }
    }

    /// Relative paths in calls are made absolute below this folder, for agents that ask for it.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }
}

impl Turn {
    /// A final text.
    pub fn text(text: impl Into<String>) -> Self {
        Turn::Message {
            text: text.into(),
            calls: Vec::new(),
            stop: Stop::Natural,
            tokens: None,
        }
    }

    /// Calls without a word.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Turn::Message {
            text: String::new(),
            calls: calls.into_iter().collect(),
            stop: Stop::Natural,
            tokens: None,
        }
    }

    /// One call without a word.
    pub fn call(call: Call) -> Self {
        Self::calls([call])
    }

    /// The model declines.
    pub fn refusal(text: impl Into<String>) -> Self {
        Turn::Message {
            text: text.into(),
            calls: Vec::new(),
            stop: Stop::Refusal,
            tokens: None,
        }
    }

    /// A bare status with the provider's usual error body.
    pub fn status(code: u16) -> Self {
        Turn::Status {
            code,
            headers: Vec::new(),
            body: Value::Null,
        }
    }

    /// The same turn with one more header; only a status has headers.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Turn::Status { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// The same turn with this body; only a status has one.
    #[must_use]
    pub fn body(mut self, json: Value) -> Self {
        if let Turn::Status { body, .. } = &mut self {
            *body = json;
        }
        self
    }

    /// The same turn with this cost; only a message has one.
    #[must_use]
    pub fn costs(mut self, input: u64, cached: u64, output: u64) -> Self {
        if let Turn::Message { tokens, .. } = &mut self {
            *tokens = Some(Tokens {
                input,
                cached,
                output,
            });
        }
        self
    }
}

impl Call {
    /// A tool by name with well-formed arguments.
    pub fn tool(name: impl Into<String>, arguments: Value) -> Self {
        Call::Tool {
            name: name.into(),
            arguments: Arguments::Json(arguments),
        }
    }

    /// A tool by name with arguments that are text as they are.
    pub fn raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Call::Tool {
            name: name.into(),
            arguments: Arguments::Raw(arguments.into()),
        }
    }
}
