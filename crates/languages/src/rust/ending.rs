//! Words by which an implementation in Rust could decide its own tests: it runs in the process that
//! a test's result is taken from, so whatever ends that process with the code 0, behind a line that
//! looks like the framework's, makes every test pass.
//!
//! It goes by words, in bodies and macros too, whatever they are called by: a name has to be written
//! once before it can be given another. `exit` is the system's only where `process` is said as well,
//! anywhere in the crate; so a field or a function may be called so. `include` is the macro where it is
//! called or imported, and in a crate with macros of its own, which can make a call of any words; else it is
//! a name like any other. It refuses `unsafe` altogether:
//! without it no foreign function can be called. It says nothing of tests, which may do what they
//! like in their own process, nor of what safe code does with files and other programs.

use super::tokens::{clean, lex, line};
use crate::{Files, Place};
use proc_macro2::{TokenStream, TokenTree};

/// With these one leaves the rules of the language, or brings in text that nobody has looked at.
const ALWAYS: [&str; 8] = [
    "unsafe",
    "asm",
    "global_asm",
    "no_mangle",
    "export_name",
    "link_section",
    "include",
    "libc",
];
/// And with these, of `std::process`, one ends the process or puts another program in its place.
const OF_PROCESS: [&str; 5] = ["exit", "abort", "exec", "ExitCode", "exit_process"];
const PROCESS: &str = "process";
/// A macro, and a name that people like for what is to be taken along.
const INCLUDE: &str = "include";
/// What stands for it where it may be no more than a name.
const A_NAME: &str = "include, as a name";
/// Where this is said, words can be put together anew.
const MACROS: &str = "macro_rules";

/// Every such word, with its place.
pub(super) fn places(files: &Files) -> Vec<Place> {
    let mut words = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".rs")) {
        // What cannot be read and belongs to the crate is refused where it is parsed.
        if let Ok(tokens) = lex(clean(text)) {
            collect(tokens, file, Position::Code, &mut words);
        }
    }
    let macros = words.iter().any(|place| place.what == MACROS);
    for place in words
        .iter_mut()
        .filter(|place| place.what == A_NAME && macros)
    {
        place.what = INCLUDE.to_owned();
    }
    let named = words.iter().any(|place| place.what == PROCESS);
    words.retain(|place| {
        let what = place.what.as_str();
        ALWAYS.contains(&what) || named && OF_PROCESS.contains(&what)
    });
    words
}

/// Where tokens stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Code,
    /// Between `use` and its end.
    Import,
}

fn collect(tokens: TokenStream, file: &str, around: Position, words: &mut Vec<Place>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let sign = |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(one)) if one.as_char() == sign);
    let called =
        |at: usize| sign(at + 1, '!') && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
    let mut position = around;
    for (at, token) in tokens.iter().enumerate() {
        let mut say = |what: &str| {
            words.push(Place {
                file: file.to_owned(),
                line: line(token.span()),
                what: what.to_owned(),
            });
        };
        match token {
            TokenTree::Ident(word) => {
                let written = word.to_string();
                let what = written.strip_prefix("r#").unwrap_or(&written);
                if what == "use" {
                    position = Position::Import;
                }
                if what == MACROS {
                    say(MACROS);
                }
                if what == INCLUDE && position == Position::Code && !called(at) {
                    say(A_NAME);
                } else if what == PROCESS || ALWAYS.contains(&what) || OF_PROCESS.contains(&what) {
                    say(what);
                }
            }
            TokenTree::Punct(one) if one.as_char() == ';' => position = around,
            TokenTree::Group(group) => collect(group.stream(), file, position, words),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let files = Files::from([("lib.rs".to_owned(), text.to_owned())]);
        places(&files).into_iter().map(|place| place.what).collect()
    }

    #[test]
    fn a_name_is_no_macro() {
        for text in [
            "pub fn f(include: bool) -> bool { if include != true { log(include) } include }",
            "struct S { include: Vec<u8> } fn include() {} fn g(s: S) { s.include; include() }",
            "fn f(include: u8) { println!(\"{}\", include) }",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
        for text in [
            "include!(\"a.rs\");",
            "fn f() { std::include!(\"a.rs\") }",
            "use std::include as x;",
            "use core::{include as x};",
            "macro_rules! m { ($i:ident) => { $i!(\"a.rs\") } } m!(include);",
            "macro_rules! m { ($a:tt, $b:tt, $c:tt) => { $a $b $c } } m!(include, !, (\"a\"));",
        ] {
            assert_eq!(found(text), ["include"], "{text}");
        }
    }
}
