//! `no_prescriptions`: who only looks does not say what to change. It refuses diffs, code fences and
//! sentences that tell somebody to edit. It may turn away an innocent sentence: whoever wrote it
//! says it again as an observation.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::Texts;
use crate::text::{first_few, one_line};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::LazyLock;

/// Parts of the agent's result report and do not prescribe changes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoPrescriptions {
    /// Keys of the agent's result that are looked at, in full depth.
    results: Texts,
    /// Keys inside of them that are quotes, such as `snippet`.
    #[serde(default)]
    except: Texts,
}

const VERBS: &str = "add|adjust|apply|change|correct|delete|drop|edit|extract|fix|implement|inline|insert|introduce|make|modify|move|patch|refactor|remove|rename|replace|restore|rewrite|set|split|swap|switch|update|use|wrap|write";

/// What gives a prescription away, each with what it is called.
static SIGNS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let sign = |pattern: String, name| {
        Regex::new(&pattern)
            .ok()
            .map(|expression| (expression, name))
    };
    let signs = [
        sign("```|~~~".to_owned(), "a code fence"),
        sign(
            r"(?m)^(?:@@ |\+\+\+ |--- [ab]/|diff --git )".to_owned(),
            "a diff",
        ),
        // At the start of a sentence or a list item, or behind `should`, `must`, `please`.
        sign(
            format!(
                r"(?im)(?:^|[.;:!?]\s+)(?:\s*(?:[-*]|\d+[.)])\s+)?(?:please\s+|then\s+|just\s+)*(?:{VERBS})\s"
            ),
            "an instruction to edit",
        ),
        sign(
            format!(
                r"(?i)\b(?:should|must|needs? to|have to|has to|ought to|could|can|let us|let's|i would|you|we)\s+(?:be\s+)?(?:just\s+|simply\s+)?(?:{VERBS})(?:e?d|ten)?\b"
            ),
            "an instruction to edit",
        ),
        sign(
            r"(?i)\b(?:change|replace|rename|swap|switch)\w*\b.{1,80}\b(?:to|with|by|into|for)\b"
                .to_owned(),
            "an instruction to edit",
        ),
    ];
    signs.into_iter().flatten().collect()
});

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
            let sign = SIGNS
                .iter()
                .find_map(|(sign, name)| Some((sign.find(text)?, name)));
            if let Some((_, name)) = sign {
                wrong.push(format!("`{}` prescribes: {name}", one_line(text, 80)));
            }
        }
        if wrong.is_empty() {
            return Ok(format!("{} texts, no prescriptions", found.len()));
        }
        Err(format!(
            "{}; report what is, not what to change",
            first_few(&wrong, 2)
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
