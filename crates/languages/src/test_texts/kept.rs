//! Whether a file of tests still holds everything that it held, where its lines are not all there in
//! their order any more: who widens an import, adds a case to a list of them, gives a test a fixture,
//! moves a test, formats it or renames a variable in it has taken nothing away.
//!
//! It goes by blocks (a function, a class, an import), and where it is in doubt, something was lost.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What begins a block whose parts may stand in any order.
pub(super) const CONTAINERS: [&str; 6] =
    ["class ", "describe(", "suite(", "mod ", "impl ", "pub mod "];
/// What belongs to the block above, though it stands as far out.
const GOES_ON: [&str; 7] = ["}", ")", "]", "else", "elif ", "except", "finally"];

/// Is all of the earlier text in the later one?
pub fn holds(path: &str, earlier: &str, later: &str) -> bool {
    if path.ends_with(".json") {
        let read = |text: &str| serde_json::from_str::<Value>(text).ok();
        return matches!((read(earlier), read(later)), (Some(old), Some(new)) if value_kept(&old, &new));
    }
    kept(path, &lines(path, earlier), &lines(path, later))
}

/// Is all of a value there, with something added at most?
fn value_kept(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            let mut later = new.iter();
            old.iter().all(|one| later.any(|other| one == other))
        }
        (Value::Object(old), Value::Object(new)) => old
            .iter()
            .all(|(key, one)| new.get(key).is_some_and(|other| value_kept(one, other))),
        _ => old == new,
    }
}

/// The lines that say something: no blank ones, and of sources no remarks.
pub(super) fn lines<'t>(path: &str, text: &'t str) -> Vec<&'t str> {
    let remark = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" => Some("#"),
        "rs" | "go" | "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some("//"),
        _ => None,
    };
    let mut in_text = false;
    let mut found = Vec::new();
    // A return without a feed ends a line, too, where no reader sees it: to Python and to JavaScript.
    for line in text.split(['\n', '\r']) {
        let bare = line.trim();
        let said = in_text || !remark.is_some_and(|remark| bare.starts_with(remark));
        if !bare.is_empty() && said {
            found.push(line);
        }
        // What looks like a remark in a text of several lines is none.
        let quotes = bare.matches("\"\"\"").count() + bare.matches("'''").count();
        in_text ^= quotes % 2 == 1;
    }
    found
}

pub(super) fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// What stands as far out as anything here, each with what belongs to it.
pub(super) fn blocks<'t>(lines: &[&'t str]) -> Vec<Vec<&'t str>> {
    let out = lines.iter().map(|line| depth(line)).min().unwrap_or(0);
    let mut found: Vec<Vec<&str>> = Vec::new();
    let mut opens = true;
    for line in lines {
        let bare = line.trim();
        let goes_on = depth(line) > out || GOES_ON.iter().any(|one| bare.starts_with(one));
        match found.last_mut() {
            Some(block) if goes_on || !opens => block.push(line),
            _ => found.push(vec![line]),
        }
        // A decorator or an attribute belongs to what it stands over.
        opens = goes_on || !(bare.starts_with('@') || bare.starts_with("#["));
    }
    found
}

/// What stands inside of a block, behind its head and before what closes it.
pub(super) fn body<'t>(block: &[&'t str], head: usize) -> Vec<&'t str> {
    let inside = block[head + 1..].iter();
    inside
        .filter(|line| depth(line) > depth(block[head]))
        .copied()
        .collect()
}

fn kept(path: &str, old: &[&str], new: &[&str]) -> bool {
    let (old, mut new) = (blocks(old), blocks(new));
    let imports: Vec<Import> = new.iter().filter_map(|one| Import::of(one)).collect();
    let same = |one: &[&str], other: &[&str]| {
        let (one, other) = (one.iter(), other.iter());
        one.map(|line| line.trim())
            .eq(other.map(|line| line.trim()))
    };
    let mut changed = Vec::new();
    // What is as it was stands for itself, before it could be taken for something else.
    for block in old {
        match new.iter().position(|other| same(&block, other)) {
            Some(at) => drop(new.remove(at)),
            None => changed.push(block),
        }
    }
    changed.iter().all(|block| {
        if let Some(import) = Import::of(block) {
            return imports.iter().any(|one| one.has(&import));
        }
        let found = new.iter().position(|other| block_kept(path, block, other));
        found.map(|at| new.remove(at)).is_some()
    })
}

