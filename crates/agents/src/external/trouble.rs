//! From an agent's complaint to a class. Agents report the same failure in many words, so the words
//! are judged in one place. Only messages that an agent marks as errors come here.

use crate::failure::one_line;
use kernel::outcome::Class;
use std::time::Duration;

/// A failure, classed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) class: Class,
    pub(crate) reason: String,
    /// How long the provider asked us to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// Words that settle the class, in the order in which they are tried: an error about a quota
/// often carries a status that means less, and an error about a key often a longer text.
const WORDS: [(Class, &[&str]); 5] = [
    (
        Class::Overflow,
        &[
            "prompt is too long",
            "context_length_exceeded",
            "context length",
            "context window",
            "maximum context",
            "contextoverflow",
            "input token count",
            "input is too long",
        ],
    ),
    (
        Class::Declined,
        &[
            "content_policy",
            "content policy",
            "usage policy",
            "violat",
            "refusal",
            "prohibited_content",
            "invalid_prompt",
            "blocked due to safety",
        ],
    ),
    (
        Class::Quota,
        &[
            "insufficient_quota",
            "quota",
            "usage limit",
            "usage_limit",
            "credit balance",
            "billing",
            "hit your limit",
            "payment required",
        ],
    ),
    (
        Class::Auth,
        &[
            "authentication",
            "unauthorized",
            "unauthenticated",
            "invalid api key",
            "api key not valid",
            "invalid x-api-key",
            "incorrect api key",
            "no api key",
            "missing environment variable",
            "not logged in",
            "/login",
            "auth method",
            "permission_denied",
            "oauth token",
        ],
    ),
    (
        Class::Transient,
        &[
            "overloaded",
            "high demand",
            "temporary error",
            "rate limit",
            "rate_limit",
            "too many requests",
            "timed out",
            "timeout",
            "econn",
            "enotfound",
            "socket",
            "connection",
            "network",
            "fetch failed",
            "stream disconnected",
            "server error",
            "server_error",
            "internal error",
            "service unavailable",
            "bad gateway",
            "api_error",
            // A stream that was cut, or that holds no JSON, in the words of the agents' libraries.
            "unterminated string in json",
            "incomplete json",
            "json parsing failed",
            "malformed response",
        ],
    ),
];

/// How Gemini CLI begins what it tells everybody who was slowed down.
const ADVICE: &str = "to increase your limits";

impl Trouble {
    pub(crate) fn new(class: Class, reason: impl AsRef<str>) -> Self {
        Self {
            class,
            reason: one_line(reason.as_ref()),
            retry_after: None,
        }
    }

    /// Judges an error message, with the status of the provider's answer if it is known.
    pub(crate) fn judge(status: Option<u64>, message: &str) -> Self {
        let text = message.to_lowercase();
        // Advice about limits speaks of quotas and logins, whatever the trouble is.
        let text = text.split(ADVICE).next().unwrap_or_default();
        let status = status.or_else(|| status_in(text));
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let by_words = WORDS.iter().find(|(_, words)| says(words));
        let by_words = by_words.map(|(class, _)| *class);
        // The whole of what one library says of a cut stream; within a sentence it may be a crash.
        let bare = text.trim_matches(|c: char| "[]. ".contains(c) || c.is_whitespace());
        let bare = bare
            .trim_start_matches("api ")
            .trim_start_matches("error: ");
        let cut = bare == "terminated";
        let by_words = by_words.or(cut.then_some(Class::Transient));
        let class = match (status, by_words) {
            // What these words say is more exact than any status.
            (_, Some(class @ (Class::Overflow | Class::Declined | Class::Quota))) => class,
            (Some(401 | 403), _) => Class::Auth,
            (Some(402), _) => Class::Quota,
            (Some(413), _) => Class::Overflow,
            (Some(408 | 409 | 425 | 429 | 500..=599), _) => Class::Transient,
            (_, Some(class)) => class,
            // The request itself is wrong (model, parameter): trying again changes nothing.
            (Some(400 | 404 | 422), None) => Class::CouldNotRun,
            (_, None) => Class::Crashed,
        };
        let reason = match status {
            Some(status) if !text.contains(&status.to_string()) => format!("{status}: {message}"),
            _ if message.trim().is_empty() => "it reported an error without a message".to_owned(),
            _ => message.to_owned(),
        };
        Self {
            retry_after: retry_after(text),
            ..Self::new(class, reason)
        }
    }
}

