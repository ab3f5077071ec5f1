//! A file of tests without what is only said when a test fails: messages of assertions, comments and
//! docstrings. Who has a word in there alone has tested nothing by it.
//!
//! It reads letters and brackets, no grammar: a string that it takes for another one ends with its line.

/// What an assertion says beyond this many arguments is a message.
type Calls = &'static [(&'static str, usize)];

struct Language {
    endings: &'static [&'static str],
    comment: &'static str,
    /// Between which comments are that end elsewhere.
    block: Option<(&'static str, &'static str)>,
    quotes: &'static str,
    calls: Calls,
}

const LANGUAGES: [Language; 4] = [
    Language {
        endings: &["py"],
        comment: "#",
        block: None,
        quotes: "\"'",
        calls: &[
            ("assertTrue", 1),
            ("assertFalse", 1),
            ("assertIsNone", 1),
            ("assertIsNotNone", 1),
            ("assertEqual", 2),
            ("assertNotEqual", 2),
            ("assertIs", 2),
            ("assertIsNot", 2),
            ("assertIn", 2),
            ("assertNotIn", 2),
            ("assertIsInstance", 2),
            ("assertNotIsInstance", 2),
            ("assertGreater", 2),
            ("assertGreaterEqual", 2),
            ("assertLess", 2),
            ("assertLessEqual", 2),
            ("assertRegex", 2),
            ("assertNotRegex", 2),
            ("assertCountEqual", 2),
            ("assertDictEqual", 2),
            ("assertListEqual", 2),
            ("fail", 0),
            ("print", 0),
            ("skip", 0),
            ("skipTest", 0),
        ],
    },
    Language {
        endings: &["js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx"],
        comment: "//",
        block: Some(("/*", "*/")),
        quotes: "\"'`",
        calls: &[
            ("assert", 1),
            ("ok", 1),
            ("expect", 1),
            ("equal", 2),
            ("notEqual", 2),
            ("strictEqual", 2),
            ("notStrictEqual", 2),
            ("deepEqual", 2),
            ("deepStrictEqual", 2),
            ("notDeepEqual", 2),
            ("notDeepStrictEqual", 2),
            ("match", 2),
            ("throws", 2),
            ("rejects", 2),
            ("fail", 0),
            ("log", 0),
        ],
    },
    Language {
        endings: &["rs"],
        comment: "//",
        block: Some(("/*", "*/")),
        quotes: "\"",
        calls: &[
            ("assert", 1),
            ("assert_eq", 2),
            ("assert_ne", 2),
            ("expect", 0),
            ("expect_err", 0),
            ("panic", 0),
            ("unreachable", 0),
            ("println", 0),
            ("eprintln", 0),
        ],
    },
    Language {
        endings: &["go"],
        comment: "//",
        block: Some(("/*", "*/")),
        quotes: "\"`",
        calls: &[
            ("Error", 0),
            ("Errorf", 0),
            ("Fatal", 0),
            ("Fatalf", 0),
            ("Log", 0),
            ("Logf", 0),
            ("Skip", 0),
            ("Println", 0),
        ],
    },
];

/// Arguments that are messages by their name.
const NAMED: [&str; 3] = ["msg", "message", "reason"];
/// Calls of JavaScript whose second argument is a message where it is a text.
const TEXT_IS_SAID: [&str; 2] = ["throws", "rejects"];

/// The text without them; files that are no code stay as they are.
pub fn without_messages(path: &str, text: &str) -> String {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let language = LANGUAGES.iter().find(|one| one.endings.contains(&ending));
    let Some(language) = language else {
        return text.to_owned();
    };
    let mut reading = Reading {
        language,
        kept: String::new(),
        open: Vec::new(),
        statement: Statement::Begins,
        indent: 0,
    };
    let mut rest = text;
    while !rest.is_empty() {
        rest = reading.takes(rest);
    }
    reading.kept
}

/// A bracket that is open.
struct Open {
    /// How far in its line begins.
    indent: usize,
    call: String,
    /// How many arguments it has before the rest is a message.
    least: Option<usize>,
    arguments: usize,
    /// Is what stands here now said only?
    said: bool,
    /// Is all of it?
    within: bool,
}

#[derive(PartialEq, Eq)]
enum Statement {
    Begins,
    /// `assert` of Python, before its comma.
    Asserts,
    /// Behind it.
    Says,
    Other,
}

