//! Text without what a terminal would not show: colours, titles, links. Programs colour keys, and a
//! key with a colour code inside is the same key. It does not forget where each byte stood.

use std::collections::BTreeSet;

/// What a program may write for the escape character, in its own text or in JSON, after backslashes.
const SPELLED: [&str; 6] = ["u001b", "u001B", "x1b", "x1B", "033", "e"];
/// The longest that is taken for one sequence.
const LONGEST: usize = 4096;

/// A text without escape sequences.
pub(super) struct Bare {
    pub(super) text: String,
    /// For each byte, where it stood.
    pub(super) places: Vec<usize>,
    /// Where something was taken out.
    pub(super) seams: BTreeSet<usize>,
}

impl Bare {
    /// None if there is nothing to take out.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut bare = Self {
            text: String::new(),
            places: Vec::new(),
            seams: BTreeSet::new(),
        };
        let (mut at, mut taken) = (0, 0);
        let begins = |byte: &u8| matches!(byte, 0x1b | b'\\');
        while let Some(next) = text.as_bytes()[at..].iter().position(begins) {
            at += next;
            match sequence(&text[at..]) {
                Some(length) => {
                    bare.keep(text, taken, at);
                    at += length;
                    taken = at;
                    bare.seams.insert(bare.text.len());
                }
                // Never into the middle of a run of backslashes.
                None => {
                    at += text[at..]
                        .bytes()
                        .take_while(|b| *b == b'\\')
                        .count()
                        .max(1)
                }
            }
        }
        if bare.seams.is_empty() {
            return None;
        }
        bare.keep(text, taken, text.len());
        Some(bare)
    }

    fn keep(&mut self, text: &str, from: usize, to: usize) {
        self.text.push_str(&text[from..to]);
        self.places.extend(from..to);
    }
}

/// The length of the sequence that begins here.
fn sequence(text: &str) -> Option<usize> {
    let escape = escape(text)?;
    let rest = &text[escape..];
    let body = &rest.as_bytes()[..rest.len().min(LONGEST)];
    let length = match body.first()? {
        b'[' => {
            let parameters = |byte: &u8| (0x20..=0x3f).contains(byte);
            let length = 1 + body[1..].iter().take_while(|byte| parameters(byte)).count();
            (0x40..=0x7e)
                .contains(body.get(length)?)
                .then_some(length + 1)?
        }
        // A title or a link: up to the bell, or to an escape and a backslash.
        b']' => {
            let ends = |at: &usize| {
                rest.is_char_boundary(*at)
                    && (body[*at] == 7
                        || rest[*at..].starts_with("\\u0007")
                        || self::escape(&rest[*at..]).is_some())
            };
            let end = (1..body.len()).find(ends)?;
            let close = match self::escape(&rest[end..]) {
                Some(escape) => {
                    escape
                        + rest[end + escape..]
                            .bytes()
                            .take_while(|b| *b == b'\\')
                            .count()
                }
                None if body[end] == 7 => 1,
                None => "\\u0007".len(),
            };
            end + close
        }
        _ => return None,
    };
    Some(escape + length)
}

/// The length of the escape character, however it is spelled.
fn escape(text: &str) -> Option<usize> {
    if text.starts_with('\u{1b}') {
        return Some(1);
    }
    let slashes = text.bytes().take_while(|byte| *byte == b'\\').count();
    let spelled = SPELLED
        .iter()
        .find(|word| slashes > 0 && text[slashes..].starts_with(**word))?;
    Some(slashes + spelled.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_every_byte_knows_its_place() {
        for (text, bare) in [
            ("a\u{1b}[1;31mb\u{1b}[0mc", "abc"),
            (r"a\u001b[31mb\\x1b[0mc\e[Kd", "abcd"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c", "abc"),
            ("é\u{1b}[0m✓", "é✓"),
        ] {
            let found = Bare::of(text).unwrap();
            assert_eq!(found.text, bare, "{text:?}");
            assert_eq!(found.places.len(), bare.len());
            for (at, place) in found.places.iter().enumerate() {
                assert_eq!(text.as_bytes()[*place], bare.as_bytes()[at]);
            }
        }
        for text in [
            "",
            "plain",
            "\u{1b}",
            "\u{1b}[",
            "C:\\new\\table",
            "\u{1b}]0;no end",
        ] {
            assert!(Bare::of(text).is_none(), "{text:?}");
        }
    }
}
