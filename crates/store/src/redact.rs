//! The shapes of keys: takes them out of text before anybody keeps it, and finds them in sources.
//!
//! Pure: text in, text out. Everything that a connector returns passes here, because a model or
//! a tool may print a key that it found. It is not exact about unknown formats: what looks
//! like a key is taken for one, and only the mark stays. It lies here because both agents and
//! checks need the one table.
//!
//! What it cannot see: a key of no known shape that is not given to it, one that was cut in two by
//! other text or by a line break, and one in another spelling than those of [`spellings`]. Whoever
//! holds a key and wants to hide it can.

mod bare;
mod pem;
mod spelled;
mod web;

use bare::Bare;
pub use spelled::spellings;
use std::collections::BTreeSet;

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
    shape("sk-", 16, token),
    shape("sk_live_", 16, alphanumeric),
    shape("rk_live_", 16, alphanumeric),
    shape("AIza", 30, token),
    shape("ya29.", 30, token),
    shape("gsk_", 30, alphanumeric),
    shape("xai-", 30, token),
    shape("hf_", 30, alphanumeric),
    shape("ghp_", 20, alphanumeric),
    shape("gho_", 20, alphanumeric),
    shape("ghs_", 20, alphanumeric),
    shape("ghu_", 20, alphanumeric),
    shape("ghr_", 20, alphanumeric),
    shape("github_pat_", 20, token),
    shape("glpat-", 16, token),
    shape("npm_", 30, alphanumeric),
    shape("pypi-", 40, token),
    shape("xoxa-", 16, token),
    shape("xoxb-", 16, token),
    shape("xoxp-", 16, token),
    shape("xoxr-", 16, token),
    shape("xoxs-", 16, token),
    shape("xapp-", 16, token),
    shape("AKIA", 16, upper),
    shape("ASIA", 16, upper),
    shape("AGE-SECRET-KEY-1", 40, upper),
    shape("Bearer ", 12, bearer),
    shape("bearer ", 12, bearer),
];

const fn shape(start: &'static str, least: usize, body: fn(char) -> bool) -> Shape {
    Shape { start, least, body }
}

/// The two bytes with which anything begins that is looked for; every other place is passed over at once.
static BEGINS: [[bool; 256]; 256] = {
    let mut all = [[false; 256]; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        let start = SHAPES[at].start.as_bytes();
        all[start[0] as usize][start[1] as usize] = true;
        at += 1;
    }
    let mut others = [web::TOKEN, web::ADDRESS, pem::BEGIN].as_slice();
    while let [first, rest @ ..] = others {
        let start = first.as_bytes();
        all[start[0] as usize][start[1] as usize] = true;
        others = rest;
    }
    all
};

/// The first place from `at` on where something may begin. Those bytes are ASCII: it is a character's.
fn may_begin(text: &str, at: usize) -> Option<usize> {
    let mut pairs = text.as_bytes()[at..].windows(2);
    let next = pairs.position(|pair| BEGINS[usize::from(pair[0])][usize::from(pair[1])])?;
    Some(at + next)
}

/// Short strings are no secrets, and taking them out would ruin the text.
const LEAST_EXACT: usize = 6;

/// What goes: from, to, and what of it may stay.
type Cut = (usize, usize, &'static str);

/// The text without the exact secrets and without anything that has a known key's shape, also if a
/// program has coloured it, as a whole or a part of it.
pub fn redact(text: &str, exact: &[&str]) -> String {
    let mut cuts = found(text, &BTreeSet::new(), exact);
    if let Some(bare) = Bare::of(text) {
        let inside = found(&bare.text, &bare.seams, exact);
        let back = |(from, to, kept): Cut| (bare.places[from], bare.places[to - 1] + 1, kept);
        cuts.extend(inside.into_iter().map(back));
    }
    cuts.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to, kept) in cuts {
        if to <= at {
            continue;
        }
        // One that overlaps the last is the rest of it.
        if from >= at {
            out.push_str(&text[at..from]);
            out.push_str(kept);
            out.push_str(MARK);
        }
        at = to;
    }
    out.push_str(&text[at..]);
    out
}

