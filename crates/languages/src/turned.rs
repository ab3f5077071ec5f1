//! Tests of JavaScript with an assertion turned round, without a parser: a copy of a test stands behind it under
//! another name, and fails where the test holds. What is asked there is asked in plain code, so nobody who has put
//! something in the place of an assertion answers it. A second copy asks as the test did: where that does not hold
//! any more, the test is another one the second time, and the first copy says nothing.
//!
//! It goes by places of brackets and statements, and leaves out whatever it is not sure of.

use crate::declared::without_texts;

/// A file of tests with copies in it.
#[derive(Debug, Default)]
pub struct Turned {
    pub text: String,
    /// The tests of which there are copies: `NAME_TOKEN` must fail, where `NAME_TOKEN_again` passes.
    pub names: Vec<String>,
}

impl Turned {
    /// A file without copies.
    pub fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            names: Vec::new(),
        }
    }
}

/// How a copy is called that asks as the test did.
pub const AGAIN: &str = "_again";

/// How two values are compared: by signs of the language alone, and whatever is not plain is the same.
const SAME: &str = "
;function same_TOKEN(aANY, bANY, deepANY) {
  if (a === b || (a !== a && b !== b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return a == b || typeof a === 'function' || typeof b === 'function'
      || (b !== null && typeof b === 'object' && 'asymmetricMatch' in b);
  }
  if (deep > 20 || 'asymmetricMatch' in b) return true;
  if (a.length !== b.length) return false;
  for (const key in a) if (a[key] !== undefined && !same_TOKEN(a[key], b[key], deep + 1)) return false;
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
";
const THROWS: &str = "throw 'turned round'";
/// Assertions that two values are the same, that one holds, and that a call throws.
const SAME_VALUES: [&str; 7] = [
    "equal",
    "strictEqual",
    "deepEqual",
    "deepStrictEqual",
    "toBe",
    "toEqual",
    "toStrictEqual",
];
const HOLDS: [&str; 3] = ["ok", "assert", "toBeTruthy"];
const REFUSED: [&str; 3] = ["throws", "toThrow", "toThrowError"];
/// What assertions are parts of.
const OF: [&str; 4] = ["assert", "assert.strict", "t.assert", "strict"];
/// Behind one of these a line goes on.
const GOES_ON: &str = "=,([&|?:+-*<>.!%^~";

/// Copies of up to so many tests: of those that the file did not have before, or of any where it had all.
pub fn turned(path: &str, (now, before): (&str, Option<&str>), token: &str, most: usize) -> Turned {
    let bare = without_texts(path, now);
    let tests = match is_clear(now, &bare) {
        true => tests(now, &bare),
        false => Vec::new(),
    };
    let is_new = |test: &&Test<'_>| !before.is_some_and(|before| before.contains(test.whole));
    let mut chosen: Vec<&Test<'_>> = tests.iter().filter(is_new).take(most).collect();
    if chosen.is_empty() {
        chosen = tests.iter().take(most).collect();
    }
    let mut text = now.to_owned();
    for test in chosen.iter().rev() {
        let copy = |ending: &str, edit: Option<&(usize, usize, String)>| {
            let name = test.name.1 + test.name.0.len();
            let (mut copy, mut at) = (String::new(), test.begin);
            copy.push_str(&now[at..name]);
            copy.push_str(&format!("_{token}{ending}"));
            at = name;
            if let Some((from, to, code)) = edit {
                copy.push_str(&now[at..*from]);
                copy.push_str(&code.replace("TOKEN", token));
                at = *to;
            }
            copy.push_str(&now[at..test.end]);
            copy
        };
        let copies = format!(";{};{}", copy(AGAIN, None), copy("", Some(&test.edit)));
        text.insert_str(test.end, &copies);
    }
    if !chosen.is_empty() {
        let ending = path.rsplit('.').next().unwrap_or_default();
        let kind = if ending.starts_with("ts") || ending.ends_with("ts") {
            ": any"
        } else {
            ""
        };
        text.push_str(&SAME.replace("TOKEN", token).replace("ANY", kind));
    }
    Turned {
        text,
        names: chosen.iter().map(|test| test.name.0.to_owned()).collect(),
    }
}

/// A test that can be copied.
struct Test<'t> {
    whole: &'t str,
    begin: usize,
    end: usize,
    /// Its name, and where that stands.
    name: (&'t str, usize),
    /// What is to stand in the place of an assertion.
    edit: (usize, usize, String),
}

/// Is it sure where texts begin and end? A pattern with a quote in it looks like the beginning of one.
fn is_clear(text: &str, bare: &str) -> bool {
    let mut lines = text.lines().zip(bare.lines());
    lines.all(|(line, bare)| {
        let behind = bare.find('/').map_or("", |at| &line[at..]);
        let marks = ['"', '\'', '`'];
        marks
            .iter()
            .all(|mark| behind.matches(*mark).count() % 2 == 0)
    })
}

fn tests<'t>(text: &'t str, bare: &str) -> Vec<Test<'t>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in bare.split_inclusive('\n') {
        let begin = start + (line.len() - line.trim_start().len());
        start += line.len();
        let opens = ["test(", "it("];
        let Some(opens) = opens.iter().find(|word| bare[begin..].starts_with(**word)) else {
            continue;
        };
        if stands_alone(&bare[..begin]) {
            found.extend(test(text, bare, begin, begin + opens.len()));
        }
    }
    found
}

