//! Is there a number with a unit in a sentence? A criterion without one cannot be measured. The
//! digits of ids and of dates do not count.

use regex::Regex;
use std::sync::LazyLock;

/// A number and a unit that needs no word before it, or money.
const MEASURED: &str = r"(?xi)
    (?: ^ | [^\w.\-] )
    (?: [$€£] \s? \d[\d.,]*
      | \d[\d.,]* \s?
        (?: % | ‰ | °C
          | (?: ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?
              | bytes?|[kmgt]i?b|[kmgt]?bit/s|[kmg]bps
              | rps|req/s|requests?/s|/s|per\s(?:second|minute|hour|day|month)
              | px|fps|k?hz|kwh?|w|usd|eur|gbp|dollars?|euros?|cents?|x|×
              | requests?|users?|rows?|records?|items?|entries|files?|lines?|characters?|chars?
              | clicks?|steps?|retries|attempts|tries|errors?|failures?|pages?|results?|tokens?|words?
              | columns?|fields?|messages?|events?|connections?|threads?|workers?|seats?|tests?
            ) (?: [^\w] | $ )
        )
    )";

/// A bound, a number, and any word: `at most 3 dashboards`.
const BOUNDED: &str = r"(?xi)
    (?: [<>≤≥]=? | \b(?: at\s(?:most|least) | no\smore\sthan | no\sfewer\sthan | fewer\sthan
      | less\sthan | more\sthan | up\sto | under | below | above | within | over | exactly
      | max(?:imum)?(?:\sof)? | min(?:imum)?(?:\sof)? )\b )
    \s? \d[\d.,]* \s? \p{L}";

static SHAPES: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [MEASURED, BOUNDED].map(|shape| Regex::new(shape).expect("a test compiles both expressions"))
});

/// Does the sentence hold a number with a unit?
pub fn has_threshold(sentence: &str) -> bool {
    SHAPES.iter().any(|shape| shape.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::has_threshold;

    #[test]
    fn numbers_with_units() {
        for text in [
            "answers within 200 ms",
            "95% of calls",
            "p99 < 1.5s",
            "costs $5 at most",
            "holds 10,000 rows",
            "at most 3 dashboards",
            ">= 2 replicas",
            "100 req/s",
            "50 MB",
        ] {
            assert!(has_threshold(text), "{text}");
        }
    }

    #[test]
    fn numbers_without() {
        for text in [
            "AC-1 users can log in",
            "fast",
            "AC-12: totals are right",
            "since 2024-01-05",
            "version 2 of the format",
            "the v2 users",
        ] {
            assert!(!has_threshold(text), "{text}");
        }
    }
}
