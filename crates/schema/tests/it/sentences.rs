//! What whoever wrote a wrong value is told.

use schema::Schema;
use serde_json::{Value, json};

#[track_caller]
fn check(schema: Value, value: Value, expected: &[&str]) {
    let faults = Schema::new(&schema).unwrap().faults(&value);
    let mut said: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.place, fault.what))
        .collect();
    said.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(said, expected);
}

#[test]
fn each_fault_has_its_place_and_its_sentence() {
    check(
        json!({
            "properties": {
                "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 5},
                "name": {"minLength": 2, "pattern": "^[a-z]+$"},
                "list/1": {"items": {"type": ["string", "null"]}, "maxItems": 2, "uniqueItems": true},
                "kind": {"enum": ["a", "b", "c"]},
                "fixed": {"const": "x"},
                "never": false,
            },
            "required": ["summary"],
            "propertyNames": {"maxLength": 7},
            "additionalProperties": false,
        }),
        json!({
            "count": 0.5, "name": "A", "list/1": [1, 1, "a"], "kind": "d", "fixed": 1, "never": 1,
            "extra_name": 1, "more": 2,
        }),
        &[
            "/summary: is missing",
            ": has a property whose name \"extra_name\" is longer than 7 characters",
            "/count: 0.5 is not of type \"integer\"",
            "/count: 0.5 is less than the minimum of 1",
            "/fixed: \"x\" was expected",
            "/kind: \"d\" is not one of \"a\", \"b\" or \"c\"",
            "/list~11: [1,1,\"a\"] has more than 2 items",
            "/list~11: [1,1,\"a\"] has non-unique elements",
            "/list~11/0: 1 is not of types \"string\", \"null\"",
            "/list~11/1: 1 is not of types \"string\", \"null\"",
            "/name: \"A\" is shorter than 2 characters",
            "/name: \"A\" does not match \"^[a-z]+$\"",
            "/never: 1 stands where nothing may stand",
            ": Additional properties are not allowed ('extra_name', 'more' were unexpected)",
        ],
    );
}

#[test]
fn the_only_alternative_of_the_values_type_says_what_is_wrong() {
    let item = json!({"type": "object", "required": ["title"]});
    let schema = json!({"anyOf": [item, {"type": "null"}]});
    check(schema.clone(), json!({}), &["/title: is missing"]);
    let none = ": 7 is not valid under any of the schemas listed in the 'anyOf' keyword";
    check(schema, json!(7), &[none]);
    let two = json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let none = ": {} is not valid under any of the schemas listed in the 'oneOf' keyword";
    check(two.clone(), json!({}), &[none]);
    let both = ": {\"a\":1,\"b\":1} is valid under more than one of the schemas listed in the 'oneOf' keyword";
    check(two, json!({"a": 1, "b": 1}), &[both]);
}
