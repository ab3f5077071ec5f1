//! Every keyword that is held, on values that hold to it and values that do not, after the cases
//! that draft 2020-12 is known to be read wrongly in.

use schema::Schema;
use serde_json::{Value, json};

#[track_caller]
fn check(schema: Value, right: &[Value], wrong: &[Value]) {
    let read = Schema::new(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    for value in right {
        assert_eq!(read.faults(value), [], "{value} against {schema}");
    }
    for value in wrong {
        assert_ne!(read.faults(value), [], "{value} against {schema}");
    }
}

#[test]
fn any_and_none() {
    let all = [json!(null), json!(1), json!("a"), json!([]), json!({})];
    check(json!(true), &all, &[]);
    check(json!({}), &all, &[]);
    check(json!(false), &[], &all);
}

#[test]
fn types() {
    check(
        json!({"type": "integer"}),
        &[json!(1), json!(1.0), json!(-3), json!(1e30)],
        &[json!(1.1), json!("1"), json!(null), json!(true)],
    );
    check(
        json!({"type": "number"}),
        &[json!(1), json!(1.1)],
        &[json!("1"), json!(false)],
    );
    check(
        json!({"type": "string"}),
        &[json!("")],
        &[json!(1), json!(null)],
    );
    check(
        json!({"type": "boolean"}),
        &[json!(false)],
        &[json!(0), json!("")],
    );
    check(
        json!({"type": "null"}),
        &[json!(null)],
        &[json!(0), json!(false), json!("")],
    );
    check(json!({"type": "array"}), &[json!([])], &[json!({})]);
    check(json!({"type": "object"}), &[json!({})], &[json!([])]);
    check(
        json!({"type": ["string", "null"]}),
        &[json!("a"), json!(null)],
        &[json!(1), json!([])],
    );
}

#[test]
fn one_of_some_values() {
    check(
        json!({"enum": [6, "a", [], true, {"b": 1}]}),
        &[
            json!(6.0),
            json!("a"),
            json!([]),
            json!(true),
            json!({"b": 1.0}),
        ],
        &[
            json!("6"),
            json!(1),
            json!({"b": true}),
            json!(null),
            json!([1]),
        ],
    );
    check(
        json!({"enum": [false]}),
        &[json!(false)],
        &[json!(0), json!([false])],
    );
    check(
        json!({"const": {"a": [1]}}),
        &[json!({"a": [1.0]})],
        &[json!({"a": 1}), json!([1])],
    );
    check(
        json!({"const": 0}),
        &[json!(0), json!(-0.0)],
        &[json!(false), json!("")],
    );
    check(json!({"const": null}), &[json!(null)], &[json!(0)]);
}

#[test]
fn numbers() {
    check(
        json!({"maximum": 3.0}),
        &[json!(3), json!("x")],
        &[json!(3.5)],
    );
    check(
        json!({"exclusiveMaximum": 3}),
        &[json!(2.9)],
        &[json!(3), json!(4)],
    );
    check(
        json!({"minimum": -2}),
        &[json!(-2.0), json!([])],
        &[json!(-2.0001)],
    );
    check(
        json!({"exclusiveMinimum": 1.1}),
        &[json!(1.2)],
        &[json!(1.1), json!(0)],
    );
    check(
        json!({"multipleOf": 0.01}),
        &[json!(4.07), json!(0), json!("a")],
        &[json!(0.001)],
    );
}

#[test]
fn texts() {
    check(
        json!({"maxLength": 2}),
        &[json!("\u{1f4a9}\u{1f4a9}"), json!(100)],
        &[json!("abc")],
    );
    check(
        json!({"minLength": 2.0}),
        &[json!("ab"), json!(1)],
        &[json!("a"), json!("\u{1f4a9}")],
    );
    check(
        json!({"pattern": "^a*$"}),
        &[json!("aaa"), json!(1)],
        &[json!("abc")],
    );
    check(json!({"pattern": "a+"}), &[json!("xxaayy")], &[json!("x")]);
    check(
        json!({"format": "email", "contentMediaType": "text/plain"}),
        &[json!("no mail")],
        &[],
    );
}

#[test]
fn lists() {
    check(
        json!({"maxItems": 1}),
        &[json!([1]), json!("ab")],
        &[json!([1, 2])],
    );
    check(
        json!({"minItems": 1}),
        &[json!([1]), json!("")],
        &[json!([])],
    );
    check(
        json!({"uniqueItems": true}),
        &[
            json!([1, true]),
            json!([[1], [2]]),
            json!([{"a": 1}, {"a": 2}]),
            json!(["1", 1]),
        ],
        &[
            json!([1, 1.0]),
            json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
            json!([[1], [1]]),
        ],
    );
    check(json!({"uniqueItems": false}), &[json!([1, 1])], &[]);
    check(
        json!({"items": {"type": "integer"}}),
        &[json!([1, 2]), json!({})],
        &[json!([1, "x"])],
    );
    check(json!({"items": false}), &[json!([])], &[json!([1])]);
    check(
        json!({"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false}),
        &[json!([1]), json!([1, "a"]), json!([])],
        &[json!([1, "a", 2]), json!(["a"])],
    );
    check(
        json!({"prefixItems": [{"type": "integer"}]}),
        &[json!([1, "a"])],
        &[json!(["a"])],
    );
    let even = json!({"multipleOf": 2});
    check(
        json!({"contains": even}),
        &[json!([1, 2]), json!({})],
        &[json!([1, 3]), json!([])],
    );
    check(
        json!({"contains": even, "minContains": 0}),
        &[json!([1]), json!([])],
        &[],
    );
    check(
        json!({"contains": even, "minContains": 2, "maxContains": 3}),
        &[json!([2, 4]), json!([1, 2, 4, 6])],
        &[json!([2]), json!([2, 4, 6, 8])],
    );
    check(
        json!({"minContains": 2, "maxContains": 0}),
        &[json!([1])],
        &[],
    );
}

#[test]
fn objects() {
    check(
        json!({"maxProperties": 1}),
        &[json!({"a": 1}), json!([1, 2])],
        &[json!({"a": 1, "b": 2})],
    );
    check(
        json!({"minProperties": 1}),
        &[json!({"a": 1}), json!("")],
        &[json!({})],
    );
    check(
        json!({"required": ["a"]}),
        &[json!({"a": null}), json!([])],
        &[json!({}), json!({"A": 1})],
    );
    check(
        json!({"properties": {"a": {"type": "integer"}, "b": false}}),
        &[json!({"a": 1, "c": []}), json!([])],
        &[json!({"a": "x"}), json!({"b": 1})],
    );
    check(
        json!({
            "properties": {"a": {"maximum": 9}},
            "patternProperties": {"^a": {"type": "integer"}, "^n": true},
            "additionalProperties": {"type": "boolean"},
        }),
        &[json!({"a": 1, "abc": 2, "n": "x", "z": true})],
        &[
            json!({"a": 10}),
            json!({"a": 1.5}),
            json!({"abc": "x"}),
            json!({"z": 1}),
        ],
    );
    check(
        json!({"properties": {"a": {}}, "additionalProperties": false}),
        &[json!({"a": 1}), json!({}), json!("x")],
        &[json!({"b": 1})],
    );
    // It looks at what stands beside it, and not into other schemas.
    check(
        json!({"allOf": [{"properties": {"a": {}}}], "additionalProperties": {"type": "boolean"}}),
        &[json!({"a": true})],
        &[json!({"a": 1})],
    );
    check(
        json!({"propertyNames": {"maxLength": 3}}),
        &[json!({"abc": 1})],
        &[json!({"abcd": 1})],
    );
    check(
        json!({"propertyNames": false}),
        &[json!({})],
        &[json!({"a": 1})],
    );
    check(
        json!({"dependentRequired": {"a": ["b", "c"]}}),
        &[json!({}), json!({"b": 1}), json!({"a": 1, "b": 1, "c": 1})],
        &[json!({"a": 1, "b": 1})],
    );
    check(
        json!({"dependentSchemas": {"a": {"required": ["b"]}, "z": false}}),
        &[json!({"c": 1}), json!({"a": 1, "b": 1})],
        &[json!({"a": 1}), json!({"z": 1})],
    );
}

#[test]
fn together() {
    check(
        json!({"allOf": [{"minimum": 1}, {"maximum": 3}]}),
        &[json!(2)],
        &[json!(0), json!(4)],
    );
    check(
        json!({"anyOf": [{"type": "integer"}, {"minimum": 2}]}),
        &[json!(1), json!(2.5), json!(3)],
        &[json!(1.5)],
    );
    check(
        json!({"oneOf": [{"type": "integer"}, {"minimum": 2}]}),
        &[json!(1), json!(2.5)],
        &[json!(3), json!(1.5)],
    );
    check(
        json!({"not": {"type": ["integer", "null"]}}),
        &[json!("a")],
        &[json!(1), json!(null)],
    );
    let either = json!({
        "if": {"exclusiveMaximum": 0}, "then": {"minimum": -10}, "else": {"multipleOf": 2},
    });
    check(
        either,
        &[json!(-1), json!(4), json!("a")],
        &[json!(-100), json!(3)],
    );
    check(json!({"then": false, "else": false}), &[json!(1)], &[]);
    check(
        json!({"if": {"const": 1}, "then": {"const": 2}}),
        &[json!(3)],
        &[json!(1)],
    );
}

#[test]
fn references() {
    check(
        json!({"properties": {"next": {"$ref": "#"}}, "additionalProperties": false}),
        &[json!({"next": {"next": {}}})],
        &[json!({"next": {"other": 1}})],
    );
    check(
        json!({
            "$id": "https://example.org/tree", "$ref": "#/$defs/a~1b%25", "maximum": 9,
            "$defs": {"a/b%": {"$ref": "https://example.org/tree#whole"}, "c": {"$anchor": "whole", "type": "integer"}},
        }),
        &[json!(9)],
        &[json!(10), json!(1.5)],
    );
    check(
        json!({"definitions": {"a": {"type": "null"}}, "items": {"$ref": "#/definitions/a"}}),
        &[json!([null])],
        &[json!([1])],
    );
    // A property that is called as the keyword, and an anchor that is only a value.
    check(
        json!({"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "a"}, {"$anchor": "a"}]}),
        &[json!({"$ref": "a"})],
        &[json!({"$ref": 1})],
    );
}

#[test]
fn what_no_other_keyword_looked_at() {
    check(
        json!({
            "allOf": [{"properties": {"a": {}}}],
            "if": {"properties": {"b": {"const": 1}}, "required": ["b"]},
            "then": {"properties": {"c": {}}},
            "unevaluatedProperties": false,
        }),
        &[json!({"a": 1}), json!({"b": 1, "c": 2})],
        &[json!({"b": 2}), json!({"c": 2}), json!({"a": 1, "d": 1})],
    );
    check(
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {}}}}, "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[json!({"b": 1})],
    );
    // What a schema that does not hold looked at does not count, nor what `not` looked at.
    check(
        json!({
            "anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {}}}],
            "unevaluatedProperties": false,
        }),
        &[json!({"a": 1}), json!({"b": 1}), json!({"a": 1, "b": 1})],
        &[json!({"a": 2})],
    );
    check(
        json!({"not": {"not": {"properties": {"a": {}}}}, "unevaluatedProperties": false}),
        &[json!({})],
        &[json!({"a": 1})],
    );
    check(
        json!({"allOf": [{"unevaluatedProperties": true}], "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[],
    );
    check(
        json!({"prefixItems": [true], "contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}}),
        &[json!([1, "a", null]), json!(["a"])],
        &[json!([1, "a", 2])],
    );
    check(
        json!({"allOf": [{"prefixItems": [true, true]}], "unevaluatedItems": false}),
        &[json!([1, 2])],
        &[json!([1, 2, 3])],
    );
    check(
        json!({"items": true, "unevaluatedItems": false}),
        &[json!([1, 2])],
        &[],
    );
}
