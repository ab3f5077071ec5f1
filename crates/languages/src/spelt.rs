//! What is public, as its language writes it.

use crate::{Call, Function, Item, Kind, Language, Member, Need};

/// One line for it; none: callers have no use for it.
pub(crate) fn line(item: &Item, language: Language) -> Option<String> {
    let name = &item.name;
    let from = |word: &str| Some(format!("{word} {name}"));
    match &item.kind {
        Kind::Function(function) => Some(call(name, function, language)),
        Kind::Record { fields } => {
            let word = if language == Language::Rust {
                "struct"
            } else {
                "class"
            };
            Some(format!("{word} {name} {{ {} }}", members(fields, ": ")))
        }
        Kind::Choice { variants } => Some(format!("enum {name} {{ {} }}", members(variants, ""))),
        Kind::Exception => from("exception"),
        Kind::Alias => from("type"),
        Kind::Constant => from("constant"),
        Kind::Method { of } => Some(format!("{of}.{name}")),
        Kind::Foreign { from: module } => Some(format!("{name}, of {module}")),
        Kind::Other { .. } => None,
    }
}

fn call(name: &str, function: &Function, language: Language) -> String {
    let parameters = function.parameters.iter().map(|one| {
        let optional = if one.need == Need::Optional { "?" } else { "" };
        let rest = if one.need == Need::Rest { "..." } else { "" };
        let of = one.type_.as_ref();
        let of = of.map_or_else(String::new, |of| format!(": {of}"));
        format!("{rest}{}{optional}{of}", one.name)
    });
    let parameters: Vec<String> = parameters.collect();
    let word = match language {
        Language::Rust => "fn",
        Language::Python => "def",
        Language::JavaScript => "function",
    };
    let waits = if function.call == Call::Async {
        "async "
    } else {
        ""
    };
    let gives = function.returns.as_ref();
    let gives = gives.map_or_else(String::new, |gives| format!(" -> {gives}"));
    format!("{waits}{word} {name}({}){gives}", parameters.join(", "))
}

/// Fields or variants; `between` stands between the name and what it holds.
fn members(all: &[Member], between: &str) -> String {
    let all = all.iter().map(|one| match &one.type_ {
        Some(of) => format!("{}{between}{of}", one.name),
        None => one.name.clone(),
    });
    all.collect::<Vec<_>>().join(", ")
}
