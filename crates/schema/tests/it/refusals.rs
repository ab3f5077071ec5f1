//! What is no schema, or says something that is not held: never taken in silence.

use schema::{Problem, Schema};
use serde_json::{Value, json};

#[test]
fn a_schema_that_cannot_be_held_is_refused_with_place_and_mend() {
    for (schema, place, what, mend) in [
        (json!(7), "", "7 is no schema", "draft 2020-12"),
        (
            json!({"items": "x"}),
            "/items",
            "no schema",
            "draft 2020-12",
        ),
        (
            json!({"type": "objekt"}),
            "/type",
            "\"objekt\" is not a type",
            "2020-12",
        ),
        (json!({"type": []}), "/type", "[] is not", "2020-12"),
        (
            json!({"type": ["null", "null"]}),
            "/type",
            "different",
            "2020-12",
        ),
        (json!({"enum": 1}), "/enum", "a list", "2020-12"),
        (
            json!({"minLength": -1}),
            "/minLength",
            "a whole number from 0",
            "2020-12",
        ),
        (
            json!({"maxItems": 1.5}),
            "/maxItems",
            "a whole number from 0",
            "2020-12",
        ),
        (json!({"maximum": "1"}), "/maximum", "a number", "2020-12"),
        (
            json!({"multipleOf": 0}),
            "/multipleOf",
            "above 0",
            "2020-12",
        ),
        (
            json!({"multipleOf": -2}),
            "/multipleOf",
            "above 0",
            "2020-12",
        ),
        (
            json!({"uniqueItems": 1}),
            "/uniqueItems",
            "true or false",
            "2020-12",
        ),
        (
            json!({"required": ["a", "a"]}),
            "/required",
            "different",
            "2020-12",
        ),
        (json!({"required": [1]}), "/required", "texts", "2020-12"),
        (json!({"allOf": []}), "/allOf", "at least one", "2020-12"),
        (
            json!({"properties": []}),
            "/properties",
            "an object of schemas",
            "2020-12",
        ),
        (
            json!({"dependentRequired": {"a": 1}}),
            "/dependentRequired/a",
            "texts",
            "2020-12",
        ),
        (
            json!({"pattern": "(?=a)"}),
            "/pattern",
            "(?=a)",
            "look-around",
        ),
        (json!({"pattern": 1}), "/pattern", "a text", "2020-12"),
        (
            json!({"patternProperties": {"[": {}}}),
            "/patternProperties/[",
            "cannot be used",
            "look-around",
        ),
        (
            json!({"requird": []}),
            "/requird",
            "`requird` is not known",
            "`x-`",
        ),
        (
            json!({"items": [true]}),
            "/items",
            "`prefixItems`",
            "2020-12",
        ),
        (
            json!({"additionalItems": false}),
            "/additionalItems",
            "not known",
            "`prefixItems`",
        ),
        (
            json!({"dependencies": {}}),
            "/dependencies",
            "not known",
            "`dependentRequired`",
        ),
        (
            json!({"nullable": true}),
            "/nullable",
            "not known",
            "\"null\"",
        ),
        (
            json!({"$dynamicRef": "#a"}),
            "/$dynamicRef",
            "not known",
            "`$ref`",
        ),
        (
            json!({"$schema": "https://example.org/mine"}),
            "/$schema",
            "example.org",
            "leave `$schema` out",
        ),
        (
            json!({"$ref": "https://example.org/a"}),
            "/$ref",
            "lies outside",
            "`$defs`",
        ),
        (
            json!({"$ref": "other.json#/a"}),
            "/$ref",
            "lies outside",
            "`$defs`",
        ),
        (
            json!({"items": {"$ref": "#/gone"}}),
            "/items/$ref",
            "`#/gone` leads nowhere",
            "`#/$defs/NAME`",
        ),
        (
            json!({"$ref": "#gone"}),
            "/$ref",
            "leads nowhere",
            "`#/$defs/NAME`",
        ),
        (json!({"$ref": 1}), "/$ref", "a text", "2020-12"),
        (
            json!({"items": {"$id": "a"}}),
            "/items/$id",
            "`$anchor`",
            "2020-12",
        ),
        (
            json!({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}),
            "/$defs/b/$anchor",
            "twice",
            "own name",
        ),
        (
            json!({"$defs": {"a": {"type": "nul"}}}),
            "/$defs/a/type",
            "nul",
            "2020-12",
        ),
        (
            json!({"$defs": {"a/b": {"type": 1}}}),
            "/$defs/a~1b/type",
            "1 is not",
            "2020-12",
        ),
        (
            json!({"$ref": "#"}),
            "",
            "back to itself",
            "below a property",
        ),
        (
            json!({"allOf": [{"not": {"$ref": "#"}}]}),
            "",
            "back to itself",
            "below a property",
        ),
    ] {
        let error = Schema::new(&schema).expect_err(&schema.to_string());
        assert_eq!(error.place, place, "{schema}: {error}");
        assert!(error.to_string().contains(what), "{schema}: {error}");
        assert!(error.mend().contains(mend), "{schema}: {}", error.mend());
    }
}

#[test]
fn a_bad_pattern_keeps_its_cause() {
    let error = Schema::new(&json!({"pattern": "a("})).unwrap_err();
    assert!(matches!(error.problem, Problem::Pattern { .. }));
    let cause = std::error::Error::source(&error.problem);
    assert!(cause.is_some_and(|cause| cause.to_string().contains("unclosed group")));
}

#[test]
fn notes_and_known_drafts_are_taken() {
    for schema in [
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "a", "$comment": "c"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": true}}),
        json!({"title": "t", "description": "d", "default": 1, "examples": [1], "deprecated": true}),
        json!({"readOnly": true, "writeOnly": false, "x-order": 3, "contentSchema": {"type": "null"}}),
        json!({"properties": {"requird": {}, "nullable": {}}}),
    ] {
        let read = Schema::new(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!(read.faults(&Value::Null), []);
    }
}
