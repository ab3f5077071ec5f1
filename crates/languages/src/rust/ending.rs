//! Words by which an implementation in Rust could decide its own tests: it runs in the process that
//! a test's result is taken from, so whatever ends that process with the code 0, behind a line that
//! looks like the framework's, makes every test pass.
//!
//! It goes by words, in bodies and macros too, whatever they are called by: a name has to be written
//! once before it can be given another. `exit` is the system's only where `process` is said as well,
//! anywhere in the crate; so a field or a function may be called so. It refuses `unsafe` altogether:
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

/// Every such word, with its place.
pub(super) fn places(files: &Files) -> Vec<Place> {
    let mut words = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".rs")) {
        // What cannot be read and belongs to the crate is refused where it is parsed.
        if let Ok(tokens) = lex(clean(text)) {
            collect(tokens, file, &mut words);
        }
    }
    let named = words.iter().any(|place| place.what == PROCESS);
    words.retain(|place| {
        let what = place.what.as_str();
        ALWAYS.contains(&what) || named && OF_PROCESS.contains(&what)
    });
    words
}

fn collect(tokens: TokenStream, file: &str, words: &mut Vec<Place>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                let written = word.to_string();
                let what = written.strip_prefix("r#").unwrap_or(&written);
                if what == PROCESS || ALWAYS.contains(&what) || OF_PROCESS.contains(&what) {
                    words.push(Place {
                        file: file.to_owned(),
                        line: line(word.span()),
                        what: what.to_owned(),
                    });
                }
            }
            TokenTree::Group(group) => collect(group.stream(), file, words),
            _ => {}
        }
    }
}
