//! The same surface without an implementation: every public function fails as its first act. Tests
//! that pass all the same prove nothing about the module.
//!
//! What stood in a body stays behind the failure, out of reach. So whatever compiled before still
//! does: types are inferred as before, and no import becomes unused.

use super::items::for_tests;
use super::parse;
use super::tokens::clean;
use crate::Files;
use crate::unread::Unread;
use syn::spanned::Spanned;
use syn::{AttrStyle, Attribute, ImplItem, Item, Visibility};

/// What a stub says.
pub const STUB: &str = "this is a stub";

/// The files of a crate with stubs in them. An error says which file does not parse.
pub fn stubbed(files: &Files) -> Result<Files, Unread> {
    let mut stubbed = Files::new();
    for (name, text) in files {
        let text = if name.ends_with(".rs") {
            let mut places = Vec::new();
            bodies(&parse(name, text)?.items, &mut places);
            insert(clean(text), places)
        } else {
            text.clone()
        };
        stubbed.insert(name.clone(), text);
    }
    Ok(stubbed)
}

fn insert(text: &str, mut places: Vec<usize>) -> String {
    places.sort_unstable();
    let mut whole = String::with_capacity(text.len() + 64 * places.len());
    let mut from = 0;
    for place in places {
        whole.push_str(&text[from..place]);
        // The condition keeps what follows reachable for the compiler, and this is the one macro of
        // its kind that a `const fn` may use.
        whole.push_str(&format!(" if true {{ ::core::panic!(\"{STUB}\"); }} "));
        from = place;
    }
    whole.push_str(&text[from..]);
    whole
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Where the bodies of public functions begin.
fn bodies(items: &[Item], places: &mut Vec<usize>) {
    for item in items {
        match item {
            Item::Fn(one) if is_public(&one.vis) && !for_tests(&one.attrs) => {
                places.push(begin(&one.attrs, &one.block));
            }
            Item::Mod(one) if !for_tests(&one.attrs) => {
                if let Some((_, items)) = &one.content {
                    bodies(items, places);
                }
            }
            Item::Impl(one) if one.trait_.is_none() => {
                for item in &one.items {
                    if let ImplItem::Fn(one) = item
                        && is_public(&one.vis)
                    {
                        places.push(begin(&one.attrs, &one.block));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Behind the block's own attributes and inner comments, which come first or not at all.
pub(super) fn begin(attributes: &[Attribute], block: &syn::Block) -> usize {
    let braces = block.brace_token.span;
    let inner = |one: &Attribute| matches!(one.style, AttrStyle::Inner(_));
    if !attributes.iter().any(inner) {
        return braces.open().byte_range().end;
    }
    let first = block.stmts.first();
    let place = first.map_or(braces.close(), Spanned::span);
    place.byte_range().start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_functions_fail_first_and_nothing_else_changes() {
        let text = "//! ü\n#![deny(warnings)]\nuse std::fmt;\npub fn one(a: u8) -> impl fmt::Debug { a }\nfn two() {}\nimpl X { pub fn three(&self) { two() } fn four() {} }\nimpl fmt::Debug for X { fn fmt(&self) {} }\n#[cfg(test)] mod tests { pub fn five() {} }\nmod in_line { pub fn six() -> u8 { 6 } }\n";
        let files = Files::from([("lib.rs".to_owned(), text.to_owned())]);
        let stubs = stubbed(&files).unwrap();
        let stub = format!(" if true {{ ::core::panic!(\"{STUB}\"); }} ");
        assert_eq!(stubs["lib.rs"].matches(&stub).count(), 3);
        for begin in [
            "one(a: u8) -> impl fmt::Debug {",
            "three(&self) {",
            "six() -> u8 {",
        ] {
            assert!(
                stubs["lib.rs"].contains(&format!("{begin}{stub}")),
                "{begin}"
            );
        }
        assert_eq!(stubs["lib.rs"].replace(&stub, ""), text);
    }

    #[test]
    fn inner_attributes_stay_first_and_a_const_fn_stays_one() {
        let text = "pub const fn one() -> u8 { 1 }\npub fn two(a: u8) -> u8 {\n    #![allow(unused)]\n    //! Says.\n    // More.\n    #[cfg(all())]\n    let b = a;\n    a\n}\nimpl X { pub fn three(&self) { #![allow(unused)] } }\n";
        let files = Files::from([("lib.rs".to_owned(), text.to_owned())]);
        let stubs = &stubbed(&files).unwrap()["lib.rs"];
        let stub = format!(" if true {{ ::core::panic!(\"{STUB}\"); }} ");
        for (before, after) in [
            ("pub const fn one() -> u8 {", " 1 }"),
            ("//! Says.\n    // More.\n    ", "#[cfg(all())]"),
            ("{ #![allow(unused)] ", "}"),
        ] {
            let wanted = format!("{before}{stub}{after}");
            assert!(stubs.contains(&wanted), "{wanted:?} is not in {stubs}");
        }
        assert!(parse("lib.rs", stubs).is_ok(), "{stubs}");
        assert_eq!(stubs.replace(&stub, ""), text);
    }
}
