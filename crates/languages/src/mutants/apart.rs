//! A body that refuses as it did and gives something else: a test of a refusal alone says nothing of what is given
//! otherwise, and notices every body that always does the same.

use super::{Body, values};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// What to put at the beginning of such a body, with a word for it; none where it refuses nothing, or gives nothing
/// that can be made.
pub(super) fn gives_otherwise(body: &Body<'_>, text: &str) -> Option<(String, String)> {
    let ReturnType::Type(_, returned) = &body.signature.output else {
        return None;
    };
    let block = &text[body.block.span().byte_range()];
    let wanted = &text[returned.span().byte_range()];
    // No closure can be given such a type.
    if wanted.contains("impl ") {
        return None;
    }
    let mut seen = Refusals::default();
    seen.read(crate::rust::tokens_of(block).ok()?);
    let (given, is_wrapped, refuses) = match outcome(returned) {
        Outcome::Of(inside, "Result") => (inside, true, seen.errors || seen.asks),
        Outcome::Of(inside, _) => (inside, true, seen.nothing || seen.asks),
        Outcome::Plain => (&**returned, false, seen.panics),
    };
    let value = values(given, &[]).into_iter().find(|value| value != "()")?;
    if !refuses {
        return None;
    }
    let own = match body.signature.asyncness {
        Some(_) => format!("let own: {wanted} = async move {block}.await; "),
        None => format!("let own = (move || -> {wanted} {block})(); "),
    };
    let given = match is_wrapped {
        true => format!("return own.map(|_| {value});"),
        false => format!("let _ = own; return {value};"),
    };
    let what = format!("gives {value} where it gives something, and refuses as before");
    Some((format!(" if true {{ {own}{given} }} "), what))
}

enum Outcome<'a> {
    /// What is inside of it, and its name.
    Of(&'a Type, &'static str),
    Plain,
}

fn outcome(of: &Type) -> Outcome<'_> {
    let Type::Path(path) = of else {
        return Outcome::Plain;
    };
    let Some(last) = path.path.segments.last() else {
        return Outcome::Plain;
    };
    let name = match last.ident.to_string().as_str() {
        "Result" => "Result",
        "Option" => "Option",
        _ => return Outcome::Plain,
    };
    let PathArguments::AngleBracketed(list) = &last.arguments else {
        return Outcome::Plain;
    };
    match list.args.first() {
        Some(GenericArgument::Type(inside)) => Outcome::Of(inside, name),
        _ => Outcome::Plain,
    }
}

/// How a body may refuse.
#[derive(Default)]
struct Refusals {
    errors: bool,
    nothing: bool,
    /// It hands on what another one refuses.
    asks: bool,
    panics: bool,
}

impl Refusals {
    fn read(&mut self, tokens: TokenStream) {
        let mut before = String::new();
        for token in tokens {
            match &token {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Punct(one) => {
                    self.asks |= one.as_char() == '?';
                    let ends = ["panic", "assert", "assert_eq", "assert_ne"];
                    self.panics |= one.as_char() == '!' && ends.contains(&before.as_str());
                }
                TokenTree::Ident(one) => {
                    let name = one.to_string();
                    let makes = ["Err", "ok_or", "ok_or_else", "map_err"];
                    self.errors |= makes.contains(&name.as_str());
                    self.nothing |= name == "None";
                }
                TokenTree::Literal(_) => {}
            }
            before = token.to_string();
        }
    }
}
