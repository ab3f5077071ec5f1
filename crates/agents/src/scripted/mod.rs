//! An agent that replays a file: every run can be rehearsed without a model, a key or money.
//!
//! It is a test instrument and behaves as a real agent would, rogue ones included: paths and
//! commands are not sanitised, because what holds it must be the sandbox and the gates.

mod error;
mod fields;
mod log;
mod parse;
mod parse_step;
mod perform;
mod script;
mod stage;
#[cfg(test)]
mod tests;

pub use error::ScriptError;

use crate::agent::{Agent, Order, Reply};
use crate::home::Home;
use kernel::outcome::Class;
use log::{Log, LogError};
use sandbox::Cancel;
use script::{Entry, Script};
use stage::{Stage, Stop};
use std::path::Path;

/// A connector that replays a script.
#[derive(Debug)]
pub struct Scripted {
    name: String,
    script: Script,
    log: Option<Log>,
}

impl Scripted {
    /// Reads a script from a file. A relative `log` lies in the file's folder.
    ///
    /// # Errors
    /// `script_missing` if the file cannot be read, `script_malformed` if it is not a script.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| ScriptError::Missing {
            file: name.clone(),
            source,
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..valid]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            ScriptError::Malformed {
                file: name.clone(),
                line,
                what: "the text is not UTF-8".to_owned(),
                mend: "save the file as UTF-8".to_owned(),
            }
        })?;
        Self::parse(&name, &text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a script from text that lies in no file. `name` stands in errors; a relative
    /// `log` lies in `base`.
    ///
    /// # Errors
    /// `script_malformed` if the text is not a script.
    pub fn parse(name: &str, text: &str, base: &Path) -> Result<Self, ScriptError> {
        let script = parse::parse(name, text)?;
        let log = script.log.as_ref().map(|path| Log::at(base.join(path)));
        Ok(Self {
            name: name.to_owned(),
            script,
            log,
        })
    }

    fn log(&self, what: &str, order: &Order, tail: &str) -> Result<(), LogError> {
        match &self.log {
            None => Ok(()),
            Some(log) => log.append(what, order, tail),
        }
    }

    /// Plays the entry's steps and leaves its result; how it stopped if it did not get there.
    fn play(&self, entry: &Entry, stage: &mut Stage<'_>) -> Result<(), Stop> {
        for step in &entry.steps {
            stage.go_on()?;
            perform::perform(step, stage)?;
        }
        stage.go_on()?;
        let Some(bytes) = entry.answer.bytes(entry.usage.as_ref()) else {
            return Ok(());
        };
        let left = Home::of(stage.order).leave(&bytes);
        left.map_err(|error| Stop::crashed(format!("the result cannot be written: {error}")))
    }
}

impl Agent for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn run(&self, order: &Order, cancel: &Cancel, progress: &dyn Fn(&str)) -> Reply {
        let Order {
            state,
            role,
            nth,
            brief,
            ..
        } = order;
        let Some(entry) = self.script.choose(state, role, *nth, brief) else {
            let reason = format!(
                "script {} has no [[attempt]] for state `{}`, role `{}`, attempt {}; add one",
                self.name, order.state, order.role, order.nth
            );
            return Reply::bare(Class::CouldNotRun, reason);
        };
        let home = Home::of(order);
        if let Err(error) = home.prepare(&order.brief) {
            let reason = format!("the attempt's folder cannot be prepared: {error}");
            return Reply::bare(Class::CouldNotRun, reason);
        }
        if let Err(error) = self.log("start", order, "") {
            return Reply::bare(Class::CouldNotRun, error.to_string());
        }
        let mut stage = Stage::new(order, cancel, progress);
        stage.note(&format!(
            "script {}, the entry at line {}",
            self.name, entry.line
        ));
        let mut reply = match self.play(entry, &mut stage) {
            Ok(()) => home.reply(),
            Err(stop) => {
                // A `run` step may have left a result of its own; it does not count.
                if let Err(error) = home.set_aside() {
                    stage.note(&format!("its result cannot be set aside: {error}"));
                }
                Reply::bare(stop.class, stop.reason)
            }
        };
        // What the script says it cost counts however it ended, as with a real agent.
        reply.usage = entry.usage.unwrap_or(reply.usage);
        stage.note(&format!("[{}: {}]", reply.class.as_str(), reply.reason));
        let class = format!(" class={}", reply.class.as_str());
        if let Err(error) = self.log("finish", order, &class) {
            stage.note(&error.to_string());
        }
        std::mem::take(&mut stage.connections).tell(&mut reply);
        reply.transcript = stage.finish();
        reply
    }

    fn recover(&self, order: &Order) -> Option<Reply> {
        Home::of(order).recover()
    }
}
