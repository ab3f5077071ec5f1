//! A file of Rust as tokens, before any parser sees it. Parsers go down by recursion, and what an
//! agent wrote must not end the engine: what is nested too deep is refused here, by a count that
//! needs no stack. Bodies of functions and values of constants are no part of a surface and are cut out; what they might
//! make public all the same is named.

use crate::unread::NoRust;
use proc_macro2::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};

/// How deep brackets may stand in each other.
const DEEPEST: usize = 100;
/// How many tokens a parser may have to hold open at once: brackets around a place, and what stands
/// before it in the same piece of each of them (`&&&T`, `A<A<A<T>>>`, `- - - 1`).
const HEAVIEST: usize = 80;
/// The same where bodies are parsed too, with a stack to match: a long chain of calls is honest.
const HEAVIEST_BODY: usize = 4_000;
/// What an open bracket counts for.
const BRACKET: usize = 1;

/// The text without what is no token: byte order marks and a `#!` line. Lines stay where they are;
/// places in what is parsed are places in this text.
pub(super) fn clean(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    match text.strip_prefix("#!") {
        Some(rest) if !rest.trim_start().starts_with('[') => {
            text.find('\n').map_or("", |end| &text[end..])
        }
        _ => text,
    }
}

/// The tokens of a clean text, or the line where there are none, and why.
pub(super) fn lex(clean: &str) -> Result<TokenStream, NoRust> {
    let tokens: TokenStream = clean
        .parse()
        .map_err(|error: proc_macro2::LexError| NoRust {
            line: line(error.span()),
            why: error.to_string(),
        })?;
    // A stack of our own: nothing here may recurse.
    let mut open = vec![tokens.clone().into_iter()];
    while let Some(inner) = open.last_mut() {
        match inner.next() {
            Some(TokenTree::Group(group)) => {
                if open.len() > DEEPEST {
                    let why = format!("more than {DEEPEST} brackets stand in each other");
                    let line = line(group.span_open());
                    return Err(NoRust { line, why });
                }
                open.push(group.stream().into_iter());
            }
            Some(_) => {}
            None => {
                open.pop();
            }
        }
    }
    Ok(tokens)
}

pub(super) fn line(span: proc_macro2::Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(u32::MAX)
}

/// The tokens with `0` for the bodies of functions, which keep their inner attributes, and for the
/// value of every constant; an error names what no parser should be given.
pub(super) fn without_bodies(tokens: TokenStream) -> Result<TokenStream, NoRust> {
    let cut = cut(tokens);
    weigh(cut.clone(), 0, HEAVIEST)?;
    Ok(cut)
}

/// The same, bodies and all. Whoever parses them needs a stack for [`HEAVIEST_BODY`] tokens.
pub(super) fn with_bodies(tokens: TokenStream) -> Result<TokenStream, NoRust> {
    weigh(tokens.clone(), 0, HEAVIEST_BODY)?;
    Ok(tokens)
}

fn is(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(one)) if one.as_char() == sign)
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

fn is_word(token: Option<&TokenTree>, words: &[&str]) -> bool {
    matches!(token, Some(TokenTree::Ident(word)) if words.iter().any(|one| word == one))
}

/// Is the group at this place what a macro is given?
fn of_macro(tokens: &[TokenTree], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    let named = matches!(before(1), Some(TokenTree::Ident(_))) && is(before(2), '!');
    named || (is(before(1), '!') && !is(before(2), '#'))
}

/// Does a word stand anywhere among these?
pub(super) fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_word(group.stream(), word),
        token => is_word(Some(&token), &[word]),
    })
}

