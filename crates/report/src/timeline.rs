//! A journal's records in the order of the journal, each with a sentence, what it belongs to and how
//! long it took: for `log`, for pages that grow, and for whoever draws spans.

use crate::gate::NOT_YET;
use crate::repeats::Repeats;
use crate::{facts, look};
use kernel::event::{AttemptEnded, GateEnded, Moved, WHAT_IS_THERE};
use kernel::outcome::{CheckResult, RED_BEFORE, Ran, Verdict};
use kernel::{Body, Class, EffectId, Event, Time};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use store::{Objection, RecordRef};

/// A record as it is stored.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Record<'a> {
    /// Its number.
    pub seq: u64,
    /// When.
    pub at: Time,
    pub kind: &'a str,
    pub body: &'a RawValue,
    pub hash: &'a str,
}

impl<'a> From<RecordRef<'a>> for Record<'a> {
    fn from(record: RecordRef<'a>) -> Self {
        let RecordRef {
            at,
            body,
            hash,
            kind,
            seq,
            ..
        } = record;
        Record {
            seq,
            at,
            kind,
            body,
            hash,
        }
    }
}

/// A record as people are told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// When.
    pub at: Time,
    pub kind: &'static str,
    /// The effect that began or ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
    /// How long that took, where it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// What happened.
    pub sentence: String,
}

/// Tells records as they come, and remembers what is in flight.
#[derive(Debug, Default)]
pub struct Timeline {
    flying: BTreeMap<EffectId, Time>,
    /// The gates among them that are tried on what is there, before anybody has worked.
    trying: BTreeSet<EffectId>,
    repeats: Repeats,
}

impl Timeline {
    /// A stored record.
    pub fn tell(&mut self, record: &RecordRef<'_>) -> Result<Entry, Objection> {
        Ok(self.take(record.seq, &look::event(record)?))
    }

    /// An event and its number.
    pub fn take(&mut self, seq: u64, event: &Event) -> Entry {
        let effect = match &event.body {
            Body::EffectBegan(began) => Some(began.effect),
            Body::AttemptEnded(ended) => Some(ended.effect),
            Body::GateEnded(ended) => Some(ended.effect),
            Body::CheckpointEnded(ended) => Some(ended.effect),
            Body::EffectLost(lost) => Some(lost.effect),
            _ => None,
        };
        let millis = match (&event.body, effect) {
            (Body::EffectBegan(began), _) => {
                self.flying.insert(began.effect, event.at);
                if began.subject == WHAT_IS_THERE {
                    self.trying.insert(began.effect);
                }
                None
            }
            (_, Some(effect)) => self.flying.remove(&effect).map(|at| event.at.since(at)),
            _ => None,
        };
        Entry {
            seq,
            at: event.at,
            kind: event.body.kind(),
            effect,
            millis,
            sentence: match &event.body {
                Body::GateEnded(ended) if self.trying.contains(&ended.effect) => {
                    judged(ended, NOT_YET)
                }
                Body::AttemptEnded(ended) => {
                    let outcome = &ended.outcome;
                    let class = outcome.class.as_str();
                    let why = self.repeats.hear(ended.effect, class, &outcome.reason);
                    attempt_ended(ended, &why)
                }
                Body::Moved(moved) => {
                    let why = self.repeats.without(&moved.why);
                    moved_on(moved, &why)
                }
                body => sentence(body),
            },
        }
    }
}

/// What each check of a gate said; `fail` is the word for those that did not hold.
fn judged(ended: &GateEnded, fail: &str) -> String {
    let word = |result: &CheckResult| match result.verdict {
        // It chooses the way that the run takes, and judges nothing.
        Verdict::Fail | Verdict::CouldNotRun if !result.weight.is_binding() => "noted".to_owned(),
        Verdict::Fail => fail.to_owned(),
        // The check holds since it could say so: what it looked at does not.
        Verdict::Pass if result.shows.contains(RED_BEFORE) => {
            "pass, red before the work".to_owned()
        }
        verdict => verdict.as_str().to_owned(),
    };
    let words = ended.results.iter().map(|result| {
        let ran = result.ran.as_ref();
        let refused = ran.and_then(Ran::refused_connections);
        let refused = refused.map_or_else(String::new, |line| format!(" ({line})"));
        format!("{} {}{refused}", result.check, word(result))
    });
    let words: Vec<String> = words.collect();
    format!("{} judged: {}", ended.effect, words.join("; "))
}

fn attempt_ended(ended: &AttemptEnded, why: &str) -> String {
    let outcome = &ended.outcome;
    let request = outcome
        .request
        .as_ref()
        .map_or_else(String::new, |state| format!(", asks for `{state}`"));
    let refused = outcome.refused_connections();
    let kept = outcome.kept.as_ref();
    format!(
        "{} ended: {}, {why}{request}{}{}",
        ended.effect,
        outcome.class.as_str(),
        kept.map_or_else(String::new, |at| match outcome.class {
            Class::Done => format!("; edits in no commit that it wrote over are kept on {at}"),
            _ => format!("; its work is kept on {at}"),
        }),
        refused.map_or_else(String::new, |line| format!("; {line}"))
    )
}

