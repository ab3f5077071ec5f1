//! `result_keys`: an object in the agent's result has all of its parts. It refuses a report that
//! leaves one out: what is empty says so with an empty list.

use crate::judge::{Judged, Judges};
use crate::settings::Settings;
use crate::text::{first_few, is_placeholder};
use crate::{Example, Setting, Subject};
use serde_json::{Map, Value, json};

/// The check.
pub(crate) struct ResultKeys;

pub(crate) struct Wanted<'a> {
    key: &'a str,
    lists: Vec<&'a str>,
    one_of: Option<&'a Map<String, Value>>,
    mention: Option<&'a Map<String, Value>>,
}

impl Judges for ResultKeys {
    const NAME: &'static str = "result_keys";
    const ABOUT: &'static str =
        "an object in the agent's result has the lists and the words that it must";
    const SETTINGS: &'static [Setting] = &[
        Setting::required("key", "the object's key in the result"),
        Setting::optional(
            "lists",
            "its keys that hold lists of texts, which may be empty",
        ),
        Setting::optional("one_of", "a table: key to the list of its words"),
        Setting::optional(
            "mention",
            "a table: list to words that each of its texts has",
        ),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let table = |key: &str| -> Result<Option<&'a Map<String, Value>>, String> {
            let Some(value) = settings.get(key) else {
                return Ok(None);
            };
            let map = value.as_object();
            for words in map.iter().flat_map(|map| map.values()) {
                settings.texts(key, words)?;
            }
            match map {
                Some(map) => Ok(Some(map)),
                None => settings.refuse(key, "a table"),
            }
        };
        Ok(Wanted {
            key: settings.text("key")?.unwrap_or_default(),
            lists: settings.list("lists")?.unwrap_or_default(),
            one_of: table("one_of")?,
            mention: table("mention")?,
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let key = wanted.key;
        let object = subject.result.map_or(&Value::Null, |result| &result[key]);
        if !object.is_object() {
            return Err(format!("the result has no object `{key}`").into());
        }
        let mut wrong = Vec::new();
        for list in &wanted.lists {
            let texts = object[*list].as_array();
            let real = |item: &Value| item.as_str().is_some_and(|text| !is_placeholder(text));
            if !texts.is_some_and(|texts| texts.iter().all(real)) {
                wrong.push(format!("`{list}` is no list of texts"));
            }
        }
        for (name, choices) in wanted.one_of.into_iter().flatten() {
            let said = object[name].as_str().unwrap_or_default();
            let choices = words(choices);
            if !choices.contains(&said) {
                wrong.push(format!("`{name}` is none of {}", choices.join(", ")));
            }
        }
        for (name, needed) in wanted.mention.into_iter().flatten() {
            for text in words(&object[name]) {
                let lower = text.to_lowercase();
                let missing = words(needed)
                    .into_iter()
                    .find(|word| !lower.contains(&word.to_lowercase()));
                if let Some(word) = missing {
                    wrong.push(format!("one of `{name}` says nothing of {word}"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(format!("`{key}` is complete"));
        }
        Err(first_few(&wrong, 3).into())
    }

    fn examples() -> Vec<Example> {
        let with = || {
            json!({
                "key": "audit", "lists": ["diagnosis", "gaps"],
                "one_of": {"outcome": ["PASS", "FAIL"]}, "mention": {"diagnosis": ["confidence"]}
            })
        };
        let of = |example: Example, audit: Value| Example {
            result: Some(json!({"summary": "s", "audit": audit})),
            ..example
        };
        let bad = |name, audit, reason| of(Example::fails(name, with(), reason), audit);
        vec![
            of(
                Example::passes("complete", with(), "complete"),
                json!({"outcome": "FAIL", "diagnosis": ["a race; confidence: low"], "gaps": []}),
            ),
            bad(
                "a part is missing",
                json!({"outcome": "FAIL", "diagnosis": []}),
                "`gaps` is no list",
            ),
            bad(
                "another word",
                json!({"outcome": "maybe", "diagnosis": [], "gaps": []}),
                "`outcome` is none of PASS, FAIL",
            ),
            bad(
                "no confidence",
                json!({"outcome": "FAIL", "diagnosis": ["a race"], "gaps": []}),
                "says nothing of confidence",
            ),
            Example {
                result: Some(json!({"summary": "s"})),
                ..Example::fails("no object", with(), "no object `audit`")
            },
        ]
    }
}

fn words(value: &Value) -> Vec<&str> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}
