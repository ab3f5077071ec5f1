//! `no_finding`: nobody has raised a finding of a kind that must not be passed over. Findings are
//! not weighed: one that sounds like the kind is of the kind.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::settings::Texts;
use crate::text::{first_few, one_line};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The agent's result has no finding that mentions one of these words.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoFinding {
    /// The words, or their beginnings.
    mentions: Texts,
}

impl Judge for NoFinding {
    const NAME: &'static str = "no_finding";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let findings = match subject.result.map(|result| &result["findings"]) {
            Some(Value::Array(findings)) => findings.as_slice(),
            _ => &[],
        };
        let words: Vec<String> = self
            .mentions
            .iter()
            .map(|word| word.to_lowercase())
            .collect();
        let sounds = |text: &str| {
            let lower = text.to_lowercase();
            let mut said = lower.split(|char: char| !char.is_alphanumeric());
            said.any(|said| words.iter().any(|word| said.starts_with(word.as_str())))
        };
        let raised: Vec<String> = findings
            .iter()
            .map(|finding| match finding {
                Value::String(text) => one_line(text, 120),
                other => one_line(&other.to_string(), 120),
            })
            .filter(|text| sounds(text))
            .collect();
        match raised.is_empty() {
            true => Ok("none was raised".to_owned()),
            false => Err(first_few(&raised, 3).into()),
        }
    }
}
