//! The entry function against a contract's inputs and outputs: by name, in order, and by shape.

use crate::dimensions::Input;
use crate::judging::{Judging, same};
use crate::{Function, Item, Kind, Language, Member, Need, Parameter, Shape};

/// What an entry gives back: the value, and the error type if it has one.
pub(super) struct Given {
    pub(super) value: Shape,
    pub(super) error: Option<Shape>,
    pub(super) written: String,
}

/// The result of an entry, with waiting taken off.
pub(super) fn outcome(judging: &Judging<'_>, function: &Function) -> Given {
    let written = function.returns.clone().unwrap_or_default();
    let mut shape = match &function.returns {
        Some(text) => judging.shape(text, &function.generics),
        None => Shape::Any,
    };
    if let Shape::Later(inner) = shape {
        shape = *inner;
    }
    match shape {
        Shape::Outcome(value, error) => Given {
            value: *value,
            error: Some(*error),
            written,
        },
        value => Given {
            value,
            error: None,
            written,
        },
    }
}

/// A record of the module by its name in a shape.
fn record<'a>(judging: &Judging<'a>, shape: &Shape) -> Option<(&'a Item, &'a [Member])> {
    let Shape::Named(name) = shape else {
        return None;
    };
    let item = judging.code.get(name)?;
    match &item.kind {
        Kind::Record { fields } => Some((item, fields)),
        _ => None,
    }
}

/// Parameters are the inputs by name and in order, or one record whose fields are.
pub(super) fn inputs(judging: &mut Judging<'_>, item: &Item, function: &Function) {
    let inputs = judging.contract.inputs;
    let parameters = &function.parameters;
    if judging.contract.effects.is_empty() {
        for one in parameters {
            if one.type_.as_deref().is_some_and(is_mutable) {
                let what = format!(
                    "`{}` changes `{}`, and the contract declares no effect",
                    item.name, one.name
                );
                judging.at("effects", item, what);
            }
        }
    }
    let named = |one: &Parameter, input: &Input| same(&one.name, &input.name);
    if let [only] = parameters.as_slice()
        && !(inputs.len() == 1 && named(only, &inputs[0]))
        && let Some(text) = &only.type_
        && let Some((record, fields)) = record(judging, &judging.shape(text, &function.generics))
    {
        judging.declared.insert(record.name.clone());
        let wanted: Vec<(&str, &str)> = inputs
            .iter()
            .map(|one| (one.name.as_str(), one.type_.as_str()))
            .collect();
        members(judging, "inputs", "input", record, fields, &wanted);
        return;
    }
    let mut whole = true;
    for input in inputs {
        if !parameters.iter().any(|one| named(one, input)) {
            let what = format!("`{}` has no parameter `{}`", item.name, input.name);
            judging.at("inputs", item, what);
            whole = false;
        }
    }
    for one in parameters {
        let what = if one.need == Need::Rest {
            format!("`{}` takes whatever is given as `{}`", item.name, one.name)
        } else if inputs.iter().all(|input| !named(one, input)) {
            format!(
                "`{}` takes `{}`, which is no input of the contract",
                item.name, one.name
            )
        } else {
            continue;
        };
        judging.at("inputs", item, what);
        whole = false;
    }
    if !whole {
        return;
    }
    if !parameters.iter().zip(inputs).all(|(a, b)| named(a, b)) {
        let order: Vec<&str> = inputs.iter().map(|one| one.name.as_str()).collect();
        let what = format!(
            "`{}` takes its parameters in another order than {}",
            item.name,
            order.join(", ")
        );
        judging.at("inputs", item, what);
        return;
    }
    for (one, input) in parameters.iter().zip(inputs) {
        input_type(judging, item, function, one, input);
    }
}

