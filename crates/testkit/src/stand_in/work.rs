//! The loop of any agent: ask, do what the model calls for, ask again. What is said about it is
//! its [`Speech`].

use super::call::Call;
use super::client::{self, Fault};
use super::tools::{Task, Tool};
use super::wire::{Entry, Message, Wire};
use serde_json::Value;
use std::io::{BufRead, Write};

/// What was used up so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) input: u64,
    pub(super) output: u64,
}

impl Spent {
    /// In dollars, at these micro-dollars for a token.
    pub(super) fn dollars(self, input: u32, output: u32) -> f64 {
        (self.input as f64 * f64::from(input) + self.output as f64 * f64::from(output)) / 1e6
    }
}

/// How often an agent asks again after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Times(usize),
    /// For ever, without a word.
    Endless,
}

/// What one agent says, and when.
pub(super) trait Speech {
    fn wire(&self) -> Wire;
    fn tools(&self) -> &'static [Tool];
    /// Up to the brief, which it answers.
    fn begin(&mut self, io: &mut Io) -> String;
    /// The model said something.
    fn said(&mut self, io: &mut Io, message: &Message, spent: Spent);
    /// Asks us whether it may, if this agent asks.
    fn may(&mut self, _: &mut Io, _: &Call, _: &Task) -> Result<(), String> {
        Ok(())
    }
    /// A tool has answered.
    fn did(&mut self, io: &mut Io, call: &Call, answer: &Result<String, String>);
    /// All tools of a message have answered.
    fn after(&mut self, _: &mut Io, _: &Message, _: Spent) {}
    fn patience(&self, fault: &Fault) -> Patience;
    /// It is about to ask again.
    fn again(&mut self, _: &mut Io, _: usize, _: &Fault) {}
    /// It gives up; its exit code.
    fn failed(&mut self, io: &mut Io, fault: &Fault, spent: Spent) -> i32;
    /// It is done; its exit code.
    fn finished(&mut self, io: &mut Io, message: &Message, spent: Spent) -> i32;
}

/// The standard streams, line by line.
pub(super) struct Io {
    input: Box<dyn BufRead>,
    output: Box<dyn Write>,
}

impl Io {
    pub(super) fn standard() -> Self {
        let mut io = Self {
            input: Box::new(std::io::stdin().lock()),
            output: Box::new(std::io::stdout()),
        };
        // The test program that this runs in has begun a line of its own.
        io.write("\n");
        io
    }

    pub(super) fn say(&mut self, value: &Value) {
        self.write(&format!("{value}\n"));
    }

    fn write(&mut self, text: &str) {
        // Nobody hears us any more: then nobody minds.
        let _ = self.output.write_all(text.as_bytes());
        let _ = self.output.flush();
    }

    /// The next line; null at the end.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        let _ = self.input.read_line(&mut line);
        serde_json::from_str(&line).unwrap_or_default()
    }

    /// Everything up to the end.
    pub(super) fn hear_all(&mut self) -> String {
        let mut text = String::new();
        let _ = self.input.read_to_string(&mut text);
        text
    }
}

pub(super) fn work(mut speech: Box<dyn Speech>, url: &str, io: &mut Io) -> i32 {
    let mut entries = vec![Entry::Brief(speech.begin(io))];
    let mut spent = Spent::default();
    loop {
        let message = match ask(&mut *speech, url, &entries, io) {
            Ok(message) => message,
            Err(fault) => return speech.failed(io, &fault, spent),
        };
        spent.input += message.input;
        spent.output += message.output;
        speech.said(io, &message, spent);
        if message.calls.is_empty() {
            return speech.finished(io, &message, spent);
        }
        let mut answers = Vec::new();
        for call in &message.calls {
            let answer = Task::of(speech.tools(), call).and_then(|task| {
                speech.may(io, call, &task)?;
                task.perform()
            });
            speech.did(io, call, &answer);
            let text = answer.unwrap_or_else(|error| error);
            answers.push((call.clone(), text));
        }
        speech.after(io, &message, spent);
        entries.push(Entry::Said(message));
        entries.push(Entry::Did(answers));
    }
}

/// One message, after as many tries as the agent makes.
fn ask(
    speech: &mut dyn Speech,
    url: &str,
    entries: &[Entry],
    io: &mut Io,
) -> Result<Message, Fault> {
    let wire = speech.wire();
    let body = wire.body(entries, speech.tools());
    let mut tried = 0;
    loop {
        let fault = match client::post(url, wire.path(), &body) {
            Ok(events) => return Ok(wire.message(&events)),
            Err(fault) => fault,
        };
        tried += 1;
        match speech.patience(&fault) {
            Patience::Times(most) if tried > most => return Err(fault),
            Patience::Times(_) => speech.again(io, tried, &fault),
            // The silence is what counts; a server need not be asked for ever to hear it.
            Patience::Endless if tried > 2 => loop {
                std::thread::park();
            },
            Patience::Endless => {}
        }
    }
}
