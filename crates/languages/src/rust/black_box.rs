//! Do tests in Rust keep to the public surface (rule F5.4, minimum 5)? They are crates of their
//! own and cannot name what is private; what is left is to include the source. Words in comments
//! and texts are no code, so this goes by tokens.

use super::tokens::{clean, lex};
use crate::unread::NoRust;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A place where a test reaches past the surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// From 1.
    pub line: u32,
    pub by: String,
}

const INCLUDES: [&str; 3] = ["include", "include_str", "include_bytes"];
/// A text that names where the source is.
const SOURCE: &str = "implementation/";

/// Every place in a test file that reaches the source. An error says where it is no Rust.
pub fn private_reaches(text: &str) -> Result<Vec<Reach>, NoRust> {
    let tokens = lex(clean(text))?;
    let mut found = Vec::new();
    walk(tokens, &mut found);
    Ok(found)
}

fn walk(tokens: TokenStream, found: &mut Vec<Reach>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut imports, mut of_std) = (false, false);
    for (at, token) in tokens.iter().enumerate() {
        let line = u32::try_from(token.span().start().line).unwrap_or(u32::MAX);
        let mut say = |by: String| found.push(Reach { line, by });
        let next = |text: char| matches!(tokens.get(at + 1), Some(TokenTree::Punct(one)) if one.as_char() == text);
        match token {
            TokenTree::Ident(word) if *word == "use" => (imports, of_std) = (true, false),
            TokenTree::Punct(one) if one.as_char() == ';' => imports = false,
            TokenTree::Ident(word) if imports && (*word == "std" || *word == "core") => {
                of_std = true;
            }
            TokenTree::Ident(word) if INCLUDES.iter().any(|one| word == one) => {
                let called = match tokens.get(at + 2) {
                    Some(TokenTree::Group(group)) if next('!') => Some(group),
                    _ => None,
                };
                let taken = imports && (of_std || renamed(&tokens, at));
                if taken || called.is_some_and(|group| !takes_fixture(word, group.stream())) {
                    say(format!("`{word}!`"));
                }
            }
            TokenTree::Literal(one) if one.to_string().contains(SOURCE) => {
                say(format!("a path into `{SOURCE}`"));
            }
            TokenTree::Group(group) => {
                let hash = at > 0
                    && matches!(&tokens[at - 1], TokenTree::Punct(one) if matches!(one.as_char(), '#' | '!'));
                if hash && group.delimiter() == Delimiter::Bracket && sets_path(group.stream()) {
                    say("`#[path]`".to_owned());
                }
                if imports {
                    // `use std::{include as slurp};`
                    if let Some(word) = imported(group.stream(), of_std) {
                        say(format!("`{word}!`"));
                    }
                }
                walk(group.stream(), found);
            }
            _ => {}
        }
    }
}

/// Is what stands here imported under another name? Its calls would not be seen.
fn renamed(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(TokenTree::Ident(word)) if *word == "as")
}

/// A macro that includes files, among names that are imported. A module may have a function of that
/// name: only those of the standard library are macros, and only a name of its own hides a call.
fn imported(names: TokenStream, of_std: bool) -> Option<String> {
    let tokens: Vec<TokenTree> = names.into_iter().collect();
    let mut each = tokens.iter().enumerate();
    each.find_map(|(at, token)| match token {
        TokenTree::Ident(word) if INCLUDES.iter().any(|one| word == one) => {
            (of_std || renamed(&tokens, at)).then(|| word.to_string())
        }
        TokenTree::Group(group) => imported(group.stream(), of_std),
        _ => None,
    })
}

/// Does this take a fixture from beside the test, which is no source?
fn takes_fixture(word: &proc_macro2::Ident, arguments: TokenStream) -> bool {
    let arguments: Vec<TokenTree> = arguments.into_iter().collect();
    let [TokenTree::Literal(one)] = arguments.as_slice() else {
        return false;
    };
    let text = one.to_string();
    let Some(path) = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return false;
    };
    let beside = !path.starts_with('/') && !path.contains("..") && !path.contains('\\');
    *word != "include" && beside && !path.ends_with(".rs")
}

/// `path = ...`, also inside of `cfg_attr(...)`.
fn sets_path(attribute: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(word) if *word == "path" => {
            matches!(tokens.get(at + 1), Some(TokenTree::Punct(one)) if one.as_char() == '=')
        }
        TokenTree::Group(group) => sets_path(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_4_5_a_test_that_includes_source_is_named_with_its_line() {
        for (text, by) in [
            ("\ninclude!(\"../x.rs\");", "`include!`"),
            (
                "\nfn t() { assert!(include_str!(\"../x.rs\").is_empty()) }",
                "`include_str!`",
            ),
            (
                "\nfn t() { core::include_bytes!(\"a/lib.rs\"); }",
                "`include_bytes!`",
            ),
            (
                "\nfn t() { include_str!(concat!(\"..\", \"/lib.txt\")); }",
                "`include_str!`",
            ),
            ("\nuse mm_a::include as slurp;", "`include!`"),
            ("\nuse mm_a::{b, c::{include_str as d}};", "`include_str!`"),
            ("\nuse std::include as slurp;", "`include!`"),
            ("\nuse std::{include_str as slurp};", "`include_str!`"),
            ("\n#[path = \"../a.rs\"] mod a;", "`#[path]`"),
            (
                "\n#[cfg_attr(all(), path = \"../a.rs\")] mod a;",
                "`#[path]`",
            ),
            (
                "\nfn t() { std::fs::read(\"implementation/lib.rs\"); }",
                "a path into `implementation/`",
            ),
        ] {
            let found = private_reaches(text).unwrap();
            let expected = Reach {
                line: 2,
                by: by.to_owned(),
            };
            assert!(found.contains(&expected), "{text}: {found:?}");
        }
        for text in [
            "// include!(\"x\") and #[path]\nfn t() { let path = 1; let s = \"include!\"; }",
            // Names of one's own, and a fixture that lies beside the test.
            "use mm_a::include;\nuse mm_a::{include, exclude};",
            "fn t(include: bool) { if include != true { f(include) } }",
            "fn t() { let text = include_str!(\"fixtures/a.json\"); include_bytes!(\"a.png\"); }",
            "#[derive(Debug)] struct Path { path: u8 }",
        ] {
            assert_eq!(private_reaches(text).unwrap(), [], "{text}");
        }
        let deep = format!("fn t() {{ {}1{} }}", "(".repeat(9_000), ")".repeat(9_000));
        let error = private_reaches(&deep).unwrap_err().to_string();
        assert!(error.starts_with("line 1: more than"), "{error}");
        assert!(
            private_reaches("fn t() { \"open")
                .unwrap_err()
                .to_string()
                .starts_with("line 1")
        );
    }
}