/// What stands where no item of a module does, in bodies, values and macros, and is public all the
/// same: methods of types from outside, and macros that are exported; and what is not there at all,
/// but in another file. With its line.
pub(super) fn hidden(clean: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    if let Ok(tokens) = lex(clean) {
        look(tokens, Depth::Items, &mut found);
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Among the items of a module.
    Items,
    Inside,
}

fn look(tokens: TokenStream, depth: Depth, found: &mut Vec<(u32, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let here = line(token.span());
        match token {
            TokenTree::Ident(word) if word == "impl" && depth == Depth::Inside => {
                let block = tokens[at..].iter().find_map(|one| match one {
                    TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
                    _ => None,
                });
                let head = tokens[at..].iter();
                let mut head = head.take_while(|one| !is_group(Some(*one), Delimiter::Brace));
                let of_trait =
                    head.any(|one| is_word(Some(one), &["for", "fn"]) || is(Some(one), ';'));
                if !of_trait && block.is_some_and(|block| makes_public(block.stream())) {
                    found.push((here, "an `impl` inside of a body or macro".to_owned()));
                }
            }
            TokenTree::Ident(word) if word == "macro_export" && depth == Depth::Inside => {
                found.push((
                    here,
                    "an exported macro inside of a body or macro".to_owned(),
                ));
            }
            // In a body a module can lie in any file, whatever its name, and nobody looks into that.
            TokenTree::Ident(word) if word == "mod" && depth == Depth::Inside => {
                let named = matches!(tokens.get(at + 1), Some(TokenTree::Ident(_)));
                if !(named && is_group(tokens.get(at + 2), Delimiter::Brace)) {
                    let what = "a module of another file inside of a body or macro";
                    found.push((here, what.to_owned()));
                }
            }
            TokenTree::Group(group) => {
                let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
                let attribute = is(before(1), '#') || (is(before(1), '!') && is(before(2), '#'));
                let is_module = matches!(before(1), Some(TokenTree::Ident(_)))
                    && is_word(before(2), &["mod"])
                    && group.delimiter() == Delimiter::Brace;
                if is_module {
                    look(group.stream(), depth, found);
                } else if !(attribute && depth == Depth::Items) {
                    look(group.stream(), Depth::Inside, found);
                }
            }
            _ => {}
        }
    }
}

/// Is anything `pub` in it, and not only `pub(crate)`?
fn makes_public(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| {
        let narrow = is_group(tokens.get(at + 1), Delimiter::Parenthesis);
        is_word(Some(token), &["pub"]) && !narrow
    })
}

fn again(group: &Group, stream: TokenStream) -> TokenTree {
    let mut other = Group::new(group.delimiter(), stream);
    other.set_span(group.span());
    TokenTree::Group(other)
}

fn cut(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut kept = Vec::with_capacity(tokens.len());
    let (mut part, mut angles) = (Part::Other, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        let (last, next) = (at.checked_sub(1).map(|at| &tokens[at]), tokens.get(at + 1));
        match token {
            TokenTree::Punct(one) if one.as_char() == ';' => part = Part::Other,
            _ if part == Part::Value => continue,
            TokenTree::Ident(word) if word == "fn" && matches!(next, Some(TokenTree::Ident(_))) => {
                part = Part::Signature;
            }
            TokenTree::Ident(_) if is_constant(token, last, next) && part == Part::Other => {
                (part, angles) = (Part::Constant, 0);
            }
            TokenTree::Punct(one) if part == Part::Constant => match one.as_char() {
                '<' => angles += 1,
                '>' if !arrow(last) => angles = angles.saturating_sub(1),
                '=' if angles == 0 => {
                    part = Part::Value;
                    kept.push(token.clone());
                    kept.push(TokenTree::Literal(Literal::u8_unsuffixed(0)));
                    continue;
                }
                _ => {}
            },
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace && !of_macro(&tokens, at) =>
            {
                // `Grid<{ N }, { M }>` in a signature.
                let body = part == Part::Signature && !is(next, '>') && !is(next, ',');
                let inside = if body {
                    part = Part::Other;
                    inner_attributes(group.stream())
                } else {
                    cut(group.stream())
                };
                kept.push(again(group, inside));
                continue;
            }
            _ => {}
        }
        kept.push(token.clone());
    }
    kept.into_iter().collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before the body of a function.
    Signature,
    /// Before the value of a constant.
    Constant,
    Value,
    Other,
}

