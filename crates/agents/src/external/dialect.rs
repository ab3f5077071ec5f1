//! How an external agent is heard. A dialect is pure: lines in, facts out. So the same code hears a
//! live agent and a log that an earlier life left.

use super::trouble::Trouble;
use kernel::outcome::Usage;
use sandbox::Talk;
use serde_json::Value;

/// The events of one agent, understood.
pub(crate) trait Dialect {
    /// One line of its standard output, without the newline.
    fn line(&mut self, line: &str) -> Said;

    /// What all lines so far add up to.
    fn heard(&self) -> &Heard;

    /// Is there more to say to it?
    fn talk(&self) -> Talk {
        match self.heard().end {
            Some(_) => Talk::Over,
            None => Talk::Ends,
        }
    }
}

/// What one line amounts to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// For people.
    pub(crate) progress: Option<String>,
    /// For the agent, on its standard input.
    pub(crate) answer: Vec<u8>,
    /// Is it worth keeping?
    pub(crate) keep: Keep,
}

/// Is a line worth a place in the log and the transcript?
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    #[default]
    Line,
    /// A piece of what another line repeats whole.
    Nothing,
}

impl Said {
    pub(crate) fn progress(text: impl Into<String>) -> Self {
        let text: String = text.into();
        let first = text.lines().find(|line| !line.trim().is_empty());
        Self {
            progress: first.map(|line| line.trim().chars().take(160).collect()),
            ..Self::default()
        }
    }

    pub(crate) fn noise() -> Self {
        Self {
            keep: Keep::Nothing,
            ..Self::default()
        }
    }

    pub(crate) fn answer(value: &Value) -> Self {
        Self {
            answer: line_of(value),
            ..Self::default()
        }
    }
}

/// One JSON value as a line.
pub(crate) fn line_of(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// What the events of an attempt add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Heard {
    /// The session's id, for a later attempt that continues this one.
    pub(crate) session: Option<String>,
    pub(crate) usage: Usage,
    /// The last message to us: where the result stands.
    pub(crate) message: String,
    /// The agent's own word that it is done, or that it failed.
    pub(crate) end: Option<End>,
    /// The last thing that went wrong on the way. It counts only where there is no end.
    pub(crate) trouble: Option<Trouble>,
    /// Tool calls that were refused.
    pub(crate) denials: usize,
    /// The model that it says it uses.
    pub(crate) model: Option<String>,
    /// Will it ask its model again?
    pub(crate) next: Next,
}

/// What an agent is going to do, as far as its events tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Next {
    /// It may be done.
    #[default]
    Unknown,
    /// It works for a tool call: its model is asked again afterwards.
    Call,
}

/// The agent's own word about its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    Finished,
    Failed(Trouble),
}

impl Heard {
    /// Notes the session, once.
    pub(crate) fn session(&mut self, id: &Value) {
        if let (None, Some(id)) = (&self.session, id.as_str().filter(|id| !id.is_empty())) {
            self.session = Some(id.to_owned());
        }
    }

    /// Notes the model that it names.
    pub(crate) fn model(&mut self, name: &Value) {
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            self.model = Some(name.to_owned());
        }
    }

    /// Adds dollars that came as a floating-point number.
    pub(crate) fn dollars(&mut self, dollars: &Value) {
        self.usage.micro_dollars = self
            .usage
            .micro_dollars
            .saturating_add(micro_dollars(dollars));
    }
}

/// Whole micro-dollars, rounded up: a cost must not vanish.
pub(crate) fn micro_dollars(dollars: &Value) -> u64 {
    let micro = dollars.as_f64().unwrap_or_default() * 1e6;
    // A hair of float noise is not a micro-dollar. The cast saturates, and NaN is 0.
    (micro - 1e-6).ceil().max(0.0) as u64
}

/// A whole number, or 0.
pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// The event on a line, if there is one. Agents and their helpers print other things too.
pub(crate) fn event(line: &str) -> Option<Value> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    serde_json::from_str(line).ok()
}
