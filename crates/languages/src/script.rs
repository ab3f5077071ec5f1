//! Constants of JavaScript, without a parser: a module is moved aside under a random name, and one of
//! ours stands in its place that hands on all of its names, each function noting that it was called, and
//! one of them always giving the same answer. Pure: texts in, texts out.
//!
//! What a module hands on from elsewhere (`export * from`, `export const sign = Math.sign`) is seen where
//! tests call it by its name.
//!
//! What it cannot see: functions that nobody outside of the module calls, methods of classes, and a
//! default export of a module.

use std::collections::BTreeSet;

/// A module in whose place one of ours stands.
#[derive(Debug)]
pub struct Wrapped {
    /// The module under its other name, and ours that changes nothing.
    pub files: Vec<(String, String)>,
    /// Functions of the change that are called from outside.
    pub functions: Vec<Function>,
}

/// A function that callers find.
#[derive(Debug)]
pub struct Function {
    pub number: u32,
    pub name: String,
    /// From 1.
    pub line: u32,
    /// What it always answers, and our module with that.
    pub constants: Vec<(String, String)>,
}

/// A source before and after.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub path: &'a str,
    pub now: &'a str,
    /// None: it is new.
    pub before: Option<&'a str>,
}

/// How many answers of tests are tried for one function.
const ANSWERS: usize = 4;
/// The name of a module that is a function itself.
const WHOLE: &str = "module.exports";

/// Is this an ECMAScript module, as node takes it?
pub fn is_module(path: &str, text: &str) -> bool {
    let imports = |line: &str| {
        let line = line.trim_start();
        let begins = ["import ", "import{", "export "];
        begins.iter().any(|word| line.starts_with(word))
    };
    match path.rsplit('.').next() {
        Some("mjs") => true,
        Some("cjs") => false,
        _ => text.lines().any(imports),
    }
}

/// Wraps a module. `token` is a part of every name that we make, `first` the first number. None where
/// nothing of the change can be called from outside.
pub fn wrapped(source: Source<'_>, tests: &[&str], token: &str, first: u32) -> Option<Wrapped> {
    let module = is_module(source.path, source.now);
    let names = exported(source.now, module);
    let lines: Vec<&str> = source.now.lines().collect();
    let known: BTreeSet<&str> = source
        .before
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        .collect();
    let changed = |range: std::ops::Range<usize>| {
        let mut own = lines[range].iter().map(|line| line.trim());
        own.any(|line| !line.is_empty() && !known.contains(line))
    };
    let mut chosen = Vec::new();
    for name in names {
        let at = declared(&lines, &name);
        let range = at..end(&lines, at);
        if changed(range.clone()) {
            chosen.push((name, range));
        }
    }
    if module {
        for (name, at) in handed_on(source, tests) {
            if changed(at..at + 1) && !chosen.iter().any(|(known, _)| *known == name) {
                chosen.push((name, at..at + 1));
            }
        }
    }
    if chosen.is_empty() {
        return None;
    }
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", source.path));
    let (stem, ending) = file.rsplit_once('.')?;
    let moved = format!("{stem}.{token}.{ending}");
    let all: Vec<(u32, &str)> = (first..)
        .zip(chosen.iter().map(|(name, _)| name.as_str()))
        .collect();
    let ours = |instead: Option<(u32, &str)>| {
        let from = format!("./{moved}");
        text(source.now, module, &from, token, &all, instead)
    };
    let functions = (first..).zip(&chosen).map(|(number, (name, range))| {
        let body = lines[range.clone()].join("\n");
        // What comes from elsewhere answers something.
        let body = match body.contains("export *") || body.starts_with("export const ") {
            true => format!("{body} =>"),
            false => body,
        };
        let asynchronous = body.contains("async ");
        let always = answers(name, &body, tests).into_iter().map(|answer| {
            let code = match asynchronous {
                true => format!("async () => {answer}"),
                false => format!("() => {answer}"),
            };
            (format!("always gives {answer}"), code)
        });
        // A test of a refusal alone says nothing of what is given otherwise.
        let kept = refuses_and_gives(&lines[range.clone()]).then(|| {
            let code = match asynchronous {
                true => "async (own) => { await own(); }",
                false => "(own) => { own(); }",
            };
            (
                "gives nothing where it gives something, and refuses as before".to_owned(),
                code.to_owned(),
            )
        });
        let constants = kept.into_iter().chain(always);
        let constants = constants.map(|(what, code)| (what, ours(Some((number, &code)))));
        Function {
            number,
            name: name.clone(),
            line: u32::try_from(range.start + 1).unwrap_or(1),
            constants: constants.collect(),
        }
    });
    let functions: Vec<Function> = functions.collect();
    let aside = match folder {
        "" => moved.clone(),
        folder => format!("{folder}/{moved}"),
    };
    Some(Wrapped {
        files: vec![
            (aside, source.now.to_owned()),
            (source.path.to_owned(), ours(None)),
        ],
        functions,
    })
}