/// Does a constant begin here? Not that of `*const T`, `<const N: usize>` or `const fn`.
fn is_constant(token: &TokenTree, last: Option<&TokenTree>, next: Option<&TokenTree>) -> bool {
    let begins = match last {
        None | Some(TokenTree::Group(_)) => true,
        last => is(last, ';') || is_word(last, &["pub", "default"]),
    };
    let function = is_word(next, &["fn", "unsafe", "async", "extern"]);
    begins && is_word(Some(token), &["const", "static"]) && !function
}

/// The attributes that a body begins with, and a `0` in the place of all that follows.
fn inner_attributes(body: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let attribute = |three: &&[TokenTree]| {
        let [hash, bang, group] = *three else {
            return false;
        };
        let named = is(Some(hash), '#') && is(Some(bang), '!');
        named && is_group(Some(group), Delimiter::Bracket)
    };
    let attributes = tokens.chunks(3).take_while(attribute);
    let mut kept: Vec<TokenTree> = attributes.flatten().cloned().collect();
    if let Some(first) = tokens.get(kept.len()) {
        let mut zero = Literal::u8_unsuffixed(0);
        zero.set_span(first.span());
        kept.push(TokenTree::Literal(zero));
    }
    kept.into_iter().collect()
}

/// Goes down at most as deep as brackets do, which are counted by then.
fn weigh(tokens: TokenStream, before: usize, heaviest: usize) -> Result<(), NoRust> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut weight, mut pipes) = (before, false);
    // What was open at each `<`: it is again after the `>`, and after a comma between them.
    let mut angles: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (last, next) = (at.checked_sub(1).map(|at| &tokens[at]), tokens.get(at + 1));
        match token {
            // An attribute has a place of its own, and what is in it is not parsed.
            TokenTree::Punct(one) if one.as_char() == '#' => continue,
            TokenTree::Punct(one) if one.as_char() == '!' && is(last, '#') => continue,
            TokenTree::Group(group) => {
                let attribute =
                    is(last, '#') || (is(last, '!') && at > 1 && is(Some(&tokens[at - 2]), '#'));
                if attribute && group.delimiter() == Delimiter::Bracket {
                    continue;
                }
                weight += 1;
                if !of_macro(&tokens, at) {
                    weigh(group.stream(), weight + BRACKET, heaviest)?;
                }
                // The end of an item, unless something goes on.
                let on = ["else", "as", "in"];
                let ends = match next {
                    None => true,
                    Some(TokenTree::Ident(_)) => !is_word(next, &on),
                    next => is(next, '#'),
                };
                if group.delimiter() == Delimiter::Brace && ends {
                    (weight, pipes) = (before, false);
                    angles.clear();
                }
                continue;
            }
            TokenTree::Punct(one) => match one.as_char() {
                ';' => {
                    (weight, pipes) = (before, false);
                    angles.clear();
                }
                // In a closure's parameters a comma ends nothing.
                ',' if !pipes => weight = angles.last().copied().unwrap_or(before),
                '<' => angles.push(weight + 1),
                '>' if !arrow(last) => weight = angles.pop().unwrap_or(weight),
                '|' => pipes = true,
                _ => {}
            },
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
        weight += 1;
        if weight > heaviest {
            let why = "too much is nested here; write it in smaller pieces".to_owned();
            let line = line(token.span());
            return Err(NoRust { line, why });
        }
    }
    Ok(())
}

