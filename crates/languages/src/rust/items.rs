//! What one item of a crate is: its name, whether it is public, its kind, the condition it stands
//! under, the names that it imports. It looks at one item and never at where that stands.

use super::tokens::{self, line};
use crate::{Call, Function, Kind, Member, Need, Parameter};
use syn::spanned::Spanned;
use syn::{Attribute, UseTree, Visibility};

/// Is this for tests alone?
pub(super) fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return attribute.path().is_ident("test");
        };
        let condition = list.tokens.to_string();
        let words = || condition.split(|c: char| !c.is_alphanumeric());
        list.path.is_ident("cfg")
            && words().any(|word| word == "test")
            && !words().any(|word| matches!(word, "not" | "any"))
    })
}

pub(super) fn public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// A piece of the text, as it is written.
pub(super) fn written(text: &str, piece: &impl Spanned) -> String {
    let range = piece.span().byte_range();
    text.get(range).unwrap_or_default().to_owned()
}

/// Does an attribute say a word, also inside of `cfg_attr(...)`?
pub(super) fn says(attribute: &Attribute, word: &str) -> bool {
    attribute.path().is_ident(word)
        || matches!(&attribute.meta, syn::Meta::List(list)
            if list.path.is_ident("cfg_attr") && tokens::has_word(list.tokens.clone(), word))
}

pub(super) fn sets_path(attribute: &Attribute) -> bool {
    says(attribute, "path")
}

/// Is it there only under a condition? That of tests is none: such code is left out.
pub(super) fn depends(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| says(one, "cfg"))
}

/// Where something stands that may be public, and that depends on a condition.
pub(super) fn conditional(item: &syn::Item) -> Option<proc_macro2::Span> {
    let whole = attributes(item).is_some_and(depends);
    let (name, may_be_public) = match item {
        syn::Item::Mod(one) => (one.ident.span(), true),
        syn::Item::Use(one) => (one.use_token.span, public(&one.vis)),
        syn::Item::ExternCrate(one) => (one.ident.span(), public(&one.vis)),
        syn::Item::Macro(one) => (one.mac.path.span(), true),
        // Those are looked at with the types that they belong to.
        syn::Item::Impl(_) => return None,
        item => {
            let (_, visible, span, _) = of_item(item, "")?;
            (span, public(visible))
        }
    };
    let part = match item {
        syn::Item::Fn(one) => one.sig.inputs.iter().any(|input| match input {
            syn::FnArg::Typed(one) => depends(&one.attrs),
            syn::FnArg::Receiver(one) => depends(&one.attrs),
        }),
        syn::Item::Struct(one) => one.fields.iter().any(|field| depends(&field.attrs)),
        syn::Item::Enum(one) => one.variants.iter().any(|variant| {
            depends(&variant.attrs) || variant.fields.iter().any(|field| depends(&field.attrs))
        }),
        _ => false,
    };
    ((whole || part) && may_be_public).then_some(name)
}

/// The path under which a `use` brings a name in.
pub(super) fn imported(tree: &UseTree, name: &str, path: &mut Vec<String>) -> Option<Vec<String>> {
    let whole = |path: &[String], last: String| {
        let mut whole = path.to_vec();
        whole.extend((last != "self").then_some(last));
        whole
    };
    match tree {
        UseTree::Path(one) => {
            path.push(one.ident.to_string());
            let found = imported(&one.tree, name, path);
            path.pop();
            found
        }
        UseTree::Group(group) => group
            .items
            .iter()
            .find_map(|tree| imported(tree, name, path)),
        UseTree::Name(one) => {
            let own = one.ident.to_string();
            let bound = if own == "self" { path.last()? } else { &own };
            (bound == name).then(|| whole(path, own.clone()))
        }
        UseTree::Rename(one) => (one.rename == name).then(|| whole(path, one.ident.to_string())),
        UseTree::Glob(_) => None,
    }
}