struct Reading {
    language: &'static Language,
    kept: String,
    open: Vec<Open>,
    statement: Statement,
    indent: usize,
}

impl Reading {
    fn is_said(&self) -> bool {
        match self.open.last() {
            Some(open) => open.said || open.within,
            None => self.statement == Statement::Says,
        }
    }

    fn keeps(&mut self, part: &str) {
        match self.is_said() {
            true => self.kept.push(' '),
            false => self.kept.push_str(part),
        }
    }

    /// Takes one thing, and gives back what is left.
    fn takes<'t>(&mut self, rest: &'t str) -> &'t str {
        if let Some(left) = self.passed_over(rest) {
            self.kept.push(' ');
            return left;
        }
        let Some(first) = rest.chars().next() else {
            return "";
        };
        if self.language.quotes.contains(first) {
            let (part, left) = rest.split_at(string_of(rest, first));
            let told = self.language.endings == ["py"]
                && self.open.is_empty()
                && self.statement == Statement::Begins;
            match told {
                true => self.kept.push(' '),
                false => self.keeps(part),
            }
            self.statement_goes_on();
            return left;
        }
        if first.is_alphabetic() || first == '_' {
            let other = |one: char| !(one.is_alphanumeric() || one == '_');
            let (word, left) = rest.split_at(rest.find(other).unwrap_or(rest.len()));
            self.word(word, left);
            return left;
        }
        let left = &rest[first.len_utf8()..];
        // A quote by itself, in Rust.
        if let Some(left) = left.strip_prefix("\"'").filter(|_| first == '\'') {
            return left;
        }
        self.sign(first, left);
        left
    }

    /// What is left behind a comment, where one begins here.
    fn passed_over<'t>(&self, rest: &'t str) -> Option<&'t str> {
        if rest.starts_with(self.language.comment) {
            return Some(&rest[rest.find('\n').unwrap_or(rest.len())..]);
        }
        let (begins, ends) = self.language.block?;
        let inside = rest.strip_prefix(begins)?;
        Some(inside.split_once(ends).map_or("", |(_, left)| left))
    }

    fn word(&mut self, word: &str, left: &str) {
        let named = left.trim_start().strip_prefix('=');
        let named = named.is_some_and(|behind| !behind.starts_with(['=', '>']));
        if let Some(open) = self.open.last_mut() {
            open.said |= named && open.least.is_some() && NAMED.contains(&word);
        }
        if self.open.is_empty()
            && self.statement == Statement::Begins
            && word == "assert"
            && self.language.endings == ["py"]
        {
            self.statement = Statement::Asserts;
        }
        self.keeps(word);
        self.statement_goes_on();
    }

    fn sign(&mut self, sign: char, left: &str) {
        match sign {
            '(' | '[' | '{' => {
                let before = self.kept.trim_end().trim_end_matches('!');
                let other = |one: char| !(one.is_alphanumeric() || one == '_');
                let call = before.rsplit(other).next().unwrap_or_default().to_owned();
                let least = self.language.calls.iter().find(|(name, _)| *name == call);
                let least = least.map(|(_, least)| *least).filter(|_| sign == '(');
                let within = self.is_said();
                self.keeps(&sign.to_string());
                self.open.push(Open {
                    indent: self.indent,
                    call,
                    least,
                    arguments: 0,
                    said: least == Some(0),
                    within,
                });
                // A body of functions has statements of its own.
                self.statement_goes_on();
                return;
            }
            ')' | ']' | '}' => {
                self.open.pop();
            }
            ',' => match self.open.last_mut() {
                Some(open) => {
                    open.arguments += 1;
                    let text = left.trim_start().starts_with(['"', '\'', '`']);
                    let told = text && TEXT_IS_SAID.contains(&open.call.as_str());
                    open.said = open.least.is_some_and(|least| open.arguments >= least) || told;
                }
                None if self.statement == Statement::Asserts => self.statement = Statement::Says,
                None => {}
            },
            '\n' => self.line(left),
            _ => {}
        }
        match sign {
            '\n' => self.kept.push('\n'),
            _ => self.keeps(&sign.to_string()),
        }
        if !sign.is_whitespace() {
            self.statement_goes_on();
        }
    }

    /// A new line: what was open further in than it begins is closed, whatever was made of its signs.
    fn line(&mut self, left: &str) {
        let line = left.lines().next().unwrap_or_default();
        if !line.trim().is_empty() {
            self.indent = line.len() - line.trim_start().len();
            let indent = self.indent;
            self.open.retain(|open| open.indent <= indent);
        }
        if self.open.is_empty() {
            self.statement = Statement::Begins;
        }
    }

    fn statement_goes_on(&mut self) {
        if self.statement == Statement::Begins {
            self.statement = Statement::Other;
        }
    }
}

