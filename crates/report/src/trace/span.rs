//! One span, and what each kind of record says of its own.

use kernel::Time;
use kernel::effect::EffectKind;
use kernel::event::EffectBegan;
use kernel::outcome::{CheckResult, Class, Outcome, Usage, Verdict, Worth};

/// What an attribute holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    Text(String),
    Number(u64),
}

impl From<&str> for Held {
    fn from(text: &str) -> Self {
        Held::Text(text.to_owned())
    }
}

impl From<String> for Held {
    fn from(text: String) -> Self {
        Held::Text(text)
    }
}

impl From<u64> for Held {
    fn from(number: u64) -> Self {
        Held::Number(number)
    }
}

/// A named value.
pub(super) type Attribute = (&'static str, Held);

/// Something that took time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// Sixteen hexadecimal digits.
    pub(super) id: String,
    /// Its parent's; empty for the root.
    pub(super) parent: String,
    pub(super) name: String,
    pub(super) began: Time,
    pub(super) ended: Time,
    pub(super) attributes: Vec<Attribute>,
    /// What happened in it, at which time.
    pub(super) events: Vec<(Time, String, Vec<Attribute>)>,
    /// Why it did not end well.
    pub(super) error: Option<String>,
}

impl Span {
    pub(super) fn new(id: &str, parent: &str, began: Time) -> Self {
        Self {
            id: id.to_owned(),
            parent: parent.to_owned(),
            began,
            ended: began,
            ..Self::default()
        }
    }

    pub(super) fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    pub(super) fn with(mut self, name: &'static str, held: impl Into<Held>) -> Self {
        self.attributes.push((name, held.into()));
        self
    }

    pub(super) fn failed(mut self, why: &str) -> Self {
        self.error = Some(why.to_owned());
        self.with("error.type", why)
    }

    /// A clock that was set back does not end it before it began.
    pub(super) fn ended(mut self, at: Time) -> Self {
        self.ended = at.max(self.began);
        self
    }
}

/// An effect as it began.
pub(super) fn of_effect(span: Span, began: &EffectBegan) -> Span {
    let state = began.state.as_str();
    let span = match began.kind {
        EffectKind::Attempt => span
            .named(format!("invoke_agent {}", began.role))
            .with("gen_ai.operation.name", "invoke_agent")
            .with("gen_ai.agent.name", began.role.as_str()),
        EffectKind::Gate => span.named(format!("gate {state}")),
        EffectKind::Checkpoint => span.named("checkpoint".to_owned()),
    };
    let span = match began.subject.as_str() {
        "" => span,
        subject => span.with("proofhouse.subject", subject),
    };
    span.with("proofhouse.state", state)
        .with("proofhouse.effect", began.effect.to_string())
}

/// What an attempt came to; never what it said.
pub(super) fn attempt_ended(span: Span, outcome: &Outcome) -> Span {
    let mut span = used(span, &outcome.usage)
        .with("gen_ai.provider.name", outcome.agent.as_str())
        .with("proofhouse.attempt.class", outcome.class.as_str())
        .with("proofhouse.attempt.changed", outcome.changed.len() as u64);
    if let Some(model) = &outcome.model {
        span = span.with("gen_ai.request.model", model.as_str());
    }
    if let Some(session) = &outcome.session {
        span = span.with("gen_ai.conversation.id", session.as_str());
    }
    match outcome.class {
        Class::Done => span,
        class => span.failed(class.as_str()),
    }
}

/// Tokens and money, where there were any.
pub(super) fn used(span: Span, usage: &Usage) -> Span {
    if usage.is_nothing() {
        return span;
    }
    span.with("gen_ai.usage.input_tokens", usage.input_tokens)
        .with("gen_ai.usage.output_tokens", usage.output_tokens)
        .with("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens)
        .with("proofhouse.usage.micro_dollars", usage.micro_dollars)
}

/// Every check as an event: the journal knows how long its command took, and not when it began.
pub(super) fn gate_ended(mut span: Span, at: Time, results: &[CheckResult], passed: bool) -> Span {
    for result in results {
        let mut attributes: Vec<Attribute> = vec![
            ("proofhouse.check", result.check.as_str().into()),
            ("proofhouse.check.verdict", result.verdict.as_str().into()),
        ];
        if let Some(worth) = Worth::of(result) {
            attributes.push(("proofhouse.check.worth", worth.as_str().into()));
        }
        if let Some(ran) = &result.ran {
            attributes.push(("proofhouse.check.millis", ran.millis.into()));
            let exit = ran.exit.map(|exit| exit.to_string());
            attributes.extend(exit.map(|exit| ("process.exit.code", Held::Text(exit))));
        }
        span.events.push((at, "check".to_owned(), attributes));
    }
    let failed = results.iter().filter(|one| one.verdict != Verdict::Pass);
    let span = span
        .with("proofhouse.gate.checks", results.len() as u64)
        .with("proofhouse.gate.not_passed", failed.count() as u64);
    match passed {
        true => span.with("proofhouse.gate.verdict", "pass"),
        false => span
            .with("proofhouse.gate.verdict", "fail")
            .failed("gate_failed"),
    }
}
