//! Functions as sources declare them and as a design writes them down, read from the text alone: Rust,
//! Python, and JavaScript with the types of TypeScript. It compares what both sides say; of what one of
//! them leaves out it says nothing, and no compiler is asked.

mod as_before;

pub use as_before::{AsBefore, as_before};
use std::fmt;

/// A function: what it takes and what it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    takes: Vec<Parameter>,
    gives: Option<String>,
    /// Do callers say the names of what it takes?
    by_name: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    name: String,
    kind: Option<String>,
    optional: bool,
    /// Does it take whatever else is given?
    rest: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Rust,
    Python,
    Script,
}

fn tongue(path: &str) -> Option<Tongue> {
    match path.rsplit_once('.')?.1 {
        "rs" => Some(Tongue::Rust),
        "py" => Some(Tongue::Python),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Some(Tongue::Script),
        _ => None,
    }
}

/// The functions that a source declares, methods among them; none for other languages.
pub fn declared(path: &str, text: &str) -> Vec<Declared> {
    let Some(tongue) = tongue(path) else {
        return Vec::new();
    };
    let text = bare(text, tongue);
    calls(&text)
        .into_iter()
        .filter(|call| is_declared(&text, call, tongue))
        .filter_map(|call| read(&text, &call, tongue == Tongue::Python))
        .collect()
}

/// The functions that a piece of a design declares, as in `greet(name: &str) -> String`. A call with
/// values and a bare `greet()` declare nothing.
pub fn designed(text: &str) -> Vec<Declared> {
    let calls = calls(text).into_iter();
    calls
        .filter_map(|call| read(text, &call, true))
        .filter(|one| !one.takes.is_empty() || one.gives.is_some())
        .filter(|one| one.takes.iter().all(|one| one.rest || is_name(&one.name)))
        .collect()
}

impl Declared {
    /// How what a source declares is another function than the design says.
    pub fn differs(&self, code: &Declared) -> Option<String> {
        let open = self.takes.iter().any(|one| one.rest || one.name == "...");
        let required = code.takes.iter().filter(|one| !one.optional && !one.rest);
        let most = match code.takes.iter().any(|one| one.rest) {
            true => usize::MAX,
            false => code.takes.len(),
        };
        let count = self.takes.len();
        if !open && (count > most || count < required.count()) {
            return Some(format!("it takes {}", amount(code.takes.len())));
        }
        let pairs = self.takes.iter().zip(&code.takes);
        for (wanted, there) in pairs.filter(|(one, other)| !one.rest && !other.rest) {
            if code.by_name && wanted.name != there.name {
                return Some(format!("it takes `{}`, not `{}`", there.name, wanted.name));
            }
            if let (Some(wanted), Some(kind)) = (&wanted.kind, &there.kind)
                && plain(wanted) != plain(kind)
            {
                return Some(format!("`{}` is `{kind}`, not `{wanted}`", there.name));
            }
        }
        match (&self.gives, &code.gives) {
            (Some(wanted), Some(gives)) if plain(wanted) != plain(gives) => {
                Some(format!("it gives `{gives}`, not `{wanted}`"))
            }
            _ => None,
        }
    }
}

fn amount(count: usize) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "one value".to_owned(),
        count => format!("{count} values"),
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let takes: Vec<String> = self
            .takes
            .iter()
            .map(|one| match &one.kind {
                Some(kind) => format!("{}: {kind}", one.name),
                None => one.name.clone(),
            })
            .collect();
        write!(f, "{}({})", self.name, takes.join(", "))?;
        match &self.gives {
            Some(gives) => write!(f, " -> {gives}"),
            None => Ok(()),
        }
    }
}

/// A name right before a parenthesis.
struct Call {
    /// Where the name begins.
    at: usize,
    name: String,
    /// Behind the opening parenthesis.
    inside: usize,
}

fn of_a_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(of_a_name)
        && !text.starts_with(|char: char| char.is_numeric())
}