/// The `-` of `->`, the `=` of `=>`.
fn arrow(token: Option<&TokenTree>) -> bool {
    let arrow = |one: &Punct| matches!(one.as_char(), '-' | '=') && one.spacing() == Spacing::Joint;
    matches!(token, Some(TokenTree::Punct(one)) if arrow(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::parse;

    #[test]
    fn what_is_nested_too_deep_is_refused_and_does_not_end_the_engine() {
        let many = |open: &str, middle: &str, close: &str, times: usize| {
            format!("{}{middle}{}", open.repeat(times), close.repeat(times))
        };
        let number = |open: &str, middle: &str, close: &str| {
            let value = many(open, middle, close, 5_000);
            format!("pub enum E {{ A = {value} }}")
        };
        let type_ = |open: &str, close: &str| {
            format!("pub fn f(a: {}) {{}}", many(open, "u8", close, 5_000))
        };
        for text in [
            format!("pub fn f() {{ {} }}", many("(", "1", ")", 5_000)),
            number("- ", "1", ""),
            number("1 + ", "1", ""),
            number("|a, b| ", "1", ""),
            number("1 | |a, b| ", "1", ""),
            number("", "1", ".a"),
            number("if a {} else ", "{}", ""),
            number("for S {} in ", "a", " {}"),
            type_("&", ""),
            type_("A<u8, ", ">"),
            type_("fn() -> ", ""),
            format!("use {};", many("a::", "b", "", 5_000)),
            format!("pub enum E {{ A = {} }}", many("(- - - - ", "1", ")", 99)),
        ] {
            let error = parse("a.rs", &text).err().map(|error| error.to_string());
            let error = error.unwrap_or_default();
            let nested = error.contains("in each other") || error.contains("is nested here");
            assert!(error.starts_with("a.rs:1: ") && nested, "{error}");
        }
        // What is let through fits into the stack that a thread has.
        for (open, close) in [
            ("&", ""),
            ("A<", ">"),
            ("fn() -> ", ""),
            ("(", ")"),
            ("[", "]"),
            ("*const ", ""),
        ] {
            let fits = |times: &usize| {
                let text = format!("pub fn f(a: {}) {{}}", many(open, "u8", close, *times));
                parse("a.rs", &text).is_ok()
            };
            assert!((1..400).take_while(fits).count() > 15, "{open}");
        }
        for (open, close) in [
            ("(", ")"),
            ("- ", ""),
            ("1 + ", ""),
            ("{ ", "}"),
            ("|a, b| ", ""),
            ("if a {} else ", "{}"),
            ("a::<", ">()"),
            ("match a { _ => ", "}"),
        ] {
            let fits = |times: &usize| {
                let text = format!("pub enum E {{ A = {} }}", many(open, "1", close, *times));
                parse("a.rs", &text).is_ok()
            };
            // All of them are tried: none may end the engine.
            let fitting: Vec<usize> = (0..400).filter(fits).collect();
            let most = fitting.last().copied();
            assert!(
                most.is_some_and(|most| most >= 1) || close == "{}",
                "{open}"
            );
        }
    }

    #[test]
    fn ordinary_files_are_let_through() {
        let numbers = "0x17, -1, ".repeat(4_000);
        let text = format!(
            "{}pub const TABLE: [i32; 8_000] = [{numbers}];\n{}\npub fn long() {{ {} }}\n",
            "//! A line of a long header.\n".repeat(2_000),
            "pub fn f<T, const N: usize>(a: Grid<{ N }, T>) -> [T; N] where T: Copy { [a; N] }\n"
                .repeat(500),
            "match a { 'a' | 'b' => 1, _ => 2 }.x().y() + ".repeat(500) + "1",
        );
        parse("a.rs", &text).unwrap();
    }

    #[test]
    fn marks_and_a_first_line_for_shells_shift_no_place() {
        for head in [
            "\u{feff}",
            "\u{feff}\u{feff}",
            "#!/usr/bin/env x\n",
            "\u{feff}#!x é\n",
        ] {
            let text = format!("{head}pub fn entry(a: u32) -> Resumé {{ a }}\n");
            let files = crate::Files::from([("lib.rs".to_owned(), text)]);
            let stubs = crate::rust::stubbed(&files).unwrap();
            let found = "-> Resumé { if true { ::core::panic!";
            assert!(stubs["lib.rs"].contains(found), "{}", stubs["lib.rs"]);
            let found = crate::rust::extract(&files, &Default::default()).unwrap();
            let (_, function) = found.functions().next().unwrap();
            assert_eq!(function.returns.as_deref(), Some("Resumé"));
        }
        assert_eq!(clean("#![deny(a)]\n"), "#![deny(a)]\n");
    }
}
