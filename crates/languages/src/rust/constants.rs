//! The same surface with one answer for every call: the entry always gives an empty value, or always
//! refuses with its first error. A stub that panics shows that a test calls the module; only these
//! show whether it looks at what comes back.
//!
//! Values are written by the types alone, as far as those can be read: plain ones, the usual
//! containers, and types of the crate and of those that it uses. It does not guess: where one value
//! cannot be written there are no constants at all, and whoever asks has to say so.

use super::items::for_tests;
use super::parse;
use super::stubs::{STUB, begin};
use super::tokens::clean;
use crate::Files;
use std::collections::BTreeMap;
use syn::{
    Fields, GenericArgument, Item, PathArguments, ReturnType, Signature, Type, TypePath, Visibility,
};

/// Which answer is given, from outside: `gives` or `refuses`.
pub const ANSWER: &str = "PROOFHOUSE_ANSWER";
/// Containers that are empty by default, whatever they hold.
const EMPTY: [&str; 9] = [
    "Option", "Vec", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "PathBuf", "String",
];
const PLAIN: [&str; 18] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f32", "f64", "Duration", "OsString",
];
const DEFAULT: &str = "::core::default::Default::default()";
/// How many types may stand in each other.
const DEEPEST: usize = 6;

/// The files of a crate, whose entries answer by [`ANSWER`]; nothing if a value cannot be written.
/// `used` has the files of the crates that it uses.
pub fn constants(files: &Files, used: &[Files], entries: &[&str]) -> Option<Files> {
    let mut types = Types::default();
    for files in std::iter::once(files).chain(used) {
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".rs")) {
            types.learn(&parse(name, text).ok()?.items);
        }
    }
    let (mut whole, mut any) = (Files::new(), false);
    for (name, text) in files {
        if !name.ends_with(".rs") {
            whole.insert(name.clone(), text.clone());
            continue;
        }
        let mut places = Vec::new();
        answers(&parse(name, text).ok()?.items, entries, &types, &mut places)?;
        any |= !places.is_empty();
        whole.insert(name.clone(), insert(clean(text), places));
    }
    any.then_some(whole)
}

fn insert(text: &str, mut places: Vec<(usize, String)>) -> String {
    places.sort();
    let (mut whole, mut from) = (String::new(), 0);
    for (place, answer) in places {
        whole.push_str(&text[from..place]);
        whole.push_str(&answer);
        from = place;
    }
    whole + &text[from..]
}

/// Where entries begin, and what is put there; nothing if one has no constants.
fn answers(
    items: &[Item],
    entries: &[&str],
    types: &Types,
    places: &mut Vec<(usize, String)>,
) -> Option<()> {
    for item in items {
        match item {
            Item::Fn(one)
                if matches!(one.vis, Visibility::Public(_))
                    && entries.iter().any(|entry| one.sig.ident == entry)
                    && !for_tests(&one.attrs) =>
            {
                places.push((begin(&one.attrs, &one.block), answer(&one.sig, types)?));
            }
            Item::Mod(one) if !for_tests(&one.attrs) => {
                if let Some((_, items)) = &one.content {
                    answers(items, entries, types, places)?;
                }
            }
            _ => {}
        }
    }
    Some(())
}

fn answer(signature: &Signature, types: &Types) -> Option<String> {
    let ReturnType::Type(_, returned) = &signature.output else {
        return None;
    };
    if signature.constness.is_some() {
        return None;
    }
    let (value, error) = types.outcome(returned)?;
    let (value, error) = (types.value(value, 0)?, types.value(error, 0)?);
    Some(format!(
        " if true {{ match ::std::env::var(\"{ANSWER}\").as_deref() {{ ::core::result::Result::Ok(\"gives\") => return ::core::result::Result::Ok({value}), ::core::result::Result::Ok(\"refuses\") => return ::core::result::Result::Err({error}), _ => ::core::panic!(\"{STUB}\") }} }} "
    ))
}

/// The types that are known, by name; what has a name twice is not known.
#[derive(Default)]
struct Types(BTreeMap<String, Option<Item>>);

impl Types {
    fn learn(&mut self, items: &[Item]) {
        for item in items {
            let name = match item {
                Item::Struct(one) => &one.ident,
                Item::Enum(one) => &one.ident,
                Item::Type(one) => &one.ident,
                Item::Mod(one) if !for_tests(&one.attrs) => {
                    if let Some((_, items)) = &one.content {
                        self.learn(items);
                    }
                    continue;
                }
                _ => continue,
            };
            let entry = self.0.entry(name.to_string());
            entry
                .and_modify(|known| *known = None)
                .or_insert_with(|| Some(item.clone()));
        }
    }

    fn get(&self, name: &str) -> Option<&Item> {
        self.0.get(name)?.as_ref()
    }

