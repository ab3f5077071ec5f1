//! Where a type stands in a crate, by whatever name it is called. A type of another crate is nowhere.

use super::{Crate, Target};
use syn::Type;

/// How far other names of a type are followed.
pub(super) const DEEPEST: u32 = 16;

/// A place in the crate: the module, and the item in it.
pub(super) type Place = (usize, usize);

/// An item, and if it is another name of a type, that type.
pub(super) fn of_item(krate: &Crate<'_>, place: Place, depth: u32) -> Vec<Place> {
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
