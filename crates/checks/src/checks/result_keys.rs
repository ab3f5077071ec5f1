//! `result_keys`: an object in the agent's result has all of its parts. It refuses a report that
//! leaves one out: what is empty says so with an empty list.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::substance::hollow;
use crate::settings::{Text, Texts, WordTable};
use crate::text::{first_few, label};
use documents::substance::alike;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// An object in the agent's result has the lists and the words that it must.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ResultKeys {
    /// The object's key in the result.
    key: Text,
    /// Its keys that hold lists of texts, which may be empty.
    #[serde(default)]
    lists: Texts,
    /// Those of the lists that may not be empty.
    #[serde(default)]
    filled: Texts,
    /// A table: key to the list of its words.
    #[serde(default)]
    one_of: WordTable,
    /// A table: list to words that each of its texts has.
    #[serde(default)]
    mention: WordTable,
}

impl Judge for ResultKeys {
    const NAME: &'static str = "result_keys";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let key = &*self.key;
        let object = subject.result.map_or(&Value::Null, |result| &result[key]);
        if !object.is_object() {
            return Err(format!("the result has no object `{key}`").into());
        }
        let mut wrong = Vec::new();
        for list in self.lists.iter() {
            let texts = object[list].as_array();
            let why = |item: &Value| hollow(subject, item.as_str().unwrap_or_default(), list);
            match texts.map(|texts| texts.iter().find_map(|item| Some((item, why(item)?)))) {
                Some(None) => {}
                Some(Some((item, why))) if !why.is_blank() => {
                    let item = label(item.as_str().unwrap_or_default());
                    wrong.push(format!("`{item}` in `{list}` {why}"));
                }
                _ => wrong.push(format!("`{list}` is no list of texts")),
            }
        }
        let texts = self.lists.iter().flat_map(|list| {
            let texts = words(&object[list]).into_iter().enumerate();
            texts.map(move |(at, text)| (format!("{list} {}", at + 1), text))
        });
        let texts: Vec<(String, &str)> = texts.collect();
        wrong.extend(alike(
            texts.iter().map(|(name, text)| (name.as_str(), *text)),
        ));
        for list in self.filled.iter() {
            if object[list].as_array().is_none_or(Vec::is_empty) {
                wrong.push(format!("`{list}` is empty"));
            }
        }
        for (name, choices) in self.one_of.iter() {
            let said = object[name].as_str().unwrap_or_default();
            if !choices.iter().any(|choice| choice == said) {
                wrong.push(format!("`{name}` is none of {}", choices.join(", ")));
            }
        }
        for (name, needed) in self.mention.iter() {
            for text in words(&object[name]) {
                let lower = text.to_lowercase();
                let missing = needed
                    .iter()
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
}

fn words(value: &Value) -> Vec<&str> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}
