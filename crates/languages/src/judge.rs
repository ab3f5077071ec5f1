//! Is the surface that code has the surface that a contract declares? All that differs is named, in
//! one pass, with its file and line and the dimension that it belongs to.
//!
//! The mapping: one public function for each mode of the contract is its entry (`signature.rs`);
//! errors are told apart by name (`errors.rs`); types are public when the contract or the entry
//! names them, or a public field of such a type. It compares names and shapes, never behaviour.

use crate::dimensions::SurfaceRef;
use crate::judging::{Judging, Mismatch, same};
use crate::shape::{Aliases, named_types};
use crate::{Call, Extracted, Function, Item, Kind, Language, Shape, errors, signature};
use std::collections::BTreeSet;

fn is_async(function: &Function, aliases: &Aliases) -> bool {
    let later = |text: &String| matches!(Shape::of_code(text, aliases), Shape::Later(_));
    function.call == Call::Async || function.returns.as_ref().is_some_and(later)
}

/// The functions that stand for the contract, one for each of its modes.
fn entries<'a>(contract: SurfaceRef<'_>, code: &'a Extracted) -> Vec<(&'a Item, &'a Function)> {
    let mut found = Vec::new();
    for (wanted, waits) in [(contract.modes.sync, false), (contract.modes.async_, true)] {
        let of_mode = |(_, function): &(&Item, &Function)| {
            is_async(function, &code.aliases) == waits && wanted
        };
        let mut candidates: Vec<_> = code.functions().filter(of_mode).collect();
        // What a module has of its own comes before what it hands on.
        candidates.sort_by_key(|(_, function)| function.from.is_some());
        let fits = |(_, function): &&(&Item, &Function)| {
            let names = function.parameters.iter().map(|one| &one.name);
            names.len() == contract.inputs.len()
                && names
                    .zip(contract.inputs)
                    .all(|(name, input)| same(name, &input.name))
        };
        let best = candidates.iter().find(fits).or(candidates.first());
        found.extend(best.copied());
    }
    found
}

/// The names of the functions that stand for the contract.
pub fn entry_points<'a>(contract: SurfaceRef<'_>, code: &'a Extracted) -> Vec<&'a str> {
    let entries = entries(contract, code).into_iter();
    entries.map(|(item, _)| item.name.as_str()).collect()
}

/// The same, each with the mode that it stands for.
pub fn entry_modes<'a>(
    contract: SurfaceRef<'_>,
    code: &'a Extracted,
) -> Vec<(&'static str, &'a str)> {
    let entries = entries(contract, code).into_iter();
    let mode = |function| match is_async(function, &code.aliases) {
        true => "async",
        false => "sync",
    };
    entries
        .map(|(item, function)| (mode(function), item.name.as_str()))
        .collect()
}

/// What kind of module it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules<'a> {
    /// One entry, and nothing else is public.
    Micro,
    /// The front of a product: beside its entry it hands on names of the modules that it uses, by what
    /// code calls those.
    Assembly(&'a [String]),
}

/// The public names that an assembly hands on: each has a contract where it comes from.
fn handed_on<'a>(code: &'a Extracted, rules: Rules<'_>) -> BTreeSet<&'a str> {
    let Rules::Assembly(used) = rules else {
        return BTreeSet::new();
    };
    let from = |item: &'a Item| match &item.kind {
        Kind::Foreign { from } => Some(from),
        _ => code.handed_on.get(&item.name),
    };
    let items = code.items.iter();
    let theirs = items.filter(|item| from(item).is_some_and(|from| used.contains(from)));
    theirs.map(|item| item.name.as_str()).collect()
}

/// Everything that differs in a micro module; nothing: the surface is the contract's.
pub fn judge(contract: SurfaceRef<'_>, language: Language, code: &Extracted) -> Vec<Mismatch> {
    judge_by(contract, language, code, Rules::Micro)
}

