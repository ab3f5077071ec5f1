//! Our own tool loop: a model, its tools, and nothing that it may not see.
//!
//! Files go through the layered backends and programs through the sandbox. The loop ends at its
//! turns, its wall or a cancel, sends no conversation that a provider would reject, and leaves the
//! answer to the judge.

mod added;
mod ask;
mod calls;
mod compact;
mod context;
mod files;
mod history;
mod mend;
mod park;
mod prompt;
mod run;
mod search;
mod space;
mod todo;
mod tool;
mod toolbox;

pub use added::CommandTool;
pub(crate) use ask::Model;
pub use history::HISTORY_FILE;
pub use tool::{Place, RESEARCH_FILE, Then, Tool};

use crate::agent::Order;
use crate::allowance::{STOPPED, used_up};
use crate::connections::Connections;
use crate::failure::{Failure, one_line};
use crate::transcript::Transcript;
use crate::wire::{Block, Entry, Message, Stop};
use context::Context;
use history::History;
use kernel::outcome::{Class, Usage};
use space::{Space, Unopened};
use std::sync::Arc;
use store::redact::redact;
use toolbox::Toolbox;

/// How a loop ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The model's last words, or why there are none.
    pub(crate) end: Result<String, Failure>,
    pub(crate) usage: Usage,
    pub(crate) transcript: Transcript,
    pub(crate) session: Option<String>,
    pub(crate) connections: Connections,
}

/// One attempt.
pub(crate) struct ToolLoop<'a> {
    order: &'a Order,
    model: Model,
    extra: &'a [Arc<dyn Tool>],
    secrets: &'a [&'a str],
    progress: &'a dyn Fn(&str),
    transcript: Transcript,
    context: Context,
    usage: Usage,
}

impl<'a> ToolLoop<'a> {
    pub(crate) fn new(
        order: &'a Order,
        model: Model,
        extra: &'a [Arc<dyn Tool>],
        secrets: &'a [&'a str],
        progress: &'a dyn Fn(&str),
    ) -> Self {
        let context = Context::new(model.window);
        let transcript = Transcript::default();
        Self {
            order,
            model,
            extra,
            secrets,
            progress,
            transcript,
            context,
            usage: Usage::default(),
        }
    }

    /// Works until the model answers without calling a tool, calls one that ends the attempt, or
    /// something else ends it.
    pub(crate) fn run(mut self, max_turns: u32) -> Ended {
        let mut session = None;
        let mut connections = Connections::default();
        let end = match self.open() {
            Ok((space, mut history)) => {
                let end = self.turns(&space, &mut history, max_turns);
                session = history.save(&self.context.entries);
                connections = space.connections();
                end
            }
            Err(failure) => Err(failure),
        };
        Ended {
            end,
            usage: self.usage,
            transcript: self.transcript,
            session,
            connections,
        }
    }

    fn open(&mut self) -> Result<(Space, History), Failure> {
        let could_not = |why: Unopened| Failure::new(Class::CouldNotRun, why.to_string());
        let space = Space::open(self.order).map_err(could_not)?;
        let secrets = self
            .secrets
            .iter()
            .map(|secret| (*secret).to_owned())
            .collect();
        let history = History::open(self.order, secrets).map_err(could_not)?;
        if let Some(session) = &self.order.continues {
            match history::load(session) {
                Ok(entries) => self.context.entries = entries,
                Err(error) => self.note(&format!(
                    "the earlier conversation cannot be read ({error}); starting again"
                )),
            }
        }
        Ok((space, history))
    }

    fn turns(
        &mut self,
        space: &Space,
        history: &mut History,
        max_turns: u32,
    ) -> Result<String, Failure> {
        let toolbox = Toolbox::new(&self.order.can, self.extra);
        let system = prompt::system(self.order);
        self.push(Entry::User(self.order.brief.clone()), history);
        for _ in 0..max_turns {
            self.model.bounds.check()?;
            self.afford()?;
            if self.context.is_full() {
                self.compact(space)?;
            }
            mend::mend(&mut self.context.entries);
            let message = match self.ask(&system, &toolbox) {
                Ok(message) => message,
                Err(failure) if failure.class == Class::Overflow => {
                    self.compact_or(space, failure)?;
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            self.push(Entry::Assistant(message.blocks.clone()), history);
            let calls = message.calls();
            match message.stop {
                Stop::Refusal => {
                    let reason = format!("the model declined: {}", one_line(&message.text()));
                    return Err(Failure::new(Class::Declined, reason));
                }
                Stop::Window => {
                    let full = Failure::new(
                        Class::Overflow,
                        "the conversation grew past the model's window",
                    );
                    self.compact_or(space, full)?;
                    if calls.is_empty() {
                        self.push(Entry::User(prompt::CUT_OFF.to_owned()), history);
                    }
                }
                Stop::Natural if calls.is_empty() => return Ok(message.text()),
                Stop::Length if calls.is_empty() => {
                    self.push(Entry::User(prompt::CUT_OFF.to_owned()), history);
                }
                Stop::Natural | Stop::Length => {
                    let worked = self.work_off(&calls, &toolbox, space)?;
                    self.push(Entry::Results(worked.answers), history);
                    if let Some(last) = worked.last {
                        return Ok(last);
                    }
                }
            }
        }
        Err(Failure::new(
            Class::Crashed,
            format!("it used all of its {max_turns} turns without an answer"),
        ))
    }

    fn ask(&mut self, system: &str, toolbox: &Toolbox) -> Result<Message, Failure> {
        let asked = self.model.ask(
            system,
            &self.context.entries,
            toolbox.specs(),
            &mut |note| {
                let note = redact(note, self.secrets);
                (self.progress)(&note);
                self.transcript.line(&format!("[{note}]"));
            },
        );
        self.spend(asked.usage);
        let message = asked.message?;
        self.context.measured(message.tokens);
        self.show(&message);
        Ok(message)
    }

    fn push(&mut self, entry: Entry, history: &mut History) {
        history.append(&entry);
        self.context.entries.push(entry);
    }

    /// Refuses another call once the run's money or tokens are used up. Why is for people: the
    /// transcript says it, and not the reason, which the next brief repeats.
    fn afford(&mut self) -> Result<(), Failure> {
        let Some(what) = used_up(self.order.allowance, self.usage) else {
            return Ok(());
        };
        self.note(&format!("nothing is left of the {what}: no further call"));
        Err(Failure::new(Class::Killed, STOPPED))
    }

    fn spend(&mut self, usage: Usage) {
        let total = &mut self.usage;
        total.input_tokens = total.input_tokens.saturating_add(usage.input_tokens);
        total.cached_tokens = total.cached_tokens.saturating_add(usage.cached_tokens);
        total.output_tokens = total.output_tokens.saturating_add(usage.output_tokens);
        total.micro_dollars = total.micro_dollars.saturating_add(usage.micro_dollars);
    }

    fn show(&mut self, message: &Message) {
        for block in &message.blocks {
            if let Block::Text(text) = block {
                self.said(text);
            }
        }
    }

    fn note(&mut self, text: &str) {
        self.said(&format!("[{text}]"));
    }

    fn said(&mut self, text: &str) {
        let text = redact(text, self.secrets);
        if !text.is_empty() {
            self.transcript.line(text.trim_end_matches('\n'));
        }
    }
}
