//! What every machine answers alike: ends of effects, the start of a run, sessions, torn tails, and a
//! decision that comes before an earlier one was carried out. What happens next is the machine's own.

use crate::decision::Decision;
use crate::event::{Body, Event, FieldsEdited, RunStarted, SessionOpened, TailCut};
use crate::input::{Input, What};
use crate::ledger::Ledger;
use crate::position::STOP;
use crate::refusal::Refusal;

/// What a machine remembers that every answer here rests on.
#[derive(Debug, Clone, Copy)]
pub struct Begun<'a> {
    /// The workflow's hash as of today, where the machine follows one.
    pub workflow_hash: Option<&'a str>,
    /// What was started, if anything was.
    pub started: Option<&'a RunStarted>,
    /// Effects in flight.
    pub ledger: &'a Ledger,
    /// A decision that is on record and not carried out yet.
    pub pending: Option<&'a Decision>,
}

impl Begun<'_> {
    /// The answer to an input that every machine answers alike; none: it is the machine's to decide.
    pub fn answer(&self, input: &Input) -> Option<Result<Vec<Event>, Refusal>> {
        if let Some(events) = self.ledger.answer(input.at, &input.what) {
            return Some(Ok(events));
        }
        let event = |body| Some(Ok(vec![Event { at: input.at, body }]));
        let refuse = |code: &str, what: &str, mend: &str| Some(Err(Refusal::new(code, what, mend)));
        match &input.what {
            What::Start(started) if self.started.is_none() => {
                event(Body::RunStarted(started.clone()))
            }
            What::Start(_) => refuse(
                "run_already_started",
                "the run has begun before",
                "choose another run id",
            ),
            _ if self.started.is_none() => refuse(
                "run_not_started",
                "the journal holds no `run_started`",
                "start a run with `proofhouse new`",
            ),
            What::Open { session, version } => event(Body::SessionOpened(SessionOpened {
                session: session.clone(),
                version: version.clone(),
                workflow_hash: self.workflow_hash.map(str::to_owned),
            })),
            What::TailCut { bytes, kept_in } => event(Body::TailCut(TailCut {
                bytes: *bytes,
                kept_in: kept_in.clone(),
            })),
            What::Edited { fields } => event(Body::FieldsEdited(FieldsEdited {
                fields: fields.clone(),
                refused: std::collections::BTreeMap::new(),
            })),
            // Only `stop`, which is never blocked, may come before it is carried out.
            What::Decide(decision) if self.pending.is_some() && decision.option != STOP => refuse(
                "decision_pending",
                "an earlier decision is on record and not carried out yet",
                "look at `proofhouse status RUN` and decide again",
            ),
            _ => None,
        }
    }
}
