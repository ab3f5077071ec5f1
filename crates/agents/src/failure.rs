//! Why a request to a provider failed, in the classes that the machine decides by.
//!
//! The only place that reads status codes and error bodies. It names the class and how long the
//! provider wants us to wait; what happens next is the machine's.

use crate::prices::Tokens;
use kernel::outcome::Class;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: Class,
    pub(crate) reason: String,
    pub(crate) retry_after: Option<Duration>,
    /// What was used up before it failed.
    pub(crate) tokens: Tokens,
}

/// A wait that is longer than this is a quota, not a passing fault.
const LONG_RESET: Duration = Duration::from_secs(600);

/// Words that mean money, whatever the status.
const BILLING: [&str; 7] = [
    "insufficient_quota",
    "billing",
    "credit balance",
    "exceeded your current quota",
    "quota exceeded",
    "usage limit",
    "spending limit",
];

/// Words that mean a conversation that is too long.
const OVERFLOW: [&str; 8] = [
    "context_length_exceeded",
    "prompt is too long",
    "maximum context length",
    "context window",
    "exceed context limit",
    "exceeds the available context",
    "input is too long",
    "too many tokens",
];

impl Failure {
    pub(crate) fn new(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            retry_after: None,
            tokens: Tokens::default(),
        }
    }

    pub(crate) fn transient(reason: impl Into<String>) -> Self {
        Self::new(Class::Transient, reason)
    }

    /// From an HTTP answer that is not a success.
    pub(crate) fn status(status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let said = said(&text);
        let retry_after = retry_after(headers);
        let class = class(status, &text.to_lowercase(), retry_after);
        let reason = match said.is_empty() {
            true => format!("the provider answered {status}"),
            false => format!("the provider answered {status}: {said}"),
        };
        Self {
            retry_after,
            ..Self::new(class, reason)
        }
    }

    /// From an error that arrives inside a stream: its kind or code, and its message.
    pub(crate) fn in_stream(kind: &str, message: &str) -> Self {
        let text = format!("{kind} {message}").to_lowercase();
        let status = match kind {
            "authentication_error" | "invalid_api_key" => 401,
            "permission_error" => 403,
            "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
            "invalid_request_error" | "invalid_prompt" | "not_found_error" => 400,
            "request_too_large" => 413,
            _ => 500,
        };
        let reason = format!(
            "the provider broke off: {}",
            one_line(&format!("{kind}: {message}"))
        );
        Self::new(class(status, &text, None), reason)
    }
}

fn class(status: u16, text: &str, retry_after: Option<Duration>) -> Class {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let long = retry_after.is_some_and(|wait| wait > LONG_RESET);
    match status {
        401 => Class::Auth,
        402 => Class::Quota,
        400 | 403 | 429 if says(&BILLING) => Class::Quota,
        403 => Class::Auth,
        413 => Class::Overflow,
        400 | 422 | 500 if says(&OVERFLOW) => Class::Overflow,
        429 if long || text.contains("quota") => Class::Quota,
        408 | 409 | 425 | 429 | 500.. => Class::Transient,
        // The request itself is wrong (model, path, parameter): trying again changes nothing.
        _ => Class::CouldNotRun,
    }
}

/// Seconds, or the milliseconds that some providers add. A date is not read: it needs a clock.
fn retry_after(headers: &BTreeMap<String, String>) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.trim().parse::<f64>().ok();
    let seconds = match number("retry-after-ms") {
        Some(millis) => millis / 1_000.0,
        None => number("retry-after")?,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// The message in an error body, whichever shape it has.
fn said(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let places = [
        &value["error"]["message"],
        &value["message"],
        &value["error"],
        &value["detail"],
    ];
    let message = places.iter().find_map(|place| place.as_str());
    one_line(message.unwrap_or(text))
}

/// One line for a screen, whatever the provider printed.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        None => line,
        Some((at, _)) => format!("{}...", &line[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, header: Option<(&str, &str)>, body: &str) -> Failure {
        let headers = header
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        Failure::status(status, &headers.collect(), body.as_bytes())
    }

    #[test]
    fn every_status_has_its_class() {
        let cases = [
            (401, None, "", Class::Auth),
            (403, None, r#"{"error":{"message":"no"}}"#, Class::Auth),
            (403, None, "Your credit balance is too low", Class::Quota),
            (402, None, "", Class::Quota),
            (429, None, "", Class::Transient),
            (
                429,
                Some(("retry-after", "20")),
                "slow down",
                Class::Transient,
            ),
            (
                429,
                Some(("retry-after", "7200")),
                "slow down",
                Class::Quota,
            ),
            (
                429,
                None,
                r#"{"error":{"code":"insufficient_quota"}}"#,
                Class::Quota,
            ),
            (
                400,
                None,
                r#"{"error":{"code":"context_length_exceeded"}}"#,
                Class::Overflow,
            ),
            (
                400,
                None,
                "prompt is too long: 210000 tokens > 200000 maximum",
                Class::Overflow,
            ),
            (413, None, "", Class::Overflow),
            (
                400,
                None,
                r#"{"error":{"message":"unknown parameter"}}"#,
                Class::CouldNotRun,
            ),
            (404, None, "", Class::CouldNotRun),
            (500, None, "", Class::Transient),
            (503, None, "", Class::Transient),
            (
                529,
                None,
                r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
                Class::Transient,
            ),
        ];
        for (status, header, body, expected) in cases {
            assert_eq!(of(status, header, body).class, expected, "{status} {body}");
        }
    }

    #[test]
    fn waits_and_messages_are_read() {
        let failure = of(
            429,
            Some(("retry-after", "1.5")),
            r#"{"error":{"message":"slow\ndown"}}"#,
        );
        assert_eq!(failure.retry_after, Some(Duration::from_millis(1_500)));
        assert_eq!(failure.reason, "the provider answered 429: slow down");
        assert_eq!(
            of(503, Some(("retry-after-ms", "250")), "").retry_after,
            Some(Duration::from_millis(250))
        );
        for odd in ["-1", "Sun, 15 Nov 2026", "NaN", "1e300"] {
            assert_eq!(
                of(429, Some(("retry-after", odd)), "").retry_after,
                None,
                "{odd}"
            );
        }
    }

    #[test]
    fn errors_inside_a_stream_have_classes_too() {
        let cases = [
            ("overloaded_error", "Overloaded", Class::Transient),
            ("rate_limit_exceeded", "", Class::Transient),
            ("insufficient_quota", "", Class::Quota),
            (
                "invalid_request_error",
                "prompt is too long",
                Class::Overflow,
            ),
            ("context_length_exceeded", "", Class::Overflow),
            ("authentication_error", "", Class::Auth),
        ];
        for (kind, message, expected) in cases {
            assert_eq!(Failure::in_stream(kind, message).class, expected, "{kind}");
        }
    }
}