/// Our module.
fn text(
    original: &str,
    module: bool,
    from: &str,
    token: &str,
    all: &[(u32, &str)],
    instead: Option<(u32, &str)>,
) -> String {
    let wrap = format!(
        "const {token}_seen = new Set();\n\
         const {token}_wrap = (number, of, instead) => typeof of !== \"function\" ? of : new Proxy(of, {{\n\
         \x20 apply(target, self, given) {{\n\
         \x20   if (!{token}_seen.has(number)) {{\n\
         \x20     {token}_seen.add(number);\n\
         \x20     try {{ {token}_append(process.env.PROOFHOUSE_REPORT + \".reached\", number + \" \\n\"); }} catch {{}}\n\
         \x20   }}\n\
         \x20   const own = () => Reflect.apply(target, self, given);\n\
         \x20   return instead ? instead(own) : own();\n\
         \x20 }},\n}});\n"
    );
    let mut text = match module {
        true => format!(
            "import * as {token}_of from \"{from}\";\nimport {{ appendFileSync as {token}_append }} from \"node:fs\";\nexport * from \"{from}\";\n"
        ),
        // Node reads this line, without running it, to know the names.
        false => format!(
            "module.exports = require(\"{from}\");\nconst {{ appendFileSync: {token}_append }} = require(\"node:fs\");\n"
        ),
    };
    if module
        && original
            .lines()
            .any(|line| line.starts_with("export default"))
    {
        text.push_str(&format!("export {{ default }} from \"{from}\";\n"));
    }
    text.push_str(&wrap);
    for (number, name) in all {
        let code = instead.filter(|(of, _)| of == number);
        let code = code.map_or_else(String::new, |(_, code)| format!(", {code}"));
        text.push_str(&match (module, *name) {
            (true, name) => {
                format!("export const {name} = {token}_wrap({number}, {token}_of.{name}{code});\n")
            }
            (false, WHOLE) => format!("{WHOLE} = {token}_wrap({number}, {WHOLE}{code});\n"),
            (false, name) => {
                let of = format!("{WHOLE}.{name}");
                format!("{of} = {token}_wrap({number}, {of}{code});\n")
            }
        });
    }
    text
}

/// The names that a module gives to others, as far as they can be seen.
fn exported(text: &str, module: bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        if module {
            let Some(rest) = line.strip_prefix("export ") else {
                continue;
            };
            let rest = rest.strip_prefix("async ").unwrap_or(rest);
            if let Some(rest) = rest.strip_prefix("function ") {
                take(&mut names, rest.split('(').next().unwrap_or_default());
            } else if let Some(rest) = rest.strip_prefix("const ") {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                if value.contains("=>") || value.trim_start().starts_with("function") {
                    take(&mut names, name);
                }
            } else if let Some((list, _)) =
                rest.strip_prefix('{').and_then(|one| one.split_once('}'))
            {
                let each = list
                    .split(',')
                    .map(|one| one.rsplit(" as ").next().unwrap_or(one));
                each.for_each(|name| take(&mut names, name));
            }
            continue;
        }
        let Some(rest) = line
            .strip_prefix("module.")
            .unwrap_or(line)
            .strip_prefix("exports")
        else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix('.') {
            take(&mut names, rest.split('=').next().unwrap_or_default());
        } else if let Some(list) = rest.trim_start().strip_prefix("= {") {
            let behind = text.split_once(line).map_or("", |(_, behind)| behind);
            let list = format!("{list}{behind}");
            let list = list.split('}').next().unwrap_or_default();
            let each = list
                .split([',', '\n'])
                .map(|one| one.split(':').next().unwrap_or(one));
            each.for_each(|name| take(&mut names, name));
        } else if rest.trim_start().starts_with('=') {
            // What was given before is gone, and what follows is given beside it.
            names = vec![WHOLE.to_owned()];
        }
    }
    names
}

/// Functions that a module has from elsewhere and that tests call by their names, each with its line.
fn handed_on(source: Source<'_>, tests: &[&str]) -> Vec<(String, usize)> {
    let called = |name: &str| tests.iter().any(|test| test.contains(&format!("{name}(")));
    let mut found = Vec::new();
    for (at, line) in source.now.lines().enumerate() {
        let mut names = Vec::new();
        if let Some(rest) = line.strip_prefix("export const ") {
            let (name, _) = rest.split_once('=').unwrap_or((rest, ""));
            take(&mut names, name);
        } else if line.starts_with("export * from") {
            for test in tests {
                imported(source.path, test, &mut names);
            }
        }
        let names = names.into_iter().filter(|name| called(name));
        found.extend(names.map(|name| (name, at)));
    }
    found
}