/// Where secrets stand. `seams` are places at which something was taken out of the text.
fn found(text: &str, seams: &BTreeSet<usize>, exact: &[&str]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for secret in exact.iter().map(|secret| secret.trim()) {
        if secret.len() >= LEAST_EXACT {
            let all = text.match_indices(secret);
            cuts.extend(all.map(|(from, found)| (from, from + found.len(), "")));
        }
    }
    let mut at = 0;
    while let Some(next) = may_begin(text, at) {
        at = next;
        let begins = seams.contains(&at) || begins_a_word(&text[..at]);
        let secret = begins.then(|| secret_at(&text[at..])).flatten();
        if let Some((from, to)) = web::password_at(&text[at..]) {
            cuts.push((at + from, at + to, ""));
        }
        match secret.or_else(|| pem::at(&text[at..]).map(|length| ("", length))) {
            Some((kept, length)) => {
                cuts.push((at, at + length, kept));
                at += length;
            }
            None => at += 1,
        }
    }
    cuts
}

/// Can a key begin after this? `task-...` is not one, although it holds `sk-`. What an escape ends
/// with is no letter of a word: a line break in JSON, an equals sign in an address.
fn begins_a_word(before: &str) -> bool {
    if !before
        .chars()
        .next_back()
        .is_some_and(char::is_alphanumeric)
    {
        return true;
    }
    let bytes = before.as_bytes();
    let escaped = |sign: &[u8], digits: usize| {
        let Some(start) = bytes.len().checked_sub(sign.len() + digits) else {
            return false;
        };
        let tail = &bytes[start..];
        tail.starts_with(sign) && tail[sign.len()..].iter().all(u8::is_ascii_hexdigit)
    };
    let letter = bytes.len() > 1 && bytes[bytes.len() - 2] == b'\\';
    letter || escaped(b"\\u", 4) || escaped(b"\\x", 2) || escaped(b"%", 2)
}

/// The secret that begins here: what of it may stay, and its length in bytes.
fn secret_at(rest: &str) -> Option<(&'static str, usize)> {
    let token = web::token_at(rest).map(|length| ("", length));
    token.or_else(|| shaped_at(rest))
}

fn shaped_at(rest: &str) -> Option<(&'static str, usize)> {
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
    let mut at = 0;
    while let Some(next) = may_begin(text, at) {
        at = next;
        let shape = |shape: &&Shape| text[at..].starts_with(shape.start);
        let begins = begins_a_word(&text[..at]);
        match begins.then(|| secret_at(&text[at..])).flatten() {
            Some((_, length)) => {
                let shape = SHAPES.iter().find(shape).map_or("", |shape| shape.start);
                if looks_random(&text[at + shape.len()..at + length]) {
                    found.push(Sighting { at, length, shape });
                }
                at += length;
            }
            None => at += 1,
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
    fn a_key_after_an_escape_or_in_colours_goes() {
        let key = format!("sk-ant-{}", "api03-0123456789abcdefghij");
        let (head, tail) = key.split_at(12);
        for text in [
            // As programs print it, and as that stands in JSON, once and twice.
            format!("\u{1b}[01;31m\u{1b}[K{key}\u{1b}[m rest"),
            format!("word\u{1b}[31m{key}\u{1b}[0m rest"),
            format!("{head}\u{1b}[0m\u{1b}[1m{tail} rest"),
            format!(r#"{{"text":"found\n{key}\tx"}} rest"#),
            format!(r#"{{"text":"found\\n{key}\\tx"}} rest"#),
            format!(r#"{{"text":"\u001b[31m{key}\u001b[0m"}} rest"#),
            format!(r#"{{"text":"{head}\u001b[0m{tail}"}} rest"#),
            format!("https://example.org/?a=b%26key%3D{key}&c rest"),
            format!("\u{1b}]8;;https://example.org/?key={key}\u{7}here\u{1b}]8;;\u{7} rest"),
        ] {
            let clean = redact(&text, &[]);
            assert!(
                !clean.contains(tail) && !clean.contains(&tail[8..]),
                "{text} -> {clean}"
            );
            assert!(clean.contains(MARK) && clean.ends_with("rest"), "{clean}");
        }
        let exact = "hunter2-hunter2";
        let coloured = "hunter2\u{1b}[31m-hunter2";
        assert_eq!(redact(coloured, &[exact]), MARK);
        for text in [
            "a desk-0123456789abcdef0123",
            "\u{1b}[31mred\u{1b}[0m and \\n",
        ] {
            assert_eq!(redact(text, &[]), text);
        }
    }

    #[test]
    fn of_secrets_that_overlap_nothing_stays() {
        let all = ["abcdefgh", "abcdefgh-and-more", "more-of-it"];
        for order in [all, [all[1], all[0], all[2]], [all[2], all[1], all[0]]] {
            assert_eq!(
                redact("x abcdefgh-and-more-of-it y", &order),
                "x [redacted] y"
            );
        }
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