/// Every name before a parenthesis; type parameters between the two are passed over.
fn calls(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    for (open, _) in text.match_indices('(') {
        let mut before = text[..open].trim_end();
        for (opening, closing) in [('<', '>'), ('[', ']')] {
            if before.ends_with(closing) && !before.ends_with("->") && !before.ends_with("=>") {
                let Some(at) = opened(before, opening, closing) else {
                    continue;
                };
                before = before[..at].trim_end();
            }
        }
        let name: String = before
            .chars()
            .rev()
            .take_while(|one| of_a_name(*one))
            .collect();
        let name: String = name.chars().rev().collect();
        let (name, at) = match name.as_str() {
            // A function that is given a name: `const greet = (name) => ...`.
            "" | "async" | "function" => match assigned(before) {
                Some(found) => found,
                None => continue,
            },
            _ => {
                let at = before.len() - name.len();
                (name, at)
            }
        };
        if is_name(&name) {
            calls.push(Call {
                at,
                name,
                inside: open + 1,
            });
        }
    }
    calls
}

/// The name that a function without one is assigned to.
fn assigned(before: &str) -> Option<(String, usize)> {
    let mut before = before.trim_end();
    for word in ["function*", "function", "async"] {
        before = before.strip_suffix(word).unwrap_or(before).trim_end();
    }
    let before = before.strip_suffix('=')?.trim_end();
    let name: String = before
        .chars()
        .rev()
        .take_while(|one| of_a_name(*one))
        .collect();
    let name: String = name.chars().rev().collect();
    let at = before.len() - name.len();
    Some((name, at))
}

/// Where the bracket opens that a text ends with.
fn opened(text: &str, opening: char, closing: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices().rev() {
        let arrow = char == '>' && text[..at].ends_with(['-', '=']);
        if char == closing && !arrow {
            depth += 1;
        } else if char == opening {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Does it stand where a function is declared, and not where it is called?
fn is_declared(text: &str, call: &Call, tongue: Tongue) -> bool {
    let before = text[..call.at].trim_end();
    let word: String = before
        .chars()
        .rev()
        .take_while(|one| of_a_name(*one))
        .collect();
    let word: String = word.chars().rev().collect();
    match tongue {
        Tongue::Rust => word == "fn",
        Tongue::Python => word == "def",
        Tongue::Script => {
            const OTHER: [&str; 8] = [
                "if", "for", "while", "switch", "catch", "function", "return", "with",
            ];
            if OTHER.contains(&call.name.as_str()) || word == "new" {
                return false;
            }
            let Some((_, after)) = within(text, call.inside) else {
                return false;
            };
            let after = after.trim_start();
            let is_given = text[call.at + call.name.len()..call.inside].contains('=');
            let is_method = after.starts_with('{')
                || (after.starts_with(':')
                    && after
                        .lines()
                        .next()
                        .is_some_and(|line| line.trim_end().ends_with('{')));
            word == "function" || before.ends_with("function*") || is_given || is_method
        }
    }
}

/// What stands between a parenthesis and the one that closes it, and what follows.
fn within(text: &str, inside: usize) -> Option<(&str, &str)> {
    let mut depth = 1_usize;
    for (at, char) in text[inside..].char_indices() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let end = inside + at;
            return Some((&text[inside..end], &text[end + 1..]));
        }
    }
    None
}

fn read(text: &str, call: &Call, by_name: bool) -> Option<Declared> {
    let (takes, after) = within(text, call.inside)?;
    let takes = parts(takes, ',');
    Some(Declared {
        name: call.name.clone(),
        takes: takes.iter().filter_map(|one| parameter(one)).collect(),
        gives: gives(after),
        by_name,
    })
}

/// The parts of a text between these marks, outside of all brackets.
fn parts(text: &str, mark: char) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_i32, 0);
    for (at, char) in text.char_indices() {
        let arrow = char == '>' && text[..at].ends_with(['-', '=']);
        match char {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !arrow => depth -= 1,
            _ => {}
        }
        if char == mark && depth == 0 {
            parts.push(&text[from..at]);
            from = at + char.len_utf8();
        }
    }
    parts.push(&text[from..]);
    parts
}

