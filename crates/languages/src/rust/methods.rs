//! Public functions and constants of public types, wherever their `impl` stands and by whatever name
//! it calls the type: through imports, other names and re-exports. A type that cannot be found is
//! said to be so; methods of traits are not looked at.

use super::items::{depends, for_tests, public};
use super::reached;
use super::tokens::line;
use super::tree::{Crate, DEEPEST, Spot, of_item, of_type};
use crate::{Item, Kind};
use std::collections::BTreeMap;
use syn::ImplItem;
use syn::spanned::Spanned;

/// Adds them to what was found.
pub(super) fn add(krate: &mut Crate<'_>) {
    let mut names: BTreeMap<Spot, String> = BTreeMap::new();
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
