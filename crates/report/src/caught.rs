//! What was tried and did not get through: frozen tests that were edited, approvals and records that
//! were forged, greens that were not earned, files that a role may not write.

use crate::history::History;
use kernel::{Body, Class, EffectId, Time, Verdict};
use serde::Serialize;

/// One thing that was caught.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caught {
    pub at: Time,
    /// A stable code.
    pub code: String,
    /// What was tried, in a few words.
    pub what: &'static str,
    /// Can it be anything else than a try to get past the engine?
    pub gravity: Gravity,
    /// How often the very same was found.
    pub times: u32,
    /// What the engine found.
    pub found: String,
    /// The attempt or the gate that it was caught in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
}

/// How grave it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// Nobody does it by accident.
    Cheat,
    /// Often no more than a tool's cache in the wrong place, or a fixture where runners look by
    /// themselves: for a person to look at.
    Overstep,
}

/// What a code says was tried, if it is one of these.
fn tried(code: &str) -> Option<(&'static str, Gravity)> {
    let cheat = match code {
        "tamper_tripwire" => "a frozen file was changed",
        "gamed_green" => "a green that was not earned",
        "instrument_broken" => "what the test runner reports was changed",
        "forged_approval" => "an approval was forged",
        "gate_record_mismatch" => "a gate's record was forged",
        "scope_snapshot_tampered" => "the frozen scope was rewritten",
        HOW_TESTS_RUN => {
            let what = "what decides how tests run was changed: is that asked for?";
            return Some((what, Gravity::Overstep));
        }
        "out_of_scope" => {
            let what = "something was written where the role may not write";
            return Some((what, Gravity::Overstep));
        }
        _ => return None,
    };
    Some((cheat, Gravity::Cheat))
}

/// What a check shows where only what decides how tests run was changed.
const HOW_TESTS_RUN: &str = "how_tests_run";

/// Everything that was caught in a run, oldest first.
pub fn caught(history: &History) -> Vec<Caught> {
    let mut all: Vec<Caught> = Vec::new();
    type Tried = Option<(&'static str, Gravity)>;
    let mut take = |at, code: &str, tried: Tried, found: &str, effect: Option<EffectId>| {
        let Some((what, gravity)) = tried else {
            return;
        };
        // An attempt's refusal follows from its end: the same thing is told once.
        let told = |one: &&mut Caught| one.code == code && one.found == found;
        if let Some(known) = all.iter_mut().find(told) {
            known.times += u32::from(effect.is_some() && known.effect != effect);
            return;
        }
        all.push(Caught {
            at,
            code: code.to_owned(),
            what,
            gravity,
            times: 1,
            found: found.to_owned(),
            effect,
        });
    };
    for event in history.events() {
        match &event.body {
            Body::AttemptEnded(ended) => {
                let outcome = &ended.outcome;
                let code = outcome.code.as_deref();
                let code = code.or((outcome.class == Class::OutOfScope).then_some("out_of_scope"));
                if let Some(code) = code {
                    take(
                        event.at,
                        code,
                        tried(code),
                        &outcome.reason,
                        Some(ended.effect),
                    );
                }
            }
            Body::GateEnded(ended) => {
                let bad = ended
                    .results
                    .iter()
                    .filter(|one| one.verdict == Verdict::Fail);
                for result in bad {
                    let settings = result
                        .shows
                        .iter()
                        .any(|word| word.as_str() == HOW_TESTS_RUN);
                    if let Some(code) = &result.code {
                        let what = if settings { HOW_TESTS_RUN } else { code };
                        let found = tried(what).filter(|_| tried(code).is_some());
                        take(event.at, code, found, &result.reason, Some(ended.effect));
                    }
                }
            }
            Body::Refused(refused) => {
                let code = &refused.refusal.code;
                take(event.at, code, tried(code), &refused.refusal.what, None);
            }
            Body::Decided(decision) if decision.option == "heal" => {
                let code = "gamed_green";
                take(event.at, code, tried(code), &decision.because, None);
            }
            _ => {}
        }
    }
    all
}