/// The same, by the rules of its kind.
pub fn judge_by(
    contract: SurfaceRef<'_>,
    language: Language,
    code: &Extracted,
    rules: Rules<'_>,
) -> Vec<Mismatch> {
    let mut judging = Judging {
        contract,
        language,
        code,
        handed_on: handed_on(code, rules),
        found: Vec::new(),
        declared: BTreeSet::new(),
    };
    for place in &code.unseen {
        judging.found.push(Mismatch {
            dimension: "surface",
            place: Some((place.file.clone(), place.line)),
            what: format!(
                "{} cannot be seen and might make anything public; write it out",
                place.what
            ),
        });
    }
    for place in &code.forging {
        judging.found.push(Mismatch {
            dimension: "surface",
            place: Some((place.file.clone(), place.line)),
            what: format!(
                "`{}` could end a test, or have it pass, from inside of the code that it tests; do without, or rename what is called so",
                place.what
            ),
        });
    }
    let inputs = contract.inputs.iter().map(|one| &one.type_);
    let types = inputs.chain(contract.outputs.iter().map(|one| &one.type_));
    let names = types.flat_map(|text| named_types(text));
    judging.declared = names.map(str::to_owned).collect();
    let entries = entries(contract, code);
    for (wanted, waits, word) in [
        (contract.modes.sync, false, "sync"),
        (contract.modes.async_, true, "async"),
    ] {
        let has = entries
            .iter()
            .any(|(_, function)| is_async(function, &code.aliases) == waits);
        if wanted && !has {
            let what = format!("no public function is {word}, and the contract says that it is");
            judging.lacks("modes", what);
        }
    }
    for (item, function) in &entries {
        judging.declared.insert(item.name.clone());
        if let Some(from) = &function.from {
            let what = format!(
                "`{}` is that of `{from}`: reuse that module instead",
                item.name
            );
            judging.at("surface", item, what);
        }
        signature::inputs(&mut judging, item, function);
        let outcome = signature::outcome(&judging, function);
        signature::outputs(&mut judging, item, &outcome);
        errors::carried(&mut judging, item, &outcome);
    }
    if entries.is_empty() {
        errors::public(&mut judging);
    }
    close(&mut judging);
    let entries: Vec<&Item> = entries.iter().map(|(item, _)| *item).collect();
    undeclared(&mut judging, &entries);
    let mut found = judging.found;
    found.sort_by(|a, b| (&a.place, &a.what).cmp(&(&b.place, &b.what)));
    found.dedup();
    found
}

/// Types that public members of declared types name are declared with them.
fn close(judging: &mut Judging<'_>) {
    loop {
        let before = judging.declared.len();
        for item in &judging.code.items {
            let members = match &item.kind {
                Kind::Record { fields } => fields,
                Kind::Choice { variants } => variants,
                _ => continue,
            };
            if judging.declared.contains(&item.name) {
                let types = members.iter().filter_map(|one| one.type_.as_deref());
                let names = types.flat_map(named_types).map(str::to_owned);
                judging.declared.extend(names.collect::<Vec<_>>());
            }
        }
        if judging.declared.len() == before {
            return;
        }
    }
}

/// Is it this very item that something declares? A name can be public twice, in two modules.
fn is_declared(judging: &Judging<'_>, entries: &[&Item], item: &Item) -> bool {
    let is_entry = || entries.iter().any(|entry| std::ptr::eq(*entry, item));
    let taken = || entries.iter().any(|entry| entry.name == item.name);
    let first = judging.code.get(&item.name);
    match &item.kind {
        Kind::Method { .. } => false,
        Kind::Function(_) => is_entry(),
        // The same thing of another module.
        Kind::Foreign { .. } => first.is_some_and(|first| first.kind == item.kind),
        _ => first.is_some_and(|first| std::ptr::eq(first, item)) && !taken(),
    }
}

fn undeclared(judging: &mut Judging<'_>, entries: &[&Item]) {
    let code = judging.code;
    for item in &code.items {
        let name = &item.name;
        let entry = entries.iter().any(|entry| entry.name == *name);
        if judging.handed_on.contains(name.as_str()) && !entry {
            continue;
        }
        if judging.declared.contains(name) {
            if is_declared(judging, entries, item) {
                continue;
            }
            if !matches!(item.kind, Kind::Method { .. }) {
                let what = format!("a second `{name}` is public; only one of them is declared");
                judging.at("surface", item, what);
                continue;
            }
        }
        let (dimension, what) = match &item.kind {
            Kind::Function(_) => (
                "surface",
                format!("the function `{name}` is public; a contract has one entry"),
            ),
            Kind::Method { of } => (
                "surface",
                format!("`{name}` is public: `{of}` carries values, and a contract has one entry"),
            ),
            Kind::Exception => ("error_surfaces", format!("`{name}` is no declared error")),
            Kind::Record { .. } | Kind::Choice { .. } | Kind::Alias => (
                "surface",
                format!("the type `{name}` is public, and the contract does not name it"),
            ),
            Kind::Constant => ("surface", format!("the constant `{name}` is public")),
            Kind::Foreign { from } => (
                "surface",
                format!("`{name}` of `{from}` is made public, and the contract does not name it"),
            ),
            Kind::Other { word } => ("surface", format!("the {word} `{name}` is public")),
        };
        judging.at(dimension, item, what);
    }
}
