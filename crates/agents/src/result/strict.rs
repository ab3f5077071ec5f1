//! A schema in the strict form that providers accept for their structured output: every object is
//! closed, every key is required, and a key that need not be there may be null.
//!
//! Limits such as `minLength` are left out, because providers refuse them; the judge holds a result
//! against the whole schema in any case. A schema whose very shape providers cannot express (open
//! maps, references, alternatives by `oneOf` or `allOf`) has no strict form, and the brief alone
//! says what is wanted.

use serde_json::{Map, Value, json};

/// Kept as they are.
const KEPT: [&str; 4] = ["type", "enum", "const", "description"];
/// Left out: they only narrow.
const LEFT_OUT: [&str; 21] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "default",
    "examples",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "deprecated",
];

/// The strict form; none where there is none.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let object = schema.as_object()?;
    let mut out = Map::new();
    for (key, value) in object {
        match key.as_str() {
            "properties" | "required" | "additionalProperties" => {}
            "items" => {
                out.insert(key.clone(), strict(value)?);
            }
            "anyOf" => {
                let all: Option<Vec<Value>> = value.as_array()?.iter().map(strict).collect();
                out.insert(key.clone(), Value::Array(all?));
            }
            kept if KEPT.contains(&kept) => {
                out.insert(key.clone(), value.clone());
            }
            left_out if LEFT_OUT.contains(&left_out) => {}
            _ => return None,
        }
    }
    if object.get("type") == Some(&json!("object")) || object.contains_key("properties") {
        let properties = object.get("properties")?.as_object()?;
        let required = required(object);
        let mut closed = Map::new();
        for (name, property) in properties {
            let property = strict(property)?;
            let property = if required.contains(&name.as_str()) {
                property
            } else {
                json!({ "anyOf": [property, { "type": "null" }] })
            };
            closed.insert(name.clone(), property);
        }
        let names: Vec<&String> = closed.keys().collect();
        out.insert("required".to_owned(), json!(names));
        out.insert("properties".to_owned(), Value::Object(closed));
        out.insert("type".to_owned(), json!("object"));
        out.insert("additionalProperties".to_owned(), json!(false));
    }
    // "Anything" and "a list of anything" cannot be said.
    let open =
        out.is_empty() || (out.get("type") == Some(&json!("array")) && !out.contains_key("items"));
    (!open).then_some(Value::Object(out))
}

/// Takes out the keys that are null and need not be there.
pub(super) fn drop_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let Some(properties) = schema["properties"].as_object() else {
                return;
            };
            let required = schema.as_object().map(required).unwrap_or_default();
            object.retain(|name, value| {
                !value.is_null()
                    || required.contains(&name.as_str())
                    || !properties.contains_key(name)
            });
            for (name, value) in object {
                if let Some(schema) = properties.get(name) {
                    drop_nulls(value, schema);
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| drop_nulls(item, &schema["items"])),
        _ => {}
    }
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    let list = schema.get("required").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_limits_go_and_what_may_be_absent_may_be_null() {
        let schema = json!({
            "$schema": "x", "type": "object", "required": ["a"],
            "properties": {
                "a": { "type": "string", "minLength": 1, "description": "d" },
                "b": { "type": "array", "items": { "properties": { "c": { "type": "integer" } } } },
            },
        });
        let inner = json!({
            "type": "object", "required": ["c"], "additionalProperties": false,
            "properties": { "c": { "anyOf": [{ "type": "integer" }, { "type": "null" }] } },
        });
        let expected = json!({
            "type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {
                "a": { "type": "string", "description": "d" },
                "b": { "anyOf": [{ "type": "array", "items": inner }, { "type": "null" }] },
            },
        });
        assert_eq!(strict(&schema), Some(expected));
        let mut value = json!({"a": null, "b": [{"c": null}, {"c": 1}], "z": null});
        drop_nulls(&mut value, &schema);
        assert_eq!(value, json!({"a": null, "b": [{}, {"c": 1}], "z": null}));
    }

    #[test]
    fn what_providers_cannot_say_has_no_strict_form() {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {"type": "object"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#"}}}),
            json!({"type": "object", "properties": {"a": {"type": "array"}}}),
            json!({"type": "object", "properties": {"a": true}}),
            json!({"type": "object", "properties": {}, "allOf": []}),
        ] {
            assert_eq!(strict(&schema), None, "{schema}");
        }
    }
}