/// An HTTP error status that stands in the text as a word of its own.
fn status_in(text: &str) -> Option<u64> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != ':')
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| word.len() == 3)
        .filter_map(|word| word.parse().ok())
        .find(|status| matches!(status, 400..=599))
}

/// Seconds after `retry-after`, `retry in` or `try again in`.
fn retry_after(text: &str) -> Option<Duration> {
    let marks = ["retry-after", "retry after", "retry in", "try again in"];
    let rest = marks
        .iter()
        .find_map(|mark| text.split_once(mark))
        .map(|(_, rest)| rest)?;
    let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '\n');
    let digits: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let unit = rest[digits.len()..].trim_start();
    let seconds: f64 = digits.trim_end_matches('.').parse().ok()?;
    let factor = match unit {
        _ if unit.starts_with("ms") => 0.001,
        _ if unit.starts_with('m') => 60.0,
        _ if unit.starts_with('h') => 3600.0,
        _ => 1.0,
    };
    Duration::try_from_secs_f64(seconds * factor).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_complaint_has_its_class() {
        let cases = [
            (
                None,
                "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:8089/v1",
                Class::Auth,
            ),
            (None, "401 invalid x-api-key", Class::Auth),
            (
                Some(401),
                "Invalid API key · Fix external API key",
                Class::Auth,
            ),
            (
                None,
                "[API Error: {\"error\":{\"type\":\"authentication_error\"}}]",
                Class::Auth,
            ),
            (None, "Invalid auth method selected.", Class::Auth),
            (None, "Not logged in · Please run /login", Class::Auth),
            (
                None,
                "exceeded retry limit, last status: 429 Too Many Requests",
                Class::Transient,
            ),
            (
                Some(429),
                "You exceeded your current quota, please check your plan",
                Class::Quota,
            ),
            (
                None,
                "You've hit your usage limit. Try again in 3 hours.",
                Class::Quota,
            ),
            (None, "Credit balance is too low", Class::Quota),
            (Some(529), "Overloaded", Class::Transient),
            (None, "API Error: 500 scripted error", Class::Transient),
            (
                None,
                "stream disconnected before completion",
                Class::Transient,
            ),
            (
                Some(400),
                "prompt is too long: 210000 tokens > 200000 maximum",
                Class::Overflow,
            ),
            (
                None,
                "Your input exceeds the context window of this model.",
                Class::Overflow,
            ),
            (
                Some(400),
                "Invalid prompt: your prompt was flagged as violating our usage policy",
                Class::Declined,
            ),
            (
                None,
                "[API Error: {\"type\":\"rate_limit_error\"}] Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method",
                Class::Transient,
            ),
            (
                None,
                "[API Error: {\"type\":\"api_error\"}]",
                Class::Transient,
            ),
            (None, "terminated", Class::Transient),
            (None, "[API Error: terminated]", Class::Transient),
            (
                None,
                "Unterminated string in JSON at position 14",
                Class::Transient,
            ),
            (None, "process terminated by signal 9", Class::Crashed),
            (None, "terminated: out of memory", Class::Crashed),
            (
                None,
                "Unterminated string literal in main.py",
                Class::Crashed,
            ),
            (Some(404), "no such model", Class::CouldNotRun),
            (
                None,
                "model `x` does not exist at port 8089",
                Class::Crashed,
            ),
            (None, "", Class::Crashed),
        ];
        for (status, text, class) in cases {
            assert_eq!(Trouble::judge(status, text).class, class, "{text}");
        }
        assert_eq!(Trouble::judge(Some(500), "x\n y").reason, "500: x y");
    }

    #[test]
    fn patience_is_read_from_the_text() {
        let cases = [
            ("retry-after: 7", Some(7_000)),
            ("Please try again in 1.5s.", Some(1_500)),
            ("try again in 3 hours", Some(10_800_000)),
            ("please retry in 20ms", Some(20)),
            ("slow down", None),
        ];
        for (text, expected) in cases {
            let found = retry_after(text).map(|wait| wait.as_millis());
            assert_eq!(found, expected, "{text}");
        }
    }
}
