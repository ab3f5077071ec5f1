//! What a result must look like: the base that every role shares, and what one role adds.
//!
//! The base is a type, and its JSON Schema follows from it. A role's schema comes on top: it may
//! ask for more, and may say more exactly what a finding is, but it cannot loosen what the engine
//! itself reads (`summary`, `next`, `verdict`).

use super::Fault;
use super::strict;
use kernel::finding::FINDINGS;
use schema::{Schema, SchemaError};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The most faults that one answer is told: an agent mends a few things well and forty badly.
const MOST_FAULTS: usize = 12;
/// The most that is said about one of them: it may quote the value.
const MOST_CHARS: usize = 240;

/// What every role hands back. Never built: only its schema is wanted.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is wanted")]
struct Base {
    /// What was done, for people.
    #[schemars(regex(pattern = r"\S"))]
    summary: String,
    /// The state that the brief lets you ask for.
    #[schemars(default, with = "String")]
    next: Option<String>,
    /// Your judgement, where the brief asks for one.
    #[schemars(default, with = "Verdict")]
    verdict: Option<Verdict>,
    /// Why it is impossible as asked, if it is: a person answers.
    #[schemars(default, with = "String")]
    impossible: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is wanted")]
enum Verdict {
    Pass,
    Fail,
}

static BASE: LazyLock<Value> = LazyLock::new(|| {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<Base>()
        .to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    for (_, property) in schema["properties"].as_object_mut().into_iter().flatten() {
        // A default that is only the absence of the key.
        if let Some(property) = property.as_object_mut() {
            property.remove("default");
        }
    }
    for (name, list) in kernel::finding::schemas() {
        schema["properties"][name] = list;
    }
    schema
});

/// Why there is no judging by a schema.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// The whole is something else than an object.
    #[error("a schema of results is a JSON object")]
    NoObject,
    /// Its properties are something else than an object.
    #[error("`properties` is not an object")]
    NoProperties,
    /// It is no schema that can be held.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// The shape of a role's results.
#[derive(Debug, Clone)]
pub struct Shape {
    whole: Value,
    schemas: Vec<Schema>,
}

impl Default for Shape {
    fn default() -> Self {
        let base = Schema::new(&BASE).expect("the schema of our own type is a schema");
        Self {
            whole: BASE.clone(),
            schemas: vec![base],
        }
    }
}

impl Shape {
    /// The base as it was when a finding was a text: for runs that began when it was.
    pub fn of_texts() -> Self {
        let mut whole = BASE.clone();
        let items = &mut whole["properties"][FINDINGS]["items"];
        *items = json!({ "anyOf": [items.take(), { "type": "string" }] });
        let schema = Schema::new(&whole).expect("the schema of our own type is a schema");
        Self {
            whole,
            schemas: vec![schema],
        }
    }

    /// The base, and what a role's JSON Schema asks for on top.
    ///
    /// # Errors
    /// Why that is no schema of results.
    pub fn with(role: &Value) -> Result<Self, ShapeError> {
        let mut base = BASE.clone();
        let mut whole = role.clone();
        let (Some(ours), Some(theirs)) =
            (base["properties"].as_object_mut(), whole.as_object_mut())
        else {
            return Err(ShapeError::NoObject);
        };
        let properties = theirs.entry("properties").or_insert_with(|| json!({}));
        let Some(properties) = properties.as_object_mut() else {
            return Err(ShapeError::NoProperties);
        };
        // What a finding is, a role may say in its own way; what says no kind is of none.
        if properties.contains_key(FINDINGS) {
            ours.remove(FINDINGS);
        }
        for (name, schema) in &*ours {
            properties
                .entry(name.clone())
                .or_insert_with(|| schema.clone());
        }
        add_required(theirs, "summary");
        theirs
            .entry("type")
            .or_insert_with(|| Value::String("object".to_owned()));
        let schemas = vec![Schema::new(&base)?, Schema::new(&whole)?];
        Ok(Self { whole, schemas })
    }

