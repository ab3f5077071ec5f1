//! Whether two texts of a source differ in their layout alone: blanks, line breaks, remarks, a comma
//! before a closing bracket. Whoever formats a file changes nothing of it. It does not take two for the
//! same that a compiler could tell apart: where it is in doubt, and for languages in which a line break
//! may mean something that is not seen at once, they differ.

use crate::rust::tokens_of;
use proc_macro2::{TokenStream, TokenTree};

/// Do they say the same, laid out otherwise?
pub fn same_but_for_layout(path: &str, one: &str, other: &str) -> bool {
    let both = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => (rust(one), rust(other)),
        Some("py") => (python(one), python(other)),
        _ => return false,
    };
    matches!(both, (Some(one), Some(other)) if one == other)
}

fn rust(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    walk(tokens_of(text).ok()?, &mut words);
    Some(words)
}

fn walk(tokens: TokenStream, words: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(one) if one.as_char() == ',');
    let commas = tokens.iter().filter(|token| comma(token)).count();
    // One that stands alone makes a tuple.
    let spare = commas > 1 && tokens.last().is_some_and(comma);
    for token in &tokens[..tokens.len() - usize::from(spare)] {
        match token {
            TokenTree::Group(group) => {
                words.push(format!("{:?}", group.delimiter()));
                walk(group.stream(), words);
                words.push("end".to_owned());
            }
            other => words.push(other.to_string()),
        }
    }
}

/// The statements of Python: each with how deep it stands, without blanks that mean nothing.
fn python(text: &str) -> Option<Vec<String>> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader::default();
    let mut at = 0;
    while at < chars.len() {
        if reader.fresh {
            let width = chars[at..].iter().take_while(|c| **c == ' ').count();
            at += width;
            match chars.get(at) {
                Some('\t' | '\\') => return None,
                Some('\n' | '\r' | '#') | None => {}
                Some(_) => reader.begin(width)?,
            }
        }
        let Some(&char) = chars.get(at) else { break };
        at += match char {
            '#' => chars[at..].iter().take_while(|c| **c != '\n').count(),
            '"' | '\'' => {
                let length = quoted(&chars[at..])?;
                reader.text.extend(&chars[at..at + length]);
                reader.blank = false;
                length
            }
            '\\' => return None,
            '\n' => {
                reader.end_of_line();
                1
            }
            other => {
                reader.take(other)?;
                1
            }
        };
    }
    reader.end_of_line();
    reader.open.is_empty().then_some(reader.statements)
}

struct Reader {
    statements: Vec<String>,
    text: String,
    /// Widths of the blocks around.
    blocks: Vec<usize>,
    /// Commas in each open bracket.
    open: Vec<usize>,
    blank: bool,
    /// Does a statement begin?
    fresh: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            statements: Vec::new(),
            text: String::new(),
            blocks: vec![0],
            open: Vec::new(),
            blank: false,
            fresh: true,
        }
    }
}

impl Reader {
    fn begin(&mut self, width: usize) -> Option<()> {
        self.fresh = false;
        while self.blocks.last().is_some_and(|last| *last > width) {
            self.blocks.pop();
        }
        if self.blocks.last().is_some_and(|last| *last < width) {
            self.blocks.push(width);
        }
        self.text = format!("{} ", self.blocks.len());
        self.blank = false;
        (self.blocks.last() == Some(&width)).then_some(())
    }

    fn end_of_line(&mut self) {
        self.blank = true;
        if self.open.is_empty() && !self.fresh {
            self.statements.push(std::mem::take(&mut self.text));
            self.fresh = true;
        }
    }

    fn take(&mut self, char: char) -> Option<()> {
        let word = |char: char| char.is_alphanumeric() || char == '_';
        match char {
            ' ' | '\t' | '\r' | '\u{c}' => {
                self.blank = true;
                return Some(());
            }
            '(' | '[' | '{' => self.open.push(0),
            ')' | ']' | '}' => {
                let spare = self.open.pop()? > 1 && self.text.ends_with(',');
                let length = self.text.len() - usize::from(spare);
                self.text.truncate(length);
            }
            ',' => {
                if let Some(commas) = self.open.last_mut() {
                    *commas += 1;
                }
            }
            _ => {}
        }
        if self.blank && word(char) && self.text.chars().next_back().is_some_and(word) {
            self.text.push(' ');
        }
        self.blank = false;
        self.text.push(char);
        Some(())
    }
}

/// How long the text in quotes is that begins here.
fn quoted(chars: &[char]) -> Option<usize> {
    let quote = chars[0];
    let triple = chars.len() >= 3 && chars[1] == quote && chars[2] == quote;
    let mut at = if triple { 3 } else { 1 };
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 1,
            '\n' if !triple => return None,
            char if char == quote && !triple => return Some(at + 1),
            char if char == quote && chars[at..].starts_with(&[quote; 3]) => return Some(at + 3),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::same_but_for_layout as same;

    #[test]
    fn a_formatter_changes_nothing() {
        let old = "def test_a():\n  # one\n  assert f(1,2)==[ 3,4 ]\n  for x in y:\n      assert x, 'a b'\n";
        let new = "def test_a():\n    assert f(1, 2) == [\n        3,\n        4,\n    ]\n\n    for x in y:\n        assert x, 'a b'\n";
        assert!(same("a.py", old, new));
        let old = "#[test]\nfn a() { assert_eq!(f(1),  \"x y\"); let v = vec![1,2]; }\n";
        let new = "#[test]\nfn a() {\n    // why\n    assert_eq!(\n        f(1),\n        \"x y\",\n    );\n    let v = vec![1, 2];\n}\n";
        assert!(same("a.rs", old, new));
    }

    #[test]
    fn what_a_compiler_can_tell_apart_is_not_the_same() {
        for (old, new) in [
            ("assert f() == 'a b'\n", "assert f() == 'ab'\n"),
            ("assert f()\n", "# assert f()\n"),
            (
                "if x:\n    a()\n    assert b\n",
                "if x:\n    a()\nassert b\n",
            ),
            (
                "if x:\n    a()\nassert b\n",
                "if x:\n    a()\n    assert b\n",
            ),
            ("assert x == (1,)\n", "assert x == (1)\n"),
            ("assert not x\n", "assert notx\n"),
            ("assert x\n", "assert x\nassert y\n"),
            ("x = 'a\n", "x = 'a\n"),
        ] {
            assert!(!same("a.py", old, new), "{old}");
        }
        for (old, new) in [
            ("fn a() { assert!(b); }", "fn a() { /* assert!(b); */ }"),
            (
                "fn a() { assert_eq!(b, \"x y\"); }",
                "fn a() { assert_eq!(b, \"xy\"); }",
            ),
            ("fn a() { (1,); }", "fn a() { (1); }"),
        ] {
            assert!(!same("a.rs", old, new), "{old}");
        }
        // A line break can end a statement there.
        assert!(!same("a.js", "f( )", "f()"));
    }
}