fn block_kept(path: &str, old: &[&str], new: &[&str]) -> bool {
    let mut later = new.iter();
    let all_there = old
        .iter()
        .all(|line| later.any(|other| line_kept(line.trim(), other.trim())));
    if all_there
        || crate::same_but_for_layout(path, &old.join("\n"), &new.join("\n"))
        || renamed(old, new)
        || list_grown(old, new)
    {
        return true;
    }
    let head = |block: &[&str]| {
        let is_head = |line: &&str| CONTAINERS.iter().any(|one| line.trim().starts_with(one));
        block.iter().position(is_head)
    };
    match (head(old), head(new)) {
        (Some(at), Some(there)) => {
            old[at].trim() == new[there].trim() && kept(path, &body(old, at), &body(new, there))
        }
        _ => false,
    }
}

/// Is it the same line, or one to which nothing but a case or a fixture was added?
fn line_kept(old: &str, new: &str) -> bool {
    old == new || with_comma(old, new) || grown(old, new)
}

/// The last of a list has got a comma, for the next one.
fn with_comma(old: &str, new: &str) -> bool {
    let plain = !old.contains(" = ") && !old.starts_with("assert");
    plain && old.ends_with([')', ']', '}', '"', '\'']) && new.strip_suffix(',') == Some(old)
}

/// A list of cases that was laid out otherwise, with cases added at most.
fn list_grown(old: &[&str], new: &[&str]) -> bool {
    let flat = |block: &[&str]| {
        let mut said: Vec<&str> = Vec::new();
        for (token, _) in tokens_of(block) {
            if token == "]" && said.last() == Some(&",") {
                said.pop();
            }
            said.push(token);
        }
        said.join(" ")
    };
    let (before, now) = (flat(old), flat(new));
    let list = old.first().is_some_and(|line| is_list(line.trim()));
    list && (before == now || added_inside(&before, &now, ']'))
}

fn grown(old: &str, new: &str) -> bool {
    match old {
        _ if old.starts_with("def test") || old.starts_with("async def test") => {
            added_inside(old, new, ')')
        }
        _ if is_list(old) => added_inside(old, new, ']'),
        _ => false,
    }
}

/// Is it the same but for what was added before one of these brackets?
fn added_inside(old: &str, new: &str, closes: char) -> bool {
    let opens = if closes == ')' { '(' } else { '[' };
    let places = old.char_indices().map(|(at, _)| at);
    places
        .filter(|at| old[*at..].starts_with(closes))
        .any(|at| {
            let (before, behind) = old.split_at(at);
            let more = new
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(behind));
            let Some(more) = more.map(str::trim) else {
                return false;
            };
            let first = before.trim_end().ends_with([opens, ',']);
            let open = open_brackets(before);
            (first || more.starts_with(','))
                && open.is_some_and(|open| open.last() == Some(&opens))
                && open_brackets(more).is_some_and(|open| open.is_empty())
        })
}

/// Is it a line with a list of cases?
fn is_list(line: &str) -> bool {
    let assigned = line.split_once(" = ").is_some_and(|(left, right)| {
        let plain = |each: char| each.is_alphanumeric() || "_ :;&[]'<>(),".contains(each);
        left.chars().all(plain)
            && ["[", "&[", "vec!["]
                .iter()
                .any(|one| right.starts_with(one))
    });
    line.starts_with('@')
        || line.starts_with("#[")
        || line.contains(".each(")
        || (line.starts_with("for ") && line.contains(" in ["))
        || assigned
}

