//! `no_prescriptions`: who only looks does not say what to change. It refuses diffs, code fences and
//! sentences that tell somebody to edit. It may turn away an innocent sentence: whoever wrote it
//! says it again as an observation.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::Texts;
use crate::text::{first_few, one_line};
use documents::prescription::prescribed;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Parts of the agent's result report and do not prescribe changes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoPrescriptions {
    /// Keys of the agent's result that are looked at, in full depth.
    results: Texts,
    /// Keys inside of them that are quotes, such as `snippet`.
    #[serde(default)]
    except: Texts,
}

impl Judge for NoPrescriptions {
    const NAME: &'static str = "no_prescriptions";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut found = Vec::new();
        for key in self.results.iter() {
            let value = subject.result.map_or(&Value::Null, |result| &result[key]);
            texts(value, &self.except, &mut found);
        }
        let mut wrong = Vec::new();
        for text in &found {
            if let Some((name, words)) = prescribed(text) {
                let text = one_line(text, 80);
                wrong.push(format!("`{text}` prescribes: {name} (`{words}`)"));
            }
        }
        if wrong.is_empty() {
            return Ok(format!("{} texts, no prescriptions", found.len()));
        }
        Err(format!(
            "{}; report what is, not what to change",
            first_few(&wrong, 8)
        )
        .into())
    }
}

fn texts<'v>(value: &'v Value, except: &[String], found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|item| texts(item, except, found)),
        Value::Object(map) => {
            let inside = map.iter().filter(|(key, _)| !except.contains(key));
            inside.for_each(|(_, item)| texts(item, except, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