/// Does a statement begin behind this?
fn stands_alone(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|each: char| !each.is_alphanumeric()).next();
    !before.ends_with(|last| GOES_ON.contains(last))
        && !matches!(word, Some("return" | "await" | "else" | "do" | "case"))
}

/// The test whose call begins and opens there.
fn test<'t>(text: &'t str, bare: &str, begin: usize, opens: usize) -> Option<Test<'t>> {
    let end = closing(bare, opens - 1)? + 1;
    let ends = bare[end..].trim_start().chars().next();
    if ends.is_some_and(|next| ".,)([`".contains(next)) {
        return None;
    }
    let whole = &text[begin..end];
    let quote = text[opens..]
        .chars()
        .next()
        .filter(|one| "'\"`".contains(*one))?;
    let name = text[opens + 1..end].split(quote).next()?;
    let odd = |one: char| matches!(one, '\\' | '$' | '%' | '\n');
    let code = &bare[begin..end];
    if name.is_empty() || name.contains(odd) || code.contains(['/', '`']) || code.contains(".plan(")
    {
        return None;
    }
    if whole.contains(".test(") || whole.contains(".only") {
        return None;
    }
    // The function is the last that a test is given.
    let arrow = bare[opens..end].find("=>").map(|at| opens + at + 2);
    let edit = match arrow {
        Some(arrow) if !bare[arrow..end].trim_start().starts_with('{') => {
            let from = arrow + (bare[arrow..].len() - bare[arrow..].trim_start().len());
            let (to, code) = assertion(text, bare, from, end - 1)?;
            let rest = bare[to..end - 1].trim();
            (rest.is_empty() || rest == ",").then(|| (from, to, format!("{{ {code} }}")))?
        }
        _ => {
            let from = arrow.or_else(|| bare[opens..end].find("function").map(|at| opens + at))?;
            let body = from + bare[from..end].find('{')?;
            inside(text, bare, body + 1, closing(bare, body)?)?
        }
    };
    Some(Test {
        whole,
        begin,
        end,
        name: (name, opens + 1),
        edit,
    })
}

