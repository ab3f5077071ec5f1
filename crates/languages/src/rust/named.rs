//! Where a crate names others, by words: in paths, in imports, inside of macros.

use super::tokens::{clean, lex, line};
use crate::{Files, Place};
use proc_macro2::{TokenStream, TokenTree};

/// Every place where one of these crates is named.
pub fn named(files: &Files, crates: &[String]) -> Vec<Place> {
    let mut found = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".rs")) {
        // What cannot be read and belongs to the crate is refused where it is parsed.
        if let Ok(tokens) = lex(clean(text)) {
            collect(tokens, file, crates, &mut found);
        }
    }
    found
}

fn collect(tokens: TokenStream, file: &str, crates: &[String], found: &mut Vec<Place>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) if crates.iter().any(|one| word == one) => found.push(Place {
                file: file.to_owned(),
                line: line(word.span()),
                what: word.to_string(),
            }),
            TokenTree::Group(group) => collect(group.stream(), file, crates, found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_named_by_a_word_and_not_by_a_text() {
        let text = "use mm_used::load;\n// mm_beyond\nfn f() { m!(mm_beyond::x, \"mm_beyond\") }\n";
        let files = Files::from([("lib.rs".to_owned(), text.to_owned())]);
        let found = named(&files, &["mm_beyond".to_owned()]);
        let places: Vec<(u32, &str)> = found
            .iter()
            .map(|one| (one.line, one.what.as_str()))
            .collect();
        assert_eq!(places, [(3, "mm_beyond")]);
    }
}
