//! Does a test of this crate assert a text? Containing it is not enough: it must stand inside of an
//! assertion, be handed to a helper that asserts, or be bound to a name that is. It reads sources as
//! text, so it refuses what it cannot follow: then the test must be written more plainly.

use std::path::{Path, PathBuf};

/// The source of a module of these tests.
fn source(module: &[&str]) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let path: PathBuf = module.iter().collect();
    std::fs::read_to_string(root.join(path).with_extension("rs")).ok()
}

/// The text of a function, from its attributes to its closing brace.
fn function<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let at = source.find(&format!("fn {name}("))?;
    let head = source[..at].rfind("\n\n").unwrap_or(0);
    let line = source[..at].rfind('\n').map_or(0, |line| line + 1);
    let margin: String = source[line..].chars().take_while(|c| *c == ' ').collect();
    let end = source[at..].find(&format!("\n{margin}}}"))?;
    Some(&source[head..at + end])
}

/// A literal of a source, and the calls around it, outermost first.
struct Literal {
    text: String,
    calls: Vec<String>,
    /// The name that it is bound to: `let NAME =`, or the pattern of a `for`.
    bound: Vec<String>,
}

fn names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What stands before a bracket: the called name.
fn callee(before: &str) -> String {
    let end = before.trim_end_matches('!');
    let name = end
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    name.unwrap_or_default().to_owned()
}

