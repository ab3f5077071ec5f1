//! A source whose functions do what they did before a change, under the heads that they have now: what a
//! test of the change must notice. Read from the text alone, without a parser: where the text is not what
//! it looks like, no program comes of it, and nothing is shown.

use super::{Tongue, bare, calls, is_declared, parts, tongue, within};
use std::collections::BTreeMap;
use std::ops::Range;

/// What became of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsBefore {
    pub text: String,
    /// The functions that do what they did.
    pub functions: Vec<String>,
    /// Does one of them do something else now? Else they only take more than they took.
    pub bodies: bool,
    /// Does the change do more than to make functions do something else, or take more, and to add some?
    pub more: bool,
}

/// The source with its functions as they were; none for other languages, or where no function that was
/// there does something else or takes something else.
pub fn as_before(path: &str, now: &str, before: &str) -> Option<AsBefore> {
    let tongue = tongue(path)?;
    let (product, tests) = now.split_at(product(now, tongue));
    let before = &before[..self::product(before, tongue)];
    let (new, old) = (functions(product, tongue), functions(before, tongue));
    let mut text = product.to_owned();
    let (mut names, mut bodies) = (Vec::new(), false);
    let mut more = rest(product, &new) != rest(before, &old);
    more |= old.keys().any(|key| !new.contains_key(key));
    let mut known: Vec<_> = new.iter().collect();
    known.sort_by_key(|(_, one)| std::cmp::Reverse(one.body.start));
    for (key, one) in known {
        let Some(was) = old.get(key) else { continue };
        more |= !was.took_part_of(one);
        let body = &before[was.body.clone()];
        let same = blanks(body) == blanks(&product[one.body.clone()]);
        if one.indent != was.indent || (same && one.takes == was.takes) {
            continue;
        }
        bodies |= !same;
        text.replace_range(one.body.clone(), body);
        names.push(key.0.clone());
    }
    names.reverse();
    (!names.is_empty()).then(|| AsBefore {
        text: text + tests,
        functions: names,
        bodies,
        more,
    })
}

/// Where the product ends and tests in the same file begin.
fn product(text: &str, tongue: Tongue) -> usize {
    match tongue {
        Tongue::Rust => text.find("#[cfg(test)]").unwrap_or(text.len()),
        Tongue::Python | Tongue::Script => text.len(),
    }
}

/// A function of a source.
struct Function {
    takes: Vec<String>,
    /// What stands before it on its line.
    indent: String,
    /// From the line on which it begins to its end, and the body alone.
    whole: Range<usize>,
    body: Range<usize>,
}

impl Function {
    /// Does the other one take all that this one took, and as it did?
    fn took_part_of(&self, now: &Function) -> bool {
        self.takes.iter().all(|one| now.takes.contains(one))
    }
}

/// The functions of a source that stand in no other, by name and how many of that name stand before it.
fn functions(text: &str, tongue: Tongue) -> BTreeMap<(String, usize), Function> {
    let masked = bare(text, tongue);
    let mut found: BTreeMap<(String, usize), Function> = BTreeMap::new();
    let mut end = 0;
    for call in calls(&masked) {
        if call.at < end || !is_declared(&masked, &call, tongue) {
            continue;
        }
        let Some((takes, after)) = within(&masked, call.inside) else {
            continue;
        };
        let from = masked.len() - after.len();
        let begin = masked[..call.at].rfind('\n').map_or(0, |at| at + 1);
        let indent: String = masked[begin..]
            .chars()
            .take_while(|one| *one == ' ' || *one == '\t')
            .collect();
        let body = match tongue {
            Tongue::Python => by_indent(&masked, from, &indent),
            Tongue::Rust => by_braces(&masked, from),
            Tongue::Script => by_braces(&masked, from).or_else(|| answer(&masked, from)),
        };
        let Some(body) = body else { continue };
        end = body.end;
        let takes = &text[call.inside..call.inside + takes.len()];
        let takes = parts(takes, ',')
            .into_iter()
            .map(blanks)
            .filter(|one| !one.is_empty());
        let nth = found.keys().filter(|(name, _)| *name == call.name).count();
        let one = Function {
            takes: takes.collect(),
            indent,
            whole: begin..body.end,
            body,
        };
        found.insert((call.name, nth), one);
    }
    found
}

/// Between braces.
fn by_braces(masked: &str, from: usize) -> Option<Range<usize>> {
    let open = masked[from..].find(['{', ';', '}'])? + from;
    let between = masked[from..open].trim();
    let typed = ["->", "where", ":"]
        .iter()
        .any(|word| between.starts_with(word));
    let arrow = between.contains("=>") && !between.ends_with("=>");
    let head = between.is_empty() || between == "=>" || (typed && !arrow);
    if !masked[open..].starts_with('{') || !head {
        return None;
    }
    let (inside, _) = within(masked, open + 1)?;
    Some(open + 1..open + 1 + inside.len())
}

/// Behind an arrow, up to the end of the statement.
fn answer(masked: &str, from: usize) -> Option<Range<usize>> {
    let begins = masked[from..].find("=>")? + from + 2;
    if masked[from..begins].contains(['\n', ';']) {
        return None;
    }
    let mut depth = 0_i32;
    for (at, char) in masked[begins..].char_indices() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth < 0 || (depth == 0 && (char == ';' || char == ',')) {
            return Some(begins..begins + at);
        }
    }
    None
}