/// Where a string ends that begins here.
fn string_of(rest: &str, quote: char) -> usize {
    let thrice = [quote; 3].iter().collect::<String>();
    if let Some(inside) = rest.strip_prefix(&thrice) {
        let behind = inside.find(&thrice).map(|at| at + 2 * thrice.len());
        return behind.unwrap_or(rest.len());
    }
    let lines = quote == '`';
    let mut escaped = false;
    for (at, one) in rest.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !lines => return at,
            one if one == quote => return at + one.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::without_messages;

    #[test]
    fn what_is_said_when_a_test_fails_is_left_out() {
        for (path, text) in [
            ("t.py", "self.assertEqual(total('x'), None, 'bad_price')"),
            (
                "t.py",
                "self.assertTrue(total('x') is None, msg='bad_price')",
            ),
            (
                "t.py",
                "self.assertRaises(Exception, total, 'x')  # bad_price",
            ),
            (
                "t.py",
                "def test_x():\n    \"\"\"bad_price\"\"\"\n    assert total('x') is None, 'bad_price'\n",
            ),
            ("t.py", "assert total('x'), f\"{why('bad_price')} came\""),
            ("t.py", "pytest.fail('no bad_price')"),
            (
                "t.py",
                "self.assertEqual(\n    total('x'),\n    None,\n    tell('bad_price'),\n)",
            ),
            ("t.js", "assert.throws(() => total('x'), 'bad_price')"),
            (
                "t.mjs",
                "assert.equal(total('x'), null, `bad_price`) // bad_price\n/* bad_price */",
            ),
            ("t.rs", "assert!(total(\"x\").is_err(), \"bad_price\");"),
            ("t.rs", "total(\"x\").expect_err(\"bad_price\");"),
            ("t_test.go", "if err == nil { t.Fatalf(\"no bad_price\") }"),
        ] {
            let kept = without_messages(path, text);
            assert!(!kept.contains("bad_price"), "{text}: {kept}");
            assert!(
                kept.contains("total") || text.contains("fail") || path.ends_with("go"),
                "{kept}"
            );
        }
    }

    #[test]
    fn what_is_asserted_stays() {
        for (path, text) in [
            (
                "t.py",
                "self.assertEqual(code(total, 'x'), 'bad_price', 'the code')",
            ),
            (
                "t.py",
                "with self.assertRaisesRegex(ValueError, 'bad_price'):\n    total('x')",
            ),
            (
                "t.py",
                "with pytest.raises(E, match='bad_price'): total('x')",
            ),
            ("t.py", "assert total('x') == 'bad_price', 'why'"),
            ("t.py", "CASES = [\n    ('x', 'bad_price'),\n]"),
            (
                "t.py",
                "why = 'it''s'\nassert total(\"it's\") == 'bad_price'",
            ),
            (
                "t.py",
                "def test_s2_bad_price(self):\n    self.assertRaises(E, total, 'x')",
            ),
            (
                "t.js",
                "assert.throws(() => total('x'), { code: 'bad_price' })",
            ),
            (
                "t.js",
                "assert.throws(() => { total('x') }, /bad_price/, 'why')",
            ),
            (
                "t.js",
                "test('s2', () => { expect(() => total('x')).toThrow('bad_price') })",
            ),
            (
                "t.rs",
                "assert!(matches!(total(\"x\"), Err(Error::bad_price)));",
            ),
            (
                "t.rs",
                "fn f<'a>() { assert_eq!(total(\"x\"), Err(\"bad_price\"), \"why\"); }",
            ),
            ("t.go", "if total(x) != \"bad_price\" { t.Fatal(\"why\") }"),
            ("cases", "s2|x|bad_price # bad"),
        ] {
            let kept = without_messages(path, text);
            assert!(kept.contains("bad_price"), "{text}: {kept}");
        }
    }
}
