//! The forms of ids: a prefix and a tail. No regular expressions are run; the pattern is for schemas.

use std::fmt;

/// Longer ids are refused everywhere: they become file names and keys.
pub const LONGEST: usize = 128;

/// What may follow the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// At least three digits.
    Digits,
    /// Exactly eight lowercase hex digits.
    Hex,
    /// Letters, digits, `_`, `-`.
    Word,
}

/// A kind of id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id {
    prefix: &'static str,
    tail: Tail,
}

impl Id {
    /// The kind with this prefix and tail.
    pub const fn new(prefix: &'static str, tail: Tail) -> Self {
        Self { prefix, tail }
    }

    /// Whether the text has this form.
    pub fn accepts(self, text: &str) -> bool {
        let Some(tail) = text.strip_prefix(self.prefix) else {
            return false;
        };
        text.len() <= LONGEST
            && match self.tail {
                Tail::Digits => tail.len() >= 3 && tail.bytes().all(|b| b.is_ascii_digit()),
                Tail::Hex => {
                    tail.len() == 8 && tail.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                }
                Tail::Word => {
                    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
                    !tail.is_empty() && tail.bytes().all(good)
                }
            }
    }

    /// The form as a regular expression, without its ends.
    pub(super) fn pattern(self) -> String {
        let left = LONGEST - self.prefix.len();
        let tail = match self.tail {
            Tail::Digits => format!("[0-9]{{3,{left}}}"),
            Tail::Hex => "[0-9a-f]{8}".to_owned(),
            Tail::Word => format!("[A-Za-z0-9_-]{{1,{left}}}"),
        };
        format!("{}{tail}", self.prefix)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = match self.tail {
            Tail::Digits => "NNN",
            Tail::Hex => "xxxxxxxx",
            Tail::Word => "...",
        };
        write!(f, "{}{tail}", self.prefix)
    }
}