/// The lines that stand deeper than the head.
fn by_indent(masked: &str, from: usize, indent: &str) -> Option<Range<usize>> {
    let line = masked[from..]
        .find('\n')
        .map_or(masked.len(), |at| from + at);
    let colon = masked[from..line].rfind(':').map(|at| from + at + 1)?;
    if !masked[colon..line].trim().is_empty() {
        // On the line of the head. A type in it has a colon of its own as a rule: nobody is sure.
        return None;
    }
    let mut end = line;
    let mut at = line;
    while at < masked.len() {
        let next = masked[at + 1..]
            .find('\n')
            .map_or(masked.len(), |more| at + 1 + more);
        let text = &masked[at + 1..next];
        let blank = text.trim().is_empty();
        let deep = text.len() - text.trim_start().len() > indent.len();
        if !blank && !deep {
            break;
        }
        if !blank {
            end = next;
        }
        at = next;
    }
    // What is blank in the mask may be a text or a remark at the end, which belongs to it or harms nothing.
    (end > line).then_some(colon..end)
}

/// What stands outside of functions, line by line, without what only names other files.
fn rest(text: &str, functions: &BTreeMap<(String, usize), Function>) -> Vec<String> {
    let mut outside = String::new();
    let mut spans: Vec<&Range<usize>> = functions.values().map(|one| &one.whole).collect();
    spans.sort_by_key(|span| span.start);
    let mut at = 0;
    for span in spans {
        outside.push_str(&text[at..span.start.max(at)]);
        outside.push('\n');
        at = span.end.max(at);
    }
    outside.push_str(&text[at..]);
    const NAMING: [&str; 7] = ["use ", "import ", "from ", "mod ", "#", "//", "}"];
    let lines = outside.lines().map(blanks);
    lines
        .filter(|line| !line.is_empty() && !NAMING.iter().any(|word| line.starts_with(word)))
        .collect()
}

/// With one blank where there are some.
fn blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_do_what_they_did_under_their_new_heads() {
        for (path, before, now, wanted) in [
            (
                "a.py",
                "import re\n\ndef slug(text):\n    \"\"\"A slug.\"\"\"\n    return text.lower()\n\n\ndef other():\n    return 1\n",
                "import re\n\ndef slug(text, digits=False):\n    # more: of it\n    if digits:\n        return 'x'\n    return text\n\n\ndef other():\n    return 1\n",
                Some((
                    "import re\n\ndef slug(text, digits=False):\n    \"\"\"A slug.\"\"\"\n    return text.lower()\n\n\ndef other():\n    return 1\n",
                    "slug",
                    false,
                )),
            ),
            // A value that is assumed is said in the head, and is no body.
            (
                "a.py",
                "def a(x, y=1):\n    return x\n",
                "def a(x, y=2):\n    return x + y\n",
                Some(("def a(x, y=2):\n    return x\n", "a", true)),
            ),
            (
                "a.py",
                "KEPT = 1\ndef a(x):\n    return x\n",
                "KEPT = 2\ndef a(x):\n    return -x\n",
                Some(("KEPT = 2\ndef a(x):\n    return x\n", "a", true)),
            ),
            (
                "a.py",
                "def a(x):\n    return x\n",
                "def a(x):\n    return x\n\ndef b(x):\n    return a(x)\n",
                None,
            ),
            (
                "a.py",
                "class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n",
                "class A:\n    def a(self):\n        return 3\n\n    def b(self):\n        return 2\n",
                Some((
                    "class A:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n",
                    "a",
                    false,
                )),
            ),
            (
                "a.rs",
                "pub fn a(x: u8) -> Option<u8> {\n    Some(x)\n}\n#[cfg(test)]\nmod tests {\n    fn t() { old() }\n}\n",
                "pub fn a(x: u8) -> Option<u8>\nwhere\n    u8: Copy,\n{\n    if x == b'}' { None } else { Some(x + 1) }\n}\n#[cfg(test)]\nmod tests {\n    fn t() { new() }\n}\n",
                Some((
                    "pub fn a(x: u8) -> Option<u8>\nwhere\n    u8: Copy,\n{\n    Some(x)\n}\n#[cfg(test)]\nmod tests {\n    fn t() { new() }\n}\n",
                    "a",
                    false,
                )),
            ),
            (
                "a.mjs",
                "export function a(x) {\n  return x;\n}\nexport const b = (x) => x + '}';\n",
                "export function a(x) {\n  return -x;\n}\nexport const b = (x) => x + '{';\n",
                Some((
                    "export function a(x) {\n  return x;\n}\nexport const b = (x) => x + '}';\n",
                    "a b",
                    false,
                )),
            ),
            (
                "a.mjs",
                "export const a = (x) => {\n  return x;\n};\n",
                "export const kept = true;\nexport const a = (x) => {\n  return (x);\n};\n",
                Some((
                    "export const kept = true;\nexport const a = (x) => {\n  return x;\n};\n",
                    "a",
                    true,
                )),
            ),
            // A parameter that nobody uses.
            (
                "a.py",
                "def a(x):\n    return x\n",
                "def a(x, y=1):\n    return x\n",
                Some(("def a(x, y=1):\n    return x\n", "a", false)),
            ),
            ("a.txt", "a", "b", None),
        ] {
            let made = as_before(path, now, before);
            let made = made
                .as_ref()
                .map(|one| (one.text.as_str(), one.functions.join(" "), one.more));
            let wanted = wanted.map(|(text, names, more)| (text, names.to_owned(), more));
            assert_eq!(made, wanted, "{path}: {now}");
        }
    }
}
