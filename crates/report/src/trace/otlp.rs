//! Spans in OTLP's JSON: what a collector takes at `/v1/traces`. Ids are hexadecimal and large numbers are
//! texts there, unlike in other JSON of protocol buffers.

use super::span::{Attribute, Calls, Held, Span};
use kernel::Time;
use serde_json::{Value, json};

/// All of a run.
pub(super) struct Trace {
    /// Thirty-two hexadecimal digits.
    pub(super) id: String,
    pub(super) run: String,
    pub(super) spans: Vec<Span>,
}

/// Who works inside of this process.
const INTERNAL: u8 = 1;
/// Who asks another one, and waits.
const CLIENT: u8 = 3;
const OK: u8 = 1;
const ERROR: u8 = 2;

/// An `ExportTraceServiceRequest`.
pub(super) fn request(trace: &Trace) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let spans: Vec<Value> = trace.spans.iter().map(|one| span(&trace.id, one)).collect();
    json!({
        "resourceSpans": [{
            "resource": {"attributes": attributes(&[
                ("service.name", "proofhouse".into()),
                ("service.version", version.into()),
                ("service.instance.id", trace.run.as_str().into()),
            ])},
            "scopeSpans": [{
                "scope": {"name": "proofhouse", "version": version},
                "spans": spans,
            }],
        }],
    })
}

fn span(trace: &str, span: &Span) -> Value {
    let mut value = json!({
        "traceId": trace,
        "spanId": span.id,
        "name": span.name,
        "kind": match span.calls {
            Calls::Here => INTERNAL,
            Calls::Elsewhere => CLIENT,
        },
        "startTimeUnixNano": nanos(span.began),
        "endTimeUnixNano": nanos(span.ended),
        "attributes": attributes(&span.attributes),
        "status": match &span.error {
            None => json!({"code": OK}),
            Some(why) => json!({"code": ERROR, "message": why}),
        },
    });
    if !span.parent.is_empty() {
        value["parentSpanId"] = json!(span.parent);
    }
    if !span.events.is_empty() {
        let events = span.events.iter().map(|(at, name, held)| {
            json!({"timeUnixNano": nanos(*at), "name": name, "attributes": attributes(held)})
        });
        value["events"] = events.collect();
    }
    value
}

fn nanos(at: Time) -> String {
    format!("{}000000", at.0)
}

fn attributes(all: &[Attribute]) -> Value {
    let one = |(name, held): &Attribute| {
        let value = match held {
            Held::Text(text) => json!({"stringValue": text}),
            Held::Number(number) => json!({"intValue": number.to_string()}),
        };
        json!({"key": name, "value": value})
    };
    all.iter().map(one).collect()
}
