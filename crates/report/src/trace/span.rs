//! One span, and what each kind of record says of its own.

use super::inside::{Call, Called};
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

/// Where the work of a span is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Calls {
    #[default]
    Here,
    Elsewhere,
}

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
    /// Is it a call of somebody elsewhere?
    pub(super) calls: Calls,
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

/// The calls of models and tools that an attempt's transcript tells of, below its span. Where no time is told,
/// they stand in their order, and take none.
pub(super) fn within(attempt: &Span, calls: Vec<Call>) -> Vec<Span> {
    let (first, last) = (attempt.began, attempt.ended);
    let mut cursor = first;
    let mut spans = Vec::new();
    for (nth, call) in calls.into_iter().enumerate() {
        let id = &store::sha256_hex(format!("{} {nth}", attempt.id).as_bytes())[..16];
        let inside = |at: Time| at.clamp(first, last);
        let began = call.began.map(inside);
        let ended = call.ended.map(inside);
        let span = Span::new(id, &attempt.id, began.unwrap_or(cursor));
        let span = match call.called {
            Called::Model { name, tokens } => of_model(span, name.as_deref(), tokens),
            Called::Tool { name } => span
                .named(format!("execute_tool {name}"))
                .with("gen_ai.operation.name", "execute_tool")
                .with("gen_ai.tool.name", name),
        };
        let span = match call.id.as_str() {
            "" => span,
            id if span.calls == Calls::Elsewhere => span.with("gen_ai.response.id", id),
            id => span.with("gen_ai.tool.call.id", id),
        };
        let span = match (began, ended) {
            (Some(_), Some(_)) => span.with("proofhouse.time", "told"),
            _ => span.with("proofhouse.time", "order"),
        };
        let span = if call.failed {
            span.failed("tool_error")
        } else {
            span
        };
        let at = ended.unwrap_or(span.began);
        let span = span.ended(at);
        cursor = cursor.max(span.ended);
        spans.push(span);
    }
    spans
}

fn of_model(mut span: Span, name: Option<&str>, tokens: Option<(u64, u64)>) -> Span {
    span.calls = Calls::Elsewhere;
    let span = match name {
        Some(name) => span
            .named(format!("chat {name}"))
            .with("gen_ai.response.model", name),
        None => span.named("chat".to_owned()),
    };
    let span = span.with("gen_ai.operation.name", "chat");
    match tokens {
        Some((read, wrote)) => span
            .with("gen_ai.usage.input_tokens", read)
            .with("gen_ai.usage.output_tokens", wrote),
        None => span,
    }
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