    /// What is inside of a `Result`, also by an alias with the error in it.
    fn outcome<'a>(&'a self, returned: &'a Type) -> Option<(&'a Type, &'a Type)> {
        let (name, arguments) = named(returned)?;
        match (arguments.as_slice(), self.get(&name)) {
            ([value, error], None) if name == "Result" => Some((value, error)),
            ([value], Some(Item::Type(alias))) => {
                let (name, inner) = named(&alias.ty)?;
                let [_, error] = inner.as_slice() else {
                    return None;
                };
                (name == "Result").then_some((*value, *error))
            }
            ([], Some(Item::Type(alias))) => self.outcome(&alias.ty),
            _ => None,
        }
    }

    /// An expression of that type, the emptiest there is.
    fn value(&self, wanted: &Type, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        match wanted {
            Type::Paren(one) => self.value(&one.elem, depth),
            Type::Group(one) => self.value(&one.elem, depth),
            Type::Tuple(one) => {
                let parts = one.elems.iter().map(|part| self.value(part, depth + 1));
                let parts: Option<Vec<String>> = parts.collect();
                Some(format!(
                    "({})",
                    parts?
                        .iter()
                        .map(|it| format!("{it}, "))
                        .collect::<String>()
                ))
            }
            Type::Reference(one) if one.mutability.is_none() => match &*one.elem {
                Type::Slice(_) => Some("&[]".to_owned()),
                elem => (named(elem)?.0 == "str").then(|| "\"\"".to_owned()),
            },
            Type::Path(path) => self.of_path(path, depth),
            _ => None,
        }
    }

    fn of_path(&self, path: &TypePath, depth: usize) -> Option<String> {
        let (name, arguments) = named(&Type::Path(path.clone()))
            .map(|(name, all)| (name, all.into_iter().cloned().collect::<Vec<Type>>()))?;
        let segments = path.path.segments.iter().map(|one| one.ident.to_string());
        let written = segments.collect::<Vec<String>>().join("::");
        match self.get(&name) {
            Some(Item::Type(alias)) if alias.generics.params.is_empty() => {
                self.value(&alias.ty, depth + 1)
            }
            Some(Item::Struct(one)) => self.literal(&written, &one.fields, depth),
            Some(Item::Enum(one)) => {
                let mut variants: Vec<_> = one.variants.iter().collect();
                variants.sort_by_key(|variant| variant.fields.len());
                let literal = |variant: &&syn::Variant| {
                    let written = format!("{written}::{}", variant.ident);
                    self.literal(&written, &variant.fields, depth)
                };
                variants.iter().find_map(literal)
            }
            Some(_) => None,
            None if self.0.contains_key(&name) => None,
            None if EMPTY.contains(&name.as_str()) || PLAIN.contains(&name.as_str()) => {
                Some(DEFAULT.to_owned())
            }
            None => match (name.as_str(), arguments.as_slice()) {
                ("Box" | "Rc" | "Arc", [inner]) => {
                    let inner = self.value(inner, depth + 1)?;
                    Some(format!("::core::convert::From::from({inner})"))
                }
                _ => None,
            },
        }
    }

    fn literal(&self, written: &str, fields: &Fields, depth: usize) -> Option<String> {
        let mut text = String::new();
        for field in fields {
            let value = self.value(&field.ty, depth + 1)?;
            match &field.ident {
                Some(name) => text.push_str(&format!("{name}: {value}, ")),
                None => text.push_str(&format!("{value}, ")),
            }
        }
        Some(match fields {
            Fields::Named(_) => format!("{written} {{ {text} }}"),
            Fields::Unnamed(_) => format!("{written}({text})"),
            Fields::Unit => written.to_owned(),
        })
    }
}

/// The last name of a path, and the types that it is given.
fn named(one: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = one else {
        return None;
    };
    let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
    let arguments = match &last.arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(all) => all
            .args
            .iter()
            .filter_map(|one| match one {
                GenericArgument::Type(one) => Some(one),
                _ => None,
            })
            .collect(),
        PathArguments::Parenthesized(_) => return None,
    };
    Some((last.ident.to_string(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let files = Files::from([("lib.rs".to_owned(), text.to_owned())]);
        constants(&files, &[], &["f"]).map(|mut files| files.remove("lib.rs").unwrap_or_default())
    }

    #[test]
    fn values_are_written_by_the_types() {
        for (text, value, error) in [
            (
                "pub struct Bad;\npub fn f(a: &str) -> Result<(String, u8), Bad> { todo!() }",
                format!("Ok(({DEFAULT}, {DEFAULT}, ))"),
                "Err(Bad)".to_owned(),
            ),
            (
                "pub enum Bad { Long(usize), Empty }\ntype Result<T> = std::result::Result<T, Bad>;\npub struct Bill { pub total: u64, lines: Vec<Line> }\npub struct Line;\npub async fn f() -> Result<Bill> { todo!() }",
                format!("Ok(Bill {{ total: {DEFAULT}, lines: {DEFAULT},  }})"),
                "Err(Bad::Empty)".to_owned(),
            ),
            (
                "mod inner { pub struct Bad { pub why: &'static str } pub fn own() -> Other { todo!() } }\npub fn f() -> Result<(), inner::Bad> { todo!() }",
                "Ok(())".to_owned(),
                "Err(inner::Bad { why: \"\",  })".to_owned(),
            ),
        ] {
            let made = of(text).unwrap_or_default();
            assert!(made.contains(&value), "{value} is not in {made}");
            assert!(made.contains(&error), "{error} is not in {made}");
            assert!(parse("lib.rs", &made).is_ok(), "{made}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_not_guessed() {
        for text in [
            "pub fn f() -> u8 { 1 }",
            "pub struct Bad;\npub fn f<T>(a: T) -> Result<T, Bad> { Ok(a) }",
            "pub struct Bad;\npub fn f() -> Result<Other, Bad> { todo!() }",
            "pub struct Bad;\npub const fn f() -> Result<u8, Bad> { Ok(1) }",
            "pub struct Bad { more: Box<Bad> }\npub fn f() -> Result<u8, Bad> { Ok(1) }",
            "pub struct Bad;\nmod a { struct Bad(u8); }\npub fn f() -> Result<u8, Bad> { Ok(1) }",
            "pub struct Bad;\nfn f() -> Result<u8, Bad> { Ok(1) }",
            "pub struct Bad;\npub fn g() -> Result<u8, Bad> { Ok(1) }",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