/// The names that a test imports from this module.
fn imported(path: &str, test: &str, names: &mut Vec<String>) {
    let file = path.rsplit('/').next().unwrap_or(path);
    for (at, _) in test.match_indices("} from ") {
        let behind = test[at + "} from ".len()..].trim_start_matches(['"', '\'']);
        let from = behind.split(['"', '\'']).next().unwrap_or_default();
        let list = test[..at]
            .rfind('{')
            .map_or("", |begin| &test[begin + 1..at]);
        if from.rsplit('/').next() == Some(file) {
            let each = list.split(',');
            let each = each.map(|one| one.split(" as ").next().unwrap_or(one));
            each.for_each(|name| take(names, name));
        }
    }
}

fn take(names: &mut Vec<String>, name: &str) {
    let name = name.trim();
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_')
        && !name.starts_with(|char: char| char.is_ascii_digit());
    if plain && name != "default" && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The line on which a name is declared.
fn declared(lines: &[&str], name: &str) -> usize {
    let begins = |line: &&str| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let line = line.strip_prefix("async ").unwrap_or(line);
        [
            "function ",
            "const ",
            "let ",
            "var ",
            "exports.",
            "module.exports.",
        ]
        .iter()
        .filter_map(|word| line.strip_prefix(word))
        .filter_map(|rest| rest.strip_prefix(name))
        .any(|rest| rest.starts_with(['(', ' ', '=']))
    };
    if name == WHOLE {
        let given = |line: &&str| {
            let rest = line.strip_prefix("module.").unwrap_or(line);
            let rest = rest.strip_prefix("exports").map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with('='))
        };
        return lines.iter().position(given).unwrap_or(0);
    }
    let whole = |line: &&str| line.contains(name);
    let at = lines.iter().position(begins);
    at.or_else(|| lines.iter().position(whole)).unwrap_or(0)
}

/// Where what is declared on a line ends: before the next that begins at the margin, be it a remark. What
/// closes it belongs to it.
fn end(lines: &[&str], at: usize) -> usize {
    let inside = |first: char| first.is_whitespace() || "})]".contains(first);
    let begins = |line: &&str| line.chars().next().is_some_and(|first| !inside(first));
    let next = lines[at + 1..].iter().position(begins);
    next.map_or(lines.len(), |next| at + 1 + next)
}

/// Does a function refuse something, and give something at its end?
fn refuses_and_gives(lines: &[&str]) -> bool {
    let inside = lines
        .iter()
        .skip(1)
        .filter(|line| line.starts_with([' ', '\t']));
    let depth = |line: &str| line.len() - line.trim_start().len();
    let outer = inside.clone().map(|line| depth(line)).min();
    let gives = |line: &&str| {
        let said = line.trim_start().strip_prefix("return ");
        said.is_some_and(|said| !said.starts_with(';') && !said.starts_with("undefined"))
    };
    let mut ends = inside.clone().filter(|line| Some(depth(line)) == outer);
    inside.clone().any(|line| line.contains("throw ")) && ends.any(gives)
}

/// What a function is made to answer: what tests expect of it, and nothing at all where it answers
/// something.
fn answers(name: &str, body: &str, tests: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let call = format!("{name}(");
    for test in tests.iter().filter(|_| name != WHOLE) {
        for (at, _) in test.match_indices(&call) {
            let mut behind = test[at + call.len()..].split_inclusive('\n');
            let near: String = behind.by_ref().take(3).collect();
            literals(&near, &mut found);
        }
    }
    found.truncate(ANSWERS);
    if body.contains("return ") || body.contains("=>") {
        found.push("undefined".to_owned());
    }
    found
}

