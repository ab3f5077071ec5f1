//! A crate as its files were read: its modules, where a path leads from one of them, and where a type
//! stands, by whatever name it is called.

use super::items::{self, imported};
use crate::{Extracted, Files, Place};
use std::collections::{BTreeMap, BTreeSet};
use syn::Type;

/// A place in the crate: the module, and the item in it.
pub(super) type Spot = (usize, usize);

pub(super) struct Crate<'f> {
    pub(super) files: &'f Files,
    pub(super) uses: &'f BTreeMap<String, Extracted>,
    pub(super) modules: Vec<Module<'f>>,
    pub(super) found: Extracted,
    /// What was reached already, by module and place in it.
    pub(super) seen: BTreeSet<(usize, usize, String)>,
    /// Modules that were walked: modules may re-export each other in circles.
    pub(super) walked: BTreeSet<usize>,
}

pub(super) struct Module<'f> {
    pub(super) path: Vec<String>,
    pub(super) file: String,
    pub(super) text: &'f str,
    pub(super) items: Vec<syn::Item>,
    pub(super) children: BTreeMap<String, usize>,
}

/// Where a path leads.
pub(super) enum Target {
    Item(usize, usize),
    Module(usize),
    Foreign(String, String),
    Nowhere,
}

/// How far re-exports of re-exports, and other names of a type, are followed.
pub(super) const DEEPEST: u32 = 16;

impl Crate<'_> {
    pub(super) fn unseen(&mut self, file: &str, line: u32, what: &str) {
        self.found.unseen.push(Place {
            file: file.to_owned(),
            line,
            what: what.to_owned(),
        });
    }

    /// Where a path leads, seen from a module.
    pub(super) fn resolve(&self, module: usize, path: &[String], depth: u32) -> Target {
        if depth > DEEPEST {
            return Target::Nowhere;
        }
        let mut at = module;
        let mut rest = path;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "crate" => at = 0,
                "self" => {}
                "super" => {
                    let above = self.modules[at].path.split_last().map(|(_, above)| above);
                    let found = self
                        .modules
                        .iter()
                        .position(|one| Some(one.path.as_slice()) == above);
                    match found {
                        Some(found) => at = found,
                        None => return Target::Nowhere,
                    }
                }
                _ => break,
            }
            rest = more;
        }
        let began = rest.len() == path.len();
        let Some((first, more)) = rest.split_first() else {
            return Target::Module(at);
        };
        let here = &self.modules[at];
        if let Some(child) = here.children.get(first) {
            let mut inside = vec!["self".to_owned()];
            inside.extend_from_slice(more);
            return self.resolve(*child, &inside, depth + 1);
        }
        if more.is_empty() {
            let own = here.items.iter().position(|item| {
                items::of_item(item, here.text).is_some_and(|(name, ..)| name == *first)
            });
            if let Some(own) = own {
                return Target::Item(at, own);
            }
        }
        // A name that the module itself imports.
        for item in &here.items {
            if let syn::Item::Use(one) = item
                && let Some(mut whole) = imported(&one.tree, first, &mut Vec::new())
                && whole.first() != Some(first)
            {
                whole.extend_from_slice(more);
                return self.resolve(at, &whole, depth + 1);
            }
        }
        match rest {
            [krate, .., name] if began || at == module => {
                Target::Foreign(krate.clone(), name.clone())
            }
            _ => Target::Nowhere,
        }
    }
}

/// An item, and if it is another name of a type, that type.
pub(super) fn of_item(krate: &Crate<'_>, place: Spot, depth: u32) -> Vec<Spot> {
    let mut places = vec![place];
    if let syn::Item::Type(alias) = &krate.modules[place.0].items[place.1]
        && depth > 0
    {
        places.extend(of_type(krate, place.0, &alias.ty, depth - 1));
    }
    places
}

/// Where a type stands. An import of everything is not followed: then all of that name are meant.
pub(super) fn of_type(krate: &Crate<'_>, here: usize, type_: &Type, depth: u32) -> Vec<Spot> {
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
pub(super) fn of_path(krate: &Crate<'_>, here: usize, path: &[String], depth: u32) -> Vec<Spot> {
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