fn parameter(text: &str) -> Option<Parameter> {
    let text = text.trim();
    if text.is_empty() || ["*", "/"].contains(&text) {
        return None;
    }
    let optional = parts(text, '=').len() > 1;
    let stated = parts(text, '=')[0].trim();
    let (name, kind) = match stated.split_once(':') {
        Some((name, kind)) => (name.trim(), Some(kind.trim().to_owned())),
        None => (stated, None),
    };
    let last = name.rsplit([' ', '&']).next().unwrap_or(name);
    if ["self", "cls", "this"].contains(&last) {
        return None;
    }
    let rest = name.starts_with('*') || name.starts_with("...") || name == "…";
    Some(Parameter {
        name: last
            .trim_end_matches('?')
            .trim_start_matches(['*', '.'])
            .to_owned(),
        kind: kind.filter(|kind| !plain(kind).is_empty()),
        optional: optional || name.ends_with('?'),
        rest,
    })
}

/// What a function gives, as it stands behind its parameters on the same line.
fn gives(after: &str) -> Option<String> {
    let after = after.trim_start_matches([' ', '\t']);
    let rest = match after.strip_prefix("->") {
        Some(rest) => rest,
        None => after.strip_prefix(':')?,
    };
    let line = rest.lines().next().unwrap_or_default();
    let line = line.split([';', '{', '`']).next().unwrap_or_default();
    let line = line.split(" where ").next().unwrap_or_default();
    let line = line.split("=>").next().unwrap_or_default();
    // A colon ends it in Python; two of them are a path.
    let line = line.replace("::", "\u{0}");
    let line = parts(&line, ':')[0].replace('\u{0}', "::");
    let line = line.trim();
    (!plain(line).is_empty()).then(|| line.to_owned())
}

/// A type without blanks, lifetimes and paths, in small letters.
fn plain(kind: &str) -> String {
    let mut plain = String::new();
    let mut word = String::new();
    let mut chars = kind.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\'' {
            while chars.next_if(|one| of_a_name(*one)).is_some() {}
        } else if of_a_name(char) {
            word.push(char);
        } else if char == '.' || (char == ':' && chars.peek() == Some(&':')) {
            if char == ':' {
                chars.next();
            }
            word.clear();
        } else {
            plain.push_str(&word);
            word.clear();
            if !char.is_whitespace() && char != '"' {
                plain.push(char);
            }
        }
    }
    plain.push_str(&word);
    plain.trim_end_matches(',').to_lowercase()
}

/// The code with blanks for its remarks and texts, each byte in its place; as it is in other languages.
pub(crate) fn without_texts(path: &str, text: &str) -> String {
    tongue(path).map_or_else(|| text.to_owned(), |tongue| bare(text, tongue))
}

/// The code with blanks for its remarks and texts, each byte in its place: nothing is declared in those.
fn bare(text: &str, tongue: Tongue) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let skipped = match (tongue, char) {
            (Tongue::Python, '#') => Some(until(rest, 1, "\n")),
            (Tongue::Rust | Tongue::Script, '/') if rest.starts_with("//") => {
                Some(until(rest, 2, "\n"))
            }
            (Tongue::Rust | Tongue::Script, '/') if rest.starts_with("/*") => {
                Some(until(rest, 2, "*/") + 2)
            }
            (Tongue::Rust, 'r') if rest.starts_with("r#\"") => Some(until(rest, 3, "\"#") + 2),
            (Tongue::Python, '"') if rest.starts_with("\"\"\"") => {
                Some(until(rest, 3, "\"\"\"") + 3)
            }
            (Tongue::Python, '\'') if rest.starts_with("'''") => Some(until(rest, 3, "'''") + 3),
            (_, '"') | (Tongue::Python | Tongue::Script, '\'') | (Tongue::Script, '`') => {
                Some(quoted(rest, char))
            }
            // A letter between quotes; else a lifetime.
            (Tongue::Rust, '\'')
                if rest.chars().nth(2) == Some('\'') || rest.starts_with("'\\") =>
            {
                Some(quoted(rest, char))
            }
            _ => None,
        };
        match skipped {
            Some(end) => {
                let end = end.min(rest.len());
                let blank = |one: u8| if one == b'\n' { '\n' } else { ' ' };
                bare.extend(rest.bytes().take(end).map(blank));
                rest = &rest[end..];
            }
            None => {
                bare.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
    }
    bare
}

fn until(text: &str, from: usize, mark: &str) -> usize {
    text[from..].find(mark).map_or(text.len(), |at| from + at)
}