/// Plain values that stand alone as an argument, up to the end of the statement.
fn literals(text: &str, found: &mut Vec<String>) {
    let text = text.split(';').next().unwrap_or(text);
    for (at, _) in text.match_indices([',', '(']) {
        let rest = text[at + 1..].trim_start();
        let length = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map(|end| end + 2),
            _ => rest.find([',', ')', '\n']),
        };
        let Some(length) = length else { continue };
        let (value, behind) = rest.split_at(length);
        let value = value.trim();
        let plain = match value.chars().next() {
            Some('"' | '\'') => !value.contains('\\'),
            _ => value.parse::<f64>().is_ok() || ["true", "false", "null"].contains(&value),
        };
        let alone = behind.trim_start().starts_with([',', ')']);
        if plain && alone && !found.iter().any(|known| known == value) {
            found.push(value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "import test from 'node:test'\ntest('a', () => {\n  assert.strictEqual(total([1, 2]), 3);\n  assert.equal(name(), 'x y');\n});\n";

    fn source<'a>(path: &'a str, now: &'a str, before: Option<&'a str>) -> Source<'a> {
        Source { path, now, before }
    }

    #[test]
    fn functions_of_the_change_are_found_and_answer_what_tests_expect() {
        let before = "export function old() {\n  return 1;\n}\n";
        let now = format!(
            "{before}export function total(prices) {{\n  return prices.reduce((a, b) => a + b, 0);\n}}\nexport const name = async () => 'x y';\nconst inner = 1;\nexport {{ inner as outer }};\n"
        );
        let wrapped = wrapped(source("src/a.js", &now, Some(before)), &[TEST], "c5eed", 3).unwrap();
        let names: Vec<(&str, u32)> = wrapped
            .functions
            .iter()
            .map(|one| (one.name.as_str(), one.number))
            .collect();
        assert_eq!(names, [("total", 3), ("name", 4), ("outer", 5)]);
        assert_eq!(wrapped.functions[0].line, 4);
        let answers: Vec<&str> = wrapped.functions[0]
            .constants
            .iter()
            .map(|(what, _)| what.as_str())
            .collect();
        assert_eq!(answers, ["always gives 3", "always gives undefined"]);
        assert!(
            wrapped.functions[1].constants[0]
                .1
                .contains(", async () => 'x y')")
        );
        assert_eq!(wrapped.files[0].0, "src/a.c5eed.js");
        assert_eq!(wrapped.files[0].1, now);
        let ours = &wrapped.files[1].1;
        assert!(ours.contains("export * from \"./a.c5eed.js\";"), "{ours}");
        assert!(
            ours.contains("export const total = c5eed_wrap(3, c5eed_of.total);"),
            "{ours}"
        );
        assert!(!ours.contains("old"), "{ours}");
    }

    #[test]
    fn older_modules_are_wrapped_as_well() {
        for (now, ours) in [
            (
                "function total(a) { return a }\nmodule.exports = { total, other: 1 };\n",
                "module.exports.total = c_wrap(1, module.exports.total);",
            ),
            (
                "exports.total = (a) => a;\n",
                "module.exports.total = c_wrap(1, module.exports.total);",
            ),
            (
                "module.exports = (a) => a;\n",
                "module.exports = c_wrap(1, module.exports);",
            ),
        ] {
            let wrapped = wrapped(source("a.js", now, None), &[TEST], "c", 1).unwrap();
            assert!(wrapped.files[1].1.contains(ours), "{}", wrapped.files[1].1);
        }
        // What is given beside the module itself, behind a function that is as it was.
        let before = "module.exports = function (a) {\n  return a\n};\n";
        let now = format!(
            "{before}/**\n * What is new.\n */\n\nmodule.exports.total = function (a) {{\n  return 42\n}};\n"
        );
        let found = wrapped(source("a.js", &now, Some(before)), &[TEST], "c", 1).unwrap();
        let names: Vec<_> = found
            .functions
            .iter()
            .map(|one| (&*one.name, one.line))
            .collect();
        assert_eq!(names, [("total", 8)]);
        let nothing = wrapped(source("a.js", "console.log(1)\n", None), &[TEST], "c", 1);
        assert!(nothing.is_none());
        let same = "exports.a = () => 1;\n";
        assert!(wrapped(source("a.js", same, Some(same)), &[TEST], "c", 1).is_none());
    }

    #[test]
    fn what_a_module_hands_on_is_wrapped_where_tests_call_it() {
        let test = "import { total, RATE } from '../src/a.js';\nimport { tax } from './b.js';\nassert.equal(total(1), 7);\nassert.equal(tax(1), 2);\nassert.equal(half(4), 2);\n";
        let now = "export * from './impl.js';\nexport const half = Math.sign;\nexport const RATE = base * 2;\n";
        let of = |before| {
            let source = Source {
                path: "src/a.js",
                now,
                before,
            };
            wrapped(source, &[test], "c", 1)
        };
        let found = of(None).unwrap();
        let names: Vec<&str> = found
            .functions
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["total", "half"]);
        let always: Vec<&str> = found.functions[0]
            .constants
            .iter()
            .map(|(what, _)| what.as_str())
            .collect();
        assert!(always.contains(&"always gives 7"), "{always:?}");
        assert!(always.contains(&"always gives undefined"), "{always:?}");
        // What was handed on before is nobody's change.
        assert!(of(Some(now)).is_none());
    }
}