/// The last assertion among the statements of a body, turned round. One that may not be reached is none.
fn inside(text: &str, bare: &str, from: usize, to: usize) -> Option<(usize, usize, String)> {
    let (mut depth, mut found) = (0_usize, None);
    let mut begins = true;
    let mut at = from;
    while at < to {
        let one = bare[at..].chars().next()?;
        if begins && depth == 0 && (one.is_alphabetic() || one == '_') {
            if bare[from..at]
                .split(|each: char| !each.is_alphanumeric())
                .any(|word| word == "return")
            {
                break;
            }
            let turned = (!is_governed(&bare[from..at])).then(|| assertion(text, bare, at, to));
            if let Some((end, code)) = turned.flatten() {
                found = Some((at, end, code));
                at = end;
                begins = false;
                continue;
            }
        }
        match one {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        begins = match one {
            ';' | '}' => true,
            '\n' => stands_alone(&bare[from..at]),
            _ => begins && one.is_whitespace(),
        };
        at += one.len_utf8();
    }
    found
}

/// Does what stands before decide whether the next statement is run, without brackets of its own?
fn is_governed(before: &str) -> bool {
    let line = before
        .trim_end()
        .lines()
        .next_back()
        .unwrap_or_default()
        .trim();
    let word = line
        .split(|each: char| !each.is_alphanumeric())
        .next()
        .unwrap_or_default();
    (matches!(word, "if" | "for" | "while" | "else") && !line.ends_with(['{', '}', ';']))
        || line.starts_with(')')
        || line.ends_with(" else")
}

/// The end of an assertion that begins here, and what asks the contrary.
fn assertion(text: &str, bare: &str, from: usize, to: usize) -> Option<(usize, String)> {
    let opens = from + bare[from..to].find('(')?;
    let callee = bare[from..opens].trim();
    let closes = closing(bare, opens).filter(|end| *end < to)?;
    let given = arguments(text, bare, opens, closes)?;
    if callee != "expect" {
        let (of, name) = callee.rsplit_once('.').unwrap_or(("", callee));
        let known = of.is_empty() || OF.contains(&of);
        return known
            .then(|| asks(name, &given))
            .flatten()
            .map(|code| (closes + 1, code));
    }
    let behind = closes + 1;
    let dot = behind + (bare[behind..to].len() - bare[behind..to].trim_start().len());
    let rest = bare[dot..to].strip_prefix('.')?;
    let name = &rest[..rest.find('(')?];
    let opens = dot + 1 + name.len();
    let closes = closing(bare, opens).filter(|end| *end < to)?;
    let [asked] = given[..] else {
        return None;
    };
    let mut all = vec![asked];
    all.extend(arguments(text, bare, opens, closes)?);
    asks(name, &all).map(|code| (closes + 1, code))
}

/// What throws where this assertion holds.
fn asks(name: &str, given: &[&str]) -> Option<String> {
    match given {
        [one, other, ..] if SAME_VALUES.contains(&name) => {
            Some(format!("if (same_TOKEN(({one}), ({other}), 0)) {THROWS};"))
        }
        [one, ..] if HOLDS.contains(&name) => Some(format!("if (({one})) {THROWS};")),
        [one, ..] if REFUSED.contains(&name) => Some(format!(
            "let threw_TOKEN = false; try {{ ({one})(); }} catch {{ threw_TOKEN = true; }} if (threw_TOKEN) {THROWS};"
        )),
        _ => None,
    }
}

/// What a call is given; none where that cannot be told.
fn arguments<'t>(text: &'t str, bare: &str, opens: usize, closes: usize) -> Option<Vec<&'t str>> {
    let (mut depth, mut begin, mut found) = (0_usize, opens + 1, Vec::new());
    for (at, one) in bare[opens + 1..closes].char_indices() {
        match one {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(text[begin..opens + 1 + at].trim());
                begin = opens + 2 + at;
            }
            _ => {}
        }
    }
    found.push(text[begin..closes].trim());
    found.retain(|one| !one.is_empty());
    let plain = |one: &&str| !one.starts_with("...") && !one.contains("//");
    found.iter().all(plain).then_some(found)
}