    /// A document with members of its own, of which the engine reads none by itself.
    ///
    /// # Errors
    /// Why that is no schema.
    pub fn alone(schema: &Value) -> Result<Self, ShapeError> {
        Ok(Self {
            whole: schema.clone(),
            schemas: vec![Schema::new(schema)?],
        })
    }

    /// The whole schema.
    pub fn schema(&self) -> &Value {
        &self.whole
    }

    /// The schema in the strict form that providers take; none where it cannot be said so.
    pub fn strict(&self) -> Option<Value> {
        strict::strict(&self.whole)
    }

    /// Takes out the nulls that only the strict form asks for.
    pub(crate) fn drop_nulls(&self, value: &mut Value) {
        strict::drop_nulls(value, &self.whole);
    }

    /// Everything that is wrong with a value, as JSON pointer and sentence.
    pub(super) fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        for found in self.schemas.iter().flat_map(|schema| schema.faults(value)) {
            let fault = Fault {
                path: found.place,
                what: super::cut(&found.what, MOST_CHARS),
            };
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        // In one order whoever finds them: the sentence goes into the journal.
        faults.sort_by(|a, b| (&a.path, &a.what).cmp(&(&b.path, &b.what)));
        faults.truncate(MOST_FAULTS);
        faults
    }
}

fn add_required(schema: &mut Map<String, Value>, name: &str) {
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(list) = required.as_array_mut()
        && !list.iter().any(|known| known == name)
    {
        list.push(json!(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(shape: &Shape, value: Value) -> Vec<String> {
        shape.faults(&value).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn a_role_asks_for_more_and_every_fault_is_named() {
        let role = json!({
            "type": "object",
            "required": ["verdict", "risk"],
            "additionalProperties": false,
            "properties": {
                "risk": { "enum": ["low", "high"] },
                "findings": { "type": "array", "items": {
                    "type": "object", "required": ["title", "line"],
                    "properties": { "title": { "type": "string" }, "line": { "type": "integer" } },
                } },
            },
        });
        let shape = Shape::with(&role).unwrap();
        let good = json!({"summary": "s", "verdict": "fail", "risk": "low", "findings": [{"title": "t", "line": 3}]});
        assert_eq!(sentences(&shape, good), Vec::<String>::new());
        let bad = json!({"summary": "s", "risk": "none", "findings": [{"title": 7}], "extra": 1});
        let said = sentences(&shape, bad).join("\n");
        for part in [
            "`/verdict` is missing",
            "`/findings/0/line` is missing",
            "`/findings/0/title` 7 is not of type \"string\"",
            "`/risk` \"none\" is not one of",
            "('extra' was unexpected)",
        ] {
            assert!(said.contains(part), "{part} in:\n{said}");
        }
    }

    #[test]
    fn a_role_cannot_loosen_what_the_engine_reads() {
        let role = json!({"properties": {"summary": true, "next": {"type": "integer"}, "verdict": {"enum": ["perhaps"]}}});
        let shape = Shape::with(&role).unwrap();
        for value in [
            json!({}),
            json!({"summary": " "}),
            json!({"summary": "s", "next": 7}),
            json!({"summary": "s", "verdict": "perhaps"}),
        ] {
            assert!(!shape.faults(&value).is_empty(), "{value}");
        }
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for (schema, why) in [
            (json!(7), "is a JSON object"),
            (json!({"properties": []}), "is not an object"),
            (json!({"type": "objekt"}), "objekt"),
            (json!({"properties": {"a": {"$ref": "#/nope"}}}), "nope"),
        ] {
            let error = Shape::with(&schema).unwrap_err().to_string();
            assert!(error.contains(why), "{schema}: {error}");
        }
    }

    #[test]
    fn long_values_and_many_faults_are_cut() {
        let long = json!({"summary": "s", "verdict": "x".repeat(9_000)});
        assert!(sentences(&Shape::default(), long)[0].len() < 400);
        let many = json!({"summary": "s", "findings": vec![1; 40]});
        assert_eq!(sentences(&Shape::default(), many).len(), MOST_FAULTS);
    }
}
