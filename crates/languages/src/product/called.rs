//! The names at the top of a product, as a case of its spec calls them, as the driver of their language
//! does, and as people read them. A case says the same of a product in every language.

use crate::Language;
use kernel::exam::{ANSWER, Case, Driver, Step};
use serde_json::Value;

/// How a library in this language is asked.
pub fn driver(language: Language) -> Driver {
    match language {
        Language::Rust => Driver::Rust,
        Language::Python => Driver::Python,
        Language::JavaScript => Driver::JavaScript,
    }
}

/// Can there be such a name at the top of a product? A method of an earlier answer (`.total`) stands there too.
pub fn is_name(call: &str) -> bool {
    let name = call.strip_prefix('.').unwrap_or(call);
    let begins = name.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_');
    begins
        && name
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || one == '_')
}

/// The case as the driver of the language asks it.
pub fn for_driver(case: &Case, product: &str, language: Language) -> Case {
    let package = product.replace('-', "_");
    let mut case = case.clone();
    for step in &mut case.steps {
        if step.call.starts_with('.') {
            continue;
        }
        step.call = match language {
            Language::Rust => format!("{package}::{}", step.call),
            Language::Python => format!("{package}:{}", step.call),
            Language::JavaScript => format!("{}:{}", language.root(), step.call),
        };
    }
    case
}

/// A call as people read it, its inputs as JSON: `label("1 a", 2)`, `(answer 1).total()`.
pub fn shown(step: &Step) -> String {
    let mut inputs: Vec<String> = step.with.iter().map(input).collect();
    let whose = match step.call.starts_with('.') && !inputs.is_empty() {
        true => format!("({})", inputs.remove(0)),
        false => String::new(),
    };
    let named = step.named.iter();
    inputs.extend(named.map(|(name, value)| format!("{name}={}", input(value))));
    format!("{whose}{}({})", step.call, inputs.join(", "))
}

fn input(value: &Value) -> String {
    match value.get(ANSWER).and_then(Value::as_u64) {
        Some(number) => format!("answer {}", number + 1),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_called_as_each_driver_does_and_as_people_read_it() {
        let case: Case = serde_json::from_value(json!({
            "id": "1", "clause": "it counts",
            "steps": [
                {"call": "open", "with": ["a", {"b": 1}]},
                {"call": ".count", "with": [{"$answer": 0}, 2], "named": {"deep": true}},
            ],
            "holds": [{"of": 1, "is": "equals", "value": 1}],
        }))
        .unwrap();
        let called = |language| {
            let case = for_driver(&case, "line-labels", language);
            case.steps[0].call.clone()
        };
        assert_eq!(called(Language::Rust), "line_labels::open");
        assert_eq!(called(Language::Python), "line_labels:open");
        assert_eq!(called(Language::JavaScript), "index.mjs:open");
        let shown: Vec<String> = case.steps.iter().map(shown).collect();
        assert_eq!(shown[0], "open(\"a\", {\"b\":1})");
        assert_eq!(shown[1], "(answer 1).count(2, deep=true)");
        assert!(is_name("open_2") && is_name(".count") && is_name("_x"));
        let none = ["", ".", "2x", "a.b", "a::b", "a:b", "a()", "é"];
        assert!(!none.iter().any(|call| is_name(call)));
    }
}