/// The brackets that are open at the end of a text, outside of quotes; none if one closes that was not
/// opened in it, or a quote does not end.
fn open_brackets(text: &str) -> Option<Vec<char>> {
    let mut open = Vec::new();
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for each in text.chars() {
        if let Some(mark) = quote {
            match each {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if each == mark => quote = None,
                _ => {}
            }
            continue;
        }
        match each {
            '"' | '\'' | '`' => quote = Some(each),
            '(' | '[' | '{' => open.push(each),
            ')' | ']' | '}' => {
                let wanted = match each {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(wanted) {
                    return None;
                }
            }
            '#' => return None,
            _ => {}
        }
    }
    quote.is_none().then_some(open)
}

/// An import: from where, and which names.
struct Import {
    from: String,
    names: BTreeSet<String>,
}

impl Import {
    fn of(block: &[&str]) -> Option<Self> {
        let text = block.iter().map(|line| line.trim());
        let text = text.collect::<Vec<&str>>().join(" ");
        let listed = |list: &str| {
            let each = list.split(',').map(|name| name.trim().to_owned());
            each.filter(|name| !name.is_empty()).collect()
        };
        let brackets = ['(', ')'];
        if let Some((from, names)) = text
            .strip_prefix("from ")
            .and_then(|text| text.split_once(" import "))
        {
            return Some(Self {
                from: from.trim().to_owned(),
                names: listed(names.trim_matches(brackets)),
            });
        }
        if let Some(clause) = text.strip_prefix("import ") {
            return match clause.rsplit_once(" from ") {
                Some((clause, from)) => Self::of_script(clause, from),
                // A module by its whole name, in Python.
                None => (!clause.contains(['"', '\''])).then(|| Self {
                    from: String::new(),
                    names: listed(clause),
                }),
            };
        }
        let uses = text.starts_with("use ") || text.starts_with("pub use ");
        let requires = ["const ", "let ", "var "];
        let requires =
            requires.iter().any(|one| text.starts_with(one)) && text.contains("= require(");
        if let (true, Some((before, rest))) = (uses || requires, text.split_once('{')) {
            let (names, behind) = rest.split_once('}')?;
            return Some(Self {
                from: format!("{before}|{behind}"),
                names: listed(names),
            });
        }
        if let (true, Some((before, name))) = (uses, text.rsplit_once("::")) {
            return Some(Self {
                from: format!("{before}::|;"),
                names: listed(name.trim_end_matches(';')),
            });
        }
        None
    }

    /// What stands between `import` and `from` in a script: a default, everything under one name, some names.
    fn of_script(clause: &str, from: &str) -> Option<Self> {
        let (kind, clause) = match clause.strip_prefix("type ") {
            Some(rest) if !rest.starts_with(',') => ("type ", rest),
            _ => ("", clause),
        };
        let (before, named) = match clause.split_once('{') {
            Some((before, rest)) => (before, rest.trim_end().strip_suffix('}')?),
            None => (clause, ""),
        };
        let each = |list: &str| -> Vec<String> {
            let names = list.split(',').map(str::trim);
            names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let whole = each(before).into_iter();
        let whole = whole.map(|name| match name.starts_with('*') {
            true => name,
            false => format!("default as {name}"),
        });
        Some(Self {
            from: format!("{kind}{}", from.trim_end_matches(';').replace('"', "'")),
            names: whole.chain(each(named)).collect(),
        })
    }

    /// Has this one all that the other has, and nothing by the same name from elsewhere?
    fn has(&self, other: &Self) -> bool {
        let bound = |name: &String| {
            let name = name
                .rsplit_once(" as ")
                .map_or(name.as_str(), |(_, name)| name);
            name.rsplit(':').next().unwrap_or(name).trim().to_owned()
        };
        let all: BTreeSet<String> = self.names.iter().map(bound).collect();
        self.from == other.from
            && self.names.is_superset(&other.names)
            && all.len() == self.names.len()
    }
}

/// A word or a sign, and whether a statement begins with it.
type Token<'t> = (&'t str, bool);

/// Are they the same but for the names of variables that are set in them?
fn renamed(old: &[&str], new: &[&str]) -> bool {
    let depths = |block: &[&str]| block.iter().map(|line| depth(line)).collect::<Vec<_>>();
    let (before, after) = (tokens_of(old), tokens_of(new));
    if depths(old) != depths(new) || before.len() != after.len() {
        return false;
    }
    let (locals, later) = (locals(&before), locals(&after));
    let known: BTreeSet<&str> = before.iter().map(|(word, _)| *word).collect();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut back: BTreeMap<&str, &str> = BTreeMap::new();
    before.iter().zip(&after).all(|((one, _), (other, _))| {
        if one != other
            && (!locals.contains(one) || !later.contains(other) || known.contains(other))
        {
            return false;
        }
        *names.entry(*one).or_insert(*other) == *other
            && *back.entry(*other).or_insert(*one) == *one
    })
}

fn tokens_of<'t>(block: &[&'t str]) -> Vec<Token<'t>> {
    let is_word = |each: char| each.is_alphanumeric() || each == '_';
    let mut found = Vec::new();
    for line in block {
        let mut rest = line.trim();
        let mut first = true;
        while let Some(char) = rest.chars().next() {
            let length = match char {
                '"' | '\'' | '`' => {
                    let end = rest[1..].find(char);
                    end.map_or(rest.len(), |end| end + 2)
                }
                _ if is_word(char) => rest.find(|each| !is_word(each)).unwrap_or(rest.len()),
                _ => char.len_utf8(),
            };
            let (token, behind) = rest.split_at(length);
            found.push((token, first));
            first = false;
            rest = behind.trim_start();
        }
    }
    found
}

