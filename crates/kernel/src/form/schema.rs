//! A form as a JSON Schema (draft 2020-12), written out in full: a reader, or a provider of models,
//! finds every object where it is used. Only what the walk holds is said, in the schema's own words.

use super::{Answer, Document, Form, Member, Object, Others, Presence};
use crate::version::PATTERN as VERSION;
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

impl Document {
    /// Its JSON Schema.
    pub fn schema(&self) -> Value {
        let mut schema = self.form.schema();
        if self.others == Others::PassedOver {
            open(&mut schema);
        }
        schema["$schema"] = json!(DIALECT);
        schema["title"] = json!(self.name());
        schema["description"] = json!(self.about);
        schema
    }
}

fn open(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("additionalProperties");
            members.values_mut().for_each(open);
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}

impl Form {
    /// The schema of a value of this form.
    pub fn schema(&self) -> Value {
        match self {
            Form::Any => json!({}),
            Form::Flag => json!({"type": "boolean"}),
            Form::Count(least) => json!({"type": "integer", "minimum": least}),
            Form::Measure => json!({"type": "number", "minimum": 0}),
            Form::Text(rule) => {
                let mut schema = json!({"type": "string"});
                if !rule.pattern.is_empty() {
                    schema["pattern"] = json!(rule.pattern);
                }
                if rule.most > 0 {
                    schema["maxLength"] = json!(rule.most);
                }
                schema
            }
            Form::Id(id) => {
                let pattern = format!("^{}$", id.pattern());
                json!({"type": "string", "pattern": pattern})
            }
            Form::Versioned(id) => {
                let id = id.map_or_else(|| "[A-Za-z0-9_.-]{1,128}".to_owned(), super::Id::pattern);
                let version = VERSION.trim_start_matches('^');
                json!({"type": "string", "pattern": format!("^{id}@{version}")})
            }
            Form::Word(words) => json!({"type": "string", "enum": words}),
            Form::List(form, size) => {
                let mut schema = json!({"type": "array", "items": form.schema()});
                limit(
                    &mut schema,
                    ("minItems", "maxItems"),
                    (size.least, size.most),
                );
                schema
            }
            Form::Map(form, size) => {
                let mut schema = json!({"type": "object", "additionalProperties": form.schema()});
                let names = ("minProperties", "maxProperties");
                limit(&mut schema, names, (size.least, size.most));
                schema
            }
            Form::Object(object) => {
                let must = object.members.iter();
                let must = must.filter(|member| member.presence != Presence::Optional);
                closed(
                    object.members.iter(),
                    must.map(|member| member.name).collect(),
                )
            }
            Form::Part(object) => {
                let own = object.members.iter();
                let own = own.filter(|member| member.presence != Presence::Given);
                closed(own, object.returned().collect())
            }
            Form::Nullable(form) => json!({"anyOf": [form.schema(), {"type": "null"}]}),
            Form::Either(forms) => {
                let all: Vec<Value> = forms.iter().map(Form::schema).collect();
                json!({"anyOf": all})
            }
            Form::Tagged(tagged) => {
                let one = |(word, object): &(&str, &'static Object)| {
                    json!({
                        "type": "object", "required": [tagged.tag, tagged.content],
                        "properties": {
                            tagged.tag: {"const": word},
                            tagged.content: Form::Object(object).schema(),
                        },
                        "additionalProperties": false,
                    })
                };
                let all: Vec<Value> = tagged.variants.iter().map(one).collect();
                json!({"oneOf": all})
            }
        }
    }
}

fn closed<'m>(members: impl Iterator<Item = &'m Member>, required: Vec<&str>) -> Value {
    json!({
        "type": "object", "properties": properties(members),
        "required": required, "additionalProperties": false,
    })
}

fn limit(schema: &mut Value, names: (&str, &str), (least, most): (usize, usize)) {
    if least > 0 {
        schema[names.0] = json!(least);
    }
    if most < usize::MAX {
        schema[names.1] = json!(most);
    }
}

fn properties<'m>(members: impl Iterator<Item = &'m Member>) -> Map<String, Value> {
    let one = |member: &Member| {
        let mut schema = member.form.schema();
        if !member.about.is_empty() {
            schema["description"] = json!(member.about.trim());
        }
        (member.name.to_owned(), schema)
    };
    members.map(one).collect()
}

impl Answer {
    /// The schema that a role is shown.
    pub fn schema(&self) -> Value {
        let mut properties = properties(self.members());
        let summary = json!({"type": "string", "description": "What was done, for people."});
        properties.entry(super::walk::SUMMARY).or_insert(summary);
        let forms: Vec<Value> = self
            .0
            .iter()
            .map(|object| json!({"required": object.returned().collect::<Vec<_>>()}))
            .collect();
        json!({
            "$schema": DIALECT, "type": "object", "properties": properties, "anyOf": forms,
        })
    }
}