/// Every string literal of a function.
fn literals(body: &str) -> Vec<Literal> {
    let bytes = body.as_bytes();
    let (mut found, mut calls) = (Vec::new(), Vec::<String>::new());
    let mut bound: Vec<String> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &body[at..];
        match bytes[at] {
            b'/' if rest.starts_with("//") => at += rest.find('\n').unwrap_or(rest.len()),
            b'\'' if rest.chars().nth(2) == Some('\'') => at += 3,
            b'"' => {
                let mut end = 1;
                while end < rest.len() && rest.as_bytes()[end] != b'"' {
                    end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
                }
                let text = rest[1..end.min(rest.len())].replace("\\\"", "\"");
                let (calls, bound) = (calls.clone(), bound.clone());
                found.push(Literal { text, calls, bound });
                at += end + 1;
            }
            b'(' | b'[' | b'{' => {
                calls.push(callee(&body[..at]));
                at += 1;
            }
            b')' | b']' | b'}' => {
                calls.pop();
                at += 1;
            }
            b';' => {
                bound.clear();
                at += 1;
            }
            b'l' if rest.starts_with("let ") => {
                bound = rest
                    .find('=')
                    .map_or_else(Vec::new, |end| names(&rest[4..end]));
                at += 4;
            }
            b'f' if rest.starts_with("for ") => {
                bound = rest
                    .find(" in ")
                    .map_or_else(Vec::new, |end| names(&rest[4..end]));
                at += 4;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// Is this the name of an assertion, or of a helper that asserts what it is given? A helper that only
/// fails if something else is wrong (a file that cannot be read, a command that does not start) is none.
fn is_assertion(name: &str, sources: &[String]) -> bool {
    let own = |source: &String| {
        let body = function(source, name);
        body.is_some_and(|body| asserts_what_it_is_given(name, body))
    };
    let ours = ["refuses", "exits"].contains(&name);
    name.starts_with("assert") || ours || (name.len() > 2 && sources.iter().any(own))
}

/// Does one of the function's parameters stand in an assertion of its own, beside what it says if it
/// fails?
fn asserts_what_it_is_given(name: &str, body: &str) -> bool {
    let given = body
        .split_once(&format!("fn {name}("))
        .and_then(|(_, rest)| rest.split_once('{'))
        .map_or_else(Vec::new, |(given, _)| {
            let given = given.split(',').filter_map(|one| one.split_once(':'));
            given.flat_map(|(name, _)| names(name)).collect()
        });
    is_used(&given, body, &[])
}

/// Is one of these names used in an assertion of the function?
fn is_used(bound: &[String], body: &str, sources: &[String]) -> bool {
    let calls = body
        .match_indices('(')
        .filter(|(at, _)| is_assertion(&callee(&body[..*at]), sources));
    let mut calls = calls.map(|(at, _)| {
        let mut depth = 0;
        let end = body[at..].find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        &body[at..at + end.unwrap_or(0)]
    });
    calls.any(|call| names(call).iter().any(|name| bound.contains(name)))
}

/// Does the test exist, run, and assert the text, in itself or in a helper of its file?
pub(crate) fn asserts(test: &str, says: &str) -> Result<(), String> {
    let parts: Vec<&str> = test.split("::").collect();
    let (name, module) = parts.split_last().ok_or("no test is named")?;
    let own = source(module).ok_or_else(|| format!("{test}: there is no such file"))?;
    let body = function(&own, name).ok_or_else(|| format!("{test}: there is no such test"))?;
    if !body.contains("#[test]") || body.contains("#[ignore") {
        return Err(format!("{test} is no test that runs"));
    }
    let above = (1..module.len()).filter_map(|depth| source(&module[..depth]));
    let mut sources: Vec<String> = above.chain(source(&["support"])).collect();
    sources.insert(0, own.clone());
    let helpers = own.match_indices("fn ").filter_map(|(at, _)| {
        let name = own[at + 3..].split(['(', '<']).next()?;
        let called = body.contains(&format!("{name}("));
        called.then(|| function(&own, name)).flatten()
    });
    let mut texts = std::iter::once(body).chain(helpers);
    let asserted = |text: &str| {
        literals(text).into_iter().any(|literal| {
            let within = literal
                .calls
                .iter()
                .any(|call| is_assertion(call, &sources));
            literal.text.contains(says) && (within || is_used(&literal.bound, text, &sources))
        })
    };
    let found = texts.any(asserted);
    found
        .then_some(())
        .ok_or(format!("{test} asserts no `{says}`"))
}

#[test]
fn containing_a_text_is_not_asserting_it() {
    let body = |inner: &str| format!("#[test]\nfn it_is() {{\n{inner}\n}}");
    let asserted = |inner: &str| {
        let body = body(inner);
        literals(&body).iter().any(|literal| {
            let within = literal.calls.iter().any(|call| is_assertion(call, &[]));
            literal.text == "code" && (within || is_used(&literal.bound, &body, &[]))
        })
    };
    assert!(asserted("assert_eq!(x, \"code\");"));
    assert!(asserted("assert!(x.contains(\"code\"), \"{x}\");"));
    assert!(asserted("let said = \"code\";\nassert!(x.contains(said));"));
    assert!(asserted(
        "for code in [\"a\", \"code\"] {\nassert!(x.contains(code));\n}"
    ));
    assert!(!asserted("run(\"code\");"));
    assert!(!asserted(
        "// assert!(\"code\")\nlet said = \"code\";\nassert!(x);"
    ));
    assert!(!asserted("let said = \"code\"; assert!(other);"));
}

#[test]
fn a_proof_that_is_not_there_is_missed() {
    assert!(asserts("matrix::no_such_test", "x").is_err());
    assert!(asserts("nowhere::at_all", "x").is_err());
    assert!(
        asserts("matrix::judge", "x").is_err(),
        "a helper is no test"
    );
    let test = "matrix::asserted::a_proof_that_is_not_there_is_missed";
    let nowhere = ["a text that", "stands nowhere"].join(" ");
    assert!(asserts(test, &nowhere).is_err());
    assert!(asserts(test, "a helper is no test").is_ok());
    assert!(asserts(test, "matrix::judge").is_ok());
    // It stands here, and nobody asserts it.
    let unheard = "an idle word";
    let _ = unheard;
    assert!(asserts(test, &["an idle", "word"].join(" ")).is_err());
}
