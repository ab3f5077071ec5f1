//! What the settings of checks speak of: whose change is one that a gate would see.

use serde_json::Value;

/// Do a check's settings name a field, as a value, in a list or as a key?
pub(crate) fn mentions(with: &Value, field: &str) -> bool {
    match with {
        Value::String(text) => text == field,
        Value::Array(all) => all.iter().any(|one| mentions(one, field)),
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| key == field || mentions(value, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
