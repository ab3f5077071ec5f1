//! Patterns mean what JavaScript means by them, as JSON Schema asks: `\d` is an ASCII digit and
//! `.` stops at every line's end. What runs in linear time alone is taken: no look-around.

use regex::Regex;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The patterns of this process: schemas ask for the same few, and building one costs more than
/// all else of a schema. They come from workflows and roles, so their number is bounded.
static BUILT: Mutex<BTreeMap<String, Regex>> = Mutex::new(BTreeMap::new());

/// A pattern, as it was written and as it is run.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) written: String,
    regex: Regex,
}

impl Pattern {
    pub(crate) fn new(written: &str) -> Result<Self, regex::Error> {
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        let regex = match built.get(written) {
            Some(regex) => regex.clone(),
            None => {
                let regex = Regex::new(&translated(written))?;
                built.insert(written.to_owned(), regex.clone());
                regex
            }
        };
        Ok(Self {
            written: written.to_owned(),
            regex,
        })
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// What the two languages write the same way and mean differently, said so that it means
/// what JavaScript means.
fn translated(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut letters = written.chars().peekable();
    let mut in_class = false;
    let mut after = After::Letter;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('s') => out.push_str(r"[\t-\r\p{Zs}\u{feff}\u{2028}\u{2029}]"),
                Some('S') => out.push_str(r"[^\t-\r\p{Zs}\u{feff}\u{2028}\u{2029}]"),
                Some('b') if in_class => out.push_str(r"\x08"),
                Some('b') => out.push_str(r"(?-u:\b)"),
                Some('0') => out.push_str(r"\x00"),
                Some('c') => match letters.next_if(char::is_ascii_alphabetic) {
                    Some(control) => {
                        let code = u32::from(control.to_ascii_uppercase()) - 64;
                        out.push_str(&format!(r"\x{code:02x}"));
                    }
                    None => out.push_str(r"\c"),
                },
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' if in_class => out.push_str(r"\["),
            '[' => {
                in_class = true;
                out.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // `[]` is nothing and `[^]` anything, where regex would go on reading.
                if letters.next_if_eq(&']').is_some() {
                    in_class = false;
                    let any = out.ends_with('^');
                    out.truncate(out.len() - if any { 2 } else { 1 });
                    out.push_str(if any { r"[\s\S]" } else { r"[^\s\S]" });
                }
                after = After::Opening;
                continue;
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => out.extend(['\\', letter]),
            // Two of them take a class away in regex; here the one is a range, the other its end.
            '-' if in_class && after != After::Letter => {
                out.push_str(r"\-");
                after = After::Letter;
                continue;
            }
            '-' if in_class => {
                out.push('-');
                after = After::Dash;
                continue;
            }
            '.' if !in_class => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            letter => out.push(letter),
        }
        after = After::Letter;
    }
    out
}

/// What stands before a letter in a class.
#[derive(PartialEq, Eq)]
enum After {
    Opening,
    Dash,
    Letter,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_javascript_means() {
        for (pattern, yes, no) in [
            (r"^\d+$", "42", "\u{0968}"),
            (r"^\w$", "a", "\u{e9}"),
            (r"^\W$", "\u{e9}", "a"),
            (r"^\s$", "\u{a0}", "a"),
            (r"^\s$", "\u{feff}", "\u{85}"),
            (r"^\S$", "\u{85}", " "),
            (r"^a.c$", "abc", "a\rc"),
            (r"^[\d.]+$", "1.2", "1a"),
            (r"^[[a]+$", "[a", "b"),
            (r"^[a&&b]+$", "a&b", "c"),
            (r"^[^\D5]$", "4", "5"),
            (r"^[+--]+$", "+,-", "."),
            (r"^[\w-]+$", "a-b", "."),
            (r"^[--/]+$", "-./", ","),
            (r"^\cC$", "\u{3}", "C"),
            (r"^\/$", "/", "a"),
            (r"^[^]$", "\n", ""),
            (r"^\u00e9$", "\u{e9}", "e"),
            (r"^\p{Letter}+$", "\u{e9}a", "1"),
            (r"\bend$", "the end", "bend"),
            (r"^(?<word>a)$", "a", "b"),
        ] {
            let read = Pattern::new(pattern).expect(pattern);
            assert!(read.is_in(yes), "{pattern} in {yes:?}");
            assert!(!read.is_in(no), "{pattern} not in {no:?}");
        }
        for pattern in ["(?=a)", r"(a)\1", "[", "*a", r"\"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
