//! A journal in memory that keeps what its text says, not what it was handed: what is replayed is
//! what was stored. It refuses an event that does not come back from its text as it went in.

use crate::violation::Violation;
use kernel::{Body, Event, Stored, Time};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize, Deserialize)]
struct Line {
    at: Time,
    kind: String,
    body: Box<RawValue>,
}

/// What the stored lines decode to.
#[derive(Debug)]
pub struct Journal<F = Body> {
    events: Vec<Event<F>>,
}

impl<F> Default for Journal<F> {
    fn default() -> Self {
        Self { events: Vec::new() }
    }
}

impl<F: Stored> Journal<F> {
    /// Stores one event as text and reads it back.
    pub fn push(&mut self, event: &Event<F>) -> Result<(), Violation> {
        let broken = |what: String| Violation::new("the_stored_form_is_exact", what);
        let line = encode(event).map_err(|error| broken(error.to_string()))?;
        let read = decode(&line).map_err(broken)?;
        self.events.push(read.clone());
        if read != *event {
            return Err(broken(format!(
                "stored {event:?}\n  and read back {read:?}"
            )));
        }
        Ok(())
    }

    /// What was read back, in order.
    pub fn events(&self) -> &[Event<F>] {
        &self.events
    }
}

fn encode<F: Stored>(event: &Event<F>) -> serde_json::Result<String> {
    let body = serde_json::to_string(&event.body.to_value())?;
    serde_json::to_string(&Line {
        at: event.at,
        kind: event.body.kind().to_owned(),
        body: RawValue::from_string(body)?,
    })
}

fn decode<F: Stored>(line: &str) -> Result<Event<F>, String> {
    let stored: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let body = F::decode(&stored.kind, stored.body.get()).map_err(|error| error.to_string())?;
    Ok(Event {
        at: stored.at,
        body,
    })
}

/// One event as one line for people: the facts that matter when a run is read by eye.
pub fn readable(event: &Event) -> String {
    let said = match &event.body {
        Body::RunStarted(started) => format!(
            "{} autonomy {} {:?} risk {:?} budgets {:?}",
            started.workflow,
            started.autonomy,
            started.mode.pace,
            started.mode.risk,
            started.budgets
        ),
        Body::SessionOpened(opened) => opened.session.clone(),
        Body::TailCut(cut) => format!("{} bytes", cut.bytes),
        Body::EffectBegan(began) => format!("{} {:?} in {}", began.effect, began.kind, began.state),
        Body::AttemptEnded(ended) => format!(
            "{} {} request {} ({:?})",
            ended.effect,
            ended.outcome.class.as_str(),
            ended.outcome.request.as_ref().map_or("-", |to| to.as_str()),
            ended.found
        ),
        Body::GateEnded(ended) => {
            let verdicts = ended.results.iter();
            let verdicts = verdicts.map(|r| format!("{} {}", r.check, r.verdict.as_str()));
            let verdicts = verdicts.collect::<Vec<_>>().join(", ");
            format!("{} [{verdicts}] ({:?})", ended.effect, ended.found)
        }
        Body::CheckpointEnded(ended) => match &ended.problem {
            Some(problem) => format!("{} failed: {problem}", ended.effect),
            None => ended.effect.to_string(),
        },
        Body::EffectLost(lost) => format!("{} {}", lost.effect, lost.reason),
        Body::LateDropped(late) => format!("{} {}", late.effect, late.said),
        Body::Moved(moved) => format!(
            "{} --{} by {}--> {:?} {:?}",
            moved.from, moved.action, moved.by, moved.arrival, moved.position
        ),
        Body::Refused(refused) => refused.refusal.what.clone(),
        Body::Decided(decision) => decision.option.clone(),
        Body::FieldsEdited(edited) => format!("{:?}", edited.fields),
        Body::Noted(note) => format!("{} {}", note.name, note.body),
        Body::SnapshotTaken(taken) => taken.file.clone(),
        Body::Rewound(rewound) => format!(
            "{} back to {} {:?}",
            rewound.from, rewound.commit, rewound.position
        ),
    };
    format!("{} {:<18} {said}", event.at, event.body.kind())
}
