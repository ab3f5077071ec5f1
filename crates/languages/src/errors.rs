//! A contract's error surfaces against what the code can fail with. Every declared error has a
//! public name of its own: a variant or a type in Rust; an exception, or a member of an enum, in
//! Python and JavaScript. What an error carries is not compared.

use crate::dimensions::{ErrorSurface, SurfaceKind};
use crate::judging::{Judging, same};
use crate::signature::Given;
use crate::{Item, Kind, Language, Shape};

/// Exceptions that Python has of its own; a contract may declare them without making any public.
const OF_PYTHON: [&str; 22] = [
    "ArithmeticError",
    "AttributeError",
    "ConnectionError",
    "EOFError",
    "Exception",
    "FileExistsError",
    "FileNotFoundError",
    "IndexError",
    "IsADirectoryError",
    "KeyError",
    "LookupError",
    "NotADirectoryError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RuntimeError",
    "StopIteration",
    "TimeoutError",
    "TypeError",
    "UnicodeDecodeError",
    "ValueError",
    "ZeroDivisionError",
];

/// Those of JavaScript.
const OF_JAVASCRIPT: [&str; 7] = [
    "Error",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
];

fn built_in(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &[],
        Language::Python => &OF_PYTHON,
        Language::JavaScript => &OF_JAVASCRIPT,
    }
}

/// The errors that an entry carries.
pub(super) fn carried(judging: &mut Judging<'_>, item: &Item, given: &Given) {
    match judging.language {
        Language::Python | Language::JavaScript => public(judging),
        Language::Rust => returned(judging, item, given),
    }
}

/// Each declared error is public, wherever.
pub(super) fn public(judging: &mut Judging<'_>) {
    let code = judging.code;
    for error in judging.contract.error_surfaces {
        let name = &error.name;
        if built_in(judging.language).contains(&name.as_str()) {
            if !code.raises.contains(name) {
                let what = format!("`{name}` is declared and never raised");
                judging.lacks("error_surfaces", what);
            }
            continue;
        }
        let own = code.items.iter().find(|item| {
            let fits = matches!(
                item.kind,
                Kind::Exception | Kind::Record { .. } | Kind::Foreign { .. }
            );
            fits && same(&item.name, name)
        });
        if let Some(own) = own {
            judging.declared.insert(own.name.clone());
            continue;
        }
        if error.surface == SurfaceKind::Exception && judging.language != Language::Rust {
            let what = format!("no public exception is called `{name}`");
            judging.lacks("error_surfaces", what);
            continue;
        }
        let member = code.items.iter().find(|item| match &item.kind {
            Kind::Choice { variants } => variants.iter().any(|one| same(&one.name, name)),
            _ => constant(item, error),
        });
        match member {
            Some(member) => {
                judging.declared.insert(member.name.clone());
                if let Kind::Choice { variants } = &member.kind {
                    others(judging, member, variants.iter());
                }
            }
            None => {
                let what = format!("nothing public is called `{name}`");
                judging.lacks("error_surfaces", what);
            }
        }
    }
}

fn constant(item: &Item, error: &ErrorSurface) -> bool {
    error.surface == SurfaceKind::Code
        && item.kind == Kind::Constant
        && same(&item.name, &error.name)
}

/// Members of an enum of errors that no contract declares.
fn others<'m>(
    judging: &mut Judging<'_>,
    item: &Item,
    variants: impl Iterator<Item = &'m crate::Member>,
) {
    let errors = judging.contract.error_surfaces;
    let outputs = judging.contract.outputs;
    for one in variants {
        let known = errors.iter().any(|error| same(&error.name, &one.name))
            || outputs.iter().any(|output| same(&output.name, &one.name));
        if !known {
            let what = format!("`{}::{}` is no declared error", item.name, one.name);
            judging.on_line("error_surfaces", item, one.line, what);
        }
    }
}

/// In Rust the error is half of a `Result`, or a variant of what is returned.
fn returned(judging: &mut Judging<'_>, item: &Item, given: &Given) {
    let errors = judging.contract.error_surfaces;
    let shape = match &given.error {
        Some(shape) => shape,
        None if errors.is_empty() => return,
        None => &given.value,
    };
    if errors.is_empty() {
        if *shape != Shape::Nothing {
            let what = format!(
                "`{}` returns `{}`, and the contract declares no error",
                item.name, given.written
            );
            judging.at("error_surfaces", item, what);
        }
        return;
    }
    let Shape::Named(name) = shape else {
        let codes = errors.iter().all(|one| one.surface == SurfaceKind::Code);
        if codes && given.error.is_some() {
            public(judging);
            return;
        }
        let names: Vec<&str> = errors.iter().map(|one| one.name.as_str()).collect();
        let what = format!(
            "`{}` returns `{}`, which cannot tell {} apart",
            item.name,
            given.written,
            names.join(", ")
        );
        judging.at("error_surfaces", item, what);
        return;
    };
    let Some(own) = judging.code.get(name) else {
        let what = format!("`{}` fails with `{name}`, which is not public", item.name);
        judging.at("error_surfaces", item, what);
        return;
    };
    judging.declared.insert(own.name.clone());
    if let Kind::Choice { variants } = &own.kind {
        for error in errors {
            if !variants.iter().any(|one| same(&one.name, &error.name)) {
                let what = format!("`{name}` has no variant `{}`", error.name);
                judging.at("error_surfaces", own, what);
            }
        }
        others(judging, own, variants.iter());
        return;
    }
    for error in errors {
        if !same(name, &error.name) {
            let what = format!("nothing that `{}` returns is `{}`", item.name, error.name);
            judging.at("error_surfaces", own, what);
        }
    }
    if errors.iter().all(|error| !same(name, &error.name)) {
        let what = format!("`{name}` is no declared error");
        judging.at("error_surfaces", own, what);
    }
}
