//! The shapes of keys: takes them out of text before anybody keeps it, and finds them in sources.
//!
//! Pure: text in, text out. Everything that a connector returns passes here, because a model or
//! a tool may print a key that it found. It refuses to be exact about unknown formats: what looks
//! like a key is taken for one, and only the mark stays. It lies here because both agents and
//! checks need the one table.

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// A key's beginning, the characters that may follow, and how many must.
struct Shape {
    start: &'static str,
    least: usize,
    body: fn(char) -> bool,
}

fn token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn bearer(c: char) -> bool {
    token(c) || matches!(c, '.' | '~' | '+' | '/' | '=')
}

fn upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

const SHAPES: &[Shape] = &[
    Shape {
        start: "sk-",
        least: 16,
        body: token,
    },
    Shape {
        start: "AIza",
        least: 30,
        body: token,
    },
    Shape {
        start: "ghp_",
        least: 20,
        body: alphanumeric,
    },
    Shape {
        start: "gho_",
        least: 20,
        body: alphanumeric,
    },
    Shape {
        start: "ghs_",
        least: 20,
        body: alphanumeric,
    },
    Shape {
        start: "github_pat_",
        least: 20,
        body: token,
    },
    Shape {
        start: "glpat-",
        least: 16,
        body: token,
    },
    Shape {
        start: "xoxb-",
        least: 16,
        body: token,
    },
    Shape {
        start: "xoxp-",
        least: 16,
        body: token,
    },
    Shape {
        start: "AKIA",
        least: 16,
        body: upper,
    },
    Shape {
        start: "ASIA",
        least: 16,
        body: upper,
    },
    Shape {
        start: "Bearer ",
        least: 12,
        body: bearer,
    },
    Shape {
        start: "bearer ",
        least: 12,
        body: bearer,
    },
];

/// Short strings are no secrets, and taking them out would ruin the text.
const LEAST_EXACT: usize = 6;

/// The text without the exact secrets and without anything that has a known key's shape.
pub fn redact(text: &str, exact: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in exact.iter().map(|secret| secret.trim()) {
        if secret.len() >= LEAST_EXACT && text.contains(secret) {
            text = text.replace(secret, MARK);
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        match secret_at(rest, before) {
            Some((kept, length)) => {
                out.push_str(kept);
                out.push_str(MARK);
                rest = &rest[length..];
                before = Some(']');
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                before = Some(first);
            }
        }
    }
    out
}

/// The secret that begins here: what of it may stay, and its length in bytes.
fn secret_at(rest: &str, before: Option<char>) -> Option<(&'static str, usize)> {
    // `task-...` is not a key, although it holds `sk-`.
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    SHAPES.iter().find_map(|shape| {
        let body = rest.strip_prefix(shape.start)?;
        let length = body.find(|c| !(shape.body)(c)).unwrap_or(body.len());
        let kept = if shape.start.ends_with(' ') {
            shape.start
        } else {
            ""
        };
        (length >= shape.least).then_some((kept, shape.start.len() + length))
    })
}

/// Something in a text that has a key's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// The byte at which it begins.
    pub at: usize,
    /// Its length in bytes.
    pub length: usize,
    /// How its shape begins; never the key itself.
    pub shape: &'static str,
}

/// What in the text looks like a key. Stricter than [`redact`], because sources and documents hold
/// words such as `Bearer authentication`: a key has a digit, or small and capital letters.
pub fn sightings(text: &str) -> Vec<Sighting> {
    let mut found = Vec::new();
    let mut before = None;
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let shape = |shape: &&Shape| text[at..].starts_with(shape.start);
        match secret_at(&text[at..], before) {
            Some((_, length)) => {
                let shape = SHAPES.iter().find(shape).map_or("", |shape| shape.start);
                if looks_random(&text[at + shape.len()..at + length]) {
                    found.push(Sighting { at, length, shape });
                }
                at += length;
                before = Some(' ');
            }
            None => {
                at += first.len_utf8();
                before = Some(first);
            }
        }
    }
    found
}

fn looks_random(body: &str) -> bool {
    let any = |of: fn(&char) -> bool| body.chars().any(|char| of(&char));
    any(char::is_ascii_digit) || any(char::is_ascii_lowercase) && any(char::is_ascii_uppercase)
}

/// The same for bytes that are mostly text.
pub fn redact_bytes(bytes: &[u8], exact: &[&str]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => redact(text, exact).into_bytes(),
        Err(_) => redact(&String::from_utf8_lossy(bytes), exact).into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_shapes_go_and_the_rest_stays() {
        let cases = [
            ("key sk-ant-api03-AbCdEf0123456789_-xyz.", "key [redacted]."),
            ("sk-proj-0123456789abcdef", "[redacted]"),
            (
                "\"AIzaSyA1234567890123456789012345678901234\"",
                "\"[redacted]\"",
            ),
            ("ghp_0123456789abcdefghij0123456789abcdef", "[redacted]"),
            ("AKIAIOSFODNN7EXAMPLE x", "[redacted] x"),
            (
                "Authorization: Bearer abc.def-ghi_jkl=",
                "Authorization: Bearer [redacted]",
            ),
            (
                "a task-force-of-some-twenty people",
                "a task-force-of-some-twenty people",
            ),
            (
                "sk-short and AKIA and Bearer of news",
                "sk-short and AKIA and Bearer of news",
            ),
            ("", ""),
            ("grün ✓ sk-0123456789abcdef0123 ✓", "grün ✓ [redacted] ✓"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text, &[]), expected);
        }
    }

    #[test]
    fn keys_are_seen_in_sources_and_words_are_not() {
        let key = format!("sk-{}", "0123456789abcdef0123");
        let text = format!("let a = \"{key}\"; // Bearer authentication, sk-learn-contributions\n");
        let seen = sightings(&text);
        assert_eq!(seen.len(), 1);
        assert_eq!(
            (seen[0].at, seen[0].length, seen[0].shape),
            (9, key.len(), "sk-")
        );
        assert!(sightings("").is_empty());
    }

    #[test]
    fn the_exact_key_goes_whatever_its_shape() {
        let text = "x=local-pass-1 y=local-pass-1z";
        assert_eq!(
            redact(text, &["local-pass-1\n"]),
            "x=[redacted] y=[redacted]z"
        );
        assert_eq!(redact("abc", &["a", ""]), "abc");
        assert_eq!(
            redact_bytes(b"\xff secret-key", &["secret-key"]),
            "\u{fffd} [redacted]".as_bytes()
        );
    }
}
