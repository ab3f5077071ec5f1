//! A run from its beginning to now as one list: who worked, what was judged, who decided, where it
//! went, each with how long it took and what it cost.

use crate::attempt;
use crate::gate::Gate;
use crate::history::History;
use crate::repeats::Repeats;
use kernel::effect::EffectKind;
use kernel::event::Arrival;
use kernel::{Body, Class, EffectId, Time, Usage};
use serde::Serialize;
use std::collections::BTreeSet;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// When it ended; when it began, if it has not.
    pub at: Time,
    pub kind: StepKind,
    pub tone: StepTone,
    /// The attempt or the gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
    /// Who or what.
    pub title: String,
    /// In a sentence.
    pub text: String,
    /// What a command printed that failed, as far as it says why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// What it cost.
    pub usage: Usage,
}

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Attempt,
    Gate,
    Decision,
    Moved,
    Refused,
    Lost,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepTone {
    Good,
    Bad,
    Unsure,
    Plain,
}

/// The course of a run. `gates` are those of the same history.
pub fn course(history: &History, gates: &[Gate]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut open: BTreeSet<EffectId> = BTreeSet::new();
    let mut repeats = Repeats::default();
    for event in history.events() {
        let at = event.at;
        let since = |effect| {
            let began = history.began(effect);
            began.map(|began| at.since(began.at))
        };
        let step = |kind, tone, title: String, text: String| Step {
            at,
            kind,
            tone,
            effect: None,
            title,
            text,
            detail: String::new(),
            millis: None,
            usage: Usage::default(),
        };
        match &event.body {
            Body::EffectBegan(began) if began.kind == EffectKind::Attempt => {
                open.insert(began.effect);
            }
            Body::AttemptEnded(ended) => {
                open.remove(&ended.effect);
                let outcome = &ended.outcome;
                let tone = match outcome.class {
                    Class::Done => StepTone::Plain,
                    _ => StepTone::Bad,
                };
                // What an agent says of work that was not taken is no news.
                let why = repeats.hear(ended.effect, outcome.class.as_str(), &outcome.reason);
                let said = match outcome.class {
                    Class::Done => attempt::said(outcome).to_owned(),
                    _ => why,
                };
                let mut one = step(StepKind::Attempt, tone, who(history, ended.effect), said);
                one.effect = Some(ended.effect);
                one.millis = since(ended.effect);
                one.usage = outcome.usage;
                steps.push(one);
            }
            Body::GateEnded(ended) => {
                let Some(gate) = gates.iter().find(|gate| gate.effect == ended.effect) else {
                    continue;
                };
                let tone = match gate.passed {
                    true => StepTone::Good,
                    false if gate.is_not_yet() => StepTone::Plain,
                    false => StepTone::Bad,
                };
                let title = format!("gate of {}", gate.state);
                let mut one = step(StepKind::Gate, tone, title, gate.sentence());
                one.effect = Some(ended.effect);
                one.millis = Some(gate.millis);
                let failures = gate.checks.iter().map(|check| check.failure.as_str());
                let failures: Vec<&str> = failures.filter(|text| !text.is_empty()).collect();
                one.detail = failures.join("\n\n");
                steps.push(one);
            }
            Body::Decided(decision) => {
                let title = format!("{} decides {}", decision.who, decision.option);
                let because = decision.because.split(" [").next().unwrap_or_default();
                steps.push(step(
                    StepKind::Decision,
                    StepTone::Unsure,
                    title,
                    because.to_owned(),
                ));
            }
            Body::Moved(moved)
                if moved.arrival == Arrival::Entered && moved.from != moved.position.state =>
            {
                let title = format!("{} \u{2192} {}", moved.from, moved.position.state);
                steps.push(step(
                    StepKind::Moved,
                    StepTone::Plain,
                    title,
                    moved.action.to_string(),
                ));
            }
            Body::Rewound(back) => {
                let title = format!("{} \u{2192} {}", back.from, back.position.state);
                let commit = &back.commit[..12.min(back.commit.len())];
                steps.push(step(
                    StepKind::Moved,
                    StepTone::Unsure,
                    title,
                    format!("back to the commit {commit}"),
                ));
            }
            Body::Moved(moved) if moved.position.hold.is_some() => {
                let hold = moved.position.hold.as_ref();
                let hold = hold.map(|hold| hold.name().to_string()).unwrap_or_default();
                let title = format!("a person is needed ({hold})");
                steps.push(step(
                    StepKind::Moved,
                    StepTone::Unsure,
                    title,
                    repeats.without(&moved.why),
                ));
            }
            Body::Refused(refused) => {
                let refusal = &refused.refusal;
                let title = format!("refused: {}", refusal.code);
                steps.push(step(
                    StepKind::Refused,
                    StepTone::Bad,
                    title,
                    refusal.what.clone(),
                ));
            }
            Body::EffectLost(lost) => {
                open.remove(&lost.effect);
                let mut one = step(
                    StepKind::Lost,
                    StepTone::Unsure,
                    format!("{} is lost", who(history, lost.effect)),
                    lost.reason.clone(),
                );
                one.effect = Some(lost.effect);
                one.millis = since(lost.effect);
                steps.push(one);
            }
            _ => {}
        }
    }
    for effect in open {
        let Some(began) = history.began(effect) else {
            continue;
        };
        steps.push(Step {
            at: began.at,
            kind: StepKind::Attempt,
            tone: StepTone::Plain,
            effect: Some(effect),
            title: who(history, effect),
            text: "at work".to_owned(),
            detail: String::new(),
            millis: None,
            usage: Usage::default(),
        });
    }
    steps
}

/// `coder in implement`.
fn who(history: &History, effect: EffectId) -> String {
    match history.began(effect).map(|began| &began.effect) {
        Some(began) if began.role.is_empty() => {
            format!("{:?} of {}", began.kind, began.state).to_lowercase()
        }
        Some(began) => format!("{} in {}", began.role, began.state),
        None => effect.to_string(),
    }
}
