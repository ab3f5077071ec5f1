//! Statements, values and fields that are there in a build for tests alone (`#[cfg(test)]` inside of what
//! runs): what was tested is not what ships. A module, an import or a function of its own for tests is
//! something else: nothing that ships asks for it.

use super::tokens_of;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// How many there are. A source that cannot be read has none: no compiler reads it either.
pub fn for_tests_alone(text: &str) -> usize {
    tokens_of(text).map_or(0, |tokens| within(tokens, Place::Items))
}

/// What a group of tokens holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Functions, types and modules.
    Items,
    /// Anything else: what runs, what is stored.
    Body,
}

fn within(tokens: TokenStream, place: Place) -> usize {
    let mut count = 0;
    // The words since the last item began.
    let mut words: Vec<String> = Vec::new();
    let mut after_hash = false;
    for token in tokens {
        let attribute = std::mem::replace(&mut after_hash, false);
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => after_hash = true,
            TokenTree::Punct(punct) => {
                if punct.as_char() == ';' {
                    words.clear();
                }
                // Of an inner attribute.
                after_hash = attribute && punct.as_char() == '!';
            }
            TokenTree::Ident(word) => words.push(word.to_string()),
            TokenTree::Literal(_) => {}
            TokenTree::Group(group) if attribute => {
                count += usize::from(place == Place::Body && is_for_tests(&group));
            }
            TokenTree::Group(group) => {
                count += within(group.stream(), inside(&words, &group, place));
                if group.delimiter() == Delimiter::Brace {
                    words.clear();
                }
            }
        }
    }
    count
}

/// What stands in a group behind these words.
fn inside(words: &[String], group: &Group, place: Place) -> Place {
    let has = |these: &[&str]| words.iter().any(|word| these.contains(&word.as_str()));
    let holds = has(&["mod", "impl", "trait", "extern"]) && !has(&["fn"]);
    match place == Place::Items && group.delimiter() == Delimiter::Brace && holds {
        true => Place::Items,
        false => Place::Body,
    }
}

/// `[cfg(test)]`, also among others: `[cfg(any(test, fuzzing))]`.
fn is_for_tests(attribute: &Group) -> bool {
    let mut tokens = attribute.stream().into_iter();
    let Some(TokenTree::Ident(name)) = tokens.next() else {
        return false;
    };
    let Some(TokenTree::Group(asked)) = tokens.next() else {
        return false;
    };
    (name == "cfg" || name == "cfg_attr") && names_tests(asked.stream())
}

fn names_tests(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "test",
        TokenTree::Group(group) => names_tests(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_under_test_alone_is_counted() {
        for text in [
            "fn a() { #[cfg(test)] let b = 1; }",
            "impl A { fn a(&self) -> u8 { match self { #[cfg(test)] A => 1, _ => 2 } } }",
            "struct A { #[cfg(test)] b: u8 }",
            "fn a() { let b = A { #[cfg(any(test, fuzzing))] c: 1 }; }",
            "mod a { pub fn b(text: &str) { if true { #[cfg(test)] { return; } } } }",
            "fn a() { #[cfg_attr(test, allow(x))] b() }",
        ] {
            assert_eq!(for_tests_alone(text), 1, "{text}");
        }
    }

    #[test]
    fn what_is_for_tests_and_nothing_that_ships_is_not() {
        for text in [
            "#[cfg(test)]\nmod tests { use super::*; #[test] fn a() {} }",
            "#[cfg(test)]\nuse b::c;\n#[cfg(test)]\nmod tests;\nfn a() {}",
            "impl A { #[cfg(test)] fn for_tests() -> Self { A } #[cfg(test)] const B: u8 = 1; }",
            "#![cfg_attr(test, allow(unused))]\nfn a() { #[allow(unused)] let b = 1; }",
            "mod a { #[cfg(test)] pub(crate) fn b() {} }",
            "fn a( {",
        ] {
            assert_eq!(for_tests_alone(text), 0, "{text}");
        }
    }
}
