//! The types that callers get from what is public, whether they can name them or not: what a public
//! function takes and returns, what public fields and variants hold, what traits of them hand out
//! (`Deref`), and so on from there. A type in
//! a private module may be handed out, and then its public methods are as good as functions.
//!
//! It follows names as they are written: too much rather than too little.

use super::items::{function, of_item, public, written};
use super::tree::{Crate, DEEPEST, Spot, of_path, of_type};
use crate::{Function, Kind};
use std::collections::{BTreeMap, BTreeSet};
use syn::ImplItem;

/// What public methods show, by the type that they belong to: the module that they stand in, and a
/// type as it is written there.
type Shown = BTreeMap<Spot, Vec<(usize, String)>>;

/// Everything that is reached from these places.
pub(super) fn types(krate: &Crate<'_>, from: BTreeSet<Spot>) -> BTreeSet<Spot> {
    let by_methods = by_methods(krate);
    let mut open: Vec<Spot> = from.iter().copied().collect();
    let mut reached = from;
    while let Some(place) = open.pop() {
        let mut shown = mentioned(krate, place);
        shown.extend(by_methods.get(&place).into_iter().flatten().cloned());
        for (here, text) in shown {
            for path in paths(&text) {
                for found in of_path(krate, here, &path, DEEPEST) {
                    if reached.insert(found) {
                        open.push(found);
                    }
                }
            }
        }
    }
    reached
}

/// The types that something public shows, as they are written, each with the module it stands in.
fn mentioned(krate: &Crate<'_>, (module, at): Spot) -> Vec<(usize, String)> {
    let here = &krate.modules[module];
    let item = &here.items[at];
    let texts: Vec<String> = match of_item(item, here.text).map(|(_, _, _, kind)| kind) {
        Some(Kind::Function(one)) => shown(&one),
        Some(Kind::Record { fields: members } | Kind::Choice { variants: members }) => {
            members.into_iter().filter_map(|one| one.type_).collect()
        }
        Some(Kind::Alias) => match item {
            syn::Item::Type(alias) => vec![written(here.text, &*alias.ty)],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    texts.into_iter().map(|text| (module, text)).collect()
}

fn by_methods(krate: &Crate<'_>) -> Shown {
    let mut found = Shown::new();
    for (here, module) in krate.modules.iter().enumerate() {
        for item in &module.items {
            let syn::Item::Impl(block) = item else {
                continue;
            };
            let of_trait = block.trait_.is_some();
            let texts = block.items.iter().flat_map(|one| match one {
                // What a trait hands out: `type Target = inner::Hidden`. What it takes, a caller
                // has to have already.
                ImplItem::Type(one) if of_trait => vec![written(module.text, &one.ty)],
                ImplItem::Fn(one) if of_trait => function(&one.sig, module.text)
                    .returns
                    .into_iter()
                    .collect(),
                ImplItem::Fn(one) if public(&one.vis) => shown(&function(&one.sig, module.text)),
                _ => Vec::new(),
            });
            let texts: Vec<(usize, String)> = texts.map(|text| (here, text)).collect();
            if texts.is_empty() {
                continue;
            }
            for place in of_type(krate, here, &block.self_ty, DEEPEST) {
                found.entry(place).or_default().extend(texts.clone());
            }
        }
    }
    found
}

fn shown(one: &Function) -> Vec<String> {
    let parameters = one.parameters.iter().filter_map(|one| one.type_.clone());
    parameters.chain(one.returns.clone()).collect()
}

/// The paths in a type as it is written: `Result<inner::Hidden, Broken>` has three.
fn paths(text: &str) -> Vec<Vec<String>> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '#'));
    let paths = words.map(|word| {
        let parts = word.split("::").filter(|part| !part.is_empty());
        parts
            .map(|part| part.trim_matches(':').to_owned())
            .collect()
    });
    paths
        .filter(|path: &Vec<String>| !path.is_empty())
        .collect()
}