/// Where a quoted text ends.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == mark => return at + char.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the design says, a source, and how it differs.
    const CASES: [(&str, &str, &str, Option<&str>); 19] = [
        (
            "greet(name: &str) -> String",
            "a.rs",
            "pub fn greet(name: &str) -> String {\n}",
            None,
        ),
        (
            "greet(name: &str) -> String",
            "a.rs",
            "fn greet<'a, F: Fn(u8) -> u8>(&self, who: &'a str, ) -> std::string::String where F: Copy {}",
            None,
        ),
        (
            "greet(name: &str) -> String",
            "a.rs",
            "fn greet(name: String) -> String {}",
            Some("`name` is `String`, not `&str`"),
        ),
        (
            "greet(name: &str) -> String",
            "a.rs",
            "fn greet(name: &str) -> Option<String> {}",
            Some("it gives `Option<String>`, not `String`"),
        ),
        (
            "greet(name: &str) -> String",
            "a.rs",
            "fn greet(name: &str, loud: bool) -> String {}",
            Some("it takes 2 values"),
        ),
        (
            "greet() -> String",
            "a.rs",
            "fn greet(name: &str) -> String {}",
            Some("it takes one value"),
        ),
        (
            "pub fn greet(name: &str) -> String;",
            "a.rs",
            "fn greet(name:&str)->String{}",
            None,
        ),
        (
            "greet(names: BTreeMap<String, u8>)",
            "a.rs",
            "fn greet(names: BTreeMap<String,u8>) {}",
            None,
        ),
        (
            "greet(name)",
            "a.py",
            "def greet(name: str = 'you', *, loud=False) -> str:\n    pass",
            None,
        ),
        (
            "greet(name: str) -> str",
            "a.py",
            "class A:\n    async def greet(self, name: str) -> str:\n        pass",
            None,
        ),
        (
            "greet(name)",
            "a.py",
            "def greet(who):\n    pass",
            Some("it takes `who`, not `name`"),
        ),
        (
            "greet(name, loud)",
            "a.py",
            "def greet(name):\n    pass",
            Some("it takes one value"),
        ),
        (
            "greet(name, loud)",
            "a.py",
            "def greet(*names):\n    pass",
            None,
        ),
        (
            "greet(name: str) -> str",
            "a.py",
            "def greet(name: str) -> 'Greeting':\n    pass",
            None,
        ),
        (
            "greet(name)",
            "a.js",
            "export const greet = async (who) => who;",
            None,
        ),
        (
            "greet(name, loud)",
            "a.js",
            "export function greet(name) {}",
            Some("it takes one value"),
        ),
        (
            "greet(name: string): string",
            "a.ts",
            "export class A { greet(name: number): string {\n} }",
            Some("`name` is `number`, not `string`"),
        ),
        (
            "greet(name: string): string",
            "a.ts",
            "export function greet(name: string, loud?: boolean): Promise<string> {}",
            Some("it gives `Promise<string>`, not `string`"),
        ),
        (
            "greet(...) -> String",
            "a.rs",
            "fn greet(a: u8, b: u8) -> String {}",
            None,
        ),
    ];

    #[test]
    fn what_both_say_is_compared_and_nothing_else() {
        for (design, path, code, wanted) in CASES {
            let design = designed(design);
            let there = declared(path, code);
            assert_eq!((design.len(), there.len()), (1, 1), "{code}: {there:?}");
            assert_eq!(design[0].differs(&there[0]).as_deref(), wanted, "{code}");
        }
    }

    #[test]
    fn remarks_texts_and_calls_declare_nothing() {
        for (path, code) in [
            (
                "a.rs",
                "// fn greet(name: &str)\n/* fn greet(a) */ const A: &str = \"fn greet(b)\"; fn main() { greet('a'); }",
            ),
            (
                "a.py",
                "# def greet(a)\n\"\"\"\ndef greet(b):\n\"\"\"\nprint(greet(1))\n",
            ),
            (
                "a.js",
                "// function greet(a) {}\nif (greet(1)) { greet(2); }\nlet a = `function greet(b) {}`;",
            ),
            ("a.go", "func greet(name string) string {}"),
        ] {
            let found = declared(path, code);
            assert!(
                found.iter().all(|one| one.name != "greet"),
                "{path}: {found:?}"
            );
        }
        for text in ["greet()", "greet(\"Ada\")", "greet(3)"] {
            assert!(designed(text).is_empty(), "{text}");
        }
    }
}