fn input_type(
    judging: &mut Judging<'_>,
    item: &Item,
    function: &Function,
    one: &Parameter,
    input: &Input,
) {
    let Some(text) = &one.type_ else {
        return;
    };
    let mut wanted = Shape::of_contract(&input.type_);
    let mut has = judging.shape(text, &function.generics);
    if input.is_optional() {
        let left_out = match judging.language {
            Language::Python | Language::JavaScript => one.need == Need::Optional,
            Language::Rust => matches!(has, Shape::Maybe(_) | Shape::Any),
        };
        if !left_out {
            let what = format!("`{}` is optional and cannot be left out", input.name);
            judging.at("inputs", item, what);
        }
        for shape in [&mut wanted, &mut has] {
            if let Shape::Maybe(inner) = shape {
                *shape = (**inner).clone();
            }
        }
    }
    if !wanted.agrees(&has) {
        let what = differs("input", &input.name, &input.type_, text);
        judging.at("inputs", item, what);
    }
}

fn differs(word: &str, name: &str, contract: &str, code: &str) -> String {
    format!("the {word} `{name}` is `{contract}` in the contract and `{code}` in the code")
}

fn is_mutable(text: &str) -> bool {
    let Some(rest) = text.trim().strip_prefix('&') else {
        return false;
    };
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('\'') {
        Some(lifetime) => lifetime.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => rest,
    };
    rest.trim_start().starts_with("mut ")
}

/// The fields of a record are these, whatever their order.
fn members(
    judging: &mut Judging<'_>,
    dimension: &'static str,
    word: &str,
    record: &Item,
    fields: &[Member],
    wanted: &[(&str, &str)],
) {
    for (name, type_) in wanted {
        match fields.iter().find(|field| same(&field.name, name)) {
            None => {
                let what = format!("`{}` has no public field `{name}`", record.name);
                judging.at(dimension, record, what);
            }
            Some(field) => {
                let text = field.type_.as_deref().unwrap_or_default();
                let has = judging.shape(text, &[]);
                if !text.is_empty() && !wanted_shape(type_).agrees(&has) {
                    let what = differs(word, name, type_, text);
                    judging.on_line(dimension, record, field.line, what);
                }
            }
        }
    }
    for field in fields {
        if wanted.iter().all(|(name, _)| !same(&field.name, name)) {
            let what = format!(
                "`{}.{}` is no {word} of the contract",
                record.name, field.name
            );
            judging.on_line(dimension, record, field.line, what);
        }
    }
}

/// A contract that writes `Result<String, E>` means the text: errors are a dimension of their own.
fn wanted_shape(text: &str) -> Shape {
    match Shape::of_contract(text) {
        Shape::Outcome(value, _) => *value,
        other => other,
    }
}

/// The value is the output, or a tuple or record of several.
pub(super) fn outputs(judging: &mut Judging<'_>, item: &Item, given: &Given) {
    let outputs = judging.contract.outputs;
    let wanted: Vec<(&str, &str)> = outputs
        .iter()
        .map(|one| (one.name.as_str(), one.type_.as_str()))
        .collect();
    if let [(_, type_)] = wanted.as_slice()
        && wanted_shape(type_).agrees(&given.value)
        && !matches!(given.value, Shape::Any)
    {
        return;
    }
    if let Some((record, fields)) = record(judging, &given.value) {
        judging.declared.insert(record.name.clone());
        members(judging, "outputs", "output", record, fields, &wanted);
        return;
    }
    match (&given.value, wanted.as_slice()) {
        (Shape::Any, _) => {}
        // An enum that carries the errors as well is judged with them.
        (Shape::Named(name), _) if is_choice(judging, name) => {}
        (Shape::Tuple(shapes), many) if shapes.len() == many.len() => {
            for (shape, (name, type_)) in shapes.iter().zip(many) {
                if !wanted_shape(type_).agrees(shape) {
                    let what = differs("output", name, type_, &given.written);
                    judging.at("outputs", item, what);
                }
            }
        }
        (_, [(name, type_)]) => {
            let what = differs("output", name, type_, &given.written);
            judging.at("outputs", item, what);
        }
        (_, many) => {
            let names: Vec<&str> = many.iter().map(|(name, _)| *name).collect();
            let what = format!(
                "`{}` returns `{}`, and the contract has the outputs {}",
                item.name,
                given.written,
                names.join(", ")
            );
            judging.at("outputs", item, what);
        }
    }
}

fn is_choice(judging: &Judging<'_>, name: &str) -> bool {
    let found = judging.code.get(name);
    found.is_some_and(|item| matches!(item.kind, Kind::Choice { .. }))
}
