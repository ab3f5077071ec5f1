//! Public functions and constants of public types, wherever their `impl` stands and by whatever name
//! it calls the type: through imports, other names and re-exports. A type that cannot be found is
//! said to be so; methods of traits are not looked at.

use super::items::{depends, for_tests, public};
use super::reached;
use super::rust::{Crate, Target};
use super::tokens::line;
use super::{Item, Kind};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::{ImplItem, Type};

/// How far other names of a type are followed.
pub(super) const DEEPEST: u32 = 16;

/// A place in the crate: the module, and the item in it.
pub(super) type Place = (usize, usize);

/// Adds them to what was found.
pub(super) fn add(krate: &mut Crate<'_>) {
    let mut names: BTreeMap<Place, String> = BTreeMap::new();
    for (module, at, name) in &krate.seen {
        // `pub type Order = Inner` makes the methods of `Inner` public.
        for place in of_item(krate, (*module, *at), DEEPEST) {
            names.entry(place).or_insert_with(|| name.clone());
        }
    }
    let reached = reached::types(krate, names.keys().copied().collect());
    let (mut more, mut unseen) = (Vec::new(), Vec::new());
    for (here, module) in krate.modules.iter().enumerate() {
        for item in &module.items {
            let syn::Item::Impl(block) = item else {
                continue;
            };
            if block.trait_.is_some() {
                continue;
            }
            let places = of_type(krate, here, &block.self_ty, DEEPEST);
            let known = places.iter().find_map(|place| names.get(place));
            let given = places.iter().any(|place| reached.contains(place));
            // A private type, whose methods nobody can call.
            if known.is_none() && !places.is_empty() && !given {
                continue;
            }
            let mut say = |span, what: &str| {
                unseen.push((module.file.clone(), line(span), what.to_owned()));
            };
            for one in &block.items {
                let (name, attributes, is_function) = match one {
                    ImplItem::Fn(one) if public(&one.vis) && !for_tests(&one.attrs) => {
                        (&one.sig.ident, &one.attrs, true)
                    }
                    ImplItem::Const(one) if public(&one.vis) && !for_tests(&one.attrs) => {
                        (&one.ident, &one.attrs, false)
                    }
                    ImplItem::Macro(_) | ImplItem::Verbatim(_) => {
                        say(one.span(), "what a macro makes");
                        continue;
                    }
                    _ => continue,
                };
                if depends(attributes) || depends(&block.attrs) {
                    say(name.span(), "what depends on a `cfg`");
                }
                let Some(of) = known else {
                    let what = if given {
                        format!("`{name}`, a method of a type that callers get and cannot name,")
                    } else {
                        "the type that this `impl` is for".to_owned()
                    };
                    say(name.span(), &what);
                    continue;
                };
                let of = of.clone();
                more.push(Item {
                    name: format!("{of}::{name}"),
                    file: module.file.clone(),
                    line: line(name.span()),
                    kind: if is_function {
                        Kind::Method { of }
                    } else {
                        Kind::Constant
                    },
                });
            }
        }
    }
    krate.found.items.extend(more);
    for (file, line, what) in unseen {
        krate.unseen(&file, line, &what);
    }
}

/// An item, and if it is another name of a type, that type.
fn of_item(krate: &Crate<'_>, place: Place, depth: u32) -> Vec<Place> {
    let mut places = vec![place];
    if let syn::Item::Type(alias) = &krate.modules[place.0].items[place.1]
        && depth > 0
    {
        places.extend(of_type(krate, place.0, &alias.ty, depth - 1));
    }
    places
}

/// Where a type stands. An import of everything is not followed: then all of that name are meant.
pub(super) fn of_type(krate: &Crate<'_>, here: usize, type_: &Type, depth: u32) -> Vec<Place> {
    let path = match type_ {
        Type::Path(one) if one.qself.is_none() => &one.path,
        Type::Paren(one) => return of_type(krate, here, &one.elem, depth),
        Type::Group(one) => return of_type(krate, here, &one.elem, depth),
        _ => return Vec::new(),
    };
    let path: Vec<String> = path
        .segments
        .iter()
        .map(|one| one.ident.to_string())
        .collect();
    of_path(krate, here, &path, depth)
}

/// The same, of a path.
pub(super) fn of_path(krate: &Crate<'_>, here: usize, path: &[String], depth: u32) -> Vec<Place> {
    if let Target::Item(module, at) = krate.resolve(here, path, 0) {
        return of_item(krate, (module, at), depth);
    }
    let mut places = Vec::new();
    for (module, one) in krate.modules.iter().enumerate() {
        for (at, item) in one.items.iter().enumerate() {
            let name = match item {
                syn::Item::Struct(one) => &one.ident,
                syn::Item::Enum(one) => &one.ident,
                syn::Item::Union(one) => &one.ident,
                syn::Item::Type(one) => &one.ident,
                _ => continue,
            };
            if path.last().is_some_and(|last| name == last) {
                places.extend(of_item(krate, (module, at), depth));
            }
        }
    }
    places
}