fn moved_on(moved: &Moved, why: &str) -> String {
    let hold = moved.position.hold.as_ref();
    let hold = hold.map_or_else(String::new, |hold| format!(" [held: {}]", hold.name()));
    format!(
        "`{}` -> `{}` by {} ({}){hold}: {why}",
        moved.from, moved.position.state, moved.by, moved.action
    )
}

/// An event as a sentence.
pub fn sentence(body: &Body) -> String {
    match body {
        Body::RunStarted(started) => {
            let left = started.forked.as_ref();
            let left = left.map_or_else(String::new, |left| {
                format!(", a fork of `{}` at record {}", left.run, left.seq)
            });
            format!(
                "started `{}` of `{}`, autonomy {}{left}",
                started.run, started.workflow, started.autonomy
            )
        }
        Body::SessionOpened(opened) => {
            format!("session {} (version {})", opened.session, opened.version)
        }
        Body::TailCut(cut) => format!(
            "cut a torn last line of {} bytes, kept in {}",
            cut.bytes, cut.kept_in
        ),
        Body::EffectBegan(began) => {
            let on = match began.subject.as_str() {
                "" => String::new(),
                subject => format!(" on {subject}"),
            };
            let kind = format!("{:?}", began.kind).to_lowercase();
            let by = match began.role.as_str() {
                "" => String::new(),
                role => format!(" by {role}"),
            };
            format!(
                "{} began: {kind} in `{}`{by}{on}",
                began.effect, began.state
            )
        }
        Body::AttemptEnded(ended) => attempt_ended(ended, &ended.outcome.reason),
        Body::GateEnded(ended) => judged(ended, Verdict::Fail.as_str()),
        Body::CheckpointEnded(ended) => match (&ended.commit, &ended.problem) {
            (Some(commit), _) => format!("{} committed {commit}", ended.effect),
            (None, problem) => format!(
                "{} could not commit: {}",
                ended.effect,
                problem.as_deref().unwrap_or("unknown")
            ),
        },
        Body::EffectLost(lost) => format!("{} lost: {}", lost.effect, lost.reason),
        Body::LateDropped(late) => format!(
            "{} answered too late and was dropped: {}",
            late.effect, late.said
        ),
        Body::Moved(moved) => moved_on(moved, &moved.why),
        Body::Refused(refused) => format!("refused: {}", refused.refusal),
        Body::Decided(decision) => format!(
            "{} decided `{}` through {}: {}",
            decision.who, decision.option, decision.channel, decision.because
        ),
        Body::FieldsEdited(edited) => {
            let taken = edited.fields.keys().cloned();
            let refused = edited.refused.values();
            let refused = refused.map(|refusal| format!("not taken: {refusal}"));
            let all: Vec<String> = taken.chain(refused).collect();
            format!("a person edited {}", all.join(", "))
        }
        Body::Noted(note) => facts::sentence(note),
        Body::SnapshotTaken(taken) => format!("snapshot {} ({})", taken.file, taken.hash),
        Body::Rewound(back) => format!(
            "`{}` -> `{}` by a person, back to the commit {}: {}",
            back.from, back.position.state, back.commit, back.why
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Answer, Began, Gate};
    use kernel::StateName;
    use kernel::effect::{EffectKind, Weight};
    use kernel::event::EffectBegan;
    use kernel::outcome::Found;

    fn began(subject: &str) -> EffectBegan {
        EffectBegan {
            effect: EffectId(1),
            kind: EffectKind::Gate,
            state: StateName::from("shape"),
            role: String::new(),
            subject: subject.to_owned(),
            wall_millis: 0,
        }
    }

    fn ended() -> GateEnded {
        let mut way = CheckResult::new("one_of", Verdict::Fail, "it is yes");
        way.weight = Weight::Advisory;
        GateEnded {
            effect: EffectId(1),
            results: vec![
                CheckResult::new("fields", Verdict::Fail, "`Plan` is empty"),
                CheckResult::new("freeze", Verdict::Pass, "frozen"),
                way,
            ],
            tree: None,
            found: Found::default(),
        }
    }

    fn told(subject: &str) -> (String, Gate) {
        let mut timeline = Timeline::default();
        let event = |body| Event { at: Time(0), body };
        timeline.take(1, &event(Body::EffectBegan(began(subject))));
        let entry = timeline.take(2, &event(Body::GateEnded(ended())));
        let effect = began(subject);
        let began = Began {
            at: Time(0),
            effect,
        };
        let gate = Gate::of(Time(0), &ended(), Some(&began), None);
        (entry.sentence, gate)
    }

    #[test]
    fn what_is_tried_before_anybody_worked_is_not_there_yet() {
        let (sentence, gate) = told(WHAT_IS_THERE);
        let said = "fields not there yet; freeze pass; one_of noted";
        assert!(sentence.ends_with(said), "{sentence}");
        assert!(gate.is_not_yet());
        assert_eq!(gate.sentence(), "not there yet: fields");
        assert_eq!(gate.checks[0].verdict(), NOT_YET);
        assert_eq!(gate.checks[0].answer, Answer::Failed, "for scripts");
        // A gate that judges what somebody did says that it failed.
        let (sentence, gate) = told("");
        let said = "fields fail; freeze pass; one_of noted";
        assert!(sentence.ends_with(said), "{sentence}");
        assert!(!gate.is_not_yet());
        assert_eq!(gate.checks[0].verdict(), "fail");
    }
}