/// The names that statements set.
fn locals<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let at = |number: usize| tokens.get(number).map_or("", |(token, _)| *token);
    let each = tokens.iter().enumerate();
    each.filter(|(number, (_, first))| {
        let sets = at(number + 1) == "=" && at(number + 2) != "=";
        let said = number.checked_sub(1).map_or("", |before| at(before));
        (*first && sets) || ["let", "const", "var", "for", "mut"].contains(&said)
    })
    .map(|(_, (token, _))| *token)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "from shop import total\n\n\n@pytest.mark.parametrize(\"a,b\", [(1, 2)])\ndef test_a(a, b):\n    found = total([a])\n    assert found == b\n\n\ndef test_b():\n    assert total([]) == 0\n";

    fn py(later: &str) -> bool {
        holds("tests/test_a.py", OLD, later)
    }

    #[test]
    fn what_takes_nothing_away_is_fine() {
        for (old, new) in [
            ("import total", "import tax, total"),
            ("import total", "import (\n    tax,\n    total,\n)"),
            ("[(1, 2)]", "[(1, 2), (3, 4)]"),
            ("[(1, 2)]", "[(1, 2), pytest.param(3, 4, id=\"]\")]"),
            ("def test_b():", "def test_b(cart):"),
            ("def test_a(a, b):", "def test_a(a, b, cart):"),
            ("found", "price"),
            (
                "    assert total([])",
                "    # nothing\n    assert total([])",
            ),
        ] {
            let later = OLD.replace(old, new);
            assert!(OLD != later && py(&later), "{later}");
        }
        // Laid out anew, beside a test that is new.
        let wide = OLD.replace("total([a])", "total(\n        [a]\n    )");
        assert!(py(&format!(
            "{wide}\n\ndef test_c():\n    assert total([2]) == 2\n"
        )));
        let (first, second) = OLD.split_once("\n\n\ndef test_b").unwrap();
        let (import, test) = first.split_once("\n\n\n").unwrap();
        assert!(py(&format!("{import}\n\n\ndef test_b{second}\n\n{test}\n")));
    }

    #[test]
    fn what_takes_something_away_is_not() {
        for (old, new) in [
            ("from shop import", "from fake import"),
            ("import total", "import fake as total"),
            ("from shop import total", "import shop, total"),
            ("import total", "import total, fake as total"),
            ("[(1, 2)]", "[(3, 4)]"),
            ("[(1, 2)]", "[(1, 2), (3, 4)][1:]"),
            ("[(1, 2)]", "[(1, 2) for _ in []]"),
            ("def test_a(a, b):", "def test_a(a):"),
            ("assert found == b", "assert found == b or True"),
            ("assert found == b", "assert (found == b, 1)"),
            ("    found = total([a])\n", "    found = b\n"),
            ("total([]) == 0", "total([1]) == 0"),
            ("def test_b():\n    assert total([]) == 0\n", ""),
        ] {
            let later = OLD.replace(old, new);
            assert!(OLD != later && !py(&later), "{later}");
        }
        // One name for two is another test.
        let two = "def test_a():\n    one = 1\n    two = 2\n    assert one < two\n";
        let swapped = two.replace("one < two", "two < one");
        assert!(!holds("test_a.py", two, &swapped));
        let merged = two.replace("two", "one");
        assert!(!holds("test_a.py", two, &merged));
    }

    #[test]
    fn a_file_of_values_may_be_added_to() {
        let old = r#"{"total": [[1, 2], 3], "tax": 19}"#;
        let json = |new: &str| holds("wanted.json", old, new);
        assert!(json(r#"{"tax": 19, "total": [[1, 2], 3, 4], "more": 1}"#));
        assert!(!json(r#"{"tax": 16, "total": [[1, 2], 3]}"#));
        assert!(!json(r#"{"tax": 19, "total": [[1, 2, 3], 3]}"#));
        assert!(!json("{}"));
    }

    #[test]
    fn so_in_classes_and_in_other_languages() {
        let class = "class A:\n    def test_a(self):\n        assert a() == 1\n\n    def test_b(self):\n        assert b() == 2\n";
        let moved = "class A:\n    def test_b(self):\n        assert b() == 2\n\n    def test_a(self):\n        assert a() == 1\n";
        assert!(holds("test_a.py", class, moved));
        assert!(!holds("test_a.py", class, &moved.replace("== 1", "== 2")));
        let script = "const { a } = require('../a')\nconst CASES = [[1, 2]]\ntest('a', () => {\n  assert.equal(a(1), 2)\n})\n";
        let more = script
            .replace("{ a }", "{ a, b }")
            .replace("[[1, 2]]", "[[1, 2], [3, 4]]");
        assert!(holds("a.test.js", script, &more));
        assert!(!holds(
            "a.test.js",
            script,
            &script.replace("../a", "../fake")
        ));
        // An import is widened by a name, a default or everything, and no name comes from elsewhere then.
        let import = |old: &str, new: &str| {
            let uses = "test('a', () => {\n  assert.equal(a(1), 2)\n})\n";
            let text = |import: &str| format!("{import}\n{uses}");
            holds("a.test.mjs", &text(old), &text(new))
        };
        for (old, new) in [
            (
                "import test from 'node:test'",
                "import test, { beforeEach } from 'node:test'",
            ),
            (
                "import Cart from \"../a.js\";",
                "import Cart, { total } from '../a.js'",
            ),
            (
                "import { a } from '../a.js'",
                "import Cart, { a } from '../a.js'",
            ),
            (
                "import A, { a } from '../a.js'",
                "import A, { a, b as c } from '../a.js'",
            ),
            (
                "import * as a from '../a.js'",
                "import A, * as a from '../a.js'",
            ),
        ] {
            assert!(import(old, new), "{new}");
            assert!(!import(new, old), "{old}");
        }
        for (old, new) in [
            (
                "import a from '../a.js'",
                "import a, { b } from '../fake.js'",
            ),
            ("import a from '../a.js'", "import { a } from '../a.js'"),
            (
                "import a from '../a.js'",
                "import b, { c as a } from '../a.js'",
            ),
            (
                "import { a } from '../a.js'",
                "import a, { b } from '../a.js'",
            ),
            (
                "import { a } from '../a.js'",
                "import { a, b as a } from '../a.js'",
            ),
            (
                "import type { A } from '../a.js'",
                "import { A, B } from '../a.js'",
            ),
        ] {
            assert!(!import(old, new), "{new}");
        }
        assert!(holds(
            "test_a.py",
            "import os\nassert os\n",
            "import os, sys\nassert os\n"
        ));
        assert!(!holds(
            "test_a.py",
            "import os\nassert os\n",
            "import fake as os\nassert os\n"
        ));
        let inline = "#[cfg(test)]\nmod tests {\n    use super::total;\n\n    #[test]\n    fn a() {\n        assert_eq!(total(&[1]), 1);\n    }\n}\n";
        let more = inline.replace("super::total;", "super::{tax, total};\n\n    #[test]\n    fn b() {\n        assert_eq!(tax(1), 0);\n    }");
        assert!(holds("src/a.rs", inline, &more));
        assert!(!holds(
            "src/a.rs",
            inline,
            &more.replace("]), 1)", "]), 2)")
        ));
        let rust = "use shop::total;\n\n#[test]\nfn a() {\n    assert_eq!(total(&[1]), 1);\n}\n";
        let more = rust.replace("shop::total;", "shop::{tax, total};");
        assert!(holds("tests/a.rs", rust, &more));
        assert!(!holds("tests/a.rs", rust, &more.replace("#[test]\n", "")));
    }
}