/// Where the bracket closes that opens there.
fn closing(bare: &str, opens: usize) -> Option<usize> {
    let mut open = Vec::new();
    for (at, one) in bare[opens..].char_indices() {
        match one {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                if open.pop() != Some(one) {
                    return None;
                }
                if open.is_empty() {
                    return Some(opens + at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Turned {
        let text = format!("test('a', () => {{\n{body}\n}});\n");
        turned("a.test.js", (&text, None), "T", 6)
    }

    #[test]
    fn the_last_assertion_that_is_surely_reached_is_turned_round() {
        for (body, code) in [
            (
                "assert.equal(total([1, 2]), 3)",
                "if (same_T((total([1, 2])), (3), 0)) throw",
            ),
            (
                "  const found = total([1])\n  assert.deepStrictEqual(found, { a: 1 });",
                "same_T((found), ({ a: 1 }), 0)",
            ),
            (
                "ok(total([]) === 0, 'of nothing')",
                "if ((total([]) === 0)) throw",
            ),
            ("assert(is('a)'));", "if ((is('a)'))) throw"),
            (
                "assert.throws(() => total(null), TypeError)",
                "try { (() => total(null))(); }",
            ),
            (
                "expect(total([1]))\n    .toEqual(1)",
                "if (same_T((total([1])), (1), 0))",
            ),
            (
                "t.assert.strictEqual(a(), 1)\nafter()",
                "if (same_T((a()), (1), 0))",
            ),
            (
                "assert.equal(a(), 1)\nassert.equal(b(), 2)",
                "if (same_T((b()), (2), 0))",
            ),
            (
                "if (x) { y() }\nassert.equal(a(), 1)",
                "if (same_T((a()), (1), 0))",
            ),
            (
                "assert.equal(a(), 1)\nif (x)\n  assert.equal(b(), 2)",
                "if (same_T((a()), (1), 0))",
            ),
        ] {
            let found = of(body);
            assert_eq!(found.names, ["a"], "{body}");
            assert!(found.text.contains(code), "{body}:\n{}", found.text);
            assert!(
                found.text.contains("test('a_T_again', () => {"),
                "{}",
                found.text
            );
            assert!(found.text.contains("test('a_T', () => {"), "{}", found.text);
        }
        let short = "it(\"adds\", () => assert.equal(a(), 1))\n";
        let found = turned("a.test.ts", (short, None), "T", 6);
        assert!(
            found.text.contains(
                "it(\"adds_T\", () => { if (same_T((a()), (1), 0)) throw 'turned round'; })"
            ),
            "{}",
            found.text
        );
    }

    #[test]
    fn what_is_not_sure_is_left_out() {
        for body in [
            "for (const one of all) { assert.equal(one, 1) }",
            "if (x)\n  assert.equal(a(), 1)",
            "if (x) return\nassert.equal(a(), 1)",
            "all.forEach((one) => {\n  assert.equal(one, 1)\n})",
            "assert.match(a(), /\"/)\nassert.equal(a(), 1)",
            "assert.equal(a() / 2, 1)",
            "assert.equal(...both())",
            "assert.notEqual(a(), 1)",
            "expect(a()).not.toBe(1)",
            "await expect(a()).rejects.toThrow()",
            "t.plan(1)\nassert.equal(a(), 1)",
            "total([1])",
        ] {
            let found = of(body);
            assert!(found.names.is_empty(), "{body}:\n{}", found.text);
            assert!(!found.text.contains("_T"), "{}", found.text);
        }
        for text in [
            "test(`a ${b}`, () => { assert.equal(a(), 1) })\n",
            "test.each([1])('a', () => { assert.equal(a(), 1) })\n",
            "test('a', () => { assert.equal(a(), 1) }).skip()\n",
            "const a =\n  test('a', () => { assert.equal(a(), 1) })\n",
        ] {
            let found = turned("a.test.js", (text, None), "T", 6);
            assert!(found.names.is_empty(), "{}", found.text);
        }
    }

    #[test]
    fn tests_of_the_change_come_first() {
        let old = "test('old', () => {\n  assert.equal(a(), 1)\n})\n";
        let new = "describe('more', () => {\n  test('new', async () => {\n    assert.equal(await b(), 2)\n  })\n})\n";
        let both = format!("{old}{new}");
        let found = turned("a.test.js", (&both, Some(old)), "T", 6);
        assert_eq!(found.names, ["new"]);
        let found = turned("a.test.js", (&both, Some(&both)), "T", 6);
        assert_eq!(found.names, ["old", "new"]);
    }
}