pub(super) fn attributes(item: &syn::Item) -> Option<&[Attribute]> {
    Some(match item {
        syn::Item::Const(one) => &one.attrs,
        syn::Item::Enum(one) => &one.attrs,
        syn::Item::ExternCrate(one) => &one.attrs,
        syn::Item::Fn(one) => &one.attrs,
        syn::Item::ForeignMod(one) => &one.attrs,
        syn::Item::Impl(one) => &one.attrs,
        syn::Item::Macro(one) => &one.attrs,
        syn::Item::Mod(one) => &one.attrs,
        syn::Item::Static(one) => &one.attrs,
        syn::Item::Struct(one) => &one.attrs,
        syn::Item::Trait(one) => &one.attrs,
        syn::Item::TraitAlias(one) => &one.attrs,
        syn::Item::Type(one) => &one.attrs,
        syn::Item::Union(one) => &one.attrs,
        syn::Item::Use(one) => &one.attrs,
        _ => return None,
    })
}

/// Name, visibility, place and kind.
pub(super) type Seen<'i> = (String, &'i Visibility, proc_macro2::Span, Kind);

pub(super) fn of_item<'i>(item: &'i syn::Item, text: &str) -> Option<Seen<'i>> {
    let other = |word: &str| Kind::Other {
        word: word.to_owned(),
    };
    let (name, visible, kind) = match item {
        syn::Item::Fn(one) => {
            let kind = Kind::Function(function(&one.sig, text));
            (&one.sig.ident, &one.vis, kind)
        }
        syn::Item::Struct(one) => {
            let fields = one.fields.iter().filter(|field| public(&field.vis));
            let fields = fields.enumerate().map(|(at, field)| Member {
                name: field
                    .ident
                    .as_ref()
                    .map_or_else(|| at.to_string(), |name| bare(&name.to_string())),
                type_: Some(written(text, &field.ty)),
                line: line(field.ty.span()),
            });
            let kind = Kind::Record {
                fields: fields.collect(),
            };
            (&one.ident, &one.vis, kind)
        }
        syn::Item::Enum(one) => {
            let variants = one.variants.iter().map(|variant| Member {
                name: variant.ident.to_string(),
                type_: Some(written(text, &variant.fields)).filter(|it| !it.is_empty()),
                line: line(variant.ident.span()),
            });
            let kind = Kind::Choice {
                variants: variants.collect(),
            };
            (&one.ident, &one.vis, kind)
        }
        syn::Item::Type(one) => (&one.ident, &one.vis, Kind::Alias),
        syn::Item::Const(one) => (&one.ident, &one.vis, Kind::Constant),
        syn::Item::Static(one) => (&one.ident, &one.vis, Kind::Constant),
        syn::Item::Trait(one) => (&one.ident, &one.vis, other("trait")),
        syn::Item::TraitAlias(one) => (&one.ident, &one.vis, other("trait alias")),
        syn::Item::Union(one) => (&one.ident, &one.vis, other("union")),
        _ => return None,
    };
    Some((bare(&name.to_string()), visible, name.span(), kind))
}

/// `r#type` is `type`.
fn bare(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

pub(super) fn function(signature: &syn::Signature, text: &str) -> Function {
    let parameters = signature.inputs.iter().map(|input| match input {
        syn::FnArg::Typed(one) => Parameter {
            name: match &*one.pat {
                syn::Pat::Ident(name) => bare(&name.ident.to_string()),
                pattern => written(text, pattern),
            },
            type_: Some(written(text, &*one.ty)),
            need: Need::Required,
        },
        syn::FnArg::Receiver(_) => Parameter {
            name: "self".to_owned(),
            type_: None,
            need: Need::Required,
        },
    });
    let generics = signature.generics.type_params();
    Function {
        parameters: parameters.collect(),
        returns: match &signature.output {
            syn::ReturnType::Default => Some("()".to_owned()),
            syn::ReturnType::Type(_, returned) => Some(written(text, &**returned)),
        },
        call: if signature.asyncness.is_some() {
            Call::Async
        } else {
            Call::Sync
        },
        generics: generics.map(|one| one.ident.to_string()).collect(),
        from: None,
    }
}
