//! Working off the calls of one turn.

use super::space::Space;
use super::tool::Then;
use super::toolbox::{self, Toolbox};
use super::{Place, ToolLoop, park};
use crate::failure::{Failure, one_line};
use crate::wire::{Answer, Call, Verdict};
use kernel::outcome::{Class, Usage};
use std::cell::Cell;
use store::redact::redact;

/// The most of one tool's answer that the transcript keeps.
const SHOWN_BYTES: usize = 4 * 1024;
/// The most calls that are worked off in one turn.
const CALLS_PER_TURN: usize = 64;

/// Said for a call that came after the one that ended the attempt.
const TOO_LATE: &str = "this call was not run: an earlier one of the same turn ended the attempt";

/// What came of one turn's calls.
pub(super) struct Worked {
    /// One answer for each.
    pub(super) answers: Vec<Answer>,
    /// The result, if one of them ended the attempt.
    pub(super) last: Option<String>,
}

impl ToolLoop<'_> {
    /// Does what the model asks for, call by call.
    pub(super) fn work_off(
        &mut self,
        calls: &[Call],
        toolbox: &Toolbox,
        space: &Space,
    ) -> Result<Worked, Failure> {
        let mut answers = Vec::new();
        let mut last = None;
        for (at, call) in calls.iter().enumerate() {
            self.model.bounds.check()?;
            (self.progress)(&one_line(&toolbox::describe(call)));
            self.said(&format!("> {}", toolbox::describe(call)));
            let paid = Cell::new(0);
            let left = self.order.allowance.micro_dollars;
            let place = Place {
                money: left.saturating_sub(self.usage.micro_dollars),
                paid: &paid,
                order: self.order,
                cancel: &self.model.bounds.cancel,
                left: self.model.bounds.left(),
                space,
            };
            let outcome = match at {
                _ if last.is_some() => Err(TOO_LATE.to_owned()),
                0..CALLS_PER_TURN => toolbox.call(call, &place),
                _ => Err(format!(
                    "only {CALLS_PER_TURN} calls are worked off in one turn; call it again"
                )),
            };
            self.spend(Usage {
                micro_dollars: paid.get(),
                ..Usage::default()
            });
            if let Some(reason) = space.distrusted() {
                return Err(Failure::new(Class::Crashed, reason));
            }
            let (text, verdict) = match outcome {
                Ok((text, then)) => {
                    if then == Then::Ends {
                        last = Some(redact(&text, self.secrets));
                    }
                    (text, Verdict::Worked)
                }
                Err(text) => (text, Verdict::Failed),
            };
            let text = park::preview(&redact(&text, self.secrets), space);
            self.said(&park::shorten(&text, SHOWN_BYTES));
            answers.push(Answer {
                id: call.id.clone(),
                text,
                verdict,
            });
        }
        Ok(Worked { answers, last })
    }
}
